//! What a set holds, and how a cache line of it is read and written.
//!
//! Slots are filled from the first to the last and never emptied. Why no key gets in twice: two
//! threads with equal keys walk the same path of slots, and a thread takes a slot by
//! compare-and-swap after it has seen all slots before it on the path filled with other keys. Of two
//! threads the second finds the slot of the first taken, and compares.

use crate::sync::{AtomicU32, AtomicU64, Ordering, spin_loop};
use crate::wide;
use std::hash::Hash;

/// What a line has for a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Glance {
    /// The key is there.
    pub(crate) found: bool,
    /// If not: the first free slot, all before it hold other keys; [`Key::SLOTS`] if there is none, and more if that is
    /// not sure, because one that begins like the key may just be filled.
    pub(crate) free: usize,
}

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

/// A word, one and a half, or two that are spread evenly.
pub(crate) trait Key: Copy + Eq + Hash + Send + Sync + 'static {
    /// A cache line of slots, all bits 0 if they are free.
    type Line: Sync;
    /// How many slots it has.
    const SLOTS: usize;

    /// What chooses the place: all its bits are good.
    fn spread(self) -> u64;

    /// Whether it looks like a slot that is free, or not yet filled. Such a key has no slot.
    fn is_void(self) -> bool;

    /// Looks at all slots: a branch for each would be guessed wrong too often. `WIDE` says that
    /// [wide] comparisons are there.
    fn glance<const WIDE: bool>(self, line: &Self::Line) -> Glance;

    /// Puts it into a slot, unless that is taken.
    fn claim(self, line: &Self::Line, slot: usize) -> Claim;

    /// Puts it into a free slot while nobody else writes.
    fn put(self, line: &Self::Line, slot: usize);

    /// The key in a slot.
    fn get(line: &Self::Line, slot: usize) -> Option<Self>;

    /// The keys in order, as they are now, while nobody else writes.
    fn keys(line: &Self::Line) -> impl Iterator<Item = Self>;

    /// Frees all slots while nobody else looks.
    fn clear(line: &Self::Line);
}

impl Key for u64 {
    type Line = [AtomicU64; 8];
    const SLOTS: usize = 8;

    #[inline(always)]
    fn spread(self) -> u64 {
        self
    }

    #[inline(always)]
    fn is_void(self) -> bool {
        self == 0
    }

    #[inline(always)]
    fn glance<const WIDE: bool>(self, line: &Self::Line) -> Glance {
        if WIDE {
            // SAFETY: the line is borrowed, and `WIDE` says that wide comparisons are there.
            let (equal, zero) = unsafe { wide::words(line.as_ptr().cast(), [self; 2]) };
            return Glance { found: equal != 0, free: (zero | 1 << 8).trailing_zeros() as usize };
        }
        line.iter().fold(Glance { found: false, free: 0 }, |Glance { found, free }, slot| {
            let word = slot.load(Ordering::Relaxed);
            Glance { found: found | (word == self), free: free + usize::from(word != 0) }
        })
    }

