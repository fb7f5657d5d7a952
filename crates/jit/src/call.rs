//! How native code is called, and what is left to do after it.

use crate::code::{Code, Size};
use crate::context::{ATOMIC, Context, DEEP_SHIFT, DEFER, DONE_SHIFT, FAR_SHIFT, GOES_ON, HOLDER_SHIFT, greatest};
use spinor_exec::{Expanded, Next, Shape, Successors};
use std::sync::Arc;

/// Moves inside an atomic sequence after which the interpreter takes over: it may never end.
const ATOMIC_PATIENCE: u32 = 1_000;

/// States inside atomic sequences of one step after which the interpreter takes over: it knows
/// the limits of time and memory.
const ATOMIC_STATES: usize = 100_000;

/// What native code works with.
pub(crate) struct Worker {
    /// Which statements it executed.
    pub(crate) executed: Vec<u8>,
    /// States inside of atomic sequences that are still to be followed.
    pub(crate) inside: Vec<Next>,
    /// Whether the model asks for `timeout`.
    pub(crate) has_timeout: bool,
}

/// What an engine knows of a shape.
pub(crate) enum Known {
    /// So many of its states are to be expanded before somebody asks for its code, and so often that was done.
    Cold(u32, u32),
    Hot(Hot),
    /// It cannot be compiled.
    Never,
}

/// A shape with its code.
pub(crate) struct Hot {
    pub(crate) shape: Arc<Shape>,
    pub(crate) code: Arc<Code>,
    /// How many processes there are.
    pub(crate) processes: u32,
}

/// A state to expand.
pub(crate) struct Job<'a> {
    pub(crate) known: &'a [Known],
    pub(crate) hot: &'a Hot,
    pub(crate) state: &'a [u64],
    pub(crate) timeout: bool,
    /// How many processes, from the highest pid down, are to be done.
    pub(crate) until: u32,
    /// Whether a second round with `timeout` follows if nobody can move.
    pub(crate) asks_again: bool,
}

/// The state must be expanded by the interpreter, maybe because there is no code for a shape.
pub(crate) struct Defer(pub(crate) Option<usize>);

impl Worker {
    /// Processes from one on, until there is an atomic sequence to be followed.
    #[inline]
    pub(crate) fn call(&mut self, job: &Job<'_>, from: u32, out: &mut Successors) -> u64 {
        job.hot.make_room(out);
        let mut context = self.context(job.timeout, out);
        let function = job.hot.code.function;
        // SAFETY: as the type says; `state` has all words of its shape, and there is room.
        let status = unsafe { function(&raw mut context, job.state.as_ptr(), from, job.until) };
        // SAFETY: everything up to there was written.
        unsafe { context.keep(out) };
        status
    }

    /// What is left to do after a first call that said `status`; its successors begin at `first`.
    #[cold]
    pub(crate) fn go_through(
        &mut self,
        job: &Job<'_>,
        mut status: u64,
        first: usize,
        out: &mut Successors,
    ) -> Result<Expanded, Defer> {
        let mut inside = Expanded::default();
        let (mut all, mut before) = (0, first);
        loop {
            all |= status;
            if status & DEFER != 0 {
                return Err(Defer(None));
            }
            if status & ATOMIC != 0 {
                self.follow(job.known, before, out, &mut inside)?;
            }
            let done = (status >> DONE_SHIFT) as u32;
            if done == job.until {
                break;
            }
            before = out.list.len();
            status = self.call(job, done, out);
        }
        let expanded = expanded(all, out.list.len() > first);
        let (deepest, furthest) = (expanded.deepest.max(inside.deepest), expanded.furthest.max(inside.furthest));
        let expanded = Expanded { deepest, furthest, ..expanded };
        if expanded.moved || job.timeout || !job.asks_again {
            return Ok(expanded);
        }
        // Nobody could move.
        let job = Job { timeout: true, ..*job };
        let status = self.call(&job, 0, out);
        let again = self.go_through(&job, status, first, out)?;
        Ok(Expanded { deepest: again.deepest.max(deepest), ..again })
    }

