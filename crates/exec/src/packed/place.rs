//! Fields of bits in a packed vector.

/// How wide fields are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Packing {
    /// Whole bytes: nothing is shifted by odd distances.
    Bytes,
    /// As few bits as the values need.
    #[default]
    Bits,
}

/// A field within one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// The word.
    pub word: u32,
    /// Its lowest bit.
    pub shift: u8,
    /// How many bits it has; a field of no bits is always 0.
    pub width: u8,
}

impl Bits {
    /// As many ones as the field has bits.
    #[must_use]
    pub fn ones(self) -> u64 {
        if self.width == 64 { u64::MAX } else { (1 << self.width) - 1 }
    }

    /// The field's bits in its word.
    #[must_use]
    pub fn mask(self) -> u64 {
        if self.width == 0 { 0 } else { self.ones() << self.shift }
    }

    /// What the field holds.
    #[must_use]
    pub fn get(self, words: &[u64]) -> u64 {
        if self.width == 0 { 0 } else { words[self.word as usize] >> self.shift & self.ones() }
    }

    /// Fills the field, which was 0.
    pub fn fill(self, words: &mut [u64], value: u64) {
        if self.width > 0 {
            words[self.word as usize] |= value << self.shift;
        }
    }

    /// Makes the field 0.
    pub fn clear(self, words: &mut [u64]) {
        if self.width > 0 {
            words[self.word as usize] &= !self.mask();
        }
    }
}

/// Equal fields in a row: the elements of an array, or the messages of a queue.
///
/// No field crosses the end of a word. A row that does not fit into one word takes whole words one
/// after the other, each beginning with a field, so that the place of any field is computed by one
/// division.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// How many fields there are.
    pub length: u32,
    /// The bits of one field.
    pub width: u8,
    /// How many fields a word holds.
    pub per_word: u32,
    /// The parts of the row, one a word.
    pub parts: Vec<Bits>,
}

impl Series {
    /// The place of a field.
    #[must_use]
    pub fn element(&self, n: u32) -> Bits {
        if self.width == 0 {
            return Bits { word: 0, shift: 0, width: 0 };
        }
        let part = self.parts[(n / self.per_word) as usize];
        let shift = part.shift + (n % self.per_word) as u8 * self.width;
        Bits { word: part.word, shift, width: self.width }
    }
}

/// Hands out the bits of a vector, each field in the first gap that is large enough.
///
/// Where a field lies depends only on the fields before it. So the vector of a shape that ends
/// earlier is the same vector with the later bits cleared.
#[derive(Clone, Debug)]
pub(super) struct Allocator {
    packing: Packing,
    used: Vec<u64>,
}

impl Allocator {
    pub(super) fn new(packing: Packing) -> Allocator {
        Allocator { packing, used: Vec::new() }
    }

    /// The bits that were handed out.
    pub(super) fn used(&self) -> &[u64] {
        &self.used
    }

    /// How many bytes the vector has.
    pub(super) fn bytes(&self) -> u32 {
        let last = self.used.last().map_or(0, |word| (64 - word.leading_zeros()).div_ceil(8));
        (self.used.len() as u32).saturating_sub(1) * 8 + last
    }

    /// Later fields begin in a new word.
    pub(super) fn break_word(&mut self) {
        self.used.iter_mut().for_each(|word| *word = u64::MAX);
    }

    fn rounded(&self, width: u8) -> u8 {
        match (self.packing, width) {
            (_, 0) => 0,
            (Packing::Bits, _) => width,
            (Packing::Bytes, _) => width.div_ceil(8) * 8,
        }
    }

    /// A field for numbers from 0 to `highest`.
    pub(super) fn number(&mut self, highest: u64) -> Bits {
        let width = self.rounded(width_of(highest));
        self.gap(width)
    }

    /// A row of fields for numbers from 0 to `highest`.
    pub(super) fn series(&mut self, highest: u64, length: u32) -> Series {
        let width = self.rounded(width_of(highest));
        self.row(width, length)
    }

    /// A row of fields of a given width.
    pub(super) fn row(&mut self, width: u8, length: u32) -> Series {
        if width == 0 || length == 0 {
            return Series { length, width: 0, per_word: length.max(1), parts: Vec::new() };
        }
        if u64::from(length) * u64::from(width) <= 64 {
            let all = self.gap(length as u8 * width);
            return Series { length, width, per_word: length, parts: vec![all] };
        }
        let per_word = 64 / u32::from(width);
        let mut parts = Vec::new();
        let mut left = length;
        while left > 0 {
            let here = left.min(per_word);
            let part = Bits { word: self.used.len() as u32, shift: 0, width: here as u8 * width };
            self.used.push(part.mask());
            parts.push(part);
            left -= here;
        }
        Series { length, width, per_word, parts }
    }

    /// The first gap of this many bits.
    fn gap(&mut self, width: u8) -> Bits {
        if width == 0 {
            return Bits { word: 0, shift: 0, width };
        }
        let step = if self.packing == Packing::Bytes { 8 } else { 1 };
        for (word, used) in self.used.iter_mut().enumerate() {
            let shifts = (0..=64 - width).step_by(step);
            let fits = |shift: &u8| *used & Bits { word: 0, shift: *shift, width }.mask() == 0;
            if let Some(shift) = shifts.into_iter().find(fits) {
                let found = Bits { word: word as u32, shift, width };
                *used |= found.mask();
                return found;
            }
        }
        let found = Bits { word: self.used.len() as u32, shift: 0, width };
        self.used.push(found.mask());
        found
    }
}

/// How many bits numbers from 0 to `highest` need.
pub(super) fn width_of(highest: u64) -> u8 {
    (64 - highest.leading_zeros()) as u8
}

#[cfg(test)]
mod tests {
    use super::{Allocator, Packing};

    #[test]
    fn fields_do_not_overlap_and_fill_gaps() {
        let mut allocator = Allocator::new(Packing::Bits);
        let mut seen: Vec<u64> = Vec::new();
        let mut take = |bits: super::Bits| {
            seen.resize(seen.len().max(bits.word as usize + 1), 0);
            assert_eq!(seen[bits.word as usize] & bits.mask(), 0);
            seen[bits.word as usize] |= bits.mask();
        };
        for highest in [1, 255, 3, 0x7fff_ffff, 1 << 40, 7, 1] {
            take(allocator.number(highest));
        }
        let row = allocator.series(1000, 13);
        (0..13).for_each(|n| take(row.element(n)));
        take(allocator.number(3));
        assert_eq!(allocator.used(), seen);
        assert_eq!(allocator.series(0, 9).element(4).width, 0);
    }

    #[test]
    fn bytes_are_whole() {
        let mut allocator = Allocator::new(Packing::Bytes);
        for highest in [1, 300, 5] {
            let bits = allocator.number(highest);
            assert_eq!((bits.shift % 8, bits.width % 8), (0, 0));
        }
        assert_eq!(allocator.bytes(), 4);
    }
}
