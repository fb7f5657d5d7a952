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

/// How many pieces are asked for when a search begins, for each thread of several, and the share of all memory that they
/// may take.
const AHEAD: usize = 4;
const AHEAD_SHARE: usize = 16;

/// Pieces that are ready, or will be soon.
#[derive(Debug, Default)]
pub(crate) struct Reserve {
    ready: Vec<Region>,
    /// How many are known to be needed soon.
    needed: usize,
    /// How many the first that need any should find ready.
    ahead: usize,
    /// Whether somebody gets them.
    is_busy: bool,
}

impl Reserve {
    fn is_short(&self) -> bool {
        self.ready.len() < self.needed.max(self.ahead)
    }
}

impl Budget {
    /// One more thread uses the store. Where there are several, most are idle at first: there are few states, and perhaps
    /// no code yet. So this is the time to ask for memory, which takes a core from the search later.
    pub(crate) fn join(self: &Arc<Budget>) {
        let threads = self.add_user();
        if threads > 1 {
            let most = self.max() / PIECE / AHEAD_SHARE;
            self.ask(|reserve| reserve.ahead = (threads * AHEAD).min(most));
        }
    }

    /// One more piece will be needed soon.
    pub(crate) fn prepare(self: &Arc<Budget>) {
        if self.users() > 1 || self.has_core() {
            self.ask(|reserve| reserve.needed += 1);
        }
    }

    /// Asks for pieces in the background.
    fn ask(self: &Arc<Budget>, change: impl FnOnce(&mut Reserve)) {
        let mut reserve = self.reserve();
        change(&mut reserve);
        if reserve.is_short() && !reserve.is_busy {
            let budget = Arc::clone(self);
            let fetch = move || while Arc::strong_count(&budget) > 1 && budget.fetch() {};
            let begun = thread::Builder::new().name("memory".into()).spawn(fetch);
            reserve.is_busy = begun.is_ok();
        }
    }

    /// A piece, zeroed and taken, ready or not. None: there is no memory.
    pub(crate) fn piece(&self) -> Option<Region> {
        let mut reserve = self.reserve();
        reserve.needed = reserve.needed.saturating_sub(1);
        reserve.ahead = reserve.ahead.saturating_sub(1);
        if let Some(region) = reserve.ready.pop() {
            return Some(region);
        }
        drop(reserve);
        self.allocate(PIECE)
    }

    /// Keeps a piece for who asks next. To clear it is several times faster than to get new memory from the operating
    /// system.
    pub(crate) fn recycle(&self, region: Region) {
        debug_assert_eq!(region.bytes(), PIECE);
        let region = region.cleared();
        let mut reserve = self.reserve();
        reserve.ready.push(region);
        // What was taken in its place was not one of those that are needed.
        reserve.needed += 1;
    }

    /// Gives back what is ready, and asks for no more; whether there was anything.
    pub(crate) fn release(&self) -> bool {
        let mut reserve = self.reserve();
        let ready = std::mem::take(&mut reserve.ready);
        (reserve.needed, reserve.ahead) = (0, 0);
        self.give_back(ready.len() * PIECE);
        !ready.is_empty()
    }

    /// Gets a piece if it is short of them; false if it is not, or there is no memory.
    fn fetch(&self) -> bool {
        let mut reserve = self.reserve();
        reserve.is_busy = reserve.is_short();
        if !reserve.is_busy {
            return false;
        }
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
        assert_eq!(budget.used(), 0, "little memory is not taken ahead");
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

    #[test]
    fn several_threads_have_memory_when_they_begin() {
        let budget = Arc::new(Budget::new(&Config { max_bytes: Some(160 * PIECE), ..Config::default() }));
        budget.join();
        assert_eq!(budget.used(), 0);
        (0..3).for_each(|_| budget.join());
        while Arc::strong_count(&budget) > 1 {
            std::thread::yield_now();
        }
        assert_eq!(budget.used(), 10 * PIECE, "no more than a sixteenth");
        assert!(budget.take(160 * PIECE), "it is for who needs it");
    }
}
