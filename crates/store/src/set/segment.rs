//! A piece of a [set](super): lines that share the first bits of their hashes.

use super::key::Key;
use super::{LINE, MAX_BITS, MAX_LINES};
use crate::extendible::{Grow, Growth, Load, Urgency, is_counted};
use crate::region::Region;
use std::marker::PhantomData;

/// The share of lines that are full when a segment grows: at a load of about 0.65. At 0.73 searches were some 5 %
/// slower, because more keys are not in their first line.
const FULL: f64 = 0.18;

#[derive(Debug)]
pub(super) struct Segment<K> {
    pub(super) region: Region,
    /// The logarithm of the number of lines.
    pub(super) bits: u32,
    depth: u32,
    load: Load,
    keys: PhantomData<K>,
}

impl<K: Send> Grow for Segment<K> {
    fn depth(&self) -> u32 {
        self.depth
    }

    fn size(&self) -> u32 {
        self.bits + self.depth
    }

    fn load(&self) -> &Load {
        &self.load
    }
}

impl<K: Key> Segment<K> {
    pub(super) fn in_region(region: Region, bits: u32, depth: u32) -> Segment<K> {
        const { assert!(size_of::<K::Line>() == LINE) };
        Segment { region, bits, depth, load: Load::of(bits, 0, FULL), keys: PhantomData }
    }

    #[inline(always)]
    fn line(&self, line: usize) -> &K::Line {
        let line = line & ((1 << self.bits) - 1);
        // SAFETY: the region has so many lines; it is zeroed, and slots change only through atomics.
        unsafe { &*self.region.start().cast::<K::Line>().add(line) }
    }

    /// The lines that a key may be in, in order, with their numbers.
    #[inline(always)]
    pub(super) fn path(&self, key: K) -> impl Iterator<Item = (usize, &K::Line)> {
        let home = key.spread() as usize;
        (0..MAX_LINES).map(move |distance| home.wrapping_add(distance)).map(|line| (line, self.line(line)))
    }

    /// All keys.
    pub(super) fn keys(&self) -> impl Iterator<Item = K> {
        (0..1 << self.bits).flat_map(move |line| K::keys(self.line(line)))
    }

    /// A line of the segment with this number has become full; whether that should grow, or will split soon.
    #[inline]
    pub(super) fn count_full(&self, number: u32, line: usize) -> Option<Growth> {
        let urgency = if is_counted(self.bits, line) { self.load.count()? } else { return None };
        (urgency == Urgency::Now || self.bits == MAX_BITS).then(|| self.growth(number, urgency))
    }

    /// A line that no key has come to across the line before it, because that has a free slot.
    fn first_line(&self) -> Option<usize> {
        (1..=1 << self.bits).find(|&line| K::get(self.line(line - 1), K::SLOTS - 1).is_none())
    }

    /// The same keys in a region of its size, doubled so often; None if one finds no place.
    pub(super) fn doubled(&self, region: Region, doublings: u32) -> Option<Segment<K>> {
        let mut whole = Segment::in_region(region, self.bits + doublings, self.depth);
        let mut filling = Filling::new([&whole]);
        let is_in = self.keys().all(|key| filling.put(0, key));
        let [full] = filling.full;
        whole.load = Load::of(whole.bits, full, FULL);
        is_in.then_some(whole)
    }

    /// Splits it in two of the same size: keeps the keys whose next bit of the hash is 0, and puts the others
    /// into a region.
    ///
    /// Keys are taken out of their lines in order, lines being a ring, and put in again in this order, each into
    /// the first free slot from its home on. So no key comes to lie behind where it was: if all lines from its
    /// home to its old one were full, they would hold more keys than before. Hence it finds a place, and one
    /// that was read already.
    ///
    /// The second half; the region if every line is full.
    pub(super) fn split(&mut self, region: Region) -> Result<Segment<K>, Region> {
        let Some(begin) = self.first_line() else { return Err(region) };
        let mut high = Segment::in_region(region, self.bits, self.depth + 1);
        let mut filling = Filling::new([&*self, &high]);
        for line in (begin..begin + (1 << self.bits)).map(|line| self.line(line)) {
            let keys = K::keys(line);
            K::clear(line);
            for key in keys {
                let is_in = filling.put((key.spread() << self.depth >> 63) as usize, key);
                debug_assert!(is_in, "there is room where it was");
            }
        }
        let [low, full] = filling.full;
        high.load = Load::of(self.bits, full, FULL);
        self.load = Load::of(self.bits, low, FULL);
        self.depth += 1;
        Ok(high)
    }
}

/// What one thread that fills segments of the same size knows: how many slots of each line are taken. Which segment a
/// key goes to cannot be guessed, so that is not decided by a branch.
struct Filling<'a, K, const SEGMENTS: usize> {
    segments: [&'a Segment<K>; SEGMENTS],
    bits: u32,
    /// Of all lines of the first, then of the second.
    taken: Vec<u8>,
    /// How many of the lines that are counted are full, in each.
    full: [u32; SEGMENTS],
}

impl<'a, K: Key, const SEGMENTS: usize> Filling<'a, K, SEGMENTS> {
    fn new(segments: [&'a Segment<K>; SEGMENTS]) -> Filling<'a, K, SEGMENTS> {
        let bits = segments[0].bits;
        Filling { segments, bits, taken: vec![0; SEGMENTS << bits], full: [0; SEGMENTS] }
    }

    /// Puts a key that is not there into one of the segments; false if there is no room.
    #[inline(always)]
    fn put(&mut self, segment: usize, key: K) -> bool {
        self.put_at(segment, key, key.spread() as usize) || self.put_behind(segment, key)
    }

    #[inline(always)]
    fn put_at(&mut self, segment: usize, key: K, line: usize) -> bool {
        let line = line & ((1 << self.bits) - 1);
        let taken = &mut self.taken[segment << self.bits | line];
        let slot = usize::from(*taken);
        if slot == K::SLOTS {
            return false;
        }
        *taken += 1;
        key.put(self.segments[segment].line(line), slot);
        self.full[segment] += u32::from((slot + 1 == K::SLOTS) & is_counted(self.bits, line));
        true
    }

    #[cold]
    fn put_behind(&mut self, segment: usize, key: K) -> bool {
        let home = key.spread() as usize;
        (1..MAX_LINES).any(|distance| self.put_at(segment, key, home.wrapping_add(distance)))
    }
}
