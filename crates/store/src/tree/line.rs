//! A cache line with as many entries of some bytes each as fit.
//!
//! Sixteen lanes of 32 bits. The last is the header: how many entries there are, and whether somebody
//! is writing one. The first hold the low 32 bits of the entries, so that all are compared at once;
//! what is above these lies in the lanes between.
//!
//! Entries never change. To add one, a thread sets the lock by compare-and-swap from the header as it
//! read it before it looked at the line, so that what it found out still holds; it writes the entry,
//! and publishes it by the header with the new count. A reader that finds a line locked and its entry
//! not among the published ones waits.

use crate::sync::{AtomicU32, Ordering, spin_loop};
use crate::wide;

const LANES: usize = 16;
/// The lane with the header.
const HEADER: usize = LANES - 1;
const LOCKED: u32 = 1 << 31;
/// Entries have at least so many bytes.
pub(crate) const MIN_WIDTH: u32 = 4;

#[cfg_attr(not(loom), repr(C, align(64)))]
#[derive(Debug)]
pub(crate) struct Line {
    lanes: [AtomicU32; LANES],
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

/// How many entries of so many bytes fit. A table: a division takes longer than all else in a line.
#[inline(always)]
pub(crate) const fn entries(width: u32) -> usize {
    const FIT: [u8; 9] = {
        let mut fit = [0; 9];
        let mut width = MIN_WIDTH as usize;
        while width < fit.len() {
            fit[width] = (HEADER * 4 / width) as u8;
            width += 1;
        }
        fit
    };
    FIT[width as usize] as usize
}

impl Line {
    #[cfg(loom)]
    pub(crate) fn new() -> Line {
        Line { lanes: std::array::from_fn(|_| AtomicU32::new(0)) }
    }

    /// Looks for an entry of so many bytes, and puts it in if it is not there. `WIDE` says that
    /// [wide] comparisons are there.
    #[inline(always)]
    pub(crate) fn put<const WIDE: bool>(&self, width: u32, entry: u64) -> Put {
        loop {
            let header = self.lanes[HEADER].load(Ordering::Acquire);
            let count = count(header);
            if self.holds::<WIDE>(width, count, entry) {
                return Put::Old;
            }
            if count == entries(width) {
                return Put::Full;
            }
            if header & LOCKED == 0 && self.lock(header) {
                self.write(width, count, entry);
                self.lanes[HEADER].store(header + 1, Ordering::Release);
                return Put::New;
            }
            spin_loop();
        }
    }

    /// Looks for an entry of so many bytes; [`Put::New`] if there is room for it.
    #[inline(always)]
    pub(crate) fn find<const WIDE: bool>(&self, width: u32, entry: u64) -> Put {
        let count = count(self.lanes[HEADER].load(Ordering::Acquire));
        match self.holds::<WIDE>(width, count, entry) {
            true => Put::Old,
            false if count == entries(width) => Put::Full,
            false => Put::New,
        }
    }

    /// Adds an entry that is not there to a line that nobody else sees; false if it is full.
    #[inline]
    pub(crate) fn push(&self, width: u32, entry: u64) -> bool {
        let header = self.lanes[HEADER].load(Ordering::Relaxed);
        if count(header) == entries(width) {
            return false;
        }
        self.write(width, count(header), entry);
        self.lanes[HEADER].store(header + 1, Ordering::Relaxed);
        true
    }

    /// All entries; only while nobody writes.
    pub(crate) fn entries(&self, width: u32) -> impl Iterator<Item = u64> + '_ {
        let count = count(self.lanes[HEADER].load(Ordering::Relaxed));
        (0..count).map(move |at| u64::from(self.lane(at)) | self.upper(width, at) << 32)
    }

    #[inline(always)]
    fn lane(&self, lane: usize) -> u32 {
        self.lanes[lane].load(Ordering::Relaxed)
    }

    /// Whether one of the first `count` entries is this one.
    #[inline(always)]
    fn holds<const WIDE: bool>(&self, width: u32, count: usize, entry: u64) -> bool {
        let low = entry as u32;
        let equal = if WIDE {
            // SAFETY: the line is borrowed, and `WIDE` says that wide comparisons are there.
            unsafe { wide::lanes(self.lanes.as_ptr().cast(), low) }
        } else {
            (0..HEADER).fold(0, |equal, lane| equal | u32::from(self.lane(lane) == low) << lane)
        };
        let mut equal = equal & ((1 << count) - 1);
        while equal != 0 {
            if self.upper(width, equal.trailing_zeros() as usize) == entry >> 32 {
                return true;
            }
            equal &= equal - 1;
        }
        false
    }

