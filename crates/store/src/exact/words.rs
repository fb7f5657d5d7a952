//! Vectors of at most sixteen bytes: the table holds them whole, and nothing else does.
//!
//! A permutation spreads them evenly, so that equal keys are equal vectors. To see that a vector is
//! known then costs one cache line instead of two. Whoever needs such a vector again keeps it: it
//! is no longer than a handle, or not much.

use std::sync::OnceLock;

use crate::budget::Budget;
use crate::hash::hash_word;
use crate::set::Set;
use crate::store::{Batch, Fresh, Item};
use std::sync::Arc;

/// Vectors of so many bytes are kept this way.
const MAX_BYTES: u32 = 16;

/// The short vectors, by length.
#[derive(Debug, Default)]
pub(super) struct Words {
    ones: [OnceLock<Box<Set<u64>>>; 8],
    twos: [OnceLock<Box<Set<[u64; 2]>>>; 8],
}

/// Buffers for the keys of a batch.
#[derive(Debug, Default)]
pub(super) struct Keys {
    ones: Vec<u64>,
    twos: Vec<[u64; 2]>,
}

/// Whether a vector is kept this way.
#[inline(always)]
pub(super) fn is_short(bytes: u32, key: u32) -> bool {
    bytes.wrapping_sub(1) < MAX_BYTES && key == bytes
}

/// A permutation of all words: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
#[inline(always)]
fn permuted(word: u64) -> u64 {
    let word = word ^ SCRAMBLE;
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Its inverse.
fn restored(word: u64) -> u64 {
    let word = (word ^ word >> 31 ^ word >> 62).wrapping_mul(0x3196_42b2_d24d_8ec3);
    let word = (word ^ word >> 27 ^ word >> 54).wrapping_mul(0x96de_1b17_3f11_9089);
    (word ^ word >> 30 ^ word >> 60) ^ SCRAMBLE
}

/// The key of a vector of two words, the first word of which is its hash. The second word of most
/// vectors has a few low bits only; it is changed so that it looks like an empty slot in none of
/// them.
#[inline(always)]
fn joined(first: u64, second: u64) -> [u64; 2] {
    [permuted(first.wrapping_add(hash_word(second))), second ^ SCRAMBLE]
}

/// Its inverse.
fn parted([hash, rest]: [u64; 2]) -> [u64; 2] {
    let second = rest ^ SCRAMBLE;
    [restored(hash).wrapping_sub(hash_word(second)), second]
}

/// Any number that is not small.
const SCRAMBLE: u64 = 0x9e37_79b9_7f4a_7c15;

impl Words {
    fn ones(&self, bytes: u32, budget: &Arc<Budget>) -> &Set<u64> {
        self.ones[bytes as usize - 1].get_or_init(|| Box::new(Set::new(budget.clone())))
    }

    fn twos(&self, bytes: u32, budget: &Arc<Budget>) -> &Set<[u64; 2]> {
        self.twos[bytes as usize - 9].get_or_init(|| Box::new(Set::new(budget.clone())))
    }

    /// Inserts items that are short and of one length, the first of which is number `first` of all;
    /// returns how many are new.
    pub(super) fn insert(
        &self,
        budget: &Arc<Budget>,
        keys: &mut Keys,
        batch: &Batch<'_>,
        (first, fresh): (usize, &mut Vec<Fresh>),
    ) -> u64 {
        let bytes = batch.items[0].bytes;
        if bytes <= 8 {
            self.ones(bytes, budget).insert(keys.ones(batch), first, fresh)
        } else {
            self.twos(bytes, budget).insert(keys.twos(batch), first, fresh)
        }
    }

    /// Looks up items that are short and of one length.
    pub(super) fn lookup(&self, budget: &Arc<Budget>, keys: &mut Keys, batch: &Batch<'_>, known: &mut Vec<bool>) {
        let bytes = batch.items[0].bytes;
        if bytes <= 8 {
            self.ones(bytes, budget).lookup(keys.ones(batch), |is_known| known.push(is_known));
        } else {
            self.twos(bytes, budget).lookup(keys.twos(batch), |is_known| known.push(is_known));
        }
    }

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        let ones: usize = self.ones.iter().filter_map(OnceLock::get).map(|set| set.slots()).sum();
        let twos: usize = self.twos.iter().filter_map(OnceLock::get).map(|set| set.slots()).sum();
        ones + twos
    }

    /// All vectors with their lengths; the memory is freed on the way.
    pub(super) fn drain(self) -> impl Iterator<Item = ([u64; 2], u32)> + Send {
        let ones = (1..).zip(self.ones).filter_map(|(bytes, set)| Some((bytes, set.into_inner()?)));
        let twos = (9..).zip(self.twos).filter_map(|(bytes, set)| Some((bytes, set.into_inner()?)));
        let ones = ones.flat_map(|(bytes, set)| set.into_keys().map(move |key| ([restored(key), 0], bytes)));
        let twos = twos.flat_map(|(bytes, set)| set.into_keys().map(move |key| (parted(key), bytes)));
        ones.chain(twos)
    }
}

impl Keys {
    #[inline(always)]
    fn ones(&mut self, batch: &Batch<'_>) -> &[u64] {
        self.ones.clear();
        self.ones.extend(batch.items.iter().map(|item| permuted(batch.words[item.at as usize])));
        &self.ones
    }

    #[inline(always)]
    fn twos(&mut self, batch: &Batch<'_>) -> &[[u64; 2]] {
        self.twos.clear();
        self.twos.extend(batch.items.iter().map(|&Item { at, .. }| {
            let words = &batch.words[at as usize..][..2];
            joined(words[0], words[1])
        }));
        &self.twos
    }
}

#[cfg(test)]
mod tests {
    use super::{joined, parted, permuted, restored};

    #[test]
    fn permutations_have_inverses() {
        let mut word = 1_u64;
        for n in 0..10_000 {
            word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n;
            assert_eq!(restored(permuted(word)), word);
            let pair = [word, permuted(word) >> (n % 60)];
            assert_eq!(parted(joined(pair[0], pair[1])), pair);
        }
    }
}
