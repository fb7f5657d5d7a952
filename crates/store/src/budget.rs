//! How much memory a store has and may have, and for how many.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::extendible::DOUBLINGS;
use crate::region::{Pages, Region};
use crate::reserve::{PIECE, Reserve};
use crate::store::Config;

/// The bytes that all parts of one store have taken together, and who uses it.
#[derive(Debug)]
pub(crate) struct Budget {
    used: AtomicUsize,
    max: usize,
    users: AtomicUsize,
    has_core: bool,
    /// How often tables that are small double at once.
    doublings: u32,
    pages: Pages,
    reserve: Mutex<Reserve>,
}

impl Budget {
    pub(crate) fn new(config: &Config) -> Budget {
        Budget {
            used: AtomicUsize::new(0),
            max: config.max_bytes.unwrap_or(usize::MAX),
            users: AtomicUsize::new(0),
            has_core: config.has_core,
            doublings: DOUBLINGS,
            pages: Pages::default(),
            reserve: Mutex::default(),
        }
    }

    /// The same for a store that makes do with little memory.
    pub(crate) fn thrifty(config: &Config) -> Budget {
        Budget { doublings: 1, ..Budget::new(config) }
    }

    /// One more thread uses the store; how many do.
    pub(crate) fn add_user(&self) -> usize {
        self.users.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// How many threads use the store.
    pub(crate) fn users(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    /// Whether there is a core that no thread uses.
    pub(crate) fn has_core(&self) -> bool {
        self.has_core
    }

    /// Takes so many bytes if they are left.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let add = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.max);
        let try_to = || self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok();
        try_to() || self.release() && try_to()
    }

    /// Takes so many bytes, and gets the memory. None: there is none.
    pub(crate) fn allocate(&self, bytes: usize) -> Option<Region> {
        if !self.take(bytes) {
            return None;
        }
        let region = self.zeroed(bytes);
        if region.is_none() {
            self.give_back(bytes);
        }
        region
    }

    /// Takes so many bytes, doubled at most so often, and gets the memory; how often they are. None: there is none.
    pub(crate) fn allocate_doubled(&self, bytes: usize, most: u32) -> Option<(Region, u32)> {
        let get = |bytes: usize| if bytes == PIECE { self.piece() } else { self.allocate(bytes) };
        let doublings = 1..=most.min(self.doublings);
        doublings.rev().find_map(|doublings| Some((get(bytes << doublings)?, doublings)))
    }

    /// Memory for bytes that were taken. None: there is none.
    pub(crate) fn zeroed(&self, bytes: usize) -> Option<Region> {
        Region::zeroed(bytes, &self.pages)
    }

    /// Takes so many bytes, left or not: what a store cannot do without.
    pub(crate) fn force(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Bytes that may be taken.
    pub(crate) fn max(&self) -> usize {
        self.max
    }

    /// Bytes that can still be taken.
    pub(crate) fn left(&self) -> usize {
        self.max.saturating_sub(self.used())
    }

    pub(crate) fn reserve(&self) -> MutexGuard<'_, Reserve> {
        self.reserve.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