    #[inline]
    fn claim(self, line: &Self::Line, slot: usize) -> Claim {
        match take(&line[slot], self) {
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
    fn keys(line: &Self::Line) -> impl Iterator<Item = u64> {
        let keys = line.each_ref().map(|word| word.load(Ordering::Relaxed));
        keys.into_iter().take_while(|&key| key != 0)
    }

    #[inline]
    fn clear(line: &Self::Line) {
        line.iter().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// Two words: the first, which is the hash, takes the slot; the second follows.
/// Who finds the first without the second waits for it.
impl Key for [u64; 2] {
    type Line = [[AtomicU64; 2]; 4];
    const SLOTS: usize = 4;

    #[inline(always)]
    fn spread(self) -> u64 {
        self[0]
    }

    #[inline(always)]
    fn is_void(self) -> bool {
        (self[0] == 0) | (self[1] == 0)
    }

    #[inline(always)]
    fn glance<const WIDE: bool>(self, line: &Self::Line) -> Glance {
        const FIRSTS: u32 = 0x55;
        let (equal, zero) = if WIDE {
            // SAFETY: the line is borrowed, and `WIDE` says that wide comparisons are there.
            unsafe { wide::words(line.as_ptr().cast(), self) }
        } else {
            line.iter().flatten().zip(self.into_iter().cycle()).zip(0..).fold(
                (0, 0),
                |(equal, zero), ((slot, it), n)| {
                    let word = slot.load(Ordering::Relaxed);
                    (equal | u32::from(word == it) << n, zero | u32::from(word == 0) << n)
                },
            )
        };
        let found = equal & equal >> 1 & FIRSTS != 0;
        // A slot that begins like this key is another one's, or is just being filled.
        let is_sure = equal & FIRSTS == 0;
        let free = (zero & FIRSTS | 1 << 8).trailing_zeros() as usize / 2;
        Glance { found, free: if is_sure { free } else { Self::SLOTS + 1 } }
    }

    #[inline]
    fn claim(self, line: &Self::Line, slot: usize) -> Claim {
        let [first, second] = &line[slot];
        match take(first, self[0]) {
            Ok(_) => {
                second.store(self[1], Ordering::Relaxed);
                Claim::Won
            }
            Err(other) if other == self[0] && settled(|| second.load(Ordering::Relaxed)) == self[1] => Claim::Same,
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
            word => Some([word, settled(|| second.load(Ordering::Relaxed))]),
        }
    }

    #[inline(always)]
    fn keys(line: &Self::Line) -> impl Iterator<Item = [u64; 2]> {
        let keys = line.each_ref().map(|slot| slot.each_ref().map(|word| word.load(Ordering::Relaxed)));
        keys.into_iter().take_while(|key| key[0] != 0)
    }

    #[inline]
    fn clear(line: &Self::Line) {
        line.iter().flatten().for_each(|word| word.store(0, Ordering::Relaxed));
    }
}

/// The slots of a line: all words, then all halves. Nothing is in the last half.
#[derive(Debug, Default)]
#[repr(C)]
pub(crate) struct Halves {
    words: [AtomicU64; 5],
    halves: [AtomicU32; 6],
}

/// A word, which is the hash, and a half: as two words.
impl Key for (u64, u32) {
    type Line = Halves;
    const SLOTS: usize = 5;

    #[inline(always)]
    fn spread(self) -> u64 {
        self.0
    }

    #[inline(always)]
    fn is_void(self) -> bool {
        (self.0 == 0) | (self.1 == 0)
    }

    #[inline(always)]
    fn glance<const WIDE: bool>(self, line: &Halves) -> Glance {
        const ALL: u32 = 0x1f;
        let (first, second, zero) = if WIDE {
            // Of the whole line: halves lie behind the words.
            let line = std::ptr::from_ref(line).cast();
            // SAFETY: the line is borrowed, and `WIDE` says that wide comparisons are there.
            let ((first, zero), second) = unsafe { (wide::words(line, [self.0; 2]), wide::lanes(line, self.1)) };
            (first, second >> 10, zero)
        } else {
            line.words.iter().zip(&line.halves).zip(0..).fold((0, 0, 0), |(first, second, zero), ((word, half), n)| {
                let (word, half) = (word.load(Ordering::Relaxed), half.load(Ordering::Relaxed));
                let bit = |is_so: bool| u32::from(is_so) << n;
                (first | bit(word == self.0), second | bit(half == self.1), zero | bit(word == 0))
            })
        };
        // A slot that begins like this key is another one's, or is just being filled.
        let is_sure = first & ALL == 0;
        let free = (zero & ALL | 1 << 5).trailing_zeros() as usize;
        Glance { found: first & second & ALL != 0, free: if is_sure { free } else { Self::SLOTS + 1 } }
    }

    #[inline]
    fn claim(self, line: &Halves, slot: usize) -> Claim {
        let (word, half) = (&line.words[slot], &line.halves[slot]);
        match take(word, self.0) {
            Ok(_) => {
                half.store(self.1, Ordering::Relaxed);
                Claim::Won
            }
            Err(other) if other == self.0 && settled(|| half.load(Ordering::Relaxed)) == self.1 => Claim::Same,
            Err(_) => Claim::Other,
        }
    }

    #[inline]
    fn put(self, line: &Halves, slot: usize) {
        line.words[slot].store(self.0, Ordering::Relaxed);
        line.halves[slot].store(self.1, Ordering::Relaxed);
    }

    #[inline]
    fn get(line: &Halves, slot: usize) -> Option<(u64, u32)> {
        match line.words[slot].load(Ordering::Relaxed) {
            0 => None,
            word => Some((word, settled(|| line.halves[slot].load(Ordering::Relaxed)))),
        }
    }

    #[inline(always)]
    fn keys(line: &Halves) -> impl Iterator<Item = (u64, u32)> {
        let words = line.words.each_ref().map(|word| word.load(Ordering::Relaxed));
        let halves = line.halves.each_ref().map(|half| half.load(Ordering::Relaxed));
        words.into_iter().zip(halves).take_while(|key| key.0 != 0)
    }

    #[inline]
    fn clear(line: &Halves) {
        line.words.iter().for_each(|word| word.store(0, Ordering::Relaxed));
        line.halves.iter().for_each(|half| half.store(0, Ordering::Relaxed));
    }
}

/// Changes a word from 0, if it is 0. What cannot be is not tried: it would cost as much.
#[inline]
fn take(word: &AtomicU64, value: u64) -> Result<u64, u64> {
    match word.load(Ordering::Relaxed) {
        0 => word.compare_exchange(0, value, Ordering::Relaxed, Ordering::Relaxed),
        other => Err(other),
    }
}

/// The rest of a slot that is taken.
#[inline]
fn settled<T: Default + PartialEq>(load: impl Fn() -> T) -> T {
    loop {
        let rest = load();
        if rest != T::default() {
            return rest;
        }
        spin_loop();
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Halves, Key, wide};
    use crate::sync::{AtomicU32, AtomicU64};
    use std::array::from_fn;

    #[test]
    fn wide_comparisons_are_the_same() {
        if !wide::is_there() {
            return;
        }
        for filled in 0..=8 {
            let line: [AtomicU64; 8] = from_fn(|n| AtomicU64::new(if n < filled { (n as u64 + 1) << 40 } else { 0 }));
            for key in (1..10).map(|key: u64| key << 40) {
                assert_eq!(key.glance::<true>(&line), key.glance::<false>(&line));
                assert_eq!(key.glance::<true>(&line).found, key <= (filled as u64) << 40);
            }
        }
        for filled in 0..=4 {
            let word = |n: usize, m: usize| if n < filled { ((n / 2 + 1) << 40) + (m * (n + 5)) } else { 0 };
            let line: [[AtomicU64; 2]; 4] = from_fn(|n| from_fn(|m| AtomicU64::new(word(n, m) as u64)));
            for key in (1..4_u64).flat_map(|first| (1..20).map(move |second| [first << 40, (first << 40) + second])) {
                assert_eq!(key.glance::<true>(&line), key.glance::<false>(&line));
                let found = (0..4).any(|slot| <[u64; 2]>::get(&line, slot) == Some(key));
                assert_eq!(key.glance::<true>(&line).found, found);
            }
        }
        for filled in 0..=5 {
            let line = Halves {
                words: from_fn(|n| AtomicU64::new(if n < filled { (n as u64 / 2 + 1) << 40 } else { 0 })),
                halves: from_fn(|n| AtomicU32::new(if n < filled { n as u32 + 5 } else { 0 })),
            };
            for key in (1..4_u64).flat_map(|first| (1..20).map(move |second| (first << 40, second))) {
                assert_eq!(key.glance::<true>(&line), key.glance::<false>(&line));
                let found = (0..5).any(|slot| <(u64, u32)>::get(&line, slot) == Some(key));
                assert_eq!(key.glance::<true>(&line).found, found);
            }
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::{Claim, Glance, Halves, Key};
    use crate::sync::AtomicU64;
    use loom::{sync::Arc, thread};
    use std::array::from_fn;

    /// What a set does with a line.
    fn insert<K: Key>(line: &K::Line, key: K) -> bool {
        let Glance { found, free } = key.glance::<false>(line);
        if found {
            return false;
        }
        for slot in if free <= K::SLOTS { free } else { 0 }..K::SLOTS {
            match key.claim(line, slot) {
                Claim::Won => return true,
                Claim::Same => return false,
                Claim::Other => {}
            }
        }
        panic!("the line is full")
    }

    fn race_on<K: Key>(keys: &[Vec<K>; 2], distinct: usize, line: fn() -> K::Line)
    where
        K::Line: Send + Sync + 'static,
    {
        let keys = keys.clone();
        loom::model(move || {
            let line: Arc<K::Line> = Arc::new(line());
            let other = {
                let (line, keys) = (Arc::clone(&line), keys[1].clone());
                thread::spawn(move || keys.iter().filter(|&&key| insert::<K>(&line, key)).count())
            };
            let mine = keys[0].iter().filter(|&&key| insert::<K>(&line, key)).count();
            let new = mine + other.join().expect("no thread panics");
            assert_eq!(new, distinct, "each is new once");
            assert_eq!((0..K::SLOTS).filter_map(|slot| K::get(&line, slot)).count(), distinct);
        });
    }

    /// The same with two words, and with one and a half.
    fn race(keys: [&[[u64; 2]]; 2], distinct: usize) {
        race_on(&keys.map(<[_]>::to_vec), distinct, || from_fn(|_| from_fn(|_| AtomicU64::new(0))));
        let half = |key: &[u64; 2]| (key[0], key[1] as u32);
        race_on(&keys.map(|keys| keys.iter().map(half).collect()), distinct, Halves::default);
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
        race([&[[5, 1], [6, 2]], &[[6, 2]]], 2);
    }
}
