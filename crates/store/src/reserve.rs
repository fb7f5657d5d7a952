//! Memory that will be needed soon.
//!
//! To get memory from the operating system takes about as long as to fill it with keys, on some machines much longer. So
//! it is asked for in the background, where there is a core for it, or where all would have to wait.

use std::sync::Arc;
use std::thread;

use crate::budget::Budget;
use crate::region::Region;

/// Bytes of a piece: a huge page.
pub(crate) const PIECE: usize = if cfg!(miri) { 1 << 13 } else { 1 << 21 };

/// Pieces that are ready, or will be soon.
#[derive(Debug, Default)]
pub(crate) struct Reserve {
    ready: Vec<Region>,
    /// How many more are wanted.
    wanted: usize,
    /// Whether somebody gets them.
    is_busy: bool,
}

impl Budget {
    /// One more piece will be needed soon.
    pub(crate) fn prepare(self: &Arc<Budget>) {
        if self.users() < 2 && !self.has_core() {
            return;
        }
        let mut reserve = self.reserve();
        reserve.wanted += 1;
        if !reserve.is_busy {
            let budget = Arc::clone(self);
            let begun = thread::Builder::new().name("memory".into()).spawn(move || while budget.fetch() {});
            reserve.is_busy = begun.is_ok();
        }
    }

    /// A piece, zeroed and taken, ready or not. None: there is no memory.
    pub(crate) fn piece(&self) -> Option<Region> {
        let mut reserve = self.reserve();
        if let Some(region) = reserve.ready.pop() {
            return Some(region);
        }
        reserve.wanted = reserve.wanted.saturating_sub(1);
        drop(reserve);
        self.allocate(PIECE)
    }

    /// Keeps a piece for who asks next. To clear it is several times faster than to get new memory from the operating
    /// system.
    pub(crate) fn recycle(&self, region: Region) {
        debug_assert_eq!(region.bytes(), PIECE);
        let region = region.cleared();
        self.reserve().ready.push(region);
    }

    /// Gives back what is ready; whether there was anything.
    pub(crate) fn release(&self) -> bool {
        let ready = std::mem::take(&mut self.reserve().ready);
        self.give_back(ready.len() * PIECE);
        !ready.is_empty()
    }

    /// Gets a piece that is wanted; false if none is, or there is no memory.
    fn fetch(&self) -> bool {
        let mut reserve = self.reserve();
        reserve.is_busy = reserve.wanted > 0;
        if !reserve.is_busy {
            return false;
        }
        reserve.wanted -= 1;
        drop(reserve);
        // What others could have is not kept for later.
        let region = if self.left() >= PIECE { self.allocate(PIECE) } else { None };
        let mut reserve = self.reserve();
        reserve.is_busy = region.is_some();
        reserve.ready.extend(region);
        reserve.is_busy
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::PIECE;
    use crate::budget::Budget;
    use crate::store::Config;
    use std::sync::Arc;

    #[test]
    fn memory_is_counted_whoever_gets_it() {
        let budget = Arc::new(Budget::new(&Config { max_bytes: Some(10 * PIECE), ..Config::default() }));
        (0..2).for_each(|_| budget.join());
        (0..4).for_each(|_| budget.prepare());
        let taken: Vec<_> = (0..20).map_while(|_| budget.piece()).collect();
        // What is on its way is not refused, but not there yet either.
        assert!((6..=10).contains(&taken.len()), "{}", taken.len());
        let used = budget.used();
        assert!(taken.len() * PIECE <= used && used <= 10 * PIECE, "{used}");
        while Arc::strong_count(&budget) > 1 {
            std::thread::yield_now();
        }
        taken.into_iter().for_each(|region| budget.recycle(region));
        assert!(budget.take(10 * PIECE), "what is ready is given to who needs it");
        assert_eq!(budget.used(), 10 * PIECE);
    }
}
