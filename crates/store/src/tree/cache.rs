//! What a thread remembers of the numbers of nodes.
//!
//! Most nodes of a successor were nodes of another one a moment ago. To find their numbers here takes
//! a few instructions, in the table two cache lines.

/// The logarithm of the number of slots.
const BITS: u32 = 11;

/// A table with one place for each pair.
#[derive(Debug)]
pub(crate) struct Cache(Box<[Slot; 1 << BITS]>);

#[derive(Clone, Copy, Debug)]
struct Slot {
    pair: u64,
    /// 0: the slot is free.
    number: u32,
}

impl Default for Cache {
    fn default() -> Cache {
        Cache(Box::new([Slot { pair: 0, number: 0 }; 1 << BITS]))
    }
}

impl Cache {
    #[inline(always)]
    fn place(pair: u64) -> usize {
        // Fibonacci hashing (Knuth 6.4); the fold lets both halves of the pair count.
        ((pair ^ pair >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - BITS)) as usize
    }

    /// The number of a pair, if it is remembered.
    #[inline(always)]
    pub(crate) fn get(&self, pair: u64) -> Option<u32> {
        let slot = &self.0[Cache::place(pair)];
        (slot.pair == pair && slot.number != 0).then_some(slot.number)
    }

    #[inline(always)]
    pub(crate) fn set(&mut self, pair: u64, number: u32) {
        self.0[Cache::place(pair)] = Slot { pair, number };
    }
}
