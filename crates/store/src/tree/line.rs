//! A cache line with as many entries of some bytes each as fit.
//!
//! The top byte of the last word is the header: how many entries there are, and whether somebody
//! is writing one. Entries never change. To add one, a thread sets the lock by compare-and-swap from
//! the last word as it read it, so that what it found out about the line still holds; it writes the
//! entry, and publishes it by the last word with the new count. A reader that finds a line locked
//! and its entry not among the published ones waits.

use crate::sync::{AtomicU64, Ordering, spin_loop};

const WORDS: usize = 8;
/// The word with the header.
const LAST: usize = WORDS - 1;
/// The unit of the count in it.
const ONE: u64 = 1 << 56;
const LOCKED: u64 = 1 << 63;

#[cfg_attr(not(loom), repr(C, align(64)))]
#[derive(Debug)]
pub(crate) struct Line {
    words: [AtomicU64; WORDS],
}

/// What came of an attempt to put an entry in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Put {
    /// It is there.
    Old,
    /// It was put in.
    New,
    /// It is not there, and the line is full.
    Full,
}

/// How many entries fit.
pub(crate) const fn entries(width: u32) -> usize {
    63 / width as usize
}

impl Line {
    #[cfg(loom)]
    pub(crate) fn new() -> Line {
        Line { words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// Looks for an entry of `W` bytes, and puts it in if it is not there.
    #[inline(always)]
    pub(crate) fn put<const W: usize>(&self, entry: u64) -> Put {
        loop {
            let copy = self.read();
            let count = copy.count();
            if copy.holds::<W>(count, entry) {
                return Put::Old;
            }
            if count == entries(W as u32) {
                return Put::Full;
            }
            if copy.0[LAST] & LOCKED == 0 && self.lock(copy.0[LAST]) {
                self.write(&copy, count * W, W, entry);
                return Put::New;
            }
            spin_loop();
        }
    }

    /// Looks for an entry of `W` bytes; [`Put::New`] if there is room for it.
    #[inline(always)]
    pub(crate) fn find<const W: usize>(&self, entry: u64) -> Put {
        let copy = self.read();
        let count = copy.count();
        match copy.holds::<W>(count, entry) {
            true => Put::Old,
            false if count == entries(W as u32) => Put::Full,
            false => Put::New,
        }
    }

    /// Adds an entry that is not there to a line that nobody else sees; false if it is full.
    #[inline]
    pub(crate) fn push(&self, width: u32, entry: u64) -> bool {
        let copy = self.read();
        let count = copy.count();
        if count == entries(width) {
            return false;
        }
        self.write(&copy, count * width as usize, width as usize, entry);
        true
    }

    /// All entries; only while nobody writes.
    pub(crate) fn entries(&self, width: u32) -> impl Iterator<Item = u64> + use<> {
        let copy = self.read();
        let mask = !0 >> (64 - width * 8);
        (0..copy.count()).map(move |at| {
            let (word, bit) = (at * width as usize / 8, at as u32 * width % 8 * 8);
            let both = u128::from(copy.0[word]) | u128::from(copy.0[word + 1]) << 64;
            (both >> bit) as u64 & mask
        })
    }

    #[inline(always)]
    fn read(&self) -> Copy {
        let mut words = [0; PADDED];
        words[LAST] = self.words[LAST].load(Ordering::Acquire);
        for (word, from) in words[..LAST].iter_mut().zip(&self.words) {
            *word = from.load(Ordering::Relaxed);
        }
        Copy(words)
    }

    #[inline]
    fn lock(&self, last: u64) -> bool {
        self.words[LAST].compare_exchange(last, last | LOCKED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Writes an entry to the free bytes from `byte` on, and publishes it. Only for who owns the line.
    #[inline]
    fn write(&self, copy: &Copy, byte: usize, width: usize, entry: u64) {
        let both = u128::from(entry) << (byte % 8 * 8);
        let mut last = copy.0[LAST] + ONE;
        for (word, part) in [(byte / 8, both as u64), (byte / 8 + 1, (both >> 64) as u64)] {
            if word == LAST {
                last |= part;
            } else if word * 8 < byte + width {
                self.words[word].store(copy.0[word] | part, Ordering::Relaxed);
            }
        }
        self.words[LAST].store(last, Ordering::Release);
    }
}

/// A copy of a line, and zeros behind it so that all entries are read alike.
#[derive(Clone, Copy)]
struct Copy([u64; PADDED]);

/// Words of a copy: whole groups of eight entries, for every width.
const PADDED: usize = 16;

impl Copy {
    #[inline(always)]
    fn count(&self) -> usize {
        (self.0[LAST] >> 56 & 0x7f) as usize
    }

    /// Whether one of the first `count` entries is this one. All are compared, for the branches of a
    /// loop that stops would be guessed wrong. Eight entries of `W` bytes are `W` words: within such
    /// a group all shifts are constants.
    #[inline(always)]
    fn holds<const W: usize>(&self, count: usize, entry: u64) -> bool {
        let mut equal = 0_u64;
        for group in 0..const { entries(W as u32).div_ceil(8) } {
            let words = &self.0[group * W..][..W];
            macro_rules! compare {
                ($($at:literal)*) => {$(
                    let (word, bit) = (const { $at * W / 8 }, const { ($at * W % 8 * 8) as u32 });
                    let low = words[word] >> bit;
                    let is_split = const { $at * W % 8 + W > 8 };
                    let value = if is_split { low | words[(word + 1) % W] << ((64 - bit) % 64) } else { low };
                    let is_equal = (value ^ entry) << const { 64 - W as u32 * 8 } == 0;
                    equal |= u64::from(is_equal) << (group * 8 + $at);
                )*};
            }
            compare!(0 1 2 3 4 5 6 7);
        }
        equal & ((1_u64 << count) - 1) != 0
    }
}

#[cfg(all(test, loom))]
mod tests {
    use super::{Line, Put};
    use loom::{sync::Arc, thread};

    fn race(mine: &'static [u64], others: &'static [u64], distinct: usize) {
        loom::model(move || {
            let line = Arc::new(Line::new());
            let put = |line: &Line, entries: &[u64]| entries.iter().filter(|&&e| line.put::<5>(e) == Put::New).count();
            let other = {
                let line = Arc::clone(&line);
                thread::spawn(move || put(&line, others))
            };
            let new = put(&line, mine) + other.join().expect("no thread panics");
            assert_eq!(new, distinct, "each is new once");
            assert_eq!(line.entries(5).count(), distinct);
        });
    }

    #[test]
    fn equal_entries_get_in_once() {
        race(&[0x12_3456_789a], &[0x12_3456_789a], 1);
    }

    #[test]
    fn entries_across_words_are_whole() {
        race(&[0x12_3456_789a, 0xff_ffff_ffff], &[0xff_ffff_ffff], 2);
    }
}
