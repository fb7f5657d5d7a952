//! A hash by folded multiplication: two words at a time, 128-bit product, halves combined.
//!
//! The mixing is that of wyhash and its relatives, whose quality was measured many times; state
//! vectors are short, so what counts is a short tail and no set-up. All bits are good; tables take
//! the top ones.
//!
//! A folded product alone forgets one factor where the other is 0 or -1, as a model can have it for all of its states:
//! words of a vector are not random numbers. So both factors are added, multiplied by a constant. To add them as they are, as
//! the protected variant of wyhash does, would make 1 such a number instead.

use crate::store::{Batch, words_of};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

const SECRET: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0x5899_65cc_7537_4cc3];

/// Any number that is not small.
pub(crate) const SCRAMBLE: u64 = 0x9e37_79b9_7f4a_7c15;

/// The hash of the first `key` bytes of a vector of words, and of its class.
///
/// The bits beyond `key` in the last word may be anything.
#[inline(always)]
pub(crate) fn hash_vector(words: &[u64], key: u32, class: u64) -> u64 {
    let state = SECRET[0] ^ class;
    let state = match (key, words) {
        (1..=8, [low, ..]) => fold(low & tail_mask(key) ^ SECRET[1], state),
        (9..=16, [low, high, ..]) => mix(low ^ SECRET[1], high & tail_mask(key) ^ state),
        _ => fold_long(words, key, state),
    };
    fold(state ^ SECRET[2], SECRET[1])
}

fn fold_long(words: &[u64], key: u32, mut state: u64) -> u64 {
    let whole = key as usize / 8;
    let mut pairs = words[..whole].chunks_exact(2);
    for pair in &mut pairs {
        state = mix(pair[0] ^ SECRET[1], pair[1] ^ state);
    }
    let low = pairs.remainder().first().copied();
    let rest = key % 8;
    let tail = if rest == 0 { 0 } else { words[whole] & tail_mask(key) };
    match low {
        Some(low) => mix(low ^ SECRET[1], tail ^ state),
        None if rest != 0 => mix(tail ^ SECRET[1], state),
        None => state,
    }
}

/// The hashes of all items of a batch, of whose vectors all bytes count. No two vectors of the same length have the same
/// if that is at most a word.
pub(crate) fn hash_all(batch: &Batch<'_>, seed: u64, hashes: &mut Vec<u64>) {
    hashes.clear();
    for items in batch.items.chunk_by(|one, other| one.bytes == other.bytes) {
        debug_assert!(items.iter().all(|item| item.key == item.bytes), "all bytes count here");
        let bytes = items[0].bytes;
        let class = seed ^ u64::from(bytes) << 32;
        if words_of(bytes) == 1 {
            let class = hash_word(class);
            hashes.extend(items.iter().map(|item| permuted(batch.words[item.at as usize] ^ class)));
        } else {
            hashes.extend(items.iter().map(|item| hash_vector(batch.vector(item), bytes, class)));
        }
    }
}

/// A number that tells vectors apart with high probability. Only the first `key` bytes count.
#[must_use]
pub fn fingerprint(words: &[u64], key: u32) -> u64 {
    hash_vector(words, key, u64::from(key))
}

/// What belongs to [fingerprints](fingerprint).
pub type Fingerprints<V> = HashMap<u64, V, BuildHasherDefault<Identity>>;

/// The hash of a fingerprint: itself.
#[derive(Debug, Default)]
pub struct Identity(u64);

impl Hasher for Identity {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        // Only whole words are hashed; anything else is right too, if slower.
        bytes.iter().for_each(|&byte| self.0 = rehash(self.0 ^ u64::from(byte)));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
}

