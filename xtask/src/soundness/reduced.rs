//! A naive reduced search on the full graph, and what must be the same as without reduction.

use std::collections::BTreeSet;

use spinor_explore::Proviso;
use spinor_explore::reduce::{Processes, Selector, Tables, View};
use spinor_model::Scalar;

use super::graph::{Arrow, Graph};

/// What a search has seen.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) deadlocks: BTreeSet<usize>,
    /// Process, and what its record says: type, location and variables.
    pub(crate) locals: BTreeSet<(usize, Vec<u8>)>,
    pub(crate) statements: BTreeSet<(u16, u32)>,
    pub(crate) findings: BTreeSet<(u32, String)>,
    /// Joint values of some global variables.
    pub(crate) valuations: BTreeSet<Vec<i32>>,
    pub(crate) states: usize,
    /// Steps executed, and steps that there are in these states.
    pub(crate) steps: usize,
}

/// The global numbers whose joint values are watched: where each is, and its type.
pub(crate) type Watched = Vec<(usize, Scalar)>;

/// The arrows of each state that a search follows.
#[derive(Debug)]
pub(crate) struct Reduced {
    /// For each state that was visited, the processes that were expanded.
    pub(crate) expanded: Vec<Option<Processes>>,
}

/// A frame of the depth-first search.
struct Frame {
    at: usize,
    successors: Vec<usize>,
    next: usize,
}

/// A depth-first search that is under way.
struct Search<'a, 'm> {
    graph: &'a Graph<'m>,
    tables: &'a Tables<'m>,
    by: &'a mut dyn Selector,
    proviso: Proviso,
    expanded: Vec<Option<Processes>>,
    on_stack: Vec<bool>,
    frames: Vec<Frame>,
}

impl Search<'_, '_> {
    /// Expands a state that was not visited before.
    fn enter(&mut self, at: usize) {
        self.on_stack[at] = true;
        let mut sets = Vec::new();
        propose(self.graph, self.tables, self.by, at, &mut sets);
        let chosen = sets.into_iter().find(|set| self.accepts(at, set)).unwrap_or_else(|| all(self.graph, at));
        self.expanded[at] = Some(chosen);
        let successors = arrows(self.graph, at, &chosen).map(|arrow| arrow.to).collect();
        self.frames.push(Frame { at, successors, next: 0 });
    }

    fn accepts(&self, at: usize, set: &Processes) -> bool {
        let words = &self.graph.nodes[at].words;
        let is_free = View::new(&self.tables.of(words), words, &mut |_| 0).is_free(set);
        let mut on_stack = arrows(self.graph, at, set).map(|arrow| self.on_stack[arrow.to]);
        match self.proviso {
            _ if is_free => true,
            Proviso::None => true,
            Proviso::Weak => on_stack.any(|on_stack| !on_stack),
            Proviso::Strong => !on_stack.any(|on_stack| on_stack),
        }
    }
}

impl Reduced {
    /// Without any reduction.
    pub(crate) fn full(graph: &Graph<'_>) -> Reduced {
        Reduced { expanded: (0..graph.nodes.len()).map(|at| Some(all(graph, at))).collect() }
    }

    /// Depth-first search with a selector.
    pub(crate) fn search<'m>(
        graph: &Graph<'m>,
        tables: &Tables<'m>,
        by: &mut dyn Selector,
        proviso: Proviso,
    ) -> Reduced {
        let count = graph.nodes.len();
        let (expanded, on_stack) = (vec![None; count], vec![false; count]);
        let mut search = Search { graph, tables, by, proviso, expanded, on_stack, frames: Vec::new() };
        search.enter(0);
        while let Some(frame) = search.frames.last_mut() {
            let Some(&to) = frame.successors.get(frame.next) else {
                search.on_stack[frame.at] = false;
                search.frames.pop();
                continue;
            };
            frame.next += 1;
            if search.expanded[to].is_none() {
                search.enter(to);
            }
        }
        Reduced { expanded: search.expanded }
    }

    /// Where the search went from a state.
    pub(crate) fn successors(&self, graph: &Graph<'_>, at: usize) -> Vec<usize> {
        let set = self.expanded[at].unwrap_or_default();
        arrows(graph, at, &set).map(|arrow| arrow.to).collect()
    }

    /// What was seen on the way.
    pub(crate) fn facts(&self, graph: &Graph<'_>, watched: &Watched) -> Facts {
        let mut facts = Facts::default();
        for (at, node) in graph.nodes.iter().enumerate() {
            let Some(set) = self.expanded[at] else { continue };
            facts.states += 1;
            if node.is_deadlock {
                facts.deadlocks.insert(at);
            }
            let state = graph.interpreter.state(&node.reference);
            for pid in 0..state.process_count() {
                let proctype = graph.interpreter.proctype(&state, pid);
                let locals = state.locals(graph.interpreter.layout(), pid);
                let size = graph.interpreter.model().proctype(proctype).locals_size as usize;
                let mut record = node.reference[locals..locals + size].to_vec();
                record.extend(proctype.0.to_le_bytes());
                record.extend(state.location(graph.interpreter.layout(), pid).0.to_le_bytes());
                facts.locals.insert((pid, record));
            }
            facts.valuations.insert(watched.iter().map(|(at, ty)| state.get(*at, ty)).collect());
            for pid in set.iter() {
                facts.findings.extend(node.findings[pid].iter().cloned());
            }
            for arrow in arrows(graph, at, &set) {
                facts.steps += 1;
                facts.statements.extend(arrow.moves.iter().map(|step| (step.proctype.0, step.statement.0)));
            }
        }
        facts
    }
}

/// Lets a selector propose sets for a state.
pub(crate) fn propose(
    graph: &Graph<'_>,
    tables: &Tables<'_>,
    by: &mut dyn Selector,
    at: usize,
    sets: &mut Vec<Processes>,
) {
    let words = &graph.nodes[at].words;
    let table = tables.of(words);
    let mut steps = |pid: usize| graph.steps(at, pid);
    by.propose(&mut View::new(&table, words, &mut steps), sets);
}

/// The steps of some processes.
fn arrows<'a>(graph: &'a Graph<'_>, at: usize, set: &Processes) -> impl Iterator<Item = &'a Arrow> + use<'a> {
    let steps = &graph.nodes[at].steps;
    set.iter().filter(|pid| *pid < steps.len()).flat_map(|pid| &steps[pid])
}

fn all(graph: &Graph<'_>, at: usize) -> Processes {
    let mut set = Processes::default();
    (0..graph.nodes[at].steps.len()).for_each(|pid| set.insert(pid));
    set
}
