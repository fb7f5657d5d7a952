//! Which steps of a state of the system are enough, whatever the claim does with it.
//!
//! The choice is made once for each state of the system, where the search first expands it, and kept: for all states of
//! the claim, and for both halves of a nested search (Holzmann, Peled, Yannakakis 1996). So what is searched is the
//! product of the claim with one graph, a part of the system. If on each cycle of that graph some state has all its steps,
//! it has, for each execution of the system, one that is the same but for repetition (Peled 1996), and a
//! claim that does not care for repetition accepts both or none. A choice for each pair does not give one graph, and is
//! wrong (Siegel, CAV 2019).

use super::atlas::Atlas;
use crate::reduce::Processes;
use rustc_hash::FxHashMap;
use std::sync::atomic::{AtomicU16, Ordering::SeqCst};
use std::sync::{Mutex, OnceLock, PoisonError};

/// When the steps of some processes may stand for all, in reports. On a cycle of the graph without a whole state each
/// would have been chosen for before the next: so no cycle postpones the others for ever. In any order of visits, for any
/// number of threads.
pub(super) const PROVISO: &str = "all steps of the set lead to states that were not expanded before";

/// Nothing is known yet.
const UNKNOWN: u16 = 0;
/// A thread is at it.
const PENDING: u16 = 1;
/// All steps are needed.
const WHOLE: u16 = 2;
/// The first of the sets.
const SETS: u16 = 3;

/// How many different sets are told apart; beyond, states are expanded as a whole.
const MOST_SETS: usize = 1 << 12;

/// What was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chosen {
    Whole,
    Set(Processes),
}

/// The choices of all states.
#[derive(Debug)]
pub(super) struct Choices {
    of_states: Atlas<AtomicU16>,
    sets: Box<[OnceLock<Processes>]>,
    numbers: Mutex<FxHashMap<Processes, u16>>,
}

impl Default for Choices {
    fn default() -> Choices {
        let sets = (0..MOST_SETS).map(|_| OnceLock::new()).collect();
        Choices { of_states: Atlas::default(), sets, numbers: Mutex::default() }
    }
}

impl Choices {
    /// What was chosen for a state; waits while another thread chooses.
    pub(super) fn of(&self, state: u32) -> Option<Chosen> {
        let entry = self.of_states.find(u64::from(state))?;
        loop {
            match entry.load(SeqCst) {
                UNKNOWN => return None,
                PENDING => std::thread::yield_now(),
                WHOLE => return Some(Chosen::Whole),
                set => return self.sets[usize::from(set - SETS)].get().copied().map(Chosen::Set),
            }
        }
    }

    /// Whether it is upon the caller to choose for a state: nobody did before.
    pub(super) fn begin(&self, state: u32) -> bool {
        self.of_states.touch(u64::from(state)).compare_exchange(UNKNOWN, PENDING, SeqCst, SeqCst).is_ok()
    }

    /// Whether nothing was chosen for a state yet.
    pub(super) fn is_unknown(&self, state: u32) -> bool {
        self.of_states.find(u64::from(state)).is_none_or(|entry| entry.load(SeqCst) == UNKNOWN)
    }

    /// Chooses for a state; nothing is the whole. Says what is kept: if there are too many sets, the whole.
    pub(super) fn choose(&self, state: u32, set: Option<Processes>) -> Chosen {
        let number = set.and_then(|set| self.number(set));
        self.of_states.touch(u64::from(state)).store(number.unwrap_or(WHOLE), SeqCst);
        number.and(set).map_or(Chosen::Whole, Chosen::Set)
    }

    fn number(&self, set: Processes) -> Option<u16> {
        let mut numbers = self.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&number) = numbers.get(&set) {
            return Some(number);
        }
        let next = numbers.len();
        self.sets.get(next)?.set(set).ok()?;
        numbers.insert(set, next as u16 + SETS);
        Some(next as u16 + SETS)
    }

    pub(super) fn memory(&self) -> usize {
        self.of_states.memory() + MOST_SETS * size_of::<OnceLock<Processes>>()
    }
}
