//! What a set holds, and how a cache line of it is read and written.
//!
//! Slots are filled from the first to the last and never emptied. Why no key gets in twice: two
//! threads with equal keys walk the same path of slots, and a thread takes a slot by
//! compare-and-swap after it has seen all slots before it on the path filled with other keys. Of two
//! threads the second finds the slot of the first taken, and compares.

use crate::sync::{AtomicU64, Ordering, spin_loop};

/// What came of an attempt to take a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// It is ours, and holds the key.
    Won,
    /// Somebody else put the same key there.
    Same,
    /// It holds another key.
    Other,
}

/// One or two words that are spread evenly.
pub(crate) trait Key: Copy + Eq + Send + Sync + 'static {
    /// A cache line of slots, all bits 0 if they are free.
    type Line: Sync;
    /// How many slots it has.
    const SLOTS: usize;

    /// What chooses the place: all its bits are good.
    fn hash(self) -> u64;

    /// The key that looks like a free slot, if there is one.
    const VOID: Option<Self>;

    /// Whether it is the key that looks like a free slot.
    #[inline(always)]
    fn is_void(self) -> bool {
        Self::VOID == Some(self)
    }

    /// Whether a line has it, at a glance: one that is being written may be overlooked. All slots are
    /// looked at: a branch for each would be guessed wrong too often.
    fn is_seen_in(self, line: &Self::Line) -> bool;

    /// Whether a line has it.
    fn is_in(self, line: &Self::Line) -> bool;

    /// Puts it into a slot that was free a moment ago.
    fn claim(self, line: &Self::Line, slot: usize) -> Claim;

    /// Puts it into a free slot while nobody else writes.
    fn put(self, line: &Self::Line, slot: usize);

    /// The key in a slot.
    fn get(line: &Self::Line, slot: usize) -> Option<Self>;

    /// The first free slot; [`Key::SLOTS`] if there is none. The slots are counted, for the same
    /// reason.
    #[inline(always)]
    fn free(line: &Self::Line) -> usize {
        (0..Self::SLOTS).map(|slot| usize::from(!Self::is_free(line, slot))).sum()
    }

    /// Whether a slot is free.
    fn is_free(line: &Self::Line, slot: usize) -> bool;
}

impl Key for u64 {
    type Line = [AtomicU64; 8];
    const SLOTS: usize = 8;

    #[inline(always)]
    fn hash(self) -> u64 {
        self
    }

    const VOID: Option<u64> = Some(0);

    #[inline(always)]
    fn is_seen_in(self, line: &Self::Line) -> bool {
        line.iter().fold(false, |found, slot| found | (slot.load(Ordering::Relaxed) == self))
    }

    #[inline(always)]
    fn is_in(self, line: &Self::Line) -> bool {
        self.is_seen_in(line)
    }

    #[inline]
    fn claim(self, line: &Self::Line, slot: usize) -> Claim {
        match line[slot].compare_exchange(0, self, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => Claim::Won,
            Err(other) if other == self => Claim::Same,
            Err(_) => Claim::Other,
        }
    }

    #[inline]
    fn put(self, line: &Self::Line, slot: usize) {
        line[slot].store(self, Ordering::Relaxed);
    }

    #[inline]
    fn get(line: &Self::Line, slot: usize) -> Option<u64> {
        Some(line[slot].load(Ordering::Relaxed)).filter(|&key| key != 0)
    }

    #[inline(always)]
    fn is_free(line: &Self::Line, slot: usize) -> bool {
        line[slot].load(Ordering::Relaxed) == 0
    }
}

/// Two words, none of which is 0: the first, which is the hash, takes the slot; the second follows.
/// Who finds the first without the second waits for it.
impl Key for [u64; 2] {
    type Line = [[AtomicU64; 2]; 4];
    const SLOTS: usize = 4;

    #[inline(always)]
    fn hash(self) -> u64 {
        self[0]
    }

    const VOID: Option<[u64; 2]> = None;

    #[inline(always)]
    fn is_seen_in(self, line: &Self::Line) -> bool {
        line.iter().fold(false, |found, slot| {
            found | ((slot[0].load(Ordering::Relaxed) == self[0]) & (slot[1].load(Ordering::Relaxed) == self[1]))
        })
    }

    #[inline]
    fn is_in(self, line: &Self::Line) -> bool {
        line.iter().any(|[first, second]| first.load(Ordering::Relaxed) == self[0] && settled(second) == self[1])
    }

    #[inline]
    fn claim(self, line: &Self::Line, slot: usize) -> Claim {
        let [first, second] = &line[slot];
        match first.compare_exchange(0, self[0], Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => {
                second.store(self[1], Ordering::Relaxed);
                Claim::Won
            }
            Err(other) if other == self[0] && settled(second) == self[1] => Claim::Same,
            Err(_) => Claim::Other,
        }
    }

    #[inline]
    fn put(self, line: &Self::Line, slot: usize) {
        line[slot].iter().zip(self).for_each(|(word, value)| word.store(value, Ordering::Relaxed));
    }

    #[inline]
    fn get(line: &Self::Line, slot: usize) -> Option<[u64; 2]> {
        let [first, second] = &line[slot];
        match first.load(Ordering::Relaxed) {
            0 => None,
            word => Some([word, settled(second)]),
        }
    }

    #[inline(always)]
    fn is_free(line: &Self::Line, slot: usize) -> bool {
        line[slot][0].load(Ordering::Relaxed) == 0
    }
}

/// The second word of a slot that is taken.
#[inline]
fn settled(word: &AtomicU64) -> u64 {
    loop {
        match word.load(Ordering::Relaxed) {
            0 => spin_loop(),
            settled => return settled,
        }
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::{Claim, Key};
    use crate::sync::AtomicU64;
    use loom::{sync::Arc, thread};

    type Line = [[AtomicU64; 2]; 4];

    /// What a set does with a line.
    fn insert(line: &Line, key: [u64; 2]) -> bool {
        let free = <[u64; 2]>::free(line);
        if key.is_in(line) {
            return false;
        }
        for slot in free..4 {
            match key.claim(line, slot) {
                Claim::Won => return true,
                Claim::Same => return false,
                Claim::Other => {}
            }
        }
        panic!("the line is full")
    }

    fn race(keys: [&'static [[u64; 2]]; 2], distinct: usize) {
        loom::model(move || {
            let slot = |_| std::array::from_fn(|_| AtomicU64::new(0));
            let line: Arc<Line> = Arc::new(std::array::from_fn(slot));
            let other = {
                let line = Arc::clone(&line);
                thread::spawn(move || keys[1].iter().filter(|&&key| insert(&line, key)).count())
            };
            let mine = keys[0].iter().filter(|&&key| insert(&line, key)).count();
            let new = mine + other.join().expect("no thread panics");
            assert_eq!(new, distinct, "each is new once");
            assert_eq!((0..4).filter_map(|slot| <[u64; 2]>::get(&line, slot)).count(), distinct);
        });
    }

    #[test]
    fn equal_keys_get_in_once() {
        race([&[[5, 1]], &[[5, 1]]], 1);
    }

    #[test]
    fn keys_that_begin_alike_both_get_in() {
        race([&[[5, 1]], &[[5, 2]]], 2);
    }

    #[test]
    fn the_second_of_two_is_found() {
        race([&[[5, 1], [5, 2]], &[[5, 2]]], 2);
    }
}
