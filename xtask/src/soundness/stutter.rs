//! Runs up to stuttering: the sequences of different valuations that a search shows.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::reduced::{Reduced, Watched};

/// How many changes of the valuation are followed.
const DEPTH: usize = 4;

/// A graph with a valuation for each state.
pub(crate) struct Runs {
    successors: Vec<Vec<usize>>,
    valuations: Vec<Vec<i32>>,
}

type States = BTreeSet<usize>;

impl Runs {
    pub(crate) fn new(graph: &Graph<'_>, reduced: &Reduced, watched: &Watched) -> Runs {
        let valuation = |at: usize| {
            let state = graph.interpreter.state(&graph.nodes[at].reference);
            watched.iter().map(|(at, ty)| state.get(*at, ty)).collect()
        };
        let count = graph.nodes.len();
        Runs {
            successors: (0..count).map(|at| reduced.successors(graph, at)).collect(),
            valuations: (0..count).map(valuation).collect(),
        }
    }

    /// All states that are reached without a change.
    fn closed(&self, mut states: States) -> States {
        let mut waiting: Vec<usize> = states.iter().copied().collect();
        while let Some(at) = waiting.pop() {
            for &to in &self.successors[at] {
                if self.valuations[to] == self.valuations[at] && states.insert(to) {
                    waiting.push(to);
                }
            }
        }
        states
    }

    /// Whether a run can stay in a closed set for ever, or end there.
    fn can_stay(&self, states: &States) -> bool {
        let mut left = states.clone();
        loop {
            // A state with no successor left inside leads out of the set, unless it is an end.
            let inside =
                |at: &usize| self.successors[*at].is_empty() || self.successors[*at].iter().any(|to| left.contains(to));
            let next: States = left.iter().copied().filter(inside).collect();
            if next.len() == left.len() {
                return !left.is_empty();
            }
            left = next;
        }
    }

    /// The sets of states after one more change, by their valuation.
    fn next(&self, states: &States) -> Vec<(Vec<i32>, States)> {
        let changes = states.iter().flat_map(|&at| {
            let other = self.successors[at].iter().filter(move |to| self.valuations[**to] != self.valuations[at]);
            other.copied()
        });
        let targets: States = changes.collect();
        let values: BTreeSet<&Vec<i32>> = targets.iter().map(|&to| &self.valuations[to]).collect();
        let with = |value: &Vec<i32>| targets.iter().copied().filter(|&to| self.valuations[to] == *value).collect();
        values.into_iter().map(|value| (value.clone(), self.closed(with(value)))).collect()
    }
}

/// Whether both show the same sequences, up to a number of changes.
pub(crate) fn compare(runs: &[Runs; 2]) -> Result<(), String> {
    let first = runs.each_ref().map(|it| it.closed(States::from([0])));
    follow(runs, &first, DEPTH)
}

fn follow(runs: &[Runs; 2], states: &[States; 2], depth: usize) -> Result<(), String> {
    let valuation = &runs[0].valuations[*states[0].first().expect("a run has a state")];
    if runs[0].can_stay(&states[0]) != runs[1].can_stay(&states[1]) {
        return Err(format!("a run that stays with {valuation:?} is lost"));
    }
    if depth == 0 {
        return Ok(());
    }
    let [full, reduced] = [0, 1].map(|it| runs[it].next(&states[it]));
    if full.len() != reduced.len() {
        return Err(format!("a run that leaves {valuation:?} is lost"));
    }
    for ((_, full), (_, reduced)) in full.into_iter().zip(reduced) {
        follow(runs, &[full, reduced], depth - 1)?;
    }
    Ok(())
}
