//! The path of a depth-first search.

use crate::on_stack::OnStack;
use crate::reduce::Action;
use crate::vectors::{State, Vector};
use spinor_store::{Handle, words_of};

/// A state on the path, with its successors in [`Stack::pending`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    /// Its vector in [`Stack::words`].
    pub(crate) at: usize,
    pub(crate) bytes: u32,
    /// Where it is stored, unless it moved.
    pub(crate) handle: Option<Handle>,
    pub(crate) depth: usize,
    /// The first of its successors.
    pub(crate) begin: usize,
    /// The one to be visited next.
    pub(crate) next: usize,
    /// Behind the last.
    pub(crate) end: usize,
    /// Where their words begin.
    pub(crate) words: usize,
    /// Its fingerprint, if it is wanted.
    pub(crate) print: Option<u64>,
    /// How many states were stored before it.
    pub(crate) begun: u64,
    /// Where the choices of the first phase that led to it begin in [`Stack::routes`].
    pub(crate) route: usize,
}

/// A successor that was not visited when its source was expanded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending {
    pub(crate) at: usize,
    pub(crate) bytes: u32,
    pub(crate) key: u32,
    pub(crate) distance: u32,
    /// Which successor of its source.
    pub(crate) index: u32,
    /// It was stored for the first time when its source was expanded, and is to be visited in any case.
    pub(crate) is_claimed: bool,
}

/// What a successor that waits belongs to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    pub(crate) action: Action,
    /// It led back to the stack.
    pub(crate) is_back: bool,
}

/// A state to begin with, and the choices that lead to it from the first.
#[derive(Clone, Debug)]
pub(crate) struct Task {
    pub(crate) state: State,
    pub(crate) depth: usize,
    pub(crate) choices: Vec<u32>,
    /// The state is stored already.
    pub(crate) is_claimed: bool,
}

/// The path of a depth-first search. At its bottom is a frame without a state, whose
/// successors are where the search begins.
#[derive(Debug, Default)]
pub(crate) struct Stack {
    pub(crate) frames: Vec<Frame>,
    pub(crate) pending: Vec<Pending>,
    /// The actions of those that wait, if they matter.
    pub(crate) turns: Vec<Turn>,
    pub(crate) words: Vec<u64>,
    /// The choices that lead to where the search begins.
    pub(crate) prefix: Vec<u32>,
    /// The states of the path, if the search is reduced.
    pub(crate) states: OnStack,
    /// The choices of first phases, those of each frame behind those of the frame below.
    pub(crate) routes: Vec<u32>,
}

impl Stack {
    pub(crate) fn begin(&mut self, task: Task) {
        let Task { state: State { words, bytes, key }, depth, choices, is_claimed } = task;
        self.pending.push(Pending { at: 0, bytes, key, distance: 0, index: 0, is_claimed });
        self.words.extend(words);
        self.prefix = choices;
        self.push_bottom(depth);
    }

    /// Begins with states that wait, one after the other, each as deep as it is distant. Takes them all.
    pub(crate) fn begin_with(&mut self, pending: &mut Vec<Pending>, words: &mut Vec<u64>) {
        debug_assert!(self.frames.is_empty() && self.pending.is_empty() && self.words.is_empty(), "nothing is left");
        std::mem::swap(&mut self.pending, pending);
        std::mem::swap(&mut self.words, words);
        self.push_bottom(0);
    }

    fn push_bottom(&mut self, depth: usize) {
        let end = self.pending.len();
        self.turns.resize(end, Turn { action: Action::DEPENDENT, is_back: false });
        self.frames.push(Frame {
            at: 0,
            bytes: 0,
            handle: None,
            depth,
            begin: 0,
            next: 0,
            end,
            words: 0,
            print: None,
            begun: 0,
            route: 0,
        });
    }

    /// The choices that lead to the state whose successors come next.
    pub(crate) fn choices(&self, frames: usize) -> Vec<u32> {
        self.choices_before(frames, self.routes.len())
    }

    /// The same, if the first phases of the last frame are those up to a certain one.
    pub(crate) fn choices_before(&self, frames: usize, route: usize) -> Vec<u32> {
        let mut choices = self.prefix.clone();
        for (index, frame) in self.frames[..frames].iter().enumerate().skip(1) {
            let end = self.frames.get(index + 1).map_or(route, |next| next.route);
            choices.extend(&self.routes[frame.route..end]);
            choices.push(self.pending[frame.next - 1].index);
        }
        choices
    }

    pub(crate) fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.pending.truncate(frame.begin);
            self.turns.truncate(frame.begin);
            self.words.truncate(frame.words);
            self.routes.truncate(frame.route);
            frame.print.into_iter().for_each(|print| self.states.leave(print));
        }
    }

    pub(crate) fn vector(&self, it: &Pending) -> Vector<'_> {
        Vector { words: &self.words[it.at..it.at + words_of(it.bytes)], bytes: it.bytes, key: it.key }
    }

    /// Whether a state that waits is one of the path.
    pub(crate) fn is_on_path(&self, it: &Pending) -> bool {
        let Vector { words, key, .. } = self.vector(it);
        self.states.contains(words, key)
    }

    /// Gives the oldest part of the search away, which is the largest as a rule.
    pub(crate) fn share(&mut self) -> Option<Task> {
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
        let (state, depth) = (self.vector(&it).to_state(), depth + it.distance as usize);
        Some(Task { state, depth, choices, is_claimed: it.is_claimed })
    }

    pub(crate) fn memory(&self) -> usize {
        self.frames.capacity() * size_of::<Frame>()
            + self.pending.capacity() * size_of::<Pending>()
            + self.turns.capacity() * size_of::<Turn>()
            + self.words.capacity() * 8
            + (self.prefix.capacity() + self.routes.capacity()) * 4
            + self.states.memory()
    }
}
