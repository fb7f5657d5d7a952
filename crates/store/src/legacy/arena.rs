//! Strings of bytes that are never freed, packed into large blocks.

/// Bytes in the first block; each is twice as large as the one before, up to [`BLOCK`].
const FIRST_BLOCK: usize = 1 << 12;
/// Bytes in a large block. A string longer than this gets a block of its own.
const BLOCK: usize = 1 << 22;

/// Where a string is.
#[derive(Clone, Copy, Debug)]
struct Entry {
    block: u32,
    start: u32,
}

/// The strings, numbered from 0.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    blocks: Vec<Vec<u8>>,
    entries: Vec<Entry>,
    bytes: usize,
}

impl Arena {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn push(&mut self, string: &[u8]) {
        let fits = self.blocks.last().is_some_and(|block| block.capacity() - block.len() >= string.len());
        if !fits {
            let doubled = self.blocks.last().map_or(FIRST_BLOCK, |block| block.capacity() * 2);
            let size = doubled.min(BLOCK).max(string.len());
            self.blocks.push(Vec::with_capacity(size));
            self.bytes += size;
        }
        let block = self.blocks.len() - 1;
        let start = self.blocks[block].len();
        self.blocks[block].extend_from_slice(string);
        self.entries.push(Entry { block: block as u32, start: start as u32 });
    }

    pub(crate) fn get(&self, index: usize) -> &[u8] {
        let Entry { block, start } = self.entries[index];
        let end = match self.entries.get(index + 1) {
            Some(next) if next.block == block => next.start as usize,
            _ => self.blocks[block as usize].len(),
        };
        &self.blocks[block as usize][start as usize..end]
    }

    /// Bytes of memory that are reserved.
    pub(crate) fn memory(&self) -> usize {
        self.bytes + self.entries.capacity() * size_of::<Entry>()
    }
}

#[cfg(test)]
mod tests {
    use super::{Arena, BLOCK};

    #[test]
    fn strings_come_back() {
        let mut arena = Arena::default();
        let lengths = [0, 1, 7, BLOCK - 10, 5, 5, 0, BLOCK + 1, 3];
        for (n, length) in lengths.into_iter().enumerate() {
            arena.push(&vec![n as u8; length]);
        }
        for (n, length) in lengths.into_iter().enumerate() {
            assert_eq!(arena.get(n), vec![n as u8; length]);
        }
        assert!(arena.memory() >= lengths.iter().sum());
    }
}
