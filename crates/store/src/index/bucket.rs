//! A cache line with ten slots, and the protocol by which threads share it.
//!
//! A slot has a tag (bits of the hash), a number (where the vector is) and the distance in buckets
//! from the home of its vector. Slots are filled from the first to the last and never emptied.
//!
//! * To fill the first free slot `j`, a thread changes `numbers[j]` from 0 to the number by
//!   compare-and-swap. Who succeeds owns the *bucket* until it stores `rest` with the distance of
//!   slot `j`, which publishes the slot: nobody tries slot `j + 1` before. So tags and distances
//!   need no read-modify-write, one atomic exchange is all that a new vector costs.
//! * The distance is stored plus one; 0 says that the slot is not published.
//! * A reader loads `rest` with acquire: the published slots have their tags, numbers, and whatever
//!   the writer wrote before (the vector). At the first slot that is not published it looks at the
//!   number: 0 is a free slot and the end of the walk; anything else is a slot being filled, for
//!   which the reader waits, because it might be the vector that is looked for.
//!
//! Why no vector gets in twice: two threads with equal vectors walk the same path of slots. A thread
//! that fills a slot has seen all slots before it on the path published and different. Of two
//! threads the second finds the slot of the first taken, waits and compares.

use crate::sync::{AtomicU32, AtomicU64, Ordering, spin_loop};

/// Slots in a bucket.
pub(crate) const SLOTS: usize = 10;
/// The greatest distance of a slot from its home: three bits, and one value means free.
pub(crate) const MAX_DISTANCE: u32 = 6;
/// All slots.
const ALL: u32 = (1 << SLOTS) - 1;

#[cfg_attr(not(loom), repr(C, align(64)))]
#[derive(Debug)]
pub(crate) struct Bucket {
    /// Tags of slots 0 to 7, 16 bits each.
    tags: [AtomicU64; 2],
    /// Tags of slots 8 and 9, then three planes of ten bits: the distances plus one.
    rest: AtomicU64,
    numbers: [AtomicU32; SLOTS],
}

#[cfg(not(loom))]
const _: () = assert!(size_of::<Bucket>() == 64);

/// What a bucket has for a tag.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    /// Published slots with the tag, one bit each.
    pub(crate) matches: u32,
    /// The first free slot; [`SLOTS`] if there is none.
    pub(crate) free: usize,
}

impl Bucket {
    #[cfg(loom)]
    pub(crate) fn new() -> Bucket {
        Bucket {
            tags: std::array::from_fn(|_| AtomicU64::new(0)),
            rest: AtomicU64::new(0),
            numbers: std::array::from_fn(|_| AtomicU32::new(0)),
        }
    }

    /// The slots with a tag. Waits for a slot that is being filled.
    #[inline]
    pub(crate) fn look(&self, tag: u16) -> View {
        loop {
            let rest = self.rest.load(Ordering::Acquire);
            let free = filled(rest).trailing_ones() as usize;
            if free == SLOTS || self.numbers[free].load(Ordering::Relaxed) == 0 {
                let equal = equal_tags([self.load_tags(0), self.load_tags(1), rest], tag);
                return View { matches: equal & filled(rest), free };
            }
            spin_loop();
        }
    }

    /// The same without waiting: good enough for a prefetch.
    #[inline]
    pub(crate) fn glance(&self, tag: u16) -> View {
        let rest = self.rest.load(Ordering::Acquire);
        let filled = filled(rest);
        let equal = equal_tags([self.load_tags(0), self.load_tags(1), rest], tag);
        View { matches: equal & filled, free: filled.trailing_ones() as usize }
    }

    #[inline(always)]
    fn load_tags(&self, word: usize) -> u64 {
        self.tags[word].load(Ordering::Relaxed)
    }

    /// The number in a published slot.
    #[inline]
    pub(crate) fn number(&self, slot: usize) -> u32 {
        self.numbers[slot].load(Ordering::Relaxed)
    }

    /// Fills the first free slot, as told by [`Bucket::look`]; false if somebody was faster.
    #[inline]
    pub(crate) fn fill(&self, slot: usize, entry: Entry) -> bool {
        debug_assert!(entry.number != 0 && entry.distance <= MAX_DISTANCE);
        let won = self.numbers[slot].compare_exchange(0, entry.number, Ordering::Release, Ordering::Relaxed);
        if won.is_err() {
            return false;
        }
        self.publish(slot, entry);
        true
    }

    /// Fills the first free slot of a bucket that nobody else sees; false if there is none.
    #[inline]
    pub(crate) fn fill_alone(&self, entry: Entry) -> bool {
        let slot = filled(self.rest.load(Ordering::Relaxed)).trailing_ones() as usize;
        if slot == SLOTS {
            return false;
        }
        self.numbers[slot].store(entry.number, Ordering::Relaxed);
        self.publish(slot, entry);
        true
    }

