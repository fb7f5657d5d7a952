//! The first exact store, for one thread; it goes as soon as nobody uses it.

mod arena;
mod hash;

use arena::Arena;
use hash::hash;

/// A stored state, numbered in the order of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StateId(pub u32);

/// What came of an insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inserted {
    /// The state.
    pub id: StateId,
    /// It was not there before.
    pub is_new: bool,
}

/// A slot holds 32 bits of the hash and the number of a state plus one; 0 is free.
type Slot = u64;

/// Slots in a new table.
const FIRST_SIZE: usize = 1 << 8;

/// A set of states that forgets nothing and confuses nothing.
#[derive(Debug)]
pub struct Exact {
    slots: Vec<Slot>,
    arena: Arena,
    /// How many bytes at the front of a state do not count.
    ignored: usize,
}

impl Exact {
    /// An empty store. The first `ignored` bytes of a state are kept, but do not count when
    /// states are compared.
    #[must_use]
    pub fn new(ignored: usize) -> Exact {
        Exact { slots: vec![0; FIRST_SIZE], arena: Arena::default(), ignored }
    }

    /// Looks a state up, and puts it in if it is not there.
    ///
    /// # Panics
    /// If there are more than 4,294,967,294 states.
    pub fn insert(&mut self, state: &[u8]) -> Inserted {
        if (self.arena.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let key = &state[self.ignored..];
        let hash = hash(key);
        let mask = self.slots.len() - 1;
        let mut index = hash as usize & mask;
        loop {
            match self.slots[index] {
                0 => {
                    let id = u32::try_from(self.arena.len()).ok().filter(|&id| id < u32::MAX);
                    let id = id.expect("a store holds at most 2^32-2 states");
                    self.slots[index] = slot(hash, id);
                    self.arena.push(state);
                    return Inserted { id: StateId(id), is_new: true };
                }
                found => {
                    let id = (found as u32) - 1;
                    if found >> 32 == hash >> 32 && self.arena.get(id as usize)[self.ignored..] == *key {
                        return Inserted { id: StateId(id), is_new: false };
                    }
                }
            }
            index = (index + 1) & mask;
        }
    }

    /// A stored state.
    #[must_use]
    pub fn get(&self, id: StateId) -> &[u8] {
        self.arena.get(id.0 as usize)
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory that are reserved.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.slots.len() * size_of::<Slot>() + self.arena.memory()
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        let mask = size - 1;
        self.slots.clear();
        self.slots.resize(size, 0);
        for id in 0..self.arena.len() {
            let hash = hash(&self.arena.get(id)[self.ignored..]);
            let mut index = hash as usize & mask;
            while self.slots[index] != 0 {
                index = (index + 1) & mask;
            }
            self.slots[index] = slot(hash, id as u32);
        }
    }
}

fn slot(hash: u64, id: u32) -> Slot {
    hash & 0xffff_ffff_0000_0000 | u64::from(id + 1)
}

#[cfg(test)]
mod tests {
    use super::{Exact, StateId};
    use std::collections::HashMap;

    /// The same insertions into the store and into a hash map of the standard library.
    #[test]
    fn agrees_with_a_hash_map() {
        let mut store = Exact::new(0);
        let mut twin: HashMap<Vec<u8>, StateId> = HashMap::new();
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..200_000 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            let length = (seed >> 60) as usize;
            let state: Vec<u8> = (0..length).map(|byte| (seed >> (byte % 8 * 2)) as u8 & 3).collect();
            let inserted = store.insert(&state);
            let known = twin.len();
            let expected = *twin.entry(state.clone()).or_insert(StateId(known as u32));
            assert_eq!(inserted.id, expected);
            assert_eq!(inserted.is_new, twin.len() > known);
            assert_eq!(store.get(inserted.id), state);
        }
        assert_eq!(store.len(), twin.len());
    }

    #[test]
    fn ignored_bytes_do_not_count() {
        let mut store = Exact::new(2);
        let first = store.insert(&[1, 2, 7, 7]);
        let second = store.insert(&[3, 4, 7, 7]);
        assert!(first.is_new && !second.is_new);
        assert_eq!(store.get(second.id), [1, 2, 7, 7], "the first one stays");
    }
}
