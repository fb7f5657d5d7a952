//! What was sent lately, so that it is not sent again.

use crate::vectors::Vector;

/// Bytes that this takes, unless vectors are very long. It must stay near the core: with ten times as much an eighth fewer
/// states were sent, and looking here took a sixth of the search.
const BYTES: usize = 1 << 18;
/// There is always room for so many states.
const LEAST: usize = 1 << 10;

/// States that were sent, each at the place that its hash chooses: its length and its level, then its words. Whole
/// vectors are compared, so that nothing is taken for something else.
#[derive(Debug, Default)]
pub(super) struct Lately {
    words: Vec<u64>,
    /// Words of a place.
    stride: usize,
    /// How many places there are, less one: a power of two.
    mask: usize,
}

impl Lately {
    /// Whether a state was sent for this level or for one before it. From now on it was.
    #[inline(always)]
    pub(super) fn has(&mut self, vector: Vector<'_>, level: u32, hash: u64) -> bool {
        let size = vector.words.len();
        if size >= self.stride {
            self.widen(size + 1);
        }
        let at = (hash as usize & self.mask) * self.stride;
        let place = &mut self.words[at..at + 1 + size];
        let is_there = place[0] >> 32 == u64::from(vector.bytes) && place[0] as u32 <= level;
        // Vectors are short: a loop is faster than a call.
        if is_there && place[1..].iter().zip(vector.words).all(|(one, other)| one == other) {
            return true;
        }
        place[0] = u64::from(vector.bytes) << 32 | u64::from(level);
        place[1..].iter_mut().zip(vector.words).for_each(|(to, &word)| *to = word);
        false
    }

    /// What is at the place that a hash chooses.
    #[inline(always)]
    pub(super) fn head(&self, hash: u64) -> u64 {
        self.words.get((hash as usize & self.mask) * self.stride).copied().unwrap_or(0)
    }

    /// Makes places longer. What was in them is forgotten.
    #[cold]
    fn widen(&mut self, stride: usize) {
        let places = (BYTES / 8 / stride).max(LEAST).next_power_of_two();
        (self.stride, self.mask) = (stride, places - 1);
        self.words.clear();
        self.words.resize(stride * places, 0);
    }

    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_sent_again_only_for_an_earlier_level() {
        let mut lately = Lately::default();
        let [one, long] = [&[7_u64, 8][..], &[7, 8, 9]].map(|words| {
            let bytes = words.len() as u32 * 8;
            Vector { words, bytes, key: bytes }
        });
        assert!(!lately.has(one, 5, 42));
        assert!(lately.has(one, 5, 42) && lately.has(one, 6, 42));
        assert!(!lately.has(one, 4, 42));
        assert!(lately.has(one, 4, 42));
        assert!(!lately.has(long, 4, 42));
        assert!(lately.has(long, 4, 42) && !lately.has(one, 4, 42));
    }
}
