//! Looking for sets of processes only where that is worth it: whole expansions are always right.

use crate::vectors::{State, Vector};
use spinor_store::{Batch, Item, Store};

/// States in which sets are looked for before it is asked whether that was worth it.
const TRIAL: u32 = 1 << 8;
/// The same after a trial without success.
const NEXT_TRIAL: u32 = 1 << 6;
/// Trials without success are followed by at most so many times as many states without one.
const MOST_PATIENCE: u32 = 1 << 8;
/// The share of successors that must be left out, one in so many.
const WORTH: u32 = 7;
/// The share of states that must be avoided, one in so many. One in ten lets telephony look too often: it takes
/// a fifth more time a state then, for 11 states less.
const WORTH_OF_STATES: f64 = 8.0;

/// Sets are looked for in few states if it is less than one in so many.
const RESTING: u64 = 8;

/// What leaving successors out is good for. Most of those that are left out may be met all the same, by another
/// way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gain {
    /// The share of what was left out that was not met.
    pub(crate) avoided: f64,
    /// The share of the successors that are new.
    pub(crate) new: f64,
}

impl Gain {
    /// Nothing speaks against it.
    const UNKNOWN: Gain = Gain { avoided: 1.0, new: 0.0 };

    /// Whether enough states are avoided if so many of some successors are left out.
    fn is_worth(self, saved: u32, steps: u32) -> bool {
        let avoided = f64::from(saved) * self.avoided;
        avoided * WORTH_OF_STATES >= avoided + f64::from(steps) * self.new
    }
}

/// Decides in which states sets are looked for.
#[derive(Debug)]
pub(crate) struct Thrift {
    /// States before the trial begins, or before it ends.
    left: u32,
    is_trial: bool,
    /// Successors in the trial, and those of them that were left out.
    steps: u32,
    saved: u32,
    patience: u32,
    gain: Gain,
    /// States so far, and those in which sets were looked for.
    states: u64,
    looked: u64,
}

impl Default for Thrift {
    fn default() -> Thrift {
        Thrift {
            left: TRIAL,
            is_trial: true,
            steps: 0,
            saved: 0,
            patience: 1,
            gain: Gain::UNKNOWN,
            states: 0,
            looked: 0,
        }
    }
}

impl Thrift {
    /// Whether sets are looked for in the next state.
    pub(crate) fn is_on(&mut self) -> bool {
        if self.left == 0 {
            self.turn();
        }
        self.left -= 1;
        self.states += 1;
        self.looked += u64::from(self.is_trial);
        self.is_trial
    }

    fn turn(&mut self) {
        let Thrift { is_trial, steps, saved, patience, gain, states, looked, .. } = *self;
        let is_worth = saved > 0 && saved * WORTH >= steps && gain.is_worth(saved, steps);
        let fresh = Thrift { gain, states, looked, ..Thrift::default() };
        *self = if is_trial && !is_worth {
            let left = TRIAL * patience;
            Thrift { left, is_trial: false, patience: (patience * 2).min(MOST_PATIENCE), ..fresh }
        } else if is_trial {
            fresh
        } else {
            Thrift { left: NEXT_TRIAL, patience, ..fresh }
        };
    }

    /// Whether sets are looked for in few states only.
    pub(crate) fn is_resting(&self) -> bool {
        self.looked * RESTING < self.states
    }

    /// Whether sets are being looked for.
    pub(crate) fn is_trial(&self) -> bool {
        self.is_trial
    }

    /// A state has so many successors, of which so many are left out.
    pub(crate) fn count(&mut self, steps: u32, saved: u32) {
        self.steps += steps;
        self.saved += saved;
    }

    /// So many successors that were to be left out were needed after all.
    pub(crate) fn regret(&mut self, steps: u32) {
        self.saved = self.saved.saturating_sub(steps);
    }

    pub(crate) fn learn(&mut self, gain: Gain) {
        self.gain = gain;
    }
}

/// States in a sample.
const SAMPLE: usize = 128;
/// States that must be stored before a sample is looked up.
const RIPE: u64 = 1 << 11;

/// Some successors that were left out, to see later which of them were met all the same.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    states: Vec<State>,
    /// How many states must be stored before the sample is looked up.
    due: u64,
}

impl Sample {
    /// A successor is left out, while so many states are stored.
    #[inline]
    pub(crate) fn offer(&mut self, vector: Vector<'_>, stored: u64) {
        if self.states.len() < SAMPLE {
            self.states.push(vector.to_state());
            self.due = (2 * stored).max(RIPE);
        }
    }

    /// What was gained by now, when enough is known and the sample is old enough.
    pub(crate) fn gain<T: Store>(
        &mut self,
        (store, session): (&T, &mut T::Session),
        (stored, steps): (u64, u64),
    ) -> Option<Gain> {
        if self.states.len() < SAMPLE || stored < self.due {
            return None;
        }
        let mut known = Vec::new();
        for State { words, bytes, key } in self.states.drain(..) {
            let items = [Item { at: 0, bytes, key, note: 0 }];
            let batch = Batch { words: &words, items: &items, source_words: &[], sources: &[] };
            store.lookup(session, &batch, &mut known);
        }
        let avoided = known.iter().filter(|&&known| !known).count();
        Some(Gain { avoided: avoided as f64 / SAMPLE as f64, new: stored as f64 / steps.max(1) as f64 })
    }
}
