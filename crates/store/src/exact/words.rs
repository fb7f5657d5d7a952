//! Vectors of at most sixteen bytes: the table holds them whole, and nothing else does.
//!
//! A permutation spreads them evenly, so that equal keys are equal vectors. To see that a vector is
//! known then costs one cache line instead of two. Whoever needs such a vector again keeps it: it
//! is no longer than a handle, or not much.

use std::sync::OnceLock;

use crate::budget::Budget;
use crate::hash::{SCRAMBLE, hash_word, permuted, restored};
use crate::set::{Key, Set};
use crate::store::{Batch, Fresh};
use std::sync::Arc;

/// Vectors of so many bytes are kept this way.
const MAX_BYTES: u32 = 16;

/// Lengths of vectors, each with a set of its own.
const LENGTHS: usize = MAX_BYTES as usize + 1;

/// The short vectors, by length.
#[derive(Debug, Default)]
pub(super) struct Words {
    ones: Sets<u64>,
    halves: Sets<(u64, u32)>,
    twos: Sets<[u64; 2]>,
}

/// Buffers for the keys of a batch.
#[derive(Debug, Default)]
pub(super) struct Keys {
    ones: Vec<u64>,
    halves: Vec<(u64, u32)>,
    twos: Vec<[u64; 2]>,
}

/// The vectors whose keys are such, by length.
#[derive(Debug)]
struct Sets<K: Short>([OnceLock<Box<Set<K>>>; LENGTHS]);

/// The key of a short vector.
trait Short: Key {
    /// That of a vector with these words, and those behind it.
    fn of(words: &[u64]) -> Self;

    /// The vector.
    fn vector(self) -> [u64; 2];
}

/// Whether a vector is kept this way.
#[inline(always)]
pub(super) fn is_short(bytes: u32, key: u32) -> bool {
    bytes.wrapping_sub(1) < MAX_BYTES && key == bytes
}

impl Short for u64 {
    #[inline(always)]
    fn of(words: &[u64]) -> u64 {
        permuted(words[0])
    }

    fn vector(self) -> [u64; 2] {
        [restored(self), 0]
    }
}

/// Its first word is the hash of the vector. The second word of most vectors has a few low bits only; it is changed so
/// that it looks like an empty slot in none of them.
impl Short for [u64; 2] {
    #[inline(always)]
    fn of(words: &[u64]) -> [u64; 2] {
        let [first, second] = [words[0], words[1]];
        [permuted(first.wrapping_add(hash_word(second))), second ^ SCRAMBLE]
    }

    fn vector(self) -> [u64; 2] {
        let second = self[1] ^ SCRAMBLE;
        [restored(self[0]).wrapping_sub(hash_word(second)), second]
    }
}

/// The same for vectors whose second word has at most four bytes.
impl Short for (u64, u32) {
    #[inline(always)]
    fn of(words: &[u64]) -> (u64, u32) {
        let [hash, rest] = <[u64; 2]>::of(words);
        (hash, rest as u32)
    }

    fn vector(self) -> [u64; 2] {
        [self.0, u64::from(self.1) | SCRAMBLE >> 32 << 32].vector()
    }
}

impl<K: Short> Default for Sets<K> {
    fn default() -> Sets<K> {
        Sets(std::array::from_fn(|_| OnceLock::new()))
    }
}

impl<K: Short> Sets<K> {
    fn of_length(&self, bytes: u32, budget: &Arc<Budget>) -> &Set<K> {
        self.0[bytes as usize].get_or_init(|| Box::new(Set::new(budget.clone())))
    }

    fn insert(&self, budget: &Arc<Budget>, keys: &mut Vec<K>, batch: &Batch<'_>, to: (usize, &mut Vec<Fresh>)) -> u64 {
        find_keys(keys, batch);
        self.of_length(batch.items[0].bytes, budget).insert(keys, to.0, to.1)
    }

    fn lookup(&self, budget: &Arc<Budget>, keys: &mut Vec<K>, batch: &Batch<'_>, known: &mut Vec<bool>) {
        find_keys(keys, batch);
        self.of_length(batch.items[0].bytes, budget).lookup(keys, |is_known| known.push(is_known));
    }

    fn slots(&self) -> usize {
        self.0.iter().filter_map(OnceLock::get).map(|set| set.slots()).sum()
    }

    /// All vectors with their lengths; the memory is freed on the way.
    fn drain(self) -> impl Iterator<Item = ([u64; 2], u32)> + Send {
        let sets = (0..).zip(self.0).filter_map(|(bytes, set)| Some((bytes, set.into_inner()?)));
        sets.flat_map(|(bytes, set)| set.into_keys().map(move |key| (key.vector(), bytes)))
    }
}

#[inline(always)]
fn find_keys<K: Short>(keys: &mut Vec<K>, batch: &Batch<'_>) {
    keys.clear();
    keys.extend(batch.items.iter().map(|item| K::of(&batch.words[item.at as usize..])));
}

impl Words {
    /// Inserts items that are short and of one length, the first of which is number `first` of all;
    /// returns how many are new.
    pub(super) fn insert(
        &self,
        budget: &Arc<Budget>,
        keys: &mut Keys,
        batch: &Batch<'_>,
        (first, fresh): (usize, &mut Vec<Fresh>),
    ) -> u64 {
        match batch.items[0].bytes {
            ..=8 => self.ones.insert(budget, &mut keys.ones, batch, (first, fresh)),
            9..=12 => self.halves.insert(budget, &mut keys.halves, batch, (first, fresh)),
            13.. => self.twos.insert(budget, &mut keys.twos, batch, (first, fresh)),
        }
    }

    /// Looks up items that are short and of one length.
    pub(super) fn lookup(&self, budget: &Arc<Budget>, keys: &mut Keys, batch: &Batch<'_>, known: &mut Vec<bool>) {
        match batch.items[0].bytes {
            ..=8 => self.ones.lookup(budget, &mut keys.ones, batch, known),
            9..=12 => self.halves.lookup(budget, &mut keys.halves, batch, known),
            13.. => self.twos.lookup(budget, &mut keys.twos, batch, known),
        }
    }

    /// How many slots there are.
    pub(super) fn slots(&self) -> usize {
        self.ones.slots() + self.halves.slots() + self.twos.slots()
    }

    /// All vectors with their lengths; the memory is freed on the way.
    pub(super) fn drain(self) -> impl Iterator<Item = ([u64; 2], u32)> + Send {
        self.ones.drain().chain(self.halves.drain()).chain(self.twos.drain())
    }
}

#[cfg(test)]
mod tests {
    use super::{Short, permuted, restored};

    #[test]
    fn keys_tell_their_vectors() {
        let mut word = 1_u64;
        for n in 0..10_000 {
            word = word.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ n;
            assert_eq!(restored(permuted(word)), word);
            let pair = [word, permuted(word) >> (n % 60)];
            assert_eq!(u64::of(&pair).vector(), [word, 0]);
            assert_eq!(<[u64; 2]>::of(&pair).vector(), pair);
            let pair = [word, pair[1] >> 32];
            assert_eq!(<(u64, u32)>::of(&pair).vector(), pair);
        }
    }
}
