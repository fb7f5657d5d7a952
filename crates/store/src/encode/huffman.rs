//! Static Huffman code: Algorithm 4 of paper 000, which measured the frequencies of byte values over a
//! range of protocols. Here they are those of the first states of the same search.
//!
//! The code is canonical: codes of one length are consecutive numbers, and smaller than those of
//! greater lengths, so that lengths alone define it. Its bits follow each other from the lowest of the
//! first word on. In front there are three bits that say how many bits of the last byte are used, so that
//! the zeros behind them mean nothing, and no two vectors have the same code.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Writer, byte};

const VALUES: usize = 256;

/// Bits that say how far the last byte is filled.
const HEADER: u32 = 3;

/// The greatest length of a code, in bits.
const LONGEST: u32 = 24;

/// Each byte by as many bits as its frequency is worth.
#[derive(Clone, Debug)]
pub struct Huffman {
    /// For each value its code, the first bit lowest, and its length.
    codes: [(u32, u32); VALUES],
    /// For each length, the first code as a number with the first bit highest, and where its value is
    /// in the order of codes.
    firsts: [(u32, u32); LONGEST as usize + 1],
    /// How many codes have each length.
    counts: [u32; LONGEST as usize + 1],
    /// The values in the order of their codes.
    values: [u8; VALUES],
}

/// How often byte values occur.
#[derive(Clone, Debug)]
pub struct Frequencies([u64; VALUES]);

impl Default for Frequencies {
    fn default() -> Frequencies {
        // Any value may occur after the sample; and all counts are small enough to be added.
        Frequencies([1; VALUES])
    }
}

impl Frequencies {
    /// Counts the bytes of a vector.
    pub fn count(&mut self, words: &[u64], bytes: u32) {
        (0..bytes).for_each(|at| self.0[byte(words, at) as usize] += 1);
    }

    /// The length of the code of each value; all at most [`LONGEST`].
    fn lengths(mut self) -> [u32; VALUES] {
        loop {
            let lengths = optimal(&self.0);
            if lengths.iter().all(|&length| length <= LONGEST) {
                return lengths;
            }
            // With counts closer to each other lengths are, too; when all are 1 or 2, none exceeds 9.
            self.0.iter_mut().for_each(|count| *count = *count / 2 + 1);
        }
    }
}

/// The lengths of an optimal code (Huffman 1952).
fn optimal(counts: &[u64; VALUES]) -> [u32; VALUES] {
    let mut parents = [0; 2 * VALUES - 1];
    let mut heap: BinaryHeap<_> = counts.iter().copied().zip(0..).map(Reverse).collect();
    for node in VALUES..2 * VALUES - 1 {
        let mut lightest = || {
            let Reverse((count, child)) = heap.pop().expect("two trees are left");
            parents[child] = node;
            count
        };
        let count = lightest() + lightest();
        heap.push(Reverse((count, node)));
    }
    let mut depths = [0; 2 * VALUES - 1];
    (0..2 * VALUES - 2).rev().for_each(|node| depths[node] = depths[parents[node]] + 1);
    std::array::from_fn(|value| depths[value])
}

impl Huffman {
    /// The code for these frequencies. Every byte value has one.
    #[must_use]
    pub fn new(frequencies: Frequencies) -> Huffman {
        let lengths = frequencies.lengths();
        let mut values: [u8; VALUES] = std::array::from_fn(|value| value as u8);
        values.sort_by_key(|&value| (lengths[value as usize], value));
        let mut huffman = Huffman {
            codes: [(0, 0); VALUES],
            firsts: [(0, 0); LONGEST as usize + 1],
            counts: [0; LONGEST as usize + 1],
            values,
        };
        let (mut code, mut before) = (0_u32, 0);
        for (place, &value) in (0_u32..).zip(&values) {
            let length = lengths[value as usize];
            if length != before {
                code <<= length - before;
                huffman.firsts[length as usize] = (code, place);
                before = length;
            }
            huffman.counts[length as usize] += 1;
            huffman.codes[value as usize] = (code.reverse_bits() >> (32 - length), length);
            code += 1;
        }
        huffman
    }

