//! Stubborn sets by closure (Valmari).
//!
//! The closure of a transition that is not executable goes on with the condition that adds least. Its
//! result is a strong stubborn set; the processes with an executable transition in it are proposed.

use super::ample::steps;
use super::transitions::{Set, Transitions};
use super::uses::{insert, none};
use super::{Processes, Selector, View};

/// Proposes stubborn sets, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stubborn {
    reachable: Set,
    /// Transitions of processes that can move, from where they stand.
    ready: Set,
    set: Set,
    waiting: Vec<usize>,
}

impl Stubborn {
    /// The processes of the closure of one process; nothing if all that can move are in it.
    fn closure(
        &mut self,
        view: &View<'_>,
        transitions: &Transitions,
        (pid, movers): (usize, Processes),
    ) -> Option<Processes> {
        self.set.fill(0);
        self.waiting.clear();
        for it in transitions.present(view.table, view.state, pid) {
            self.add(it);
        }
        let mut processes = Processes::default();
        let mut alternatives = Vec::new();
        while let Some(it) = self.waiting.pop() {
            if transitions.alternatives(view.table, view.state, it, &mut alternatives) {
                processes.insert(transitions.slot(it));
                if movers.is_within(&processes) {
                    return None;
                }
            }
            let best = match alternatives[..] {
                [only] => only,
                _ => alternatives.iter().min_by_key(|set| self.cost(set)).expect("there always is one"),
            };
            self.add_all(best);
        }
        Some(processes)
    }

    fn add(&mut self, it: usize) {
        insert(&mut self.set, it as u32);
        self.waiting.push(it);
    }

    /// How many members of a set are reachable and new. One that may be executable weighs more than all others.
    fn cost(&self, set: &Set) -> (u32, u32) {
        let mut cost = (0, 0);
        for (word, set) in set.iter().enumerate() {
            let new = set & self.reachable[word] & !self.set[word];
            cost.0 += (new & self.ready[word]).count_ones();
            cost.1 += new.count_ones();
        }
        cost
    }

    /// Adds the members of a set that are reachable and new.
    fn add_all(&mut self, set: &Set) {
        for (word, more) in set.iter().enumerate() {
            let mut new = more & self.reachable[word] & !self.set[word];
            self.set[word] |= new;
            while new != 0 {
                self.waiting.push(word * 64 + new.trailing_zeros() as usize);
                new &= new - 1;
            }
        }
    }

    fn prepare(&mut self, view: &View<'_>, transitions: &Transitions, movers: &Processes) {
        if self.set.len() != transitions.words {
            self.set = none(transitions.words);
            self.reachable = none(transitions.words);
            self.ready = none(transitions.words);
        }
        self.reachable.fill(0);
        transitions.add_reachable(view.table, view.state, &mut self.reachable);
        self.ready.fill(0);
        for pid in movers.iter() {
            let present = transitions.present(view.table, view.state, pid);
            present.for_each(|it| insert(&mut self.ready, it as u32));
        }
    }
}

impl Selector for Stubborn {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let Some(transitions) = view.table.transitions() else { return };
        let movers = view.movers();
        self.prepare(view, transitions, &movers);
        let first = sets.len();
        for pid in (0..view.processes()).rev().filter(|pid| movers.contains(*pid)) {
            let Some(set) = self.closure(view, transitions, (pid, movers)) else { continue };
            if !sets[first..].contains(&set) && view.admits(&set) {
                sets.push(set);
                // Nothing is smaller than one step.
                if set.len() == 1 && view.steps(pid) == 1 {
                    break;
                }
            }
        }
        sets[first..].sort_by_key(|set| steps(view, set));
    }
}
