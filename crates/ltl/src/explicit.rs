//! Automata whose labels are sets of letters: the form in which they are made smaller.

use crate::automaton::{Automaton, Edge, mask};
use crate::bdd::Made;
use crate::letters::{LetterSet, Letters};
use crate::scc::{self, Components};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Explicit {
    pub(crate) letters: usize,
    pub(crate) marks: usize,
    pub(crate) initial: usize,
    pub(crate) states: Vec<Vec<Step>>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) target: usize,
    pub(crate) marks: u64,
    pub(crate) letters: LetterSet,
}

impl Explicit {
    pub(crate) fn new(letters: &Letters, automaton: &Automaton) -> Explicit {
        let step =
            |edge: &Edge| Step { target: edge.target as usize, marks: edge.marks, letters: letters.set(&edge.label) };
        let states = automaton.states.iter().map(|edges| tidy(edges.iter().map(step).collect())).collect();
        Explicit { letters: letters.len(), marks: automaton.marks, initial: automaton.initial as usize, states }
    }

    pub(crate) fn automaton(&self, letters: &mut Letters, atoms: usize) -> Made<Automaton> {
        let mut edge = |step: &Step| {
            letters.label(&step.letters).map(|label| Edge { label, marks: step.marks, target: step.target as u32 })
        };
        let states = self.states.iter().map(|steps| steps.iter().map(&mut edge).collect());
        Ok(Automaton { atoms, marks: self.marks, initial: self.initial as u32, states: states.collect::<Made<_>>()? })
    }

    pub(crate) fn all_marks(&self) -> u64 {
        mask(self.marks)
    }

    pub(crate) fn edges(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    /// What makes one automaton better than another: states first, then the letters that leave a
    /// choice, then edges.
    pub(crate) fn cost(&self) -> (usize, usize, usize) {
        let letters = self.states.iter().flatten().map(|step| step.letters.len()).sum();
        (self.states.len(), letters, self.edges())
    }

    pub(crate) fn components(&self) -> Components {
        scc::components(self.states.len(), |state| self.states[state].iter().map(|step| step.target))
    }

    /// The states that can be reached, each with a new number, the first one first.
    pub(crate) fn reachable(&self, is_live: &[bool]) -> Vec<usize> {
        let mut order = vec![self.initial];
        let mut seen = vec![false; self.states.len()];
        seen[self.initial] = true;
        let mut next = 0;
        while next < order.len() {
            for step in &self.states[order[next]] {
                if is_live[step.target] && !std::mem::replace(&mut seen[step.target], true) {
                    order.push(step.target);
                }
            }
            next += 1;
        }
        order
    }

    /// The automaton with these states only, in this order; the first is where runs start.
    pub(crate) fn restrict(&self, order: &[usize]) -> Explicit {
        let mut number = vec![usize::MAX; self.states.len()];
        order.iter().enumerate().for_each(|(new, &old)| number[old] = new);
        let steps = |&old: &usize| {
            let kept = self.states[old].iter().filter(|step| number[step.target] != usize::MAX);
            tidy(kept.map(|step| Step { target: number[step.target], ..step.clone() }).collect())
        };
        Explicit { initial: 0, states: order.iter().map(steps).collect(), ..*self }
    }
}

/// Joins steps that differ in their letters only.
pub(crate) fn tidy(mut steps: Vec<Step>) -> Vec<Step> {
    steps.retain(|step| !step.letters.is_empty());
    steps.sort_unstable();
    let mut joined: Vec<Step> = Vec::with_capacity(steps.len());
    for step in steps {
        match joined.last_mut() {
            Some(last) if (last.target, last.marks) == (step.target, step.marks) => last.letters.add(&step.letters),
            _ => joined.push(step),
        }
    }
    joined
}
