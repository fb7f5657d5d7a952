//! A set of pairs of numbers: the roots of the trees of one length.
//!
//! A compact hash table (Cleary 1984) in the form of buckets: see [`Quotient`] for the permutation.
//! The first bits choose a segment (extendible hashing, as in [`crate::index`]), the next a line in
//! it; what is left is stored, together with the distance from the home line, in as many bytes as
//! the numbers need so far. Segments grow by a half, so that memory stays close to what is needed,
//! and split when they have 64 KiB.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError};

use crossbeam_utils::sync::{ShardedLock, ShardedLockReadGuard};

use super::line::{Line, MIN_WIDTH, Put, entries};
use super::quotient::{MIXED, Quotient};
use crate::budget::Budget;
use crate::extendible::Extendible;
use crate::region::{Region, prefetch};

/// Lines in a new segment.
const FIRST_LINES: u32 = 4;
/// Lines in a segment that splits rather than grows.
const MAX_LINES: u32 = if cfg!(miri) { 16 } else { 1024 };
/// Segments share at most so many bits.
const MAX_DEPTH: u32 = 18;
/// The greatest distance of an entry from its home line, in two bits.
const MAX_DISTANCE: u32 = 3;
const DISTANCE_BITS: u32 = 2;

#[derive(Debug)]
pub(crate) struct Roots {
    directory: ShardedLock<Directory>,
    budget: Arc<Budget>,
}

/// The segments.
pub(crate) type Directory = Extendible<Segment>;

#[derive(Debug)]
pub(crate) struct Segment {
    region: Region,
    format: Format,
    /// How many entries there are.
    used: AtomicU32,
    /// With more of them it should grow.
    limit: AtomicU32,
}

/// How entries lie in a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Format {
    lines: u32,
    /// How many of the mixed bits all entries share.
    depth: u32,
    /// How many bits are left of each number.
    rest: [u32; 2],
    /// How many mixed bits are left in a line, and how many below these tell nothing.
    left: u32,
    shift: u32,
    /// Bytes of an entry.
    width: u32,
}

/// Where to look for a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Home {
    quotient: Quotient,
    segment: u32,
    line: u32,
    /// The entry, with no distance.
    entry: u64,
    /// The line, to be fetched.
    at: *const u8,
}

// SAFETY: the pointer is only ever fetched.
unsafe impl Send for Home {}

impl Home {
    /// Asks for the line.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        prefetch(self.at);
    }
}

/// What came of an attempt to put a root in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rooted {
    Old,
    /// It was put in, and perhaps the segment should grow.
    New(Option<Growth>),
    /// The segment must grow first.
    Crowded(Growth),
}

/// A segment that should grow, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Growth {
    segment: u32,
    /// As it was then: somebody else may have been faster.
    format: Format,
    quotient: Quotient,
}

impl Roots {
    pub(crate) fn new(budget: &Arc<Budget>) -> Roots {
        let segment =
            Segment::new(Format::new(FIRST_LINES, 0, [0; 2]), budget).expect("there is memory for a few lines");
        budget.force(segment.region.bytes() + size_of::<Roots>() + size_of::<Segment>());
        Roots { directory: ShardedLock::new(Extendible::new(vec![segment])), budget: Arc::clone(budget) }
    }

    /// The table, for as long as the guard lives.
    pub(crate) fn read(&self) -> ShardedLockReadGuard<'_, Directory> {
        self.directory.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room in a segment, or makes its entries wider; false if that cannot be.
    #[cold]
    pub(crate) fn grow(&self, growth: Growth) -> bool {
        let mut directory = self.directory.write().unwrap_or_else(PoisonError::into_inner);
        let segment = &directory.segments[growth.segment as usize];
        if segment.format != growth.format {
            return true;
        }
        let (depth, bytes) = (segment.format.depth, segment.region.bytes());
        let Some(mut parts) = self.rewritten(segment, growth.quotient) else {
            segment.limit.store(u32::MAX, Ordering::Relaxed);
            return false;
        };
        match (parts.pop(), parts.pop()) {
            (Some(high), Some(low)) => {
                self.budget.force(directory.cost(depth));
                directory.split(growth.segment, depth, [low, high]);
            }
            (Some(whole), None) => drop(directory.replace(growth.segment, whole)),
            _ => unreachable!("a segment becomes one or two"),
        }
        self.budget.give_back(bytes);
        true
    }

