//! Stubborn sets by closure (Valmari).
//!
//! Whatever a process does later, it first does one of the transitions of the location where it stands. So the
//! closure is kept among these: each stands for all to which it leads. The closure of a transition that is not
//! executable goes on with the condition that adds least. Its result is a strong stubborn set; the processes
//! with an executable transition in it are proposed.

use super::ample::steps;
use super::transitions::{Set, SetId, Transitions};
use super::uses::{insert, none};
use super::{Processes, Selector, View};
use std::ops::Range;

/// Proposes stubborn sets, the fewest steps first.
#[derive(Clone, Debug, Default)]
pub(super) struct Stubborn {
    /// The transitions of the locations where processes stand, and those of processes that can move.
    present: Set,
    ready: Set,
    /// What is known of each of them, by its number.
    known: Vec<Known>,
    /// The sets of which each needs one.
    ways: Vec<SetId>,
    set: Set,
    waiting: Vec<u32>,
    /// Those of the set that are not present, and still to be looked at.
    absent: Vec<u32>,
}

/// What is known of a transition in a state.
#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Its sets among the ways.
    first: u32,
    count: u32,
    slot: u32,
    is_ready: bool,
}

impl Stubborn {
    /// Looks at the transitions that are present in a state.
    fn look(&mut self, view: &View<'_>, transitions: &Transitions, movers: &Processes) {
        if self.set.len() != transitions.words {
            for set in [&mut self.set, &mut self.present, &mut self.ready] {
                *set = none(transitions.words);
            }
        }
        if self.known.len() < transitions.len() {
            self.known.resize(transitions.len(), Known::default());
        }
        self.present.fill(0);
        self.ready.fill(0);
        self.ways.clear();
        for slot in 0..view.processes() {
            for it in transitions.present(view.table, view.state, slot) {
                let first = self.ways.len() as u32;
                let is_ready = transitions.ways(view.table, view.state, it, &mut self.ways);
                let count = self.ways.len() as u32 - first;
                self.known[it] = Known { first, count, slot: slot as u32, is_ready };
                insert(&mut self.present, it as u32);
                if movers.contains(slot) {
                    insert(&mut self.ready, it as u32);
                }
            }
        }
    }

    /// The processes of the closure of one process; nothing if all that can move are in it.
    fn closure(
        &mut self,
        view: &View<'_>,
        transitions: &Transitions,
        (pid, movers): (usize, Processes),
    ) -> Option<Processes> {
        self.set.fill(0);
        self.waiting.clear();
        self.absent.clear();
        for it in transitions.present(view.table, view.state, pid) {
            insert(&mut self.set, it as u32);
            self.waiting.push(it as u32);
        }
        let mut processes = Processes::default();
        loop {
            while let Some(it) = self.waiting.pop() {
                let Known { first, count, slot, is_ready } = self.known[it as usize];
                let ways = first as usize..(first + count) as usize;
                if is_ready {
                    processes.insert(slot as usize);
                    if movers.is_within(&processes) {
                        return None;
                    }
                    self.add_discords(view, transitions, (it, self.ways[ways.start]));
                } else {
                    self.add_best(transitions, ways);
                }
            }
            let Some(it) = self.absent.pop() else { return Some(processes) };
            let first = self.ways.len();
            transitions.ways_to_absent(view.state, it as usize, &mut self.ways);
            self.add_best(transitions, first..self.ways.len());
            self.ways.truncate(first);
        }
    }

    /// Adds all that does not accord with a transition. If that brings in processes that can move, those that
    /// are not present are looked at one by one, at the end: each may need something else that is false.
    fn add_discords(&mut self, view: &View<'_>, transitions: &Transitions, (it, ways): (u32, SetId)) {
        let ways = transitions.set(ways);
        if self.cost(ways).0 == 0 {
            return self.add_all(ways);
        }
        for (word, discords) in transitions.discords(view.state, it as usize).iter().enumerate() {
            let new = discords & !self.set[word];
            self.set[word] |= new;
            push_members(&mut self.waiting, word, new & self.present[word]);
            push_members(&mut self.absent, word, new & !self.present[word]);
        }
    }

    /// Adds the set that adds least.
    fn add_best(&mut self, transitions: &Transitions, ways: Range<usize>) {
        let best = match self.ways[ways] {
            [only] => only,
            ref ways => *ways.iter().min_by_key(|way| self.cost(transitions.set(**way))).expect("there always is one"),
        };
        self.add_all(transitions.set(best));
    }

    /// How many transitions of a set are present and new. One that may be executable weighs more than all others.
    fn cost(&self, set: &[u64]) -> (u32, u32) {
        let mut cost = (0, 0);
        for (word, set) in set.iter().enumerate() {
            let new = set & self.present[word] & !self.set[word];
            cost.0 += (new & self.ready[word]).count_ones();
            cost.1 += new.count_ones();
        }
        cost
    }

    /// Adds the transitions of a set that are present and new.
    fn add_all(&mut self, set: &[u64]) {
        for (word, more) in set.iter().enumerate() {
            let new = more & self.present[word] & !self.set[word];
            self.set[word] |= new;
            push_members(&mut self.waiting, word, new);
        }
    }
}

/// Appends the members of one word of a set.
fn push_members(out: &mut Vec<u32>, word: usize, mut bits: u64) {
    while bits != 0 {
        out.push(word as u32 * 64 + bits.trailing_zeros());
        bits &= bits - 1;
    }
}

impl Selector for Stubborn {
    fn propose(&mut self, view: &mut View<'_>, sets: &mut Vec<Processes>) {
        let Some(transitions) = view.table.transitions() else { return };
        let movers = view.movers();
        self.look(view, transitions, &movers);
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
