//! Memory for segments that will split soon.
//!
//! To get memory from the operating system takes about as long as to fill it with keys, and several threads
//! together get it no faster than one. So it is asked for in the background, where there is more than one core, and a growth,
//! for which all must wait, is over sooner.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::budget::Budget;
use crate::region::Region;

/// Regions of one size that are ready, or will be soon.
#[derive(Debug)]
pub(super) struct Reserve {
    stock: Arc<Stock>,
}

#[derive(Debug)]
struct Stock {
    budget: Arc<Budget>,
    bytes: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    ready: Vec<Region>,
    /// How many more are wanted.
    wanted: usize,
    /// Whether somebody gets them.
    is_busy: bool,
}

impl Reserve {
    pub(super) fn new(bytes: usize, budget: Arc<Budget>) -> Reserve {
        Reserve { stock: Arc::new(Stock { budget, bytes, state: Mutex::default() }) }
    }

    /// One more will be needed soon.
    pub(super) fn prepare(&self) {
        let mut state = self.stock.lock();
        state.wanted += 1;
        if state.is_busy || !self.stock.budget.has_background() {
            return;
        }
        let stock = Arc::clone(&self.stock);
        let begun = thread::Builder::new().name("memory".into()).spawn(move || while stock.fetch() {});
        state.is_busy = begun.is_ok();
    }

    /// One of them, ready or not. None: there is no memory.
    pub(super) fn take(&self) -> Option<Region> {
        let mut state = self.stock.lock();
        if let Some(region) = state.ready.pop() {
            return Some(region);
        }
        state.wanted = state.wanted.saturating_sub(1);
        drop(state);
        self.stock.allocate()
    }
}

impl Stock {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allocate(&self) -> Option<Region> {
        let region = if self.budget.take(self.bytes) { self.budget.zeroed(self.bytes) } else { return None };
        if region.is_none() {
            self.budget.give_back(self.bytes);
        }
        region
    }

    /// Gets one that is wanted; false if none is, or there is no memory.
    fn fetch(&self) -> bool {
        let mut state = self.lock();
        state.is_busy = state.wanted > 0;
        if !state.is_busy {
            return false;
        }
        state.wanted -= 1;
        drop(state);
        let region = self.allocate();
        let mut state = self.lock();
        state.is_busy = region.is_some();
        state.ready.extend(region);
        state.is_busy
    }
}

impl Drop for Stock {
    fn drop(&mut self) {
        let ready = self.lock().ready.len();
        self.budget.give_back(ready * self.bytes);
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::Reserve;
    use crate::budget::Budget;
    use crate::store::Config;
    use std::sync::Arc;

    #[test]
    fn memory_is_counted_whoever_gets_it() {
        let budget = Arc::new(Budget::new(&Config { max_bytes: Some(10 << 12), ..Config::default() }));
        (0..2).for_each(|_| budget.join());
        let reserve = Reserve::new(1 << 12, Arc::clone(&budget));
        (0..4).for_each(|_| reserve.prepare());
        let taken: Vec<_> = (0..20).map_while(|_| reserve.take()).collect();
        // What is on its way is not refused, but not there yet either.
        assert!((6..=10).contains(&taken.len()), "{}", taken.len());
        let (used, taken) = (budget.used(), taken.len() << 12);
        assert!(taken <= used && used <= 10 << 12, "{used}");
        while Arc::strong_count(&reserve.stock) > 1 {
            std::thread::yield_now();
        }
        drop(reserve);
        assert_eq!(budget.used(), taken, "what nobody took is given back");
    }
}