    /// Where native code is to write.
    fn context(&mut self, timeout: bool, out: &mut Successors) -> Context {
        Context {
            words: out.words.as_mut_ptr(),
            at: out.words.len() as u64,
            list: out.list.spare_capacity_mut().as_mut_ptr().cast(),
            executed: self.executed.as_mut_ptr(),
            timeout: u32::from(timeout),
        }
    }

    /// Follows the atomic sequences that successors from `first` on are inside of, each path to
    /// its end, in the order of the interpreter.
    fn follow(
        &mut self,
        known: &[Known],
        first: usize,
        out: &mut Successors,
        expanded: &mut Expanded,
    ) -> Result<(), Defer> {
        let mut inside = std::mem::take(&mut self.inside);
        inside.clear();
        inside.extend(out.list.drain(first..).rev());
        let mut followed = 0;
        let result = loop {
            let Some(next) = inside.pop() else { break Ok(()) };
            if next.distance & GOES_ON == 0 {
                expanded.furthest = expanded.furthest.max(next.distance);
                out.list.push(next);
                continue;
            }
            followed += 1;
            let before = out.list.len();
            let length = next.distance & 0xffff;
            expanded.deepest = expanded.deepest.max(length);
            if length > ATOMIC_PATIENCE || followed > ATOMIC_STATES {
                break Err(Defer(None));
            }
            match self.go_on(known, &next, out, expanded) {
                Err(defer) => break Err(defer),
                Ok(false) => {
                    expanded.furthest = expanded.furthest.max(length);
                    out.list.push(Next { distance: length, ..next });
                }
                Ok(true) => {
                    let more = out.list.drain(before..).rev();
                    inside.extend(more.map(|it| Next { distance: it.distance + length, ..it }));
                }
            }
        };
        self.inside = inside;
        result
    }

    /// One more move of a process that is inside an atomic sequence; `false` if it cannot go on.
    fn go_on(
        &mut self,
        known: &[Known],
        next: &Next,
        out: &mut Successors,
        expanded: &mut Expanded,
    ) -> Result<bool, Defer> {
        let at = next.at as usize;
        let id = Shape::id_of(out.words[at]) as usize;
        let Some(Known::Hot(hot)) = known.get(id) else { return Err(Defer(Some(id))) };
        hot.make_room(out);
        let before = out.list.len();
        let done = hot.processes - (next.distance >> HOLDER_SHIFT & 0xff);
        let mut context = self.context(false, out);
        // SAFETY: as the type says. The state lies in `out`, which has room, so that it does not
        // move while the code runs.
        let status = unsafe { (hot.code.function)(&raw mut context, context.words.add(at), done - 1, done) };
        if status & DEFER != 0 {
            return Err(Defer(None));
        }
        // SAFETY: everything up to there was written.
        unsafe { context.keep(out) };
        expanded.deepest = expanded.deepest.max((next.distance & 0xffff) + greatest(status, DEEP_SHIFT));
        Ok(out.list.len() > before)
    }
}

/// Whether nothing is left to do if somebody moved.
#[inline]
pub(crate) fn is_plain(status: u64) -> bool {
    status & (ATOMIC | DEFER) == 0
}

/// What the status of native code means, if nothing is left to do.
#[inline]
pub(crate) fn expanded(status: u64, moved: bool) -> Expanded {
    if status as u32 == 0 {
        return Expanded { moved, furthest: u32::from(moved), ..Expanded::default() };
    }
    let furthest = greatest(status, FAR_SHIFT).max(u32::from(moved));
    Expanded { moved, deepest: greatest(status, DEEP_SHIFT), furthest, cut: None }
}

impl Hot {
    pub(crate) fn new(shape: Arc<Shape>, code: Arc<Code>) -> Hot {
        Hot { processes: shape.processes.len() as u32, shape, code }
    }

    /// Reserves memory for one expansion, atomic sequences apart.
    #[inline]
    fn make_room(&self, out: &mut Successors) {
        let Size { successors, words } = self.code.size;
        out.list.reserve(successors);
        out.words.reserve(successors * words);
    }
}
