//! Direct simulation (Somenzi, Bloem 2000; Etessami, Wilke, Schuller 2001): a state that can do all
//! that another can, with at least the same marks, makes the other superfluous.

use crate::explicit::{Explicit, Step, tidy};

/// Quadratic in states: beyond this many an automaton is left as it is.
const MAX_STATES: usize = 600;

/// `at(p, q)`: q can do all that p can.
struct Preorder {
    count: usize,
    related: Vec<bool>,
}

impl Preorder {
    fn at(&self, p: usize, q: usize) -> bool {
        self.related[p * self.count + q]
    }

    fn is_mutual(&self, p: usize, q: usize) -> bool {
        self.at(p, q) && self.at(q, p)
    }

    /// The largest simulation inside a relation.
    fn largest(states: &[Vec<Step>], allowed: impl Fn(usize, usize) -> bool) -> Preorder {
        let count = states.len();
        let related = (0..count * count).map(|pair| allowed(pair / count, pair % count)).collect();
        let mut order = Preorder { count, related };
        let mut changed = true;
        while changed {
            changed = false;
            for pair in 0..count * count {
                if order.related[pair] && !order.simulates(&states[pair / count], &states[pair % count]) {
                    order.related[pair] = false;
                    changed = true;
                }
            }
        }
        order
    }

    /// Whether each step of `weak` has its match among those of `strong`, letter by letter.
    fn simulates(&self, weak: &[Step], strong: &[Step]) -> bool {
        weak.iter().all(|step| {
            let mut open = step.letters.clone();
            for other in strong.iter().filter(|other| self.covers(step, other)) {
                open.remove(&other.letters);
            }
            open.is_empty()
        })
    }

    fn covers(&self, weak: &Step, strong: &Step) -> bool {
        weak.marks & !strong.marks == 0 && self.at(weak.target, strong.target)
    }

    /// For each state the first that is as good, which stands for both.
    fn representatives(&self) -> Vec<usize> {
        let first = |p: usize| (0..p).find(|&q| self.is_mutual(p, q)).unwrap_or(p);
        (0..self.count).map(first).collect()
    }

    /// The edges without those that another one makes superfluous.
    fn best(&self, steps: &[Step], representative: &[usize]) -> Vec<Step> {
        let moved = steps.iter().map(|step| Step { target: representative[step.target], ..step.clone() });
        let steps = tidy(moved.collect());
        let rest = |step: &Step| {
            let mut rest = step.clone();
            for other in steps.iter().filter(|other| *other != step && self.covers(step, other)) {
                rest.letters.remove(&other.letters);
            }
            rest
        };
        tidy(steps.iter().map(rest).collect())
    }
}

/// Joins states that can do the same from now on, and drops edges to states that can do less.
pub(crate) fn forward(automaton: &Explicit) -> Explicit {
    if automaton.states.len() > MAX_STATES {
        return automaton.clone();
    }
    quotient(automaton, |_, _| true)
}

/// The same backwards: joins states with the same past. Where acceptance is that of states, joined
/// states must agree on it, because they join their edges.
pub(crate) fn backward(automaton: &Explicit, state_based: bool) -> Explicit {
    if automaton.states.len() > MAX_STATES {
        return automaton.clone();
    }
    let marks: Vec<u64> = automaton.states.iter().map(|steps| steps.first().map_or(0, |step| step.marks)).collect();
    let agree = |p: usize, q: usize| {
        (p != automaton.initial || q == automaton.initial) && (!state_based || marks[p] & !marks[q] == 0)
    };
    reversed(&quotient(&reversed(automaton), agree))
}

fn quotient(automaton: &Explicit, allowed: impl Fn(usize, usize) -> bool) -> Explicit {
    let order = Preorder::largest(&automaton.states, allowed);
    let representative = order.representatives();
    let kept: Vec<usize> = (0..order.count).filter(|&state| representative[state] == state).collect();
    let mut states = automaton.states.clone();
    for &state in &kept {
        states[state] = order.best(&automaton.states[state], &representative);
    }
    let initial = representative[automaton.initial];
    let first_initial: Vec<usize> =
        std::iter::once(initial).chain(kept.into_iter().filter(|&state| state != initial)).collect();
    Explicit { initial, states, ..*automaton }.restrict(&first_initial)
}

fn reversed(automaton: &Explicit) -> Explicit {
    let mut states = vec![Vec::new(); automaton.states.len()];
    for (source, steps) in automaton.states.iter().enumerate() {
        for step in steps {
            states[step.target].push(Step { target: source, ..step.clone() });
        }
    }
    Explicit { states: states.into_iter().map(tidy).collect(), ..*automaton }
}