    /// Only for the owner of the bucket.
    #[inline]
    fn publish(&self, slot: usize, entry: Entry) {
        let mut rest = self.rest.load(Ordering::Relaxed);
        let tag = u64::from(entry.tag) << (slot % 4 * 16);
        if slot < 8 {
            let word = &self.tags[slot / 4];
            word.store(word.load(Ordering::Relaxed) | tag, Ordering::Relaxed);
        } else {
            rest |= tag;
        }
        let code = u64::from(entry.distance + 1);
        let planes = code & 1 | (code >> 1 & 1) << SLOTS | (code >> 2) << (2 * SLOTS);
        self.rest.store(rest | planes << (32 + slot), Ordering::Release);
    }

    /// Whether all slots are published.
    pub(crate) fn is_full(&self) -> bool {
        filled(self.rest.load(Ordering::Relaxed)) == ALL
    }

    /// What the slots hold; only while nobody writes.
    #[inline]
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry> + '_ {
        let rest = self.rest.load(Ordering::Relaxed);
        let tags = [self.load_tags(0), self.load_tags(1), rest];
        (0..filled(rest).trailing_ones() as usize).map(move |slot| {
            let planes = rest >> (32 + slot);
            let code = planes & 1 | (planes >> SLOTS & 1) << 1 | (planes >> (2 * SLOTS) & 1) << 2;
            let tag = (tags[slot / 4] >> (slot % 4 * 16)) as u16;
            Entry { number: self.number(slot), tag, distance: code as u32 - 1 }
        })
    }
}

/// What a slot holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub(crate) number: u32,
    pub(crate) tag: u16,
    pub(crate) distance: u32,
}

/// The published slots, one bit each.
#[inline(always)]
fn filled(rest: u64) -> u32 {
    let planes = (rest >> 32) as u32;
    (planes | planes >> SLOTS | planes >> (2 * SLOTS)) & ALL
}

/// The slots whose tag is this one, one bit each; the bits beyond the slots are anything.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn equal_tags(words: [u64; 3], tag: u16) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi16, _mm_cvtsi64_si128, _mm_movemask_epi8, _mm_packs_epi16, _mm_set_epi64x, _mm_set1_epi16,
    };
    // SAFETY: SSE2 belongs to every x86-64.
    unsafe {
        let wanted = _mm_set1_epi16(tag as i16);
        let low = _mm_cmpeq_epi16(_mm_set_epi64x(words[1] as i64, words[0] as i64), wanted);
        let high = _mm_cmpeq_epi16(_mm_cvtsi64_si128(words[2] as i64), wanted);
        _mm_movemask_epi8(_mm_packs_epi16(low, high)) as u32
    }
}

/// The slots whose tag is this one, one bit each; the bits beyond the slots are anything.
#[cfg(not(target_arch = "x86_64"))]
fn equal_tags(words: [u64; 3], tag: u16) -> u32 {
    let equal = |slot: &usize| (words[slot / 4] >> (slot % 4 * 16)) as u16 == tag;
    (0..SLOTS).filter(equal).fold(0, |mask, slot| mask | 1 << slot)
}

#[cfg(all(test, loom))]
mod tests {
    use super::{Bucket, Entry, SLOTS};
    use loom::sync::atomic::{AtomicU32, Ordering};
    use loom::{sync::Arc, thread};

    /// The vectors, by number; 0 is not written yet.
    type Vectors = [AtomicU32; 4];

    /// What a store does with a bucket: looks, compares, writes the vector, fills a slot, and looks
    /// again if somebody was faster. All vectors have the same tag.
    fn insert(bucket: &Bucket, vectors: &Vectors, number: u32, vector: u32) -> bool {
        let mut is_written = false;
        loop {
            let view = bucket.look(7);
            for slot in (0..SLOTS).filter(|slot| view.matches & 1 << slot != 0) {
                let stored = vectors[bucket.number(slot) as usize].load(Ordering::Relaxed);
                assert_ne!(stored, 0, "a published vector is seen");
                if stored == vector {
                    return false;
                }
            }
            if !is_written {
                vectors[number as usize].store(vector, Ordering::Relaxed);
                is_written = true;
            }
            if bucket.fill(view.free, Entry { number, tag: 7, distance: 0 }) {
                return true;
            }
        }
    }

    fn race(vectors_of: [&'static [u32]; 2], distinct: usize) {
        loom::model(move || {
            let bucket = Arc::new(Bucket::new());
            let vectors = Arc::new(std::array::from_fn::<_, 4, _>(|_| AtomicU32::new(0)));
            let other = {
                let (bucket, vectors) = (Arc::clone(&bucket), Arc::clone(&vectors));
                thread::spawn(move || vectors_of[1].iter().filter(|&&v| insert(&bucket, &vectors, 3, v)).count())
            };
            let numbered = (1..).zip(vectors_of[0]);
            let mine = numbered.filter(|&(number, &v)| insert(&bucket, &vectors, number, v)).count();
            let new = mine + other.join().expect("no thread panics");
            assert_eq!(new, distinct, "each is new once");
            assert_eq!(bucket.entries().count(), distinct);
        });
    }

    #[test]
    fn equal_vectors_get_in_once() {
        race([&[5], &[5]], 1);
    }

    #[test]
    fn different_vectors_both_get_in() {
        race([&[5], &[6]], 2);
    }

    #[test]
    fn the_second_of_two_is_found() {
        race([&[5, 6], &[6]], 2);
    }
}
