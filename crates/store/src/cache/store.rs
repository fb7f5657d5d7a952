//! A cache as a store of one depth-first search.

use super::{Arrival, Cache, CacheConfig, CacheStatistics, Kind, Slot, Visitor};
use crate::store::{Batch, Fresh, Guarantee, Handle, Memo, Store};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A bounded store that forgets states which the search has left. It wants `key == bytes`, and to be told
/// when the search [leaves](Store::leave) a state: until then the state stays.
#[derive(Debug)]
pub struct CacheStore {
    cache: Mutex<Cache>,
    room: u32,
}

/// What the search said of the vector that it puts in next, and what was forgotten for the last one.
#[derive(Debug)]
pub struct CacheSession {
    kind: Kind,
    depth: u32,
    forgotten: Option<Vec<u64>>,
}

impl CacheStore {
    /// An empty cache.
    #[must_use]
    pub fn new(config: CacheConfig) -> CacheStore {
        CacheStore { cache: Mutex::new(Cache::new(config)), room: config.states }
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What was done so far.
    #[must_use]
    pub fn statistics(&self) -> CacheStatistics {
        self.cache().statistics()
    }

    /// Whether the time of the search may [explode](Cache::explosion).
    #[must_use]
    pub fn explosion(&self) -> bool {
        self.cache().explosion()
    }

    /// Whether all states are on the stack of the search, and there is no room for another.
    #[must_use]
    pub fn is_stuck(&self) -> bool {
        self.statistics().pinned >= self.room
    }
}

impl Store for CacheStore {
    type Session = CacheSession;
    const USES_SOURCES: bool = false;
    const FORGETS: bool = true;

    fn memo(&self, _: u32, _: u32) -> Memo {
        Memo::VECTOR
    }

    fn session(&self) -> CacheSession {
        CacheSession { kind: Kind::Other, depth: 0, forgotten: None }
    }

    fn insert(&self, session: &mut CacheSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        let mut cache = self.cache();
        for (place, item) in (0..).zip(batch.items) {
            let CacheSession { kind, depth, .. } = *session;
            let visitor = Visitor { words: batch.vector(item), bytes: item.bytes, kind, depth };
            match cache.arrive(&visitor) {
                Arrival::Known { .. } => {}
                Arrival::New { slot, evicted } => {
                    session.forgotten = evicted.filter(|&mark| mark != 0).map(|_| cache.last_evicted().to_vec());
                    fresh.push(Fresh { place, handle: Some(Handle(u64::from(slot.0))) });
                }
                Arrival::Full => fresh.push(Fresh { place, handle: None }),
            }
        }
    }

    fn lookup(&self, _: &mut CacheSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        let cache = self.cache();
        known.extend(batch.items.iter().map(|item| cache.find(batch.vector(item), item.bytes).is_some()));
    }

    fn load(&self, _: &mut CacheSession, handle: Handle, words: &mut Vec<u64>) -> u32 {
        let cache = self.cache();
        let (vector, bytes) = cache.vector(Slot(handle.0 as u32));
        words.extend_from_slice(vector);
        bytes
    }

    fn len(&self) -> u64 {
        self.cache().len()
    }

    fn memory(&self) -> usize {
        self.cache().memory()
    }

    fn fill(&self) -> f64 {
        self.len() as f64 / f64::from(self.room.max(1))
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }

    fn announce(&self, session: &mut CacheSession, kind: Kind, depth: usize) {
        (session.kind, session.depth) = (kind, depth.try_into().unwrap_or(u32::MAX));
    }

    fn hold(&self, words: &[u64], bytes: u32) -> Option<Handle> {
        let mut cache = self.cache();
        let slot = cache.find(words, bytes)?;
        cache.pin(slot);
        Some(Handle(u64::from(slot.0)))
    }

    fn leave(&self, handle: Handle, below: u64) {
        self.cache().leave(Slot(handle.0 as u32), below);
    }

    fn follow(&self, handle: Handle) {
        self.cache().set_payload(Slot(handle.0 as u32), 1);
    }

    fn forgotten(&self, session: &mut CacheSession) -> Option<Vec<u64>> {
        session.forgotten.take()
    }
}
