//! Depth-first search: Algorithm 1 of Holzmann, Godefroid and Pirottin (1992), with a stack of its
//! own.
//!
//! The successors of a state are looked up together when it is expanded; those that were visited
//! stay so. Whether one of the others was visited meanwhile is asked when its turn comes. So the
//! order of visits, the counts and the depth are those of a search that generates one successor at
//! a time.

use crate::control::Control;
use crate::expand::{Choice, Expand};
use crate::findings::{Counts, Tally, wrong_at};
use crate::on_stack::OnStack;
use crate::path::walk;
use crate::plan::Proviso;
use crate::reduce::Processes;
use crate::report::{StopReason, Violation};
use crate::vectors::{State, Vector};
use spinor_exec::{Cut, Expanded, Successors};
use spinor_store::{Batch, Fresh, Handle, Item, Source, Store, words_of};

/// Visits between two looks at the clock.
const TICK: u64 = 1 << 7;

/// A state on the path, with its successors in [`Stack::pending`].
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// Its vector in [`Stack::words`].
    at: usize,
    bytes: u32,
    /// Where it is stored, unless it moved.
    handle: Option<Handle>,
    depth: usize,
    /// The first of its successors.
    begin: usize,
    /// The one to be visited next.
    next: usize,
    /// Behind the last.
    end: usize,
    /// Where their words begin.
    words: usize,
    /// Its fingerprint, if it is wanted.
    print: Option<u64>,
}

/// A successor that was not visited when its source was expanded.
#[derive(Clone, Copy, Debug)]
struct Pending {
    at: usize,
    bytes: u32,
    key: u32,
    distance: u32,
    /// Which successor of its source.
    index: u32,
}

/// A state to begin with, and the choices that lead to it from the first.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) state: State,
    pub(crate) depth: usize,
    pub(crate) choices: Vec<u32>,
}

/// The path of a depth-first search. At its bottom is a frame without a state, whose only
/// successor is where the search begins.
#[derive(Debug, Default)]
struct Stack {
    frames: Vec<Frame>,
    pending: Vec<Pending>,
    words: Vec<u64>,
    /// The choices that lead to where the search begins.
    prefix: Vec<u32>,
    /// The states of the path, if the search is reduced.
    states: OnStack,
}

impl Stack {
    fn begin(&mut self, task: Task) {
        let Task { state: State { words, bytes, key }, depth, choices } = task;
        self.pending.push(Pending { at: 0, bytes, key, distance: 0, index: 0 });
        self.words.extend(words);
        self.frames.push(Frame {
            at: 0,
            bytes: 0,
            handle: None,
            depth,
            begin: 0,
            next: 0,
            end: 1,
            words: 0,
            print: None,
        });
        self.prefix = choices;
    }

    /// The choices that lead to the state whose successors come next.
    fn choices(&self, frames: usize) -> Vec<u32> {
        let taken = self.frames[..frames].iter().skip(1).map(|frame| self.pending[frame.next - 1].index);
        self.prefix.iter().copied().chain(taken).collect()
    }

    fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.pending.truncate(frame.begin);
            self.words.truncate(frame.words);
            frame.print.into_iter().for_each(|print| self.states.leave(print));
        }
    }

    fn vector(&self, it: &Pending) -> Vector<'_> {
        Vector { words: &self.words[it.at..it.at + words_of(it.bytes)], bytes: it.bytes, key: it.key }
    }

    /// Gives the oldest part of the search away, which is the largest as a rule.
    fn share(&mut self) -> Option<Task> {
        let last = self.frames.len().checked_sub(1)?;
        let index = self.frames[..last].iter().position(|frame| frame.next < frame.end)?;
        let frame = &mut self.frames[index];
        frame.end -= 1;
        let (depth, end) = (frame.depth, frame.end);
        let it = self.pending[end];
        let mut choices = self.choices(index);
        if index > 0 {
            choices.push(it.index);
        }
        Some(Task { state: self.vector(&it).to_state(), depth: depth + it.distance as usize, choices })
    }

    fn memory(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.pending.capacity() * size_of::<Pending>()
            + self.words.capacity() * 8
            + self.prefix.capacity() * 4
            + self.states.memory()
    }
}

