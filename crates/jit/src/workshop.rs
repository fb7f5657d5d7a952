//! Where code is made: in the background, while the interpreter goes on.

use crate::code::{Code, Draft, Effort};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// A draft with more instructions is compiled in haste first: if there is a core for it to be made better behind the
/// search, and if there is none. To compile for speed takes twice as long, some 2 us an instruction more, which is
/// less than to compile twice on a core that searches, or to search for long with code that takes twice as long to run.
const LARGE: (usize, usize) = (1_000, 20_000);

/// How long a thread gives way to who makes code.
const WHILE: Duration = Duration::from_millis(2);

/// The code of all shapes, as far as it is made.
#[derive(Clone)]
pub(crate) struct Workshop {
    shelves: Arc<Mutex<Vec<Shelf>>>,
    /// Somebody has put code on a shelf.
    news: Arc<Condvar>,
    /// When the first code was there.
    first_code: Arc<OnceLock<Instant>>,
    /// Whether there is a core that the search does not use.
    has_core: bool,
}

/// The code of one shape.
#[derive(Default)]
struct Shelf {
    code: Option<Arc<Code>>,
    /// What it was made of in haste, to make it better.
    draft: Option<Draft>,
    /// Somebody makes it, or makes it better.
    is_busy: bool,
    /// It was tried in vain.
    is_hopeless: bool,
}

/// What there is of what was asked for.
pub(crate) enum Answer {
    Ready(Arc<Code>),
    /// Ask again.
    Wait,
    Never,
}

impl Workshop {
    /// Where code is made beside a search that leaves a core, or does not.
    pub(crate) fn new(has_core: bool) -> Workshop {
        let (shelves, news, first_code) = (Arc::default(), Arc::default(), Arc::default());
        Workshop { shelves, news, first_code, has_core }
    }

    pub(crate) fn first_code(&self) -> Arc<OnceLock<Instant>> {
        self.first_code.clone()
    }

    /// Whether code that was made in haste is made better as soon as there is any: it costs nothing.
    pub(crate) fn is_eager(&self) -> bool {
        self.has_core
    }

    /// Whether code takes a core from a search that makes good use of it.
    pub(crate) fn is_dear(&self) -> bool {
        !self.has_core && self.first_code.get().is_some()
    }

    fn shelf(&self, shape: usize) -> MutexGuard<'_, Vec<Shelf>> {
        let mut shelves = self.shelves.lock().unwrap_or_else(PoisonError::into_inner);
        if shelves.len() <= shape {
            shelves.resize_with(shape + 1, Shelf::default);
        }
        shelves
    }

    /// Asks for the code of a shape that was made with at least so much effort. Whoever asks first
    /// drafts it; it is compiled in the background.
    pub(crate) fn ask(&self, shape: usize, effort: Effort, draft: impl FnOnce() -> Option<Draft>) -> Answer {
        let kept = match self.look(shape, effort) {
            Ok(answer) => return answer,
            Err(kept) => kept,
        };
        let Some(draft) = kept.or_else(draft) else {
            self.finish(shape, None, None);
            return Answer::Never;
        };
        let large = if self.has_core { LARGE.0 } else { LARGE.1 };
        let effort = if draft.instructions() > large { effort } else { Effort::Speed };
        let workshop = self.clone();
        let compile = move || {
            let kept = (effort < Effort::Speed).then(|| draft.clone());
            workshop.put(shape, draft.compile(effort), kept);
        };
        let begun = thread::Builder::new().name("compiler".into()).spawn(compile);
        if begun.is_err() {
            self.finish(shape, None, None);
        }
        Answer::Wait
    }

    /// The code of a shape, if there is any.
    pub(crate) fn ready(&self, shape: usize) -> Option<Arc<Code>> {
        self.shelf(shape)[shape].code.clone()
    }

    /// Gives who makes code the core of the caller for a while: it needs one, if the search uses all.
    pub(crate) fn give_way(&self, shape: usize) {
        if !self.has_core {
            let is_waiting = |shelves: &mut Vec<Shelf>| shelves[shape].is_busy && shelves[shape].code.is_none();
            drop(self.news.wait_timeout_while(self.shelf(shape), WHILE, is_waiting));
        }
    }

    /// The same without delay.
    pub(crate) fn make(&self, shape: usize, draft: impl FnOnce() -> Option<Draft>) -> Answer {
        let mut shelves = self.shelf(shape);
        if shelves[shape].code.is_none() && !shelves[shape].is_hopeless {
            shelves[shape].finish(draft().and_then(|draft| draft.compile(Effort::Speed)), None);
        }
        shelves[shape].code.clone().map_or(Answer::Never, Answer::Ready)
    }

    /// What there is; if nothing is, and nobody makes it, the caller must, perhaps of a draft that was kept.
    fn look(&self, shape: usize, effort: Effort) -> Result<Answer, Option<Draft>> {
        let shelf = &mut self.shelf(shape)[shape];
        let code = shelf.code.as_ref().filter(|code| code.effort >= effort);
        let answer = match code {
            Some(code) => Answer::Ready(code.clone()),
            None if shelf.is_hopeless => Answer::Never,
            None if shelf.is_busy => Answer::Wait,
            None => {
                shelf.is_busy = true;
                return Err(shelf.draft.take());
            }
        };
        Ok(answer)
    }

    /// Puts code on its shelf, and makes it better if there is a core for that.
    fn put(&self, shape: usize, code: Option<Code>, kept: Option<Draft>) {
        if code.is_some() {
            self.first_code.get_or_init(Instant::now);
        }
        match kept {
            Some(draft) if self.has_core && code.is_some() => {
                self.shelf(shape)[shape].code = code.map(Arc::new);
                self.finish(shape, draft.compile(Effort::Speed), None);
            }
            kept => self.finish(shape, code, kept),
        }
    }

    fn finish(&self, shape: usize, code: Option<Code>, kept: Option<Draft>) {
        self.shelf(shape)[shape].finish(code, kept);
        self.news.notify_all();
    }
}

impl Shelf {
    fn finish(&mut self, code: Option<Code>, kept: Option<Draft>) {
        self.is_busy = false;
        self.draft = kept;
        match code {
            Some(code) => self.code = Some(Arc::new(code)),
            None => self.is_hopeless = true,
        }
    }
}