    /// Appends the code of a vector of so many bytes; how many bytes the code has.
    pub fn encode(&self, words: &[u64], bytes: u32, out: &mut Vec<u64>) -> u32 {
        let first = out.len();
        // Bits that wait until they are a word.
        let (mut waiting, mut count) = (0_u64, HEADER);
        let mut total = HEADER;
        for at in 0..bytes {
            let (code, length) = self.codes[byte(words, at) as usize];
            waiting |= u64::from(code) << count;
            count += length;
            total += length;
            if count >= 64 {
                out.push(waiting);
                count -= 64;
                // What of the code did not fit; nothing if it ended with the word.
                waiting = u64::from(code) >> (length - count);
            }
        }
        if count > 0 {
            out.push(waiting);
        }
        out[first] |= u64::from(total % 8);
        total.div_ceil(8)
    }

    /// Appends the vector of a code; how many bytes the vector has.
    pub fn decode(&self, code_words: &[u64], code_bytes: u32, out: &mut Vec<u64>) -> u32 {
        let unused = (8 - (code_words[0] & 7) as u32) % 8;
        let total = code_bytes * 8 - unused;
        let mut writer = Writer { words: out, bytes: 0 };
        let (mut code, mut length) = (0, 0);
        for at in HEADER..total {
            code = code << 1 | (code_words[at as usize / 64] >> (at % 64) & 1) as u32;
            length += 1;
            if let Some(value) = self.value(code, length) {
                writer.push(value);
                (code, length) = (0, 0);
            }
        }
        writer.bytes
    }

    /// The least number of bytes of the code of a vector of so many bytes.
    #[must_use]
    pub fn shortest(&self, bytes: u32) -> u32 {
        let least = self.codes.iter().map(|&(_, length)| length).min().unwrap_or(0);
        (HEADER + bytes * least).div_ceil(8)
    }

    /// The value of a code of this length, if it is one.
    #[inline]
    fn value(&self, code: u32, length: usize) -> Option<u8> {
        let (first, place) = self.firsts[length];
        let offset = code.checked_sub(first)?;
        (offset < self.counts[length]).then(|| self.values[(place + offset) as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::{Frequencies, Huffman, LONGEST, optimal};
    use crate::hash::hash_word;

    /// The codes as strings, the first bit first.
    fn codes(huffman: &Huffman) -> Vec<String> {
        let bits =
            |&(code, length): &(u32, u32)| (0..length).map(move |at| if code >> at & 1 == 1 { '1' } else { '0' });
        huffman.codes.iter().map(|code| bits(code).collect()).collect()
    }

    #[test]
    fn no_code_begins_another_and_all_are_used() {
        for seed in 0..50_u64 {
            let mut frequencies = Frequencies::default();
            for n in 0..200 {
                // From even to so uneven that codes would be too long.
                let value = hash_word(seed << 8 | n) as usize % 256;
                frequencies.0[value] += 1 << (hash_word(n) % (seed + 1));
            }
            let mut codes = codes(&Huffman::new(frequencies));
            assert!(codes.iter().all(|code| code.len() <= LONGEST as usize), "seed {seed}");
            let kraft: f64 = codes.iter().map(|code| 0.5_f64.powi(code.len() as i32)).sum();
            assert!((kraft - 1.0).abs() < 1e-9, "seed {seed}: {kraft}");
            codes.sort();
            assert!(codes.is_sorted_by(|a, b| !b.starts_with(a.as_str())), "seed {seed}");
        }
    }

    /// An optimal code is at most one bit away from the entropy (Shannon 1948).
    #[test]
    fn lengths_are_near_the_entropy() {
        for seed in 0..20_u64 {
            let counts = std::array::from_fn(|n| 1 + hash_word(seed << 8 | n as u64) % (1 << (n as u64 % (seed + 1))));
            let total: f64 = counts.iter().map(|&count| count as f64).sum();
            let entropy: f64 = counts.iter().map(|&count| (total / count as f64).log2() * count as f64 / total).sum();
            let lengths = optimal(&counts);
            let mean: f64 =
                counts.iter().zip(lengths).map(|(&count, length)| count as f64 * f64::from(length) / total).sum();
            assert!(entropy <= mean + 1e-9 && mean < entropy + 1.0, "seed {seed}: {mean} bits, entropy {entropy}");
        }
    }

    #[test]
    fn frequent_values_have_short_codes() {
        let mut frequencies = Frequencies::default();
        frequencies.count(&[0x0000_0101_0000_0000; 100], 800);
        let lengths = frequencies.lengths();
        assert_eq!((lengths[0], lengths[1]), (1, 2));
        assert!(lengths[2..].iter().all(|&length| length >= 9));
        assert_eq!(optimal(&[1; 256]), [8; 256]);
    }
}
