//! What follows a state, and which part of it is enough.

use crate::reduce::{Method, Processes, Selector, Table, Tables, View};
use spinor_exec::{Expanded, Fault, Move, Semantics, Shape, Successors};
use spinor_model::{ProctypeId, StatementId};
use std::sync::Arc;

/// An engine whose successors a search may postpone.
pub(crate) trait Expand: Semantics {
    /// Whether it ever proposes that.
    fn is_reduced(&self) -> bool;

    /// Appends all that can follow a state, and says which of it is enough.
    fn expand_for(&mut self, state: &[u64], out: &mut Successors, choice: &mut Choice) -> Expanded;
}

/// Which successors of a state are enough.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Persistent sets, the best first; none if all successors are needed.
    pub(crate) sets: Vec<Processes>,
    /// The process of each successor, if there are sets.
    pub(crate) pids: Vec<u8>,
}

impl Choice {
    /// Whether a successor belongs to a set.
    pub(crate) fn is_in(&self, set: &Processes, successor: usize) -> bool {
        set.contains(usize::from(self.pids[successor]))
    }

    fn clear(&mut self) {
        self.sets.clear();
        self.pids.clear();
    }
}

/// How a search is reduced.
#[derive(Clone, Debug)]
pub struct Reduction<'m> {
    /// Who proposes what is enough.
    pub method: Method,
    /// What depends on what.
    pub tables: Arc<Tables<'m>>,
}

/// An engine, and who proposes which of its successors are enough.
pub(crate) struct Expander<'m, S> {
    engine: S,
    reducer: Option<Reducer<'m>>,
}

struct Reducer<'m> {
    reduction: Reduction<'m>,
    selector: Box<dyn Selector>,
    /// The table of the last state, with the number of its shape.
    table: Option<(u32, Arc<Table>)>,
    /// How many successors each process has.
    steps: Vec<usize>,
    thrift: Thrift,
}

/// States in which sets are looked for before it is asked whether any was found.
const TRIAL: u32 = 1 << 8;
/// Trials without success are followed by at most so many times as many states without one.
const MOST_PATIENCE: u32 = 1 << 6;

/// Does not look for sets where there are none: whole expansions are always right.
#[derive(Debug)]
struct Thrift {
    /// States before the trial begins, or before it ends.
    left: u32,
    is_trial: bool,
    found: bool,
    patience: u32,
}

impl Thrift {
    const NEW: Thrift = Thrift { left: TRIAL, is_trial: true, found: false, patience: 1 };

    /// Whether sets are looked for in the next state.
    fn is_on(&mut self) -> bool {
        if self.left == 0 {
            self.turn();
        }
        self.left -= 1;
        self.is_trial
    }

    fn turn(&mut self) {
        let Thrift { is_trial, found, patience, .. } = *self;
        *self = if is_trial && !found {
            Thrift { left: TRIAL * patience, is_trial: false, found, patience: (patience * 2).min(MOST_PATIENCE) }
        } else {
            Thrift { patience: if found { Thrift::NEW.patience } else { patience }, ..Thrift::NEW }
        };
    }
}

impl<'m, S: Semantics> Expander<'m, S> {
    pub(crate) fn new(engine: S, reduction: Option<Reduction<'m>>) -> Expander<'m, S> {
        Expander { engine, reducer: reduction.map(Reducer::new) }
    }
}

impl<'m> Reducer<'m> {
    fn new(reduction: Reduction<'m>) -> Reducer<'m> {
        let selector = reduction.method.selector();
        Reducer { reduction, selector, table: None, steps: Vec::new(), thrift: Thrift::NEW }
    }

    /// Expands process by process, in the order of a whole expansion.
    fn expand<S: Semantics>(
        &mut self,
        engine: &mut S,
        state: &[u64],
        out: &mut Successors,
        choice: &mut Choice,
    ) -> Expanded {
        let (words, first) = (out.words.len(), out.list.len());
        let mut all = Expanded::default();
        self.steps.clear();
        self.steps.resize(engine.processes(state), 0);
        for pid in (0..self.steps.len()).rev() {
            let before = out.list.len();
            all = join(all, engine.expand_process(state, pid, out));
            self.steps[pid] = out.list.len() - before;
            choice.pids.resize(out.list.len() - first, pid as u8);
        }
        if !all.moved {
            // Perhaps it is time for a timeout.
            out.words.truncate(words);
            out.list.truncate(first);
            return engine.expand(state, out);
        }
        if out.list.len() - first > 1 {
            self.propose(state, choice);
            self.thrift.found |= !choice.sets.is_empty();
        }
        all
    }

    fn propose(&mut self, state: &[u64], choice: &mut Choice) {
        let shape = Shape::id_of(state[0]);
        let table = match &self.table {
            Some((id, table)) if *id == shape => table,
            _ => &self.table.insert((shape, self.reduction.tables.get(shape))).1,
        };
        let steps = &self.steps;
        self.selector.propose(&mut View::new(table, state, &mut |pid| steps[pid]), &mut choice.sets);
    }
}

fn join(one: Expanded, other: Expanded) -> Expanded {
    Expanded {
        moved: one.moved || other.moved,
        deepest: one.deepest.max(other.deepest),
        furthest: one.furthest.max(other.furthest),
        cut: one.cut.or(other.cut),
    }
}

impl<S: Semantics> Expand for Expander<'_, S> {
    fn is_reduced(&self) -> bool {
        self.reducer.is_some()
    }

    #[inline(always)]
    fn expand_for(&mut self, state: &[u64], out: &mut Successors, choice: &mut Choice) -> Expanded {
        match &mut self.reducer {
            None => self.engine.expand(state, out),
            Some(reducer) => {
                choice.clear();
                match reducer.thrift.is_on() {
                    true => reducer.expand(&mut self.engine, state, out, choice),
                    false => self.engine.expand(state, out),
                }
            }
        }
    }
}

impl<S: Semantics> Semantics for Expander<'_, S> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        self.engine.initial(out)
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        self.engine.expand(state, out)
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.engine.processes(state)
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        self.engine.expand_process(state, pid, out)
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.engine.is_valid_end(state)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        self.engine.moves(state, n)
    }

    fn was_executed(&self, proctype: ProctypeId, statement: StatementId) -> bool {
        self.engine.was_executed(proctype, statement)
    }

    fn fork(&self) -> Self {
        Expander::new(self.engine.fork(), self.reducer.as_ref().map(|it| it.reduction.clone()))
    }
}
