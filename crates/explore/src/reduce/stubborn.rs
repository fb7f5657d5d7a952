//! Stubborn sets by closure (Valmari).
//!
//! The closure of a transition that is not executable goes on with the condition that adds least. Its
//! result is a strong stubborn set; the processes with an executable transition in it are proposed.

use super::ample::steps;
use super::transitions::{Set, Transitions};
use super::uses::{contains, insert, members, none};
use super::{Processes, Selector, Table, View};

/// Proposes stubborn sets, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stubborn {
    reachable: Set,
    set: Set,
    waiting: Vec<usize>,
}

impl Stubborn {
    /// The processes of the closure of one process.
    fn closure(&mut self, view: &View<'_>, transitions: &Transitions, pid: usize) -> Processes {
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
            }
            let cost = |set: &&&Set| new_members(set, &self.reachable, &self.set).count();
            let best = alternatives.iter().min_by_key(cost).expect("there always is one");
            let more: Vec<usize> = new_members(best, &self.reachable, &self.set).collect();
            more.into_iter().for_each(|it| self.add(it));
        }
        processes
    }

    fn add(&mut self, it: usize) {
        if !contains(&self.set, it as u32) {
            insert(&mut self.set, it as u32);
            self.waiting.push(it);
        }
    }

    fn prepare(&mut self, table: &Table, state: &[u64], transitions: &Transitions) {
        if self.set.len() != transitions.words {
            self.set = none(transitions.words);
            self.reachable = none(transitions.words);
        }
        self.reachable.fill(0);
        transitions.add_reachable(table, state, &mut self.reachable);
    }
}

/// The members of a set that are reachable and not yet in another.
fn new_members<'a>(set: &'a Set, reachable: &'a Set, known: &'a Set) -> impl Iterator<Item = usize> + 'a {
    members(set).filter(|&it| contains(reachable, it as u32) && !contains(known, it as u32))
}

impl Selector for Stubborn {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let Some(transitions) = view.table.transitions() else { return };
        self.prepare(view.table, view.state, transitions);
        let first = sets.len();
        for pid in (0..view.processes()).rev() {
            if view.steps(pid) == 0 {
                continue;
            }
            let set = self.closure(view, transitions, pid);
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
