//! An engine that tells which states a search expands.

use super::State;
use spinor_exec::{Atlas, Expanded, Fault, Move, Semantics, Successors};
use spinor_model::{ProctypeId, StatementId};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// Who is told of each state that is expanded.
pub(super) trait Note: Clone + Send {
    /// A state is expanded.
    fn note(&self, state: &[u64]);
}

/// The states that were expanded, by all threads.
pub(super) type Seen = Arc<Mutex<HashSet<State>>>;

impl Note for Seen {
    fn note(&self, state: &[u64]) {
        let mut seen = self.lock().unwrap_or_else(PoisonError::into_inner);
        if !seen.contains(state) {
            seen.insert(state.to_vec());
        }
    }
}

/// An engine around another.
pub(super) struct Witness<S, N> {
    pub(super) engine: S,
    pub(super) seen: N,
}

impl<S: Semantics, N: Note> Semantics for Witness<S, N> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        self.engine.initial(out)
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        self.seen.note(state);
        self.engine.expand(state, out)
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.engine.processes(state)
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        self.seen.note(state);
        self.engine.expand_process(state, pid, out)
    }

    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        self.seen.note(state);
        self.engine.expand_labelled(state, pid, out, edges)
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.engine.is_valid_end(state)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.engine.moves(state, n)
    }

    fn executed(&mut self, path: Vec<Move>, rests: bool) -> Vec<Move> {
        self.engine.executed(path, rests)
    }

    fn unrolled(&mut self, steps: Vec<Vec<Move>>, cycle: usize) -> Option<Vec<Vec<Move>>> {
        self.engine.unrolled(steps, cycle)
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.engine.was_executed(proctype, statement)
    }

    fn atlas(&self) -> &dyn Atlas {
        self.engine.atlas()
    }

    fn fork(&self) -> Self {
        Witness { engine: self.engine.fork(), seen: self.seen.clone() }
    }
}
