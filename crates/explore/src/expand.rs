//! What follows a state, and which part of it is enough.

use crate::kinds::Kinds;
use crate::phases::{Chain, is_forced};
use crate::reduce::sound::{Parts, Phases};
use crate::reduce::{Action, Independence, Processes, Selector, Table, Tables, View, independent, place};
use crate::thrift::{Gain, Sample, Thrift};
use spinor_exec::{Atlas, Ended, Expanded, Fault, Move, Semantics, Shape, Successors, expand_each};
use spinor_model::{ProctypeId, StatementId};
use spinor_store::Kind;
use std::slice::ChunksExact;
use std::sync::Arc;

/// An engine whose successors a search may postpone.
pub(crate) trait Expand: Semantics {
    /// How the search is reduced.
    fn parts(&self) -> Parts;

    /// Whether it ever proposes to take a part of the successors.
    fn is_reduced(&self) -> bool {
        self.parts().selector.is_some()
    }

    /// Whether a state is followed by what its engine says, and nothing else.
    fn is_whole(&self) -> bool;

    /// Some of what is left out, if it matters what that is good for.
    fn sample(&self) -> Option<Sample> {
        (self.is_reduced() && self.parts().is_thrifty).then(Sample::default)
    }

    /// Whether some set that it proposes needs the proviso.
    fn asks_proviso(&self) -> bool;

    /// Whether it may propose a part of the successors of the next states.
    fn is_looking(&self) -> bool;

    /// Whether almost all states are expanded as a whole, so that without reduction a search takes as long.
    fn is_mostly_whole(&self) -> bool;

    /// The same engine without reduction.
    fn whole(&self) -> Self;

    /// Appends all that can follow a state, and says which of it is enough.
    fn expand_for(&mut self, state: &[u64], out: &mut Successors, choice: &mut Choice) -> Expanded;

    /// So many successors that were to be left out were needed after all.
    fn regret(&mut self, steps: u32);

    /// What leaving successors out is good for, as far as it is known by now.
    fn learn(&mut self, gain: Gain);

    /// Appends those of some actions that are independent of another; all can be executed in the state.
    fn independent(&mut self, state: &[u64], action: Action, others: &[Action], out: &mut Vec<Action>);

    /// What kind of transition an action of a state is.
    fn kind(&mut self, state: &[u64], action: Action) -> Kind;

    /// Goes on with deterministic steps from a state: the first phase of a two-phase search.
    fn go_ahead(&mut self, state: &[u64], chain: &mut Chain);

    /// The processes of the successors of a state that are not deterministic there.
    fn undetermined(&mut self, state: &[u64], choice: &Choice) -> Processes;
}

/// Which successors of a state are enough.
#[derive(Debug, Default)]
pub(crate) struct Choice {
    /// Persistent sets, the best first; none if all successors are needed.
    pub(crate) sets: Vec<Processes>,
    /// For each of them whether it may stand for all successors without a proviso.
    free: Vec<bool>,
    /// How many successors the first of them leaves out.
    pub(crate) saved: u32,
    /// The process of each successor, if there are sets.
    pub(crate) pids: Vec<u8>,
    /// The edge that each begins with, if that is wanted.
    edges: Vec<u32>,
}

impl Choice {
    /// Whether a successor belongs to a set.
    pub(crate) fn is_in(&self, set: &Processes, successor: usize) -> bool {
        set.contains(usize::from(self.pids[successor]))
    }

    /// Whether a set needs no proviso.
    pub(crate) fn is_free(&self, set: usize) -> bool {
        self.free[set]
    }

    /// What a successor belongs to; if that is not known, it depends on all.
    pub(crate) fn action(&self, successor: usize) -> Action {
        match (self.pids.get(successor), self.edges.get(successor)) {
            (Some(&pid), Some(&edge)) => Action { pid, edge },
            _ => Action::DEPENDENT,
        }
    }

    fn clear(&mut self) {
        self.sets.clear();
        self.free.clear();
        self.pids.clear();
        self.edges.clear();
    }
}

/// How a search is reduced.
#[derive(Clone, Debug)]
pub struct Reduction<'m> {
    /// By what.
    pub parts: Parts,
    /// What depends on what.
    pub tables: Arc<Tables<'m>>,
    /// Whether the kinds of transitions matter, as they do to a cache that chooses by them.
    pub kinds: bool,
}

/// An engine, and who proposes which of its successors are enough.
pub(crate) struct Expander<'m, S> {
    engine: S,
    reducer: Option<Reducer<'m>>,
}

struct Reducer<'m> {
    reduction: Reduction<'m>,
    selector: Option<Box<dyn Selector>>,
    /// The table of the last state, with the number of its shape.
    table: Option<(u32, Arc<Table>)>,
    /// How many successors each process has.
    steps: Vec<usize>,
    independence: Independence,
    kinds: Option<Kinds>,
    thrift: Thrift,
    /// In breadth-first search with two phases, the first.
    ahead: Option<Box<Chain>>,
}