/// One thread of a depth-first search.
pub(crate) struct Walker<S> {
    pub(crate) engine: S,
    pub(crate) counts: Counts,
    pub(crate) tally: Tally,
    pub(crate) violations: Vec<Violation>,
    stack: Stack,
    /// The first state of the model.
    first: State,
    out: Successors,
    choice: Choice,
    items: Vec<Item>,
    fresh: Vec<Fresh>,
    known: Vec<bool>,
    ticks: u64,
}

impl<S: Expand> Walker<S> {
    pub(crate) fn new(engine: S, first: State) -> Walker<S> {
        Walker {
            engine,
            counts: Counts::default(),
            tally: Tally::default(),
            violations: Vec::new(),
            stack: Stack::default(),
            first,
            out: Successors::default(),
            choice: Choice::default(),
            items: Vec::new(),
            fresh: Vec::new(),
            known: Vec::new(),
            ticks: 0,
        }
    }

    pub(crate) fn begin(&mut self, task: Task) {
        self.stack.begin(task);
    }

    pub(crate) fn is_done(&self) -> bool {
        self.stack.frames.is_empty()
    }

    pub(crate) fn share(&mut self) -> Option<Task> {
        self.stack.share()
    }

    /// States on the path.
    pub(crate) fn waiting(&self) -> usize {
        self.stack.frames.len()
    }

    /// The depth of the last of these.
    pub(crate) fn depth(&self) -> usize {
        self.stack.frames.last().map_or(0, |frame| frame.depth)
    }

    pub(crate) fn memory(&self) -> usize {
        self.stack.memory() + self.out.words.capacity() * 8
    }

    pub(crate) fn compares_all(&self) -> bool {
        self.first.key == self.first.bytes
    }

    pub(crate) fn first(&self) -> &State {
        &self.first
    }

    /// States were moved: handles mean nothing any more.
    pub(crate) fn forget_handles(&mut self) {
        self.stack.frames.iter_mut().for_each(|frame| frame.handle = None);
    }

