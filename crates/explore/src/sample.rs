//! Some states of a model, without a search.

use crate::vectors::State;
use spinor_exec::{Limit, Semantics, Successors};
use std::collections::HashSet;
use std::time::{Duration, Instant};

/// How many states are looked at.
const STATES: usize = 1 << 12;

/// Bytes of successors that are made of one state at most.
const BYTES: usize = 1 << 20;

/// The most time that it takes: what a search may take is decided elsewhere.
const TIME: Duration = Duration::from_secs(1);

/// Shows the vectors of a state and of the nearest that follow it.
pub(crate) fn sample<S: Semantics>(mut engine: S, first: &State, visit: &mut dyn FnMut(&[u64], u32)) {
    let until = Instant::now() + TIME;
    let mut out = Successors { limit: Limit { bytes: BYTES, until: Some(until) }, ..Successors::default() };
    let mut seen = HashSet::from([first.words.clone()]);
    let mut states = vec![first.words.clone()];
    visit(&first.words, first.bytes);
    let mut at = 0;
    while at < states.len() && states.len() < STATES && Instant::now() < until {
        out.clear();
        engine.expand(&states[at], &mut out);
        for next in &out.list {
            let words = out.vector(next);
            if seen.insert(words.to_vec()) {
                visit(words, next.bytes);
                states.push(words.to_vec());
            }
        }
        at += 1;
    }
}
