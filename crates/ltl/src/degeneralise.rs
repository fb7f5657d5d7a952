//! One mark instead of many: a run waits for the marks one after the other. The level of a state is
//! how many it has seen since it last accepted.
//!
//! Each component is done on its own (Giannakopoulou, Lerda 2002; Babiak et al. 2013): a component
//! in which all cycles accept needs no levels, nor does one in which none does; and runs enter a
//! component where levels come around again.

use crate::explicit::{Explicit, Step, tidy};
use crate::prune::accepting;
use crate::scc::{self, Components};
use rustc_hash::FxHashMap;

/// Whether edges or states accept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Acceptance {
    /// Edges do.
    Transition,
    /// States do: all edges out of a state have the mark, or none has.
    State,
}

/// A state with its level.
type Node = (usize, usize);

struct Levels<'a> {
    automaton: &'a Explicit,
    components: Components,
    accepts: Vec<bool>,
    acceptance: Acceptance,
    /// The order in which marks are waited for.
    order: Vec<usize>,
}

/// An automaton with one mark, for an order of the marks.
pub(crate) fn degeneralise(automaton: &Explicit, acceptance: Acceptance, order: Vec<usize>) -> Explicit {
    let components = automaton.components();
    let accepts = accepting(automaton, &components);
    let levels = Levels { automaton, components, accepts, acceptance, order };
    let entry = levels.entries();
    let mut numbers: FxHashMap<Node, usize> = FxHashMap::default();
    let first = (automaton.initial, entry[automaton.initial]);
    numbers.insert(first, 0);
    let mut open = vec![first];
    let mut states = Vec::new();
    while states.len() < open.len() {
        let node = open[states.len()];
        let mut steps = Vec::new();
        for step in &automaton.states[node.0] {
            let (target, mark) = levels.follow(node, step, &entry);
            let number = *numbers.entry(target).or_insert_with(|| {
                open.push(target);
                open.len() - 1
            });
            steps.push(Step { target: number, marks: mark, letters: step.letters.clone() });
        }
        states.push(tidy(steps));
    }
    Explicit { marks: 1, initial: 0, states, ..*automaton }
}

impl Levels<'_> {
    fn count(&self) -> usize {
        self.order.len()
    }

    /// The level of acceptance: with acceptance of states it is one of its own.
    fn levels(&self) -> usize {
        self.count() + usize::from(self.acceptance == Acceptance::State)
    }

    /// The next level, and the mark of the edge.
    fn advance(&self, level: usize, marks: u64) -> (usize, u64) {
        let climb = |mut level: usize| {
            while level < self.count() && marks >> self.order[level] & 1 == 1 {
                level += 1;
            }
            level
        };
        match self.acceptance {
            Acceptance::State => (climb(level % self.count()), u64::from(level == self.count())),
            Acceptance::Transition if climb(level) < self.count() => (climb(level), 0),
            // An edge with all marks accepts at any level.
            Acceptance::Transition => (if climb(0) < self.count() { climb(0) } else { level }, 1),
        }
    }

    /// Where an edge leads from a state with a level, and its mark.
    fn follow(&self, (state, level): Node, step: &Step, entry: &[usize]) -> (Node, u64) {
        let component = self.components.of[state];
        let stays = self.components.of[step.target] == component;
        let (next, mark) = if self.needs_levels(component) {
            self.advance(level, step.marks)
        } else {
            (entry[step.target], u64::from(self.accepts[component]))
        };
        let is_marked = stays || self.acceptance == Acceptance::State;
        let next = if stays { next } else { entry[step.target] };
        ((step.target, next), if is_marked { mark } else { 0 })
    }

    /// Whether some cycles of a component accept and some do not.
    fn needs_levels(&self, component: usize) -> bool {
        let all = self.automaton.all_marks();
        let mut inside = self.inside(component);
        self.accepts[component] && inside.any(|(_, step)| step.marks != all)
    }

    fn inside(&self, component: usize) -> impl Iterator<Item = (usize, &Step)> {
        let of = &self.components.of;
        let states = self.automaton.states.iter().enumerate().filter(move |(state, _)| of[*state] == component);
        let steps = states.flat_map(|(state, steps)| steps.iter().map(move |step| (state, step)));
        steps.filter(move |(_, step)| of[step.target] == component)
    }

    /// The level with which each state is entered.
    fn entries(&self) -> Vec<usize> {
        let mut entry = vec![0; self.automaton.states.len()];
        for component in (0..self.components.count).filter(|&it| self.needs_levels(it)) {
            for (state, level) in self.recurrent(component) {
                entry[state] = entry[state].max(level);
            }
        }
        entry
    }

    /// The smallest set of states with levels of a component that runs do not leave.
    fn recurrent(&self, component: usize) -> Vec<Node> {
        let levels = self.levels();
        let count = self.automaton.states.len() * levels;
        let mut successors = vec![Vec::new(); count];
        for (state, step) in self.inside(component) {
            for level in 0..levels {
                let (next, _) = self.advance(level, step.marks);
                successors[state * levels + level].push(step.target * levels + next);
            }
        }
        let parts = scc::components(count, |node| successors[node].iter().copied());
        let closed = |node: &usize| successors[*node].iter().all(|&next| parts.of[next] == parts.of[*node]);
        let mut members: FxHashMap<usize, (Vec<Node>, bool)> = FxHashMap::default();
        for node in (0..count).filter(|&node| self.components.of[node / levels] == component) {
            let (nodes, is_closed) = members.entry(parts.of[node]).or_insert((Vec::new(), true));
            nodes.push((node / levels, node % levels));
            *is_closed &= closed(&node);
        }
        let closed = members.into_values().filter(|(_, is_closed)| *is_closed).map(|(nodes, _)| nodes);
        closed.min_by_key(|nodes| (nodes.len(), nodes[0])).unwrap_or_default()
    }
}