    /// Goes on until the stack is empty or the search must rest. `tick` is called now and then.
    pub(crate) fn walk<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        tick: &mut dyn FnMut(&mut Walker<S>),
    ) {
        self.out.limit = control.limit(store);
        while !control.must_rest()
            && let Some(frame) = self.stack.frames.last_mut()
        {
            if frame.next == frame.end {
                self.stack.pop();
                continue;
            }
            let it = self.stack.pending[frame.next];
            frame.next += 1;
            let frame = *frame;
            self.step(control, store, session, frame, it);
            self.ticks += 1;
            if self.ticks.is_multiple_of(TICK) {
                self.out.limit = control.limit(store);
                tick(self);
            }
        }
    }

    /// The turn of a successor has come.
    fn step<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        frame: Frame,
        it: Pending,
    ) {
        let depth = frame.depth + it.distance as usize;
        let words = &self.stack.words;
        let source = Source { at: 0, bytes: frame.bytes, end: 1, handle: frame.handle };
        let batch = Batch {
            words: &words[it.at..],
            items: &[Item { at: 0, bytes: it.bytes, key: it.key }],
            source_words: &words[frame.at..],
            sources: &[source],
        };
        if control.plan.max_depth.is_some_and(|limit| depth > limit) {
            self.known.clear();
            store.lookup(session, &batch, &mut self.known);
            match self.known[0] {
                true => self.counts.matched += 1,
                false => control.cut(StopReason::Depth),
            }
            return;
        }
        self.fresh.clear();
        store.insert(session, &batch, &mut self.fresh);
        match self.fresh.first().map(|fresh| fresh.handle) {
            Some(Some(handle)) => self.visit(control, store, session, (it, handle, depth)),
            None => self.counts.matched += 1,
            Some(None) => {
                // Its turn comes again.
                control.set_full(true);
                if let Some(frame) = self.stack.frames.last_mut() {
                    frame.next -= 1;
                }
            }
        }
    }

    fn visit<T: Store>(
        &mut self,
        control: &Control<'_>,
        store: &T,
        session: &mut T::Session,
        (it, handle, depth): (Pending, Handle, usize),
    ) {
        self.counts.stored += 1;
        self.counts.bytes += u64::from(it.bytes);
        self.counts.deepen(depth);
        self.out.clear();
        let vector = self.stack.vector(&it);
        let expanded = self.engine.expand_for(vector.words, &mut self.out, &mut self.choice);
        if let Some(cut) = expanded.cut {
            control.halt(if cut == Cut::Bytes { StopReason::Memory } else { StopReason::Time });
        }
        self.counts.deepen(depth + expanded.deepest as usize);
        if !expanded.moved || !self.out.findings.is_empty() {
            self.judge(control, it, expanded);
        }
        self.look_up(store, session, it, handle);
        let is_reduced = self.engine.is_reduced();
        let Stack { words, states, .. } = &mut self.stack;
        let print = is_reduced.then(|| states.enter(&words[it.at..it.at + words_of(it.bytes)], it.key));
        let set = self.choose(control.plan.proviso);
        let frame = Frame {
            at: it.at,
            bytes: it.bytes,
            handle: Some(handle),
            depth,
            begin: 0,
            next: 0,
            end: 0,
            words: 0,
            print,
        };
        self.push(frame, set);
    }

    /// The first set of processes that the proviso allows. A state that was not visited is not on the stack.
    fn choose(&self, proviso: Proviso) -> Option<Processes> {
        let Walker { choice, out, known, stack, .. } = self;
        let is_back = |index: usize| {
            let next = &out.list[index];
            known[index] && stack.states.contains(out.vector(next), next.key)
        };
        let is_allowed = |set: &&Processes| {
            let mut successors = (0..out.list.len()).filter(|&index| choice.is_in(set, index));
            match proviso {
                Proviso::None => true,
                Proviso::Weak => successors.any(|index| !is_back(index)),
                Proviso::Strong => !successors.any(is_back),
            }
        };
        choice.sets.iter().find(is_allowed).copied()
    }

    /// Which of the successors were visited.
    fn look_up<T: Store>(&mut self, store: &T, session: &mut T::Session, it: Pending, handle: Handle) {
        self.items.clear();
        let item = |next: &spinor_exec::Next| Item { at: next.at, bytes: next.bytes, key: next.key };
        self.items.extend(self.out.list.iter().map(item));
        let batch = Batch {
            words: &self.out.words,
            items: &self.items,
            source_words: self.stack.vector(&it).words,
            sources: &[Source { at: 0, bytes: it.bytes, end: self.items.len() as u32, handle: Some(handle) }],
        };
        self.known.clear();
        store.lookup(session, &batch, &mut self.known);
    }

    /// A state goes on the stack, with those successors that were not visited; of a set, if there is one.
    fn push(&mut self, frame: Frame, set: Option<Processes>) {
        let Stack { frames, pending, words, .. } = &mut self.stack;
        let (begin, words_begin, depth) = (pending.len(), words.len(), frame.depth);
        for (index, (next, &known)) in self.out.list.iter().zip(&self.known).enumerate() {
            if set.is_some_and(|set| !self.choice.is_in(&set, index)) {
                continue;
            }
            // The last state of a path counts for the depth only when it is new; those inside of it
            // always do.
            self.counts.deepen(depth + next.distance as usize - 1);
            if known {
                self.counts.matched += 1;
                continue;
            }
            let at = words.len();
            words.extend_from_slice(self.out.vector(next));
            pending.push(Pending {
                at,
                bytes: next.bytes,
                key: next.key,
                distance: next.distance,
                index: index as u32,
            });
        }
        frames.push(Frame { begin, next: begin, end: pending.len(), words: words_begin, ..frame });
    }

    /// Notes what is wrong at a state that was just expanded, with the path to it.
    fn judge(&mut self, control: &Control<'_>, it: Pending, expanded: Expanded) {
        let state = self.stack.vector(&it).to_state();
        let plan = control.plan;
        for wrong in wrong_at(&mut self.engine, control, &state.words, expanded, &mut self.out.findings) {
            if plan.keep_going {
                self.tally.add(wrong.kind, 1);
                let moves = || self.violations.iter().map(|known| known.moves.len()).sum::<usize>();
                if self.violations.len() >= plan.max_violations || moves() > plan.max_moves {
                    continue;
                }
            } else if !control.is_first() {
                continue;
            } else {
                self.tally.add(wrong.kind, 1);
                control.violated();
                control.set_done();
            }
            let choices = self.stack.choices(self.stack.frames.len());
            let mut moves = walk(&mut self.engine, &self.first, &choices);
            moves.extend(wrong.tail);
            self.violations.push(Violation { kind: wrong.kind, message: wrong.message.into_owned(), moves });
        }
    }
}
