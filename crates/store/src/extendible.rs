//! A directory of segments that split one at a time (extendible hashing: Fagin, Nievergelt, Pippenger,
//! Strong 1979).

/// Segments, found by the first bits of a hash.
#[derive(Debug)]
pub(crate) struct Extendible<S> {
    /// The logarithm of the number of pointers.
    bits: u32,
    pointers: Vec<u32>,
    pub(crate) segments: Vec<S>,
}

impl<S> Extendible<S> {
    pub(crate) fn new(segment: S) -> Extendible<S> {
        Extendible { bits: 0, pointers: vec![0], segments: vec![segment] }
    }

    /// The number of the pointer for a hash.
    #[inline(always)]
    pub(crate) fn pointer(&self, hash: u64) -> usize {
        (hash >> 1 >> (63 - self.bits)) as usize
    }

    /// The pointers, each the number of a segment.
    pub(crate) fn pointers(&self) -> &[u32] {
        &self.pointers
    }

    /// The number of the segment for a hash.
    #[inline(always)]
    pub(crate) fn number(&self, hash: u64) -> u32 {
        self.pointers[self.pointer(hash)]
    }

    /// Bytes that a split of a segment of this depth takes, beside the segments' own.
    pub(crate) fn cost(&self, depth: u32) -> usize {
        size_of::<S>() + if depth == self.bits { self.pointers.len() * size_of::<u32>() } else { 0 }
    }

    /// Puts a segment in the place of another.
    pub(crate) fn replace(&mut self, number: u32, new: S) -> S {
        std::mem::replace(&mut self.segments[number as usize], new)
    }

    /// Puts two segments in the place of one whose hashes share `depth` bits.
    pub(crate) fn split(&mut self, number: u32, depth: u32, [low, high]: [S; 2]) -> S {
        self.attach(number, depth, high);
        self.replace(number, low)
    }

    /// Adds the second half of a segment whose hashes shared `depth` bits.
    pub(crate) fn attach(&mut self, number: u32, depth: u32, high: S) {
        if depth == self.bits {
            self.pointers = self.pointers.iter().flat_map(|&pointer| [pointer, pointer]).collect();
            self.bits += 1;
        }
        let first = self.pointers.iter().position(|&pointer| pointer == number);
        let first = first.expect("every segment has a pointer to it");
        let share = 1 << (self.bits - depth - 1);
        self.pointers[first + share..][..share].fill(self.segments.len() as u32);
        self.segments.push(high);
    }
}
