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
    /// The transitions of the location where each process stands, and how many steps it has.
    slots: Vec<(Range<u32>, usize)>,
    /// The sets of which each transition needs one.
    ways: Vec<SetId>,
    set: Set,
    waiting: Vec<u32>,
    /// Those of the set that are not present, and still to be looked at.
    absent: Vec<u32>,
}

/// When a closure is of no use.
struct Bounds {
    /// It may have so many steps.
    steps: usize,
    /// Processes whose own closures are of no use: a closure that has one of them has all that these need.
    failed: Processes,
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
    /// Looks at the transitions that are present in a state. Returns how many steps there are in all.
    fn look(&mut self, view: &mut View<'_>, transitions: &Transitions) -> usize {
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
        self.slots.clear();
        let mut all = 0;
        for slot in 0..view.processes() {
            let present = transitions.present(view.table, view.state, slot);
            let steps = view.steps(slot);
            all += steps;
            self.slots.push((present.start as u32..present.end as u32, steps));
            for it in present {
                let first = self.ways.len() as u32;
                let is_ready = transitions.ways(view.table, view.state, it, &mut self.ways);
                let count = self.ways.len() as u32 - first;
                self.known[it] = Known { first, count, slot: slot as u32, is_ready };
                insert(&mut self.present, it as u32);
                if steps > 0 {
                    insert(&mut self.ready, it as u32);
                }
            }
        }
        all
    }

    /// The processes of the closure of one process, and how many steps they have; nothing if it is of no use.
    fn closure(
        &mut self,
        view: &View<'_>,
        transitions: &Transitions,
        pid: usize,
        bounds: &Bounds,
    ) -> Option<(Processes, usize)> {
        self.set.fill(0);
        self.waiting.clear();
        self.absent.clear();
        for it in self.slots[pid].0.clone() {
            insert(&mut self.set, it);
            self.waiting.push(it);
        }
        let mut processes = Processes::default();
        let mut steps = 0;
        loop {
            while let Some(it) = self.waiting.pop() {
                let Known { first, count, slot, is_ready } = self.known[it as usize];
                let ways = first as usize..(first + count) as usize;
                if is_ready {
                    if !processes.contains(slot as usize) {
                        processes.insert(slot as usize);
                        steps += self.slots[slot as usize].1;
                        if steps > bounds.steps || bounds.failed.contains(slot as usize) {
                            return None;
                        }
                    }
                    self.add_discords(view, transitions, (it, self.ways[ways.start]));
                } else {
                    self.add_best(transitions, ways);
                }
            }
            let Some(it) = self.absent.pop() else { return Some((processes, steps)) };
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
        let all = self.look(view, transitions);
        let first = sets.len();
        // Something must be left out.
        let mut bounds = Bounds { steps: all.saturating_sub(1), failed: Processes::default() };
        for pid in (0..view.processes()).rev() {
            if self.slots[pid].1 == 0 {
                continue;
            }
            let Some((set, steps)) = self.closure(view, transitions, pid, &bounds) else {
                bounds.failed.insert(pid);
                continue;
            };
            if !sets[first..].contains(&set) && view.admits(&set) {
                sets.push(set);
                // Nothing is smaller than one step.
                if steps == 1 {
                    break;
                }
                // What needs no proviso is taken, if nothing smaller is found.
                if view.is_free(&set) {
                    bounds.steps = bounds.steps.min(steps - 1);
                }
            }
        }
        if sets.len() > first + 1 {
            sets[first..].sort_by_key(|set| steps(view, set));
        }
    }
}
