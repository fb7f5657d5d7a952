//! How native code is called, and what is left to do after it.

use crate::code::{Code, Size};
use crate::context::{
    ATOMIC, Context, DEEP_SHIFT, DEFER, DONE_SHIFT, FAR_SHIFT, GOES_ON, HOLDER_SHIFT, Watch, greatest, look,
};
use spinor_exec::{Ended, Expanded, Next, Shape, Successors};
use std::sync::Arc;
use std::time::Instant;

/// Moves inside an atomic sequence between two looks at its limits, where there is one path only.
const ATOMIC_CHECK: usize = 1 << 12;

/// States inside atomic sequences of one step, on several paths, after which the interpreter takes over.
const ATOMIC_STATES: usize = 100_000;

/// What native code works with.
pub(crate) struct Worker {
    /// Which statements it executed.
    pub(crate) executed: Vec<u8>,
    /// States inside of atomic sequences that are still to be followed.
    pub(crate) inside: Vec<Inside>,
    /// Who looks at long sequences.
    pub(crate) watch: Watch,
    /// Whether the model asks for `timeout`.
    pub(crate) has_timeout: bool,
}

/// A state inside of an atomic sequence, or at its end.
#[derive(Clone, Copy)]
pub(crate) struct Inside {
    next: Next,
    /// How many moves lead to it.
    length: u32,
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
        let mut context = self.context(job.hot, job.timeout, out);
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
        if expanded.ended != Ended::Stuck || job.timeout || !job.asks_again {
            return Ok(expanded);
        }
        // Nobody could move.
        let job = Job { timeout: true, ..*job };
        let status = self.call(&job, 0, out);
        let again = self.go_through(&job, status, first, out)?;
        Ok(Expanded { deepest: again.deepest.max(deepest), ..again })
    }

    /// Where native code is to write.
    fn context(&mut self, hot: &Hot, timeout: bool, out: &mut Successors) -> Context {
        self.watch.reset(hot.shape.words(), out.limit.until);
        Context {
            words: out.words.as_mut_ptr(),
            at: out.words.len() as u64,
            list: out.list.spare_capacity_mut().as_mut_ptr().cast(),
            executed: self.executed.as_mut_ptr(),
            timeout: u32::from(timeout),
            looked_at: self.watch.words.as_mut_ptr(),
            look,
            watch: &raw mut self.watch,
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
        inside.extend(out.list.drain(first..).rev().map(|next| Inside::behind(0, next)));
        let result = self.follow_all(known, &mut inside, out, expanded);
        self.inside = inside;
        result
    }

    fn follow_all(
        &mut self,
        known: &[Known],
        inside: &mut Vec<Inside>,
        out: &mut Successors,
        expanded: &mut Expanded,
    ) -> Result<(), Defer> {
        // The length of the only path, a state on it that may come back, and states on several paths.
        let (mut only, mut anchor, mut several) = (0_usize, Vec::new(), 0);
        while let Some(it) = inside.pop() {
            if it.next.distance & GOES_ON == 0 {
                expanded.furthest = expanded.furthest.max(it.length);
                out.list.push(Next { distance: it.length, ..it.next });
                continue;
            }
            expanded.deepest = expanded.deepest.max(it.length);
            if inside.is_empty() {
                only += 1;
                let words = out.vector(&it.next);
                let is_late = || out.limit.until.is_some_and(|until| Instant::now() >= until);
                // Brent's method: a state that comes back means that the sequence never ends.
                if anchor == words || only.is_multiple_of(ATOMIC_CHECK) && is_late() {
                    return Err(Defer(None));
                }
                if only.is_power_of_two() {
                    anchor = words.to_vec();
                }
            } else {
                several += 1;
                if several > ATOMIC_STATES {
                    return Err(Defer(None));
                }
            }
            let (words, list) = (out.words.len(), out.list.len());
            if !self.go_on(known, &it, out, expanded)? {
                expanded.furthest = expanded.furthest.max(it.length);
                out.list.push(Next { distance: it.length, ..it.next });
                continue;
            }
            let one = inside.is_empty() && out.list.len() == list + 1;
            let more = out.list.drain(list..).rev();
            inside.extend(more.map(|next| Inside::behind(it.length, next)));
            if let (true, Some(next)) = (one, inside.last_mut()) {
                next.replace(&it, words, out);
            }
        }
        Ok(())
    }

    /// One more move of a process that is inside an atomic sequence; `false` if it cannot go on.
    fn go_on(
        &mut self,
        known: &[Known],
        Inside { next, length }: &Inside,
        out: &mut Successors,
        expanded: &mut Expanded,
    ) -> Result<bool, Defer> {
        let at = next.at as usize;
        let id = Shape::id_of(out.words[at]) as usize;
        let Some(Known::Hot(hot)) = known.get(id) else { return Err(Defer(Some(id))) };
        hot.make_room(out);
        let before = out.list.len();
        let done = hot.processes - (next.distance >> HOLDER_SHIFT & 0xff);
        let mut context = self.context(hot, false, out);
        // SAFETY: as the type says. The state lies in `out`, which has room, so that it does not
        // move while the code runs.
        let status = unsafe { (hot.code.function)(&raw mut context, context.words.add(at), done - 1, done) };
        if status & DEFER != 0 {
            return Err(Defer(None));
        }
        // SAFETY: everything up to there was written.
        unsafe { context.keep(out) };
        expanded.deepest = expanded.deepest.max(length + greatest(status, DEEP_SHIFT));
        Ok(out.list.len() > before)
    }
}

impl Inside {
    /// What native code wrote, after so many moves.
    fn behind(length: u32, next: Next) -> Inside {
        let (moves, flags) = (next.distance & 0xffff, next.distance & !0xffff);
        Inside { length: length + moves, next: Next { distance: flags, ..next } }
    }

    /// The words take the place of those of the state before, which nobody needs any more if they were the last: so a long
    /// sequence takes no more memory than a short one.
    fn replace(&mut self, before: &Inside, end: usize, out: &mut Successors) {
        let at = before.next.at as usize;
        let is_last = at + out.vector(&before.next).len() == end && self.next.at as usize == end;
        if is_last && self.next.distance & GOES_ON != 0 {
            let words = out.vector(&self.next).len();
            out.words.copy_within(end..end + words, at);
            out.words.truncate(at + words);
            self.next.at = at as u32;
        }
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
    let ended = if moved { Ended::Moved } else { Ended::Stuck };
    if status as u32 == 0 {
        return Expanded { ended, furthest: u32::from(moved), ..Expanded::default() };
    }
    let furthest = greatest(status, FAR_SHIFT).max(u32::from(moved));
    Expanded { ended, deepest: greatest(status, DEEP_SHIFT), furthest }
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
