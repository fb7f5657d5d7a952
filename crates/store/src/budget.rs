//! How much memory a store has and may have, and for how many.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::region::{Pages, Region};
use crate::store::Config;

/// The bytes that all parts of one store have taken together, and who uses it.
#[derive(Debug)]
pub(crate) struct Budget {
    used: AtomicUsize,
    max: usize,
    users: AtomicUsize,
    /// How many cores there are.
    cores: usize,
    pages: Pages,
}

impl Budget {
    pub(crate) fn new(config: &Config) -> Budget {
        let max = config.max_bytes.unwrap_or(usize::MAX);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        Budget { used: AtomicUsize::new(0), max, users: AtomicUsize::new(0), cores, pages: Pages::default() }
    }

    /// One more thread uses the store.
    pub(crate) fn join(&self) {
        self.users.fetch_add(1, Ordering::Relaxed);
    }

    /// How many threads use the store.
    pub(crate) fn users(&self) -> usize {
        self.users.load(Ordering::Relaxed)
    }

    /// Whether something can be done in the background: where one thread has one core it would only wait for it.
    pub(crate) fn has_background(&self) -> bool {
        self.users() > 1 || self.cores > 1
    }

    /// Takes so many bytes if they are left.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let add = |used: usize| used.checked_add(bytes).filter(|&sum| sum <= self.max);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
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

    /// Bytes that can still be taken.
    pub(crate) fn left(&self) -> usize {
        self.max.saturating_sub(self.used())
    }
}