    /// Where what is above the low 32 bits of an entry lies: the lane, and the bit in it.
    #[inline(always)]
    fn place(width: u32, at: usize) -> (usize, u32) {
        let byte = at * (width - MIN_WIDTH) as usize;
        (entries(width) + byte / 4, (byte % 4 * 8) as u32)
    }

    #[inline(always)]
    fn upper(&self, width: u32, at: usize) -> u64 {
        if width == MIN_WIDTH {
            return 0;
        }
        let (lane, bit) = Line::place(width, at);
        // The lane behind is read too, if only the header.
        let both = u64::from(self.lane(lane)) | u64::from(self.lane((lane + 1) % LANES)) << 32;
        both >> bit & ((1 << ((width - MIN_WIDTH) * 8)) - 1)
    }

    #[inline]
    fn lock(&self, header: u32) -> bool {
        self.lanes[HEADER].compare_exchange(header, header | LOCKED, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Writes an entry to its place. Only for who owns the line.
    #[inline(always)]
    fn write(&self, width: u32, at: usize, entry: u64) {
        self.lanes[at].store(entry as u32, Ordering::Relaxed);
        if width == MIN_WIDTH {
            return;
        }
        let (lane, bit) = Line::place(width, at);
        let both = (entry >> 32) << bit;
        for (lane, part) in [(lane, both as u32), (lane + 1, (both >> 32) as u32)] {
            if part != 0 {
                self.lanes[lane].store(self.lane(lane) | part, Ordering::Relaxed);
            }
        }
    }
}

#[inline(always)]
fn count(header: u32) -> usize {
    (header & !LOCKED) as usize
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::{Line, MIN_WIDTH, Put, entries};
    use crate::wide;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn entries_of_every_width_are_kept() {
        for width in MIN_WIDTH..=8 {
            let line = Line { lanes: std::array::from_fn(|_| AtomicU32::new(0)) };
            let entry = |n: usize| (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - width * 8);
            // Some have the same low bits.
            let entry = |n: usize| if n % 3 == 2 { entry(n - 1) ^ 1 << (width * 8 - 1) } else { entry(n) };
            for n in 0..entries(width) {
                assert_eq!(line.find::<false>(width, entry(n)), Put::New);
                assert_eq!(line.put::<false>(width, entry(n)), Put::New);
                assert!((0..=n).all(|n| line.put::<false>(width, entry(n)) == Put::Old), "{width} {n}");
                if wide::is_there() {
                    assert!((0..=n).all(|n| line.put::<true>(width, entry(n)) == Put::Old), "{width} {n}");
                }
            }
            assert_eq!(line.put::<false>(width, entry(99)), Put::Full);
            assert!(line.entries(width).eq((0..entries(width)).map(entry)));
        }
    }
}

#[cfg(all(test, loom))]
mod loom_tests {
    use super::{Line, Put};
    use loom::{sync::Arc, thread};

    fn race(mine: &'static [u64], others: &'static [u64], distinct: usize) {
        loom::model(move || {
            let line = Arc::new(Line::new());
            let put = |line: &Line, entries: &[u64]| {
                entries.iter().filter(|&&entry| line.put::<false>(7, entry) == Put::New).count()
            };
            let other = {
                let line = Arc::clone(&line);
                thread::spawn(move || put(&line, others))
            };
            let new = put(&line, mine) + other.join().expect("no thread panics");
            assert_eq!(new, distinct, "each is new once");
            assert_eq!(line.entries(7).count(), distinct);
        });
    }

    #[test]
    fn equal_entries_get_in_once() {
        race(&[0x12_3456_789a], &[0x12_3456_789a], 1);
    }

    #[test]
    fn entries_across_lanes_are_whole() {
        race(&[0x12_3456_789a, 0xff_ffff_ffff_ffff], &[0xff_ffff_ffff_ffff], 2);
    }
}
