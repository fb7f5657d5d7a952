//! Pairs of numbers, permuted and cut (Cleary 1984): the first bits say where an entry lies in a
//! table, and need not be stored in it.
//!
//! Cleary wants a permutation of the key that looks random. This one is made for a table whose keys
//! grow wider: the low 14 bits of a pair (7 of each number), and the next 14, are each combined with
//! a hash of all higher bits and multiplied by an odd number. What is higher stays as it is. So a pair
//! of small numbers has no high bits to store, and wider numbers that come later move nothing.

use crate::hash::rehash;

/// How many bits are permuted.
pub(crate) const MIXED: u32 = 28;
/// Half of that.
const HALF: u32 = MIXED / 2;
const MASK: u64 = (1 << HALF) - 1;
/// Odd, near the golden section of 2^14: neighbours come apart.
const SPREAD: u64 = 10_125;

/// A permuted pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quotient {
    /// [`MIXED`] bits.
    pub(crate) mixed: u32,
    /// What is left of the two numbers.
    pub(crate) rest: [u32; 2],
}

impl Quotient {
    #[inline]
    pub(crate) fn new(left: u32, right: u32) -> Quotient {
        let low = u64::from(left & 0x7f) << 7 | u64::from(right & 0x7f);
        let middle = u64::from(left >> 7 & 0x7f) << 7 | u64::from(right >> 7 & 0x7f);
        let rest = [left >> HALF, right >> HALF];
        let middle = (middle ^ hash_middle(rest)).wrapping_mul(SPREAD) & MASK;
        let low = (low ^ hash_low(rest, middle)).wrapping_mul(SPREAD) & MASK;
        Quotient { mixed: (low << HALF | middle) as u32, rest }
    }
}

#[inline]
fn pack(rest: [u32; 2]) -> u64 {
    u64::from(rest[0]) << 32 | u64::from(rest[1])
}

#[inline]
fn hash_middle(rest: [u32; 2]) -> u64 {
    rehash(pack(rest)) >> (64 - HALF)
}

#[inline]
fn hash_low(rest: [u32; 2], middle: u64) -> u64 {
    rehash(pack(rest) ^ middle << HALF) >> (64 - HALF)
}

#[cfg(test)]
mod tests {
    use super::{HALF, MASK, Quotient, SPREAD, hash_low, hash_middle};

    /// The inverse of the permutation, which the store has no use for: that there is one makes it exact.
    fn pair(quotient: Quotient) -> (u32, u32) {
        let inverse = (1..1 << HALF).find(|n| (n * SPREAD) & MASK == 1).expect("an odd number has an inverse");
        let (low, middle) = (u64::from(quotient.mixed) >> HALF, u64::from(quotient.mixed) & MASK);
        let low = ((low * inverse) & MASK) ^ hash_low(quotient.rest, middle);
        let middle = ((middle * inverse) & MASK) ^ hash_middle(quotient.rest);
        let number = |shift: u32, rest: u32| {
            (rest << HALF) | ((middle >> shift & 0x7f) as u32 * 128) | (low >> shift & 0x7f) as u32
        };
        (number(7, quotient.rest[0]), number(0, quotient.rest[1]))
    }

    #[test]
    fn is_a_permutation() {
        let mut n = 1_u64;
        for _ in 0..200 {
            n = n.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let (left, right) = ((n >> 36) as u32, (n as u32) >> (n >> 33 & 15));
            assert_eq!(pair(Quotient::new(left, right)), (left, right));
        }
    }

    #[test]
    fn neighbours_come_apart() {
        let mut cells = [0; 64];
        for right in 1..=128 {
            cells[Quotient::new(1, right).mixed as usize >> 22] += 1;
        }
        assert!(cells.iter().all(|&count| count <= 6), "{cells:?}");
    }
}
