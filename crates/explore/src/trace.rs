//! How breadth-first search knows its way back.
//!
//! Stored states have no links to where they came from. A search that stays small keeps a log, one
//! link for each stored state, and follows it back. Beyond that, a path is found by searching
//! again, as in Hirschberg's algorithm (1975): each state of the frontier carries the state at
//! which its path crossed the middle level, which splits the path in two; both halves are searched
//! in the same way. That costs 16 bytes for each state of the frontier and one handle for each
//! state of the middle level, nothing for stored states, and as much time again as the first
//! search plus what the halves take, which grow much less as a rule.

use crate::vectors::{State, States};

/// No number.
pub(crate) const NONE: u32 = u32::MAX;

/// What a state of the frontier carries along.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tag {
    /// Its number in the logs.
    pub(crate) number: u32,
    /// The number of the state at which its path crossed the middle level.
    pub(crate) middle: u32,
}

impl Tag {
    pub(crate) const NONE: Tag = Tag { number: NONE, middle: NONE };
}

/// Where a state came from: a state and one of its successors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) from: u32,
    pub(crate) successor: u32,
}

/// A parent that is known by its tag, and which of its successors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) tag: Tag,
    pub(crate) successor: u32,
}

/// The state that a search wants to find again.
#[derive(Debug)]
pub(crate) struct Goal {
    pub(crate) target: State,
    /// The level at which it must be; any if states may be confused.
    pub(crate) level: Option<usize>,
    /// The level at which paths are split.
    pub(crate) middle: usize,
}

/// What one worker remembers of paths. Numbers are those of all workers, taken in turns.
#[derive(Debug)]
pub(crate) struct Trace {
    pub(crate) log: Option<Vec<Link>>,
    /// What it was when it became too long, if a path in it will be wanted.
    ended: Option<Vec<Link>>,
    pub(crate) middles: States,
    /// The levels of these.
    pub(crate) levels: Vec<u32>,
    /// Whether middles are wanted.
    pub(crate) guided: bool,
    worker: u32,
    workers: u32,
}

impl Trace {
    pub(crate) fn new(worker: usize, workers: usize, log: bool, guided: bool) -> Trace {
        Trace {
            log: log.then(Vec::new),
            ended: None,
            middles: States::default(),
            levels: Vec::new(),
            guided,
            worker: worker as u32,
            workers: workers as u32,
        }
    }

    /// Whether states carry tags.
    pub(crate) fn is_wanted(&self) -> bool {
        self.log.is_some() || self.guided
    }

    /// Nothing more is noted; whether what was is kept.
    pub(crate) fn end_log(&mut self, is_kept: bool) {
        self.ended = self.log.take().filter(|_| is_kept);
    }

    /// All that was noted, if it is still there.
    pub(crate) fn take_log(&mut self) -> Option<Vec<Link>> {
        self.log.take().or_else(|| self.ended.take())
    }

    /// The number of an entry of this worker.
    pub(crate) fn number(&self, index: usize) -> u32 {
        index as u32 * self.workers + self.worker
    }

    /// The worker of a number, and its entry.
    pub(crate) fn place(&self, number: u32) -> (usize, usize) {
        ((number % self.workers) as usize, (number / self.workers) as usize)
    }

    /// Notes where a state came from; its number.
    pub(crate) fn note(&mut self, origin: Origin) -> u32 {
        let Some(log) = &mut self.log else { return NONE };
        log.push(Link { from: origin.tag.number, successor: origin.successor });
        let index = log.len() - 1;
        self.number(index)
    }

    pub(crate) fn memory(&self) -> usize {
        [&self.log, &self.ended].into_iter().flatten().map(|log| log.capacity() * size_of::<Link>()).sum::<usize>()
            + self.middles.memory()
            + self.levels.capacity() * 4
    }
}

/// The choices that lead from the first state to the one with a number.
pub(crate) fn choices(logs: &[Vec<Link>], mut number: u32) -> Vec<u32> {
    let workers = logs.len() as u32;
    let mut choices = Vec::new();
    loop {
        let link = logs[(number % workers) as usize][(number / workers) as usize];
        if link.from == NONE {
            break;
        }
        choices.push(link.successor);
        number = link.from;
    }
    choices.reverse();
    choices
}
