//! Run-length code: Algorithm 4' of paper 000. Each run of equal bytes is its length and the byte.

use super::{Writer, byte};

/// The longest run of one pair.
const LONGEST: u32 = 255;

/// Equal bytes in a row as their number and the byte. The number is never 0, so that each vector has one
/// code and each code of pairs one vector.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunLength;

impl RunLength {
    /// Appends the code of a vector of so many bytes; how many bytes the code has.
    pub fn encode(self, words: &[u64], bytes: u32, out: &mut Vec<u64>) -> u32 {
        let mut writer = Writer { words: out, bytes: 0 };
        let mut at = 0;
        while at < bytes {
            let value = byte(words, at);
            let end = bytes.min(at + LONGEST);
            let run = (at + 1..end).take_while(|&next| byte(words, next) == value).count() as u8 + 1;
            writer.push(run);
            writer.push(value);
            at += u32::from(run);
        }
        writer.bytes
    }

    /// Appends the vector of a code; how many bytes the vector has.
    pub fn decode(self, code_words: &[u64], code_bytes: u32, out: &mut Vec<u64>) -> u32 {
        let mut writer = Writer { words: out, bytes: 0 };
        for at in (0..code_bytes).step_by(2) {
            let (run, value) = (byte(code_words, at), byte(code_words, at + 1));
            (0..run).for_each(|_| writer.push(value));
        }
        writer.bytes
    }

    /// The least number of bytes of the code of a vector of so many bytes.
    #[must_use]
    pub fn shortest(self, bytes: u32) -> u32 {
        bytes.div_ceil(LONGEST) * 2
    }
}