/// A permutation of all words: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
#[inline(always)]
pub(crate) fn permuted(word: u64) -> u64 {
    let word = word ^ SCRAMBLE;
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Its inverse.
pub(crate) fn restored(word: u64) -> u64 {
    let word = (word ^ word >> 31 ^ word >> 62).wrapping_mul(0x3196_42b2_d24d_8ec3);
    let word = (word ^ word >> 27 ^ word >> 54).wrapping_mul(0x96de_1b17_3f11_9089);
    (word ^ word >> 30 ^ word >> 60) ^ SCRAMBLE
}

/// The hash of one word.
#[inline]
pub(crate) fn hash_word(word: u64) -> u64 {
    fold(fold(word ^ SECRET[1], SECRET[0]) ^ SECRET[2], SECRET[1])
}

/// A hash of two words that takes one multiplication: good enough for a cache.
#[inline(always)]
pub(crate) fn hash_pair(low: u64, high: u64) -> u64 {
    fold(low ^ SECRET[1], high ^ SECRET[0])
}

/// Another hash made of a hash.
#[inline]
pub(crate) fn rehash(hash: u64) -> u64 {
    fold(hash ^ SECRET[3], SECRET[2])
}

/// Which bits of the last word of a key count.
#[inline]
pub(crate) fn tail_mask(key: u32) -> u64 {
    if key.is_multiple_of(8) { !0 } else { !0 >> (64 - key % 8 * 8) }
}

/// One number of two. No value of the one makes it forget the other.
#[inline(always)]
fn mix(a: u64, b: u64) -> u64 {
    fold(a, b).wrapping_add(a.rotate_left(32).wrapping_add(b).wrapping_mul(SCRAMBLE))
}

#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::{SCRAMBLE, SECRET, hash_all, hash_vector, hash_word, rehash};
    use crate::store::{Batch, Item};
    use std::collections::HashSet;

    /// How far the counts in `1 << bits` cells are from even, in standard deviations of chi square.
    fn unevenness(hashes: impl Iterator<Item = u64>, shift: u32, bits: u32) -> f64 {
        let mut cells = vec![0_u32; 1 << bits];
        let mut total = 0.0;
        for hash in hashes {
            cells[(hash << shift >> (64 - bits)) as usize] += 1;
            total += 1.0;
        }
        let expected = total / cells.len() as f64;
        let chi: f64 = cells.iter().map(|&count| (f64::from(count) - expected).powi(2) / expected).sum();
        let freedom = (cells.len() - 1) as f64;
        (chi - freedom) / (2.0 * freedom).sqrt()
    }

    #[test]
    fn the_top_bits_and_the_next_are_even_on_counters() {
        for shift in [0, 10, 16, 26, 48] {
            for words in 1..5 {
                for position in 0..words {
                    let vectors = (0..1 << 16_u32).map(|n: u64| {
                        let mut vector = vec![0; words];
                        vector[position] = n << 3;
                        hash_vector(&vector, words as u32 * 8, 0)
                    });
                    let off = unevenness(vectors, shift, 12);
                    assert!(off.abs() < 5.0, "{words} words, word {position}, shift {shift}: {off}");
                }
            }
            let off = unevenness((0..1 << 16).map(hash_word), shift, 12);
            assert!(off.abs() < 5.0, "words, shift {shift}: {off}");
            let off = unevenness((0..1 << 16).map(|n| rehash(hash_word(n))), shift, 12);
            assert!(off.abs() < 5.0, "rehash, shift {shift}: {off}");
        }
    }

    /// The hashes of vectors of one word that count, of these lengths.
    fn hashes(lengths: &[u32], seed: u64) -> Vec<u64> {
        let words: Vec<u64> = (0..1 << 16).collect();
        let items = |&bytes: &u32| (0..1 << 16).map(move |at| Item::new(at, bytes));
        let items: Vec<Item> = lengths.iter().flat_map(items).collect();
        let mut hashes = vec![7];
        hash_all(&Batch { words: &words, items: &items, source_words: &[], sources: &[] }, seed, &mut hashes);
        hashes
    }

    #[test]
    fn hashes_of_short_vectors_are_even_and_differ() {
        for shift in [0, 10, 16, 26, 48] {
            let off = unevenness(hashes(&[4], 5).into_iter(), shift, 12);
            assert!(off.abs() < 5.0, "shift {shift}: {off}");
        }
        let all = hashes(&[2, 3, 8], 5);
        assert_eq!(all.iter().collect::<HashSet<_>>().len(), 3 << 16, "of whatever length");
        let others = hashes(&[2, 3, 8], 6);
        assert!(all.iter().zip(&others).all(|(one, other)| one != other), "another seed, another hash");
    }

    /// Whatever a word of the vector is, and be it made to spoil the hash, the others count.
    #[test]
    fn no_word_makes_the_hash_forget_another() {
        let constants = [0, 1, !0, 1 << 32, 1 << 63, SCRAMBLE, SCRAMBLE.wrapping_neg()];
        let spoilers = constants.iter().flat_map(|it| SECRET.map(|secret| it ^ secret));
        for spoiler in spoilers.chain(constants) {
            for words in 2..6 {
                for (counter, fixed) in (0..words).flat_map(|one| (0..words).map(move |other| (one, other))) {
                    let hashes = (0..1 << 12).map(|n: u64| {
                        let mut vector = vec![0x1234_5678_9abc_def0; words];
                        (vector[fixed], vector[(fixed + 1) % words], vector[counter]) = (spoiler, spoiler, n);
                        hash_vector(&vector, words as u32 * 8, 0)
                    });
                    let different = hashes.collect::<HashSet<_>>().len();
                    assert!(different > (1 << 12) - 4, "{spoiler:x} at {fixed} of {words}, {counter}: {different}");
                }
            }
        }
    }

    #[test]
    fn only_the_key_counts() {
        let a = hash_vector(&[1, 0x55_0203], 10, 7);
        assert_eq!(a, hash_vector(&[1, 0x66_0203], 10, 7));
        assert_ne!(a, hash_vector(&[1, 0x55_0203], 11, 7));
        assert_ne!(a, hash_vector(&[1, 0x55_0203], 10, 8));
    }
}
