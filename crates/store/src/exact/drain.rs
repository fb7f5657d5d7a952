//! A store is emptied.

use std::fmt;
use std::ops::Range;

use super::words::Words;
use crate::arena::Arena;
use crate::store::Handle;

/// The vectors of a store that is being emptied: those with handles in the order of these, then the
/// short ones, which have none.
pub struct Drain {
    arena: Arena,
    /// Those left of the chunk.
    numbers: Range<u32>,
    /// The chunk.
    chunk: u32,
    short: Box<dyn Iterator<Item = ([u64; 2], u32)> + Send>,
    words: Vec<u64>,
}

impl fmt::Debug for Drain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Drain").field("chunk", &self.chunk).finish_non_exhaustive()
    }
}

impl Drain {
    pub(super) fn new(arena: Arena, words: Words) -> Drain {
        Drain { arena, numbers: 0..0, chunk: 0, short: Box::new(words.drain()), words: Vec::new() }
    }

    /// The next vector: its handle if it has one, its words and how many bytes it has.
    #[allow(clippy::should_implement_trait, reason = "the words are lent")]
    pub fn next(&mut self) -> Option<(Option<Handle>, &[u64], u32)> {
        self.words.clear();
        let Some(number) = self.next_number() else {
            let (words, bytes) = self.short.next()?;
            self.words.extend_from_slice(&words[..bytes.div_ceil(8) as usize]);
            return Some((None, &self.words, bytes));
        };
        let bytes = self.arena.load(number, &mut self.words);
        Some((Some(Handle(u64::from(number))), &self.words, bytes))
    }

    fn next_number(&mut self) -> Option<u32> {
        loop {
            if let Some(number) = self.numbers.next() {
                return Some(number);
            }
            self.next_chunk()?;
        }
    }

    /// Goes on to the next chunk; the memory of the last one is not needed any more.
    fn next_chunk(&mut self) -> Option<()> {
        let next = self.chunk + 1;
        if next >= self.arena.chunks() {
            return None;
        }
        if self.chunk > 0 {
            self.arena.close(self.chunk);
        }
        (self.numbers, self.chunk) = (self.arena.extent(next), next);
        Some(())
    }
}