impl<'m, S: Semantics> Expander<'m, S> {
    pub(crate) fn new(engine: S, reduction: Option<Reduction<'m>>) -> Expander<'m, S> {
        Expander { engine, reducer: reduction.map(Reducer::new) }
    }

    /// Lets a step go on to where the first phase of two ends. Depth-first search sees to that itself: it stores
    /// the states on the way.
    pub(crate) fn with_both_phases(mut self) -> Self {
        if let Some(reducer) = &mut self.reducer {
            reducer.ahead = reducer.reduction.parts.phases.map(|rule| Box::new(Chain::new(rule)));
        }
        self
    }
}

impl<'m> Reducer<'m> {
    fn new(reduction: Reduction<'m>) -> Reducer<'m> {
        let selector = reduction.parts.selector.map(|method| method.selector());
        let kinds = reduction.kinds.then(|| Kinds::new(reduction.tables.model()));
        let (steps, independence) = (Vec::new(), Independence::default());
        let thrift = Thrift::default();
        Reducer { reduction, selector, table: None, steps, independence, kinds, thrift, ahead: None }
    }

    /// Whether somebody asks for the actions of successors.
    fn is_labelled(&self) -> bool {
        self.reduction.parts.sleep.is_some() || self.kinds.is_some()
    }

    /// Whether the next state is expanded process by process.
    fn is_asked(&mut self) -> bool {
        let by_process = self.is_labelled() || self.reduction.parts.phases == Some(Phases::Undetermined);
        by_process || self.selector.is_some() && (!self.reduction.parts.is_thrifty || self.thrift.is_on())
    }

    /// Expands as a whole.
    #[inline(always)]
    fn expand_all<S: Semantics>(&mut self, engine: &mut S, state: &[u64], out: &mut Successors) -> Expanded {
        match &mut self.ahead {
            None => engine.expand(state, out),
            Some(chain) => chain.expand(engine, &self.reduction.tables, state, out),
        }
    }

    /// Expands process by process, in the order of a whole expansion.
    fn expand<S: Semantics>(
        &mut self,
        engine: &mut S,
        state: &[u64],
        out: &mut Successors,
        choice: &mut Choice,
    ) -> Expanded {
        let (words, first, findings) = (out.words.len(), out.list.len(), out.findings.len());
        let mut all = Expanded::default();
        let is_labelled = self.is_labelled();
        self.steps.clear();
        self.steps.resize(engine.processes(state), 0);
        for pid in (0..self.steps.len()).rev() {
            let before = out.list.len();
            let expanded = match is_labelled {
                true => engine.expand_labelled(state, pid, out, &mut choice.edges),
                false => engine.expand_process(state, pid, out),
            };
            all = join(all, expanded);
            self.steps[pid] = out.list.len() - before;
            choice.pids.resize(out.list.len() - first, pid as u8);
        }
        if all.ended == Ended::Stuck {
            // Perhaps it is time for a timeout.
            out.words.truncate(words);
            out.list.truncate(first);
            out.findings.truncate(findings);
            choice.clear();
            return engine.expand(state, out);
        }
        if out.list.len() - first > 1 {
            self.propose(state, choice);
            self.count(out.list.len() - first, choice);
        }
        all
    }

    /// How much the best set leaves out.
    fn count(&mut self, steps: usize, choice: &mut Choice) {
        let kept = |set: &Processes| set.iter().map(|pid| self.steps.get(pid).copied().unwrap_or(0)).sum::<usize>();
        choice.saved = choice.sets.first().map_or(0, |set| steps - kept(set)) as u32;
        self.thrift.count(steps as u32, choice.saved);
    }

    /// The table of the shape of a state.
    fn table(&mut self, state: &[u64]) -> &Arc<Table> {
        let shape = Shape::id_of(state[0]);
        let tables = &self.reduction.tables;
        if self.table.as_ref().is_some_and(|(id, _)| *id != shape) {
            self.table = None;
        }
        &self.table.get_or_insert_with(|| (shape, tables.get(shape))).1
    }

    fn propose(&mut self, state: &[u64], choice: &mut Choice) {
        if self.selector.is_none() {
            return;
        }
        let table = self.table(state).clone();
        let steps = &self.steps;
        if let Some(selector) = &mut self.selector {
            let mut count = |pid| steps[pid];
            let mut view = View::new(&table, state, &mut count);
            selector.propose(&mut view, &mut choice.sets);
            choice.free.extend(choice.sets.iter().map(|set| view.is_free(set)));
        }
    }
}

fn join(one: Expanded, other: Expanded) -> Expanded {
    Expanded {
        ended: one.ended.and(other.ended),
        deepest: one.deepest.max(other.deepest),
        furthest: one.furthest.max(other.furthest),
    }
}

impl<S: Semantics> Expand for Expander<'_, S> {
    fn parts(&self) -> Parts {
        self.reducer.as_ref().map_or_else(Parts::default, |it| it.reduction.parts)
    }

