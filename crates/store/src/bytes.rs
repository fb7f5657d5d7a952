//! Short strings of bytes, compared and copied without a call and without reading beyond their ends:
//! behind the end of a stored vector another thread may be writing the next one.

use std::ptr;

/// Whether two strings are equal.
///
/// # Safety
/// Both have at least `count` bytes that nobody writes.
#[inline(always)]
pub(crate) unsafe fn same(stored: *const u8, words: *const u64, count: u32) -> bool {
    let count = count as usize;
    let other = words.cast::<u8>();
    if count < 8 {
        // SAFETY: as promised by the caller.
        return unsafe { short(stored, count) == short(other, count) };
    }
    // SAFETY: all words read lie within the first `count` bytes of both.
    unsafe {
        let equal =
            |at: usize| stored.add(at).cast::<u64>().read_unaligned() == other.add(at).cast::<u64>().read_unaligned();
        // The last word first: it overlaps the one before, and is as good as any to tell apart.
        equal(count - 8) && (0..count / 8).all(|word| equal(word * 8))
    }
}

/// Copies a string.
///
/// # Safety
/// `from` has at least `count` bytes, `to` has room for them, and nobody else writes to either.
#[inline(always)]
pub(crate) unsafe fn copy(from: *const u8, to: *mut u8, count: u32) {
    let count = count as usize;
    if count < 8 {
        // SAFETY: as promised by the caller.
        return unsafe { ptr::copy_nonoverlapping(from, to, count) };
    }
    // SAFETY: all words lie within the first `count` bytes of both.
    unsafe {
        let word = |at: usize| to.add(at).cast::<u64>().write_unaligned(from.add(at).cast::<u64>().read_unaligned());
        (0..count / 8).for_each(|index| word(index * 8));
        word(count - 8);
    }
}

/// Appends a string to some words, the last one filled up with zeros.
///
/// Words are put together in registers and written whole: whoever reads them next gets them from
/// the store buffer, which cannot merge parts of words.
///
/// # Safety
/// `from` has at least `count` bytes.
#[inline(always)]
pub(crate) unsafe fn append(from: *const u8, count: u32, words: &mut Vec<u64>) {
    let count = count as usize;
    // SAFETY: all words read lie within the first `count` bytes.
    let word = |at: usize| u64::from_le(unsafe { from.add(at).cast::<u64>().read_unaligned() });
    words.extend((0..count / 8).map(|index| word(index * 8)));
    let rest = count % 8;
    if rest > 0 {
        // SAFETY: as promised by the caller.
        words.push(if count > 8 { word(count - 8) >> (64 - rest * 8) } else { unsafe { whole(from, count) } });
    }
}

/// A string of 1 to 7 bytes as a word.
///
/// # Safety
/// There are so many bytes.
#[inline(always)]
unsafe fn whole(from: *const u8, count: usize) -> u64 {
    // SAFETY: all reads lie within the first `count` bytes.
    unsafe {
        if count >= 4 {
            let low = u32::from_le(from.cast::<u32>().read_unaligned());
            let high = u32::from_le(from.add(count - 4).cast::<u32>().read_unaligned());
            // Where they overlap they are the same.
            return u64::from(low) | u64::from(high) << (count * 8 - 32);
        }
        (0..count).fold(0, |word, at| word | u64::from(from.add(at).read()) << (at * 8))
    }
}

/// A string of fewer than 8 bytes as a number; which one depends on the length only.
///
/// # Safety
/// There are so many bytes.
#[inline(always)]
unsafe fn short(from: *const u8, count: usize) -> u64 {
    // SAFETY: all reads lie within the first `count` bytes.
    unsafe {
        if count >= 4 {
            let low = from.cast::<u32>().read_unaligned();
            let high = from.add(count - 4).cast::<u32>().read_unaligned();
            return u64::from(low) | u64::from(high) << 32;
        }
        let byte = |at: usize| u64::from(from.add(at).read());
        if count == 0 { 0 } else { byte(0) | byte(count / 2) << 8 | byte(count - 1) << 16 }
    }
}

#[cfg(test)]
mod tests {
    use super::{append, copy, same};

    #[test]
    fn words_are_the_bytes() {
        let bytes: Vec<u8> = (1..=40).collect();
        for count in 0..bytes.len() {
            let mut words = vec![7];
            // SAFETY: there are that many bytes.
            unsafe { append(bytes.as_ptr(), count as u32, &mut words) };
            let mut expected = bytes[..count].to_vec();
            expected.resize(count.next_multiple_of(8), 0);
            let found: Vec<u8> = words[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
            assert_eq!(found, expected, "{count} bytes");
        }
    }

    #[test]
    fn every_byte_counts_and_none_beyond() {
        for count in 0..40_usize {
            let words: Vec<u64> = (0..6).map(|n| 0x0102_0304_0506_0708_u64.wrapping_mul(n * 2 + 1)).collect();
            let mut bytes = vec![0xee_u8; count + 1];
            // SAFETY: the words have 48 bytes, the bytes one more than are copied.
            unsafe { copy(words.as_ptr().cast(), bytes.as_mut_ptr(), count as u32) };
            assert_eq!(bytes[count], 0xee);
            // SAFETY: both have so many bytes.
            let is_same = |bytes: &[u8]| unsafe { same(bytes.as_ptr(), words.as_ptr(), count as u32) };
            assert!(is_same(&bytes), "{count}");
            for at in 0..count {
                bytes[at] ^= 1;
                assert!(!is_same(&bytes), "byte {at} of {count}");
                bytes[at] ^= 1;
            }
        }
    }
}