    /// The same entries in more lines, in wider entries, or in two segments.
    fn rewritten(&self, old: &Segment, wanted: Quotient) -> Option<Vec<Segment>> {
        let format = old.format;
        let bits = |side: usize| format.rest[side].max(32 - wanted.rest[side].leading_zeros());
        let rest = [bits(0), bits(1)];
        let is_wider = rest != format.rest;
        // Too wide an entry and too many of them may come together: then it grows again at once.
        let mut lines =
            if is_wider { lines_for(old.used.load(Ordering::Relaxed), format, rest) } else { more(format.lines) };
        for _ in 0..4 {
            let parts = if lines > MAX_LINES && format.depth < MAX_DEPTH {
                let part = Format::new(lines / 2, format.depth + 1, rest);
                vec![part, part]
            } else {
                vec![Format::new(lines, format.depth, rest)]
            };
            if u64::from(parts[0].lines) > 1 << (MIXED - parts[0].depth) {
                return None;
            }
            match self.move_to(old, &parts) {
                Ok(parts) => return Some(parts),
                Err(true) => return None,
                Err(false) => lines = more(lines),
            }
        }
        None
    }

    /// Moves all entries. An error tells whether memory is the reason.
    fn move_to(&self, old: &Segment, formats: &[Format]) -> Result<Vec<Segment>, bool> {
        let bytes = formats.iter().map(|format| format.lines as usize * size_of::<Line>()).sum();
        if !self.budget.take(bytes) {
            return Err(true);
        }
        let parts: Option<Vec<Segment>> = formats.iter().map(|&format| Segment::new(format, &self.budget)).collect();
        let Some(parts) = parts else {
            self.budget.give_back(bytes);
            return Err(true);
        };
        // Entries come with the mixed bits below the prefix that all share. Formats are copied: to the compiler they
        // could change with each entry.
        let (from, to) = (old.format, formats[0]);
        let bits = MIXED - from.depth - 1;
        let mut used = [0; 2];
        let is_moved = (0..from.lines).all(|line| {
            from.quotients(line, old.line(line, 0)).all(|(below, rest)| {
                let (part, below) =
                    if parts.len() == 1 { (0, below) } else { ((below >> bits) as usize, below & ((1 << bits) - 1)) };
                used[part] += 1;
                parts[part].push(to, below, rest)
            })
        });
        parts.iter().zip(used).for_each(|(part, used)| part.used.store(used, Ordering::Relaxed));
        if !is_moved {
            self.budget.give_back(bytes);
            return Err(false);
        }
        Ok(parts)
    }

    /// How many entries there is room for.
    pub(crate) fn slots(&self) -> u64 {
        let slots = |segment: &Segment| u64::from(segment.format.lines) * entries(segment.format.width) as u64;
        self.read().segments.iter().map(slots).sum()
    }
}

/// The next number of lines: 4, 6 times a power of two.
fn more(lines: u32) -> u32 {
    if lines.is_power_of_two() { lines + lines / 2 } else { lines / 3 * 4 }
}

/// A product divided by a [number of lines](more), rounded up, without a division.
#[inline]
fn divide(product: u64, lines: u32) -> u64 {
    let (shift, is_power) = (lines.ilog2(), lines.is_power_of_two());
    if is_power { product.div_ceil(1 << shift) } else { product.div_ceil(1 << (shift - 1)).div_ceil(3) }
}

/// Lines for so many entries after these have become wider.
fn lines_for(used: u32, format: Format, rest: [u32; 2]) -> u32 {
    let mut lines = format.lines;
    while f64::from(used) > 0.85 * f64::from(lines) * entries(Format::new(lines, format.depth, rest).width) as f64 {
        lines = more(lines);
    }
    lines
}

impl Extendible<Segment> {
    /// Where to look for a pair.
    #[inline]
    pub(crate) fn home(&self, left: u32, right: u32) -> Home {
        let quotient = Quotient::new(left, right);
        let number = self.number(u64::from(quotient.mixed) << (64 - MIXED));
        let segment = &self.segments[number as usize];
        let format = &segment.format;
        let (line, entry) = format.cut(quotient.mixed & ((1 << (MIXED - format.depth)) - 1), quotient.rest);
        let at = segment.region.start().wrapping_add(line as usize * size_of::<Line>());
        Home { quotient, segment: number, line, entry, at }
    }

    /// Whether a pair is there.
    #[inline]
    pub(crate) fn has(&self, home: &Home) -> bool {
        let segment = &self.segments[home.segment as usize];
        segment.format.is_wide_enough(home.quotient.rest) && segment.walk::<false, false>(home) == Put::Old
    }

    /// Looks for a pair and puts it in if it is not there.
    #[inline(always)]
    pub(crate) fn put<const WIDE: bool>(&self, home: &Home) -> Rooted {
        let segment = &self.segments[home.segment as usize];
        let growth = || Growth { segment: home.segment, format: segment.format, quotient: home.quotient };
        if !segment.format.is_wide_enough(home.quotient.rest) {
            return Rooted::Crowded(growth());
        }
        match segment.walk::<WIDE, true>(home) {
            Put::Old => Rooted::Old,
            Put::Full => Rooted::Crowded(growth()),
            Put::New => {
                let used = segment.used.fetch_add(1, Ordering::Relaxed) + 1;
                Rooted::New((used > segment.limit.load(Ordering::Relaxed)).then(growth))
            }
        }
    }
}