    fn is_whole(&self) -> bool {
        self.reducer.is_none()
    }

    fn asks_proviso(&self) -> bool {
        self.is_reduced() && self.reducer.as_ref().is_some_and(|it| it.reduction.tables.has_risks())
    }

    #[inline]
    fn is_looking(&self) -> bool {
        self.reducer.as_ref().is_some_and(|it| !it.reduction.parts.is_thrifty || it.thrift.is_trial())
    }

    fn is_mostly_whole(&self) -> bool {
        let is_whole =
            |it: &Reducer<'_>| it.selector.is_none() || it.reduction.parts.is_thrifty && it.thrift.is_resting();
        self.reducer.as_ref().is_none_or(is_whole)
    }

    fn whole(&self) -> Self {
        Expander::new(self.engine.fork(), None)
    }

    #[inline(always)]
    fn expand_for(&mut self, state: &[u64], out: &mut Successors, choice: &mut Choice) -> Expanded {
        match &mut self.reducer {
            None => self.engine.expand(state, out),
            Some(reducer) => {
                choice.clear();
                if reducer.is_asked() {
                    reducer.expand(&mut self.engine, state, out, choice)
                } else {
                    reducer.expand_all(&mut self.engine, state, out)
                }
            }
        }
    }

    fn regret(&mut self, steps: u32) {
        if let Some(reducer) = &mut self.reducer {
            reducer.thrift.regret(steps);
        }
    }

    fn learn(&mut self, gain: Gain) {
        if let Some(reducer) = &mut self.reducer {
            reducer.thrift.learn(gain);
        }
    }

    fn independent(&mut self, state: &[u64], action: Action, others: &[Action], out: &mut Vec<Action>) {
        if let Some(reducer) = &mut self.reducer
            && !others.is_empty()
        {
            let table = reducer.table(state).clone();
            independent(&mut reducer.independence, (&table, state), action, others, out);
        }
    }

    fn kind(&mut self, state: &[u64], action: Action) -> Kind {
        let Some(reducer) = &mut self.reducer else { return Kind::Other };
        let at = place(reducer.table(state), state, action.pid);
        reducer.kinds.as_ref().zip(at).map_or(Kind::Other, |(kinds, (of, at))| kinds.of(of, at, action.edge))
    }

    fn go_ahead(&mut self, state: &[u64], chain: &mut Chain) {
        if let Some(reducer) = &mut self.reducer {
            chain.go_ahead(&mut self.engine, &reducer.reduction.tables, state);
        }
    }

    fn undetermined(&mut self, state: &[u64], choice: &Choice) -> Processes {
        let mut set = Processes::default();
        let Some(reducer) = &self.reducer else { return set };
        for &pid in &choice.pids {
            let steps = choice.pids.iter().filter(|&&other| other == pid).count();
            if !is_forced(&reducer.reduction.tables, state, usize::from(pid), steps) {
                set.insert(usize::from(pid));
            }
        }
        set
    }
}

impl<S: Semantics> Semantics for Expander<'_, S> {
    fn initial(&mut self, out: &mut Successors) -> Result<(), Fault> {
        self.engine.initial(out)
    }

    fn expand(&mut self, state: &[u64], out: &mut Successors) -> Expanded {
        match &mut self.reducer {
            None => self.engine.expand(state, out),
            Some(reducer) => reducer.expand_all(&mut self.engine, state, out),
        }
    }

    fn expand_row(&mut self, states: &mut ChunksExact<'_, u64>, enough: usize, out: &mut Successors) -> Expanded {
        match self.reducer {
            None => self.engine.expand_row(states, enough, out),
            Some(_) => expand_each(self, states, enough, out),
        }
    }

    fn processes(&self, state: &[u64]) -> usize {
        self.engine.processes(state)
    }

    fn expand_process(&mut self, state: &[u64], pid: usize, out: &mut Successors) -> Expanded {
        self.engine.expand_process(state, pid, out)
    }

    fn expand_labelled(&mut self, state: &[u64], pid: usize, out: &mut Successors, edges: &mut Vec<u32>) -> Expanded {
        self.engine.expand_labelled(state, pid, out, edges)
    }

    fn is_valid_end(&mut self, state: &[u64]) -> bool {
        self.engine.is_valid_end(state)
    }

    fn moves(&mut self, state: &[u64], n: usize) -> Vec<Move> {
        let mut moves = self.engine.moves(state, n);
        if let Some(Reducer { ahead: Some(chain), reduction, .. }) = &mut self.reducer {
            moves.extend(chain.moves_behind(&mut self.engine, &reduction.tables, state, n));
        }
        moves
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
        let fork = Expander::new(self.engine.fork(), self.reducer.as_ref().map(|it| it.reduction.clone()));
        let is_ahead = self.reducer.as_ref().is_some_and(|it| it.ahead.is_some());
        if is_ahead { fork.with_both_phases() } else { fork }
    }
}
