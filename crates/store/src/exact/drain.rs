//! A store is emptied.

use std::ops::Range;

use crate::arena::Arena;
use crate::store::Handle;

/// The vectors of a store that is being emptied, in the order of their handles.
#[derive(Debug)]
pub struct Drain {
    arena: Arena,
    /// Those left of the chunk.
    numbers: Range<u32>,
    /// The next chunk.
    chunk: u32,
    /// The block of the chunk.
    block: u32,
    words: Vec<u64>,
}

impl Drain {
    pub(crate) fn new(arena: Arena) -> Drain {
        Drain { arena, numbers: 0..0, chunk: 1, block: 0, words: Vec::new() }
    }

    /// The next vector: its handle, its words and how many bytes it has.
    #[allow(clippy::should_implement_trait, reason = "the words are lent")]
    pub fn next(&mut self) -> Option<(Handle, &[u64], u32)> {
        let number = loop {
            if let Some(number) = self.numbers.next() {
                break number;
            }
            self.next_chunk()?;
        };
        self.words.clear();
        let bytes = self.arena.load(number, &mut self.words);
        Some((Handle(u64::from(number)), &self.words, bytes))
    }

    /// Goes on to the next chunk. Chunks were cut from blocks in order, so that earlier blocks are
    /// done with.
    fn next_chunk(&mut self) -> Option<()> {
        if self.chunk == self.arena.blocks().chunks {
            return None;
        }
        let (numbers, block) = self.arena.extent(self.chunk);
        for done in self.block..block {
            self.arena.blocks().regions[done as usize] = None;
        }
        (self.numbers, self.block) = (numbers, block);
        self.chunk += 1;
        Some(())
    }
}
