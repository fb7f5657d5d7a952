//! Representatives that are the same in all processes of a search.
//!
//! What is known of the states of a shape comes from the first of them that is met, and which one that is differs from
//! process to process: in a state that has forgotten a name because it is dead, fewer processes can change places than in
//! another. Two processes would then have different representatives of an orbit. It would be stored twice; and a path that
//! they look for together would have no end, since one does not recognise what the other found.

use super::{Orbits, Symmetries};
use spinor_exec::{Limit, Semantics, Shape, Successors};
use std::collections::{HashSet, VecDeque};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, PoisonError};

impl Symmetries<'_> {
    /// Finds out about the shapes of the first states, which all processes look at in the same order. States of other
    /// shapes stand for themselves from now on. To be called before anything is represented.
    pub fn settle<S: Semantics>(&self, engine: &mut S, states: usize) {
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut queue = VecDeque::new();
        // What is cut off does not depend on time, which is not the same everywhere.
        let limit = Limit { bytes: 1 << 20, until: None };
        let mut out = Successors { limit, ..Successors::default() };
        if engine.initial(&mut out).is_ok() {
            self.meet(&out.words);
            queue.push_back(out.words.clone());
        }
        while let Some(state) = queue.pop_front()
            && seen.len() < states
        {
            out.clear();
            engine.expand(&state, &mut out);
            let vectors = out.list.iter().map(|next| out.vector(next).to_vec());
            queue.extend(vectors.inspect(|it| self.meet(it)).filter(|it| seen.insert(it.clone())));
        }
        self.is_settled.store(true, Relaxed);
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for orbits in known.iter_mut().flatten().filter(|it| it.group.get().is_none()) {
            *orbits = Arc::new(Orbits::closed());
        }
    }

    /// Finds out about the shape of a state, if nothing is known of it.
    fn meet(&self, state: &[u64]) {
        let orbits = self.orbits(Shape::id_of(state[0]));
        if orbits.is_at_rest(state) {
            self.group(&orbits, state);
        }
    }

    /// The orbits of a shape that is met for the first time.
    pub(super) fn new_orbits(&self, shape: u32) -> Orbits {
        if self.is_settled.load(Relaxed) { Orbits::closed() } else { self.at_rest(&self.shapes.get(shape)) }
    }
}

impl Orbits {
    fn closed() -> Orbits {
        Orbits { is_closed: true, ..Orbits::default() }
    }
}
