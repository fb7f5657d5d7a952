//! A hash by folded multiplication: two words at a time, 128-bit product, halves combined.
//!
//! The mixing is that of wyhash and its relatives, whose quality was measured many times; state
//! vectors are short, so what counts is a short tail and no set-up.

const SECRET: [u64; 3] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3];

/// The hash of a string of bytes.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut state = SECRET[0] ^ bytes.len() as u64;
    let mut chunks = bytes.chunks_exact(16);
    for chunk in &mut chunks {
        let (low, high) = chunk.split_at(8);
        state = fold(word(low) ^ SECRET[1], word(high) ^ state);
    }
    let tail = chunks.remainder();
    if !tail.is_empty() {
        let (low, high) = tail.split_at(tail.len().min(8));
        state = fold(word(low) ^ SECRET[1], word(high) ^ state);
    }
    fold(state ^ SECRET[2], SECRET[1])
}

fn word(bytes: &[u8]) -> u64 {
    if let Ok(whole) = bytes.try_into() {
        return u64::from_le_bytes(whole);
    }
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::hash;
    use std::collections::HashSet;

    #[test]
    fn hashes_of_short_strings_differ() {
        let mut seen = HashSet::new();
        for a in 0..=255_u8 {
            for b in 0..=255_u8 {
                assert!(seen.insert(hash(&[a, b])));
                assert!(seen.insert(hash(&[a, b, 0])), "the length counts");
            }
        }
    }

    #[test]
    fn low_bits_are_spread() {
        let buckets: HashSet<u64> = (0..4096_u32).map(|n| hash(&n.to_le_bytes()) & 0xffff).collect();
        assert!(buckets.len() > 3900, "{} of 4096 buckets", buckets.len());
    }
}
