//! How many states an orbit has.
//!
//! As many as there are automorphisms for each that leaves a state as it is. Those that do leave keys where they are, so
//! only these are looked at.

use super::canonical::{Automorphisms, PATIENCE, Scratch};
use super::orders::elements;
use super::turns::Turns;

impl Automorphisms {
    /// How many states the orbit of a state has; none if there are too many permutations to find out.
    pub(super) fn orbit(&self, state: &[u64], scratch: &mut Scratch) -> Option<u64> {
        if !self.turns.iter().all(|turns| turns.is_closed) {
            return None;
        }
        // Sorted, so that labels with equal keys are side by side; the orbit is the same.
        let mut state = state.to_vec();
        let action = &self.action;
        let Keyed { keys, are_idle } = self.keyed(action, &mut state, scratch);
        let key = |label: u8| keys[usize::from(label)];
        let chunks = self.blocks.iter().flat_map(|block| block.chunk_by(|&one, &other| key(one) == key(other)));
        let runs: Vec<Vec<u8>> = chunks.filter(|run| run.len() > 1).map(<[u8]>::to_vec).collect();
        let stable = |turns: &Turns| turns.stable(&keys).cloned().collect();
        let turns: Vec<Vec<Vec<u8>>> = self.turns.iter().map(stable).collect();
        let orders = runs.iter().map(|run| (1..=run.len() as u64).product::<u64>());
        let count = orders.chain(turns.iter().map(|turns| turns.len() as u64 + 1)).fold(1, u64::saturating_mul);
        if are_idle {
            return Some(self.order() / count);
        }
        if count > PATIENCE as u64 {
            return None;
        }
        let (mut pieces, mut to) = (Vec::new(), Vec::new());
        action.take(&state, &mut pieces);
        let leaves_it = |element: &&Vec<u8>| {
            action.apply((&state, &pieces), element, &mut to);
            to == state
        };
        let stabiliser = elements(&runs, &turns, self.labels()).iter().filter(leaves_it).count();
        Some(self.order() / stabiliser as u64)
    }
}

/// What is known of a state by its keys.
pub(super) struct Keyed {
    pub(super) keys: Vec<u64>,
    /// Whether all permutations that leave keys where they are leave the state as it is.
    pub(super) are_idle: bool,
}