impl Format {
    fn new(lines: u32, depth: u32, rest: [u32; 2]) -> Format {
        let shift = lines.ilog2();
        let left = (MIXED - depth).saturating_sub(shift);
        let width = (rest[0] + rest[1] + left + DISTANCE_BITS).div_ceil(8).max(MIN_WIDTH);
        Format { lines, depth, rest, left, shift, width }
    }

    #[inline]
    fn is_wide_enough(&self, rest: [u32; 2]) -> bool {
        rest[0] >> self.rest[0] == 0 && rest[1] >> self.rest[1] == 0
    }

    /// The home line of mixed bits, and what an entry has of them and of the rest.
    ///
    /// Mixed bits times the number of lines are the line, above, and where in it, below. Two that have
    /// the same line differ by at least the number of lines there, so that what is below the greatest
    /// power of two in that number need not be kept.
    #[inline(always)]
    fn cut(&self, below: u32, rest: [u32; 2]) -> (u32, u64) {
        let bits = MIXED - self.depth;
        let product = u64::from(below) * u64::from(self.lines);
        let left = (product & ((1 << bits) - 1)) >> self.shift;
        let rest = u64::from(rest[0]) << self.rest[1] | u64::from(rest[1]);
        ((product >> bits) as u32, (rest << self.left | left) << DISTANCE_BITS)
    }

    /// The entries of a line: the mixed bits below the depth, and the rest.
    #[inline(always)]
    fn quotients(self, number: u32, line: &Line) -> impl Iterator<Item = (u32, [u32; 2])> + '_ {
        line.entries(self.width).map(move |entry| {
            let distance = (entry & u64::from(MAX_DISTANCE)) as u32;
            let home = if number >= distance { number - distance } else { number + self.lines - distance };
            self.join(home, entry)
        })
    }

    /// The inverse of [`Format::cut`].
    #[inline(always)]
    fn join(&self, line: u32, entry: u64) -> (u32, [u32; 2]) {
        let entry = entry >> DISTANCE_BITS;
        let left = entry & ((1 << self.left) - 1);
        let product = u64::from(line) << (MIXED - self.depth) | left << self.shift;
        let rest = entry >> self.left;
        let below = divide(product, self.lines);
        (below as u32, [(rest >> self.rest[1]) as u32, (rest & ((1 << self.rest[1]) - 1)) as u32])
    }
}

impl Segment {
    fn new(format: Format, budget: &Budget) -> Option<Segment> {
        let region = budget.zeroed(format.lines as usize * size_of::<Line>())?;
        let slots = format.lines as usize * entries(format.width);
        let limit = AtomicU32::new((slots as f64 * 0.9) as u32);
        Some(Segment { region, format, used: AtomicU32::new(0), limit })
    }

    #[inline(always)]
    fn line(&self, home: u32, distance: u32) -> &Line {
        let line = home + distance;
        let line = if line >= self.format.lines { line - self.format.lines } else { line };
        debug_assert!(line < self.format.lines);
        // SAFETY: there are more lines than the greatest distance, so that `line` is one of them;
        // zeros are an empty line, and lines change only through atomics.
        unsafe { &*self.region.start().cast::<Line>().add(line as usize) }
    }

    /// Goes from line to line until there is room; there the entry is put if `PUT` says so.
    #[inline(always)]
    fn walk<const WIDE: bool, const PUT: bool>(&self, home: &Home) -> Put {
        for distance in 0..=MAX_DISTANCE {
            let (line, entry) = (self.line(home.line, distance), home.entry | u64::from(distance));
            let width = self.format.width;
            match if PUT { line.put::<WIDE>(width, entry) } else { line.find::<WIDE>(width, entry) } {
                Put::Full => {}
                found => return found,
            }
        }
        Put::Full
    }

    /// Puts an entry into a segment of some format that nobody else sees; false if there is no place.
    #[inline(always)]
    fn push(&self, format: Format, below: u32, rest: [u32; 2]) -> bool {
        let (home, entry) = format.cut(below, rest);
        (0..=MAX_DISTANCE).any(|distance| self.line(home, distance).push(format.width, entry | u64::from(distance)))
    }
}

#[cfg(test)]
mod tests {
    use super::{FIRST_LINES, MAX_LINES, divide, more};

    #[test]
    fn numbers_of_lines_divide_without_a_division() {
        let mut lines = FIRST_LINES;
        while lines <= 2 * MAX_LINES {
            for product in (0..1 << 38).step_by(20_273_597).chain(0..1000) {
                assert_eq!(divide(product, lines), product.div_ceil(u64::from(lines)), "{product} {lines}");
            }
            lines = more(lines);
        }
    }
}
