//! Vectors that stay where they are, numbered.
//!
//! A chunk holds vectors of one class (length and length of the key) without gaps; it belongs to one
//! session while it is filled, and so does the block of memory that it is cut from, so that nobody waits
//! for another's memory. A number is that of the chunk and the place in it. Chunks are found through
//! levels of doubling size, so that nothing moves and readers need no lock.

use std::cell::UnsafeCell;
use std::ops::Range;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use crate::budget::Budget;
use crate::bytes::{append, copy, same};
use crate::hash::hash_vector;
use crate::index::Numbered;
use crate::region::{Region, prefetch};
use crate::reserve::PIECE;
use crate::store::words_of;

/// The logarithm of the greatest number of vectors in a chunk.
const PLACE_BITS: u32 = 12;
/// How many chunks there can be.
const MAX_CHUNKS: u32 = 1 << (32 - PLACE_BITS);
/// The logarithm of the size of the first level.
const FIRST_LEVEL: u32 = 4;
/// How many levels there are.
const LEVELS: usize = (32 - PLACE_BITS - FIRST_LEVEL + 1) as usize;
/// Vectors in the first chunk of a class; each has four times as many as the one before.
const FIRST_CHUNK: u32 = 32;
/// Bytes that a chunk has at most, unless a single vector is longer.
const MAX_CHUNK: usize = 1 << 18;
/// Bytes of the first block; each is twice as large as the one before, up to a [`PIECE`].
const FIRST_BLOCK: usize = 1 << 11;

/// What vectors must have in common to be compared: their length, and that of their key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class {
    pub(crate) bytes: u32,
    pub(crate) key: u32,
}

impl Class {
    /// For the hash.
    #[inline]
    pub(crate) fn code(self) -> u64 {
        u64::from(self.bytes) << 32 | u64::from(self.key)
    }
}

#[derive(Debug)]
pub(crate) struct Chunk {
    start: *mut u8,
    class: Class,
    /// How many vectors were [published](Arena::publish); only the session that fills the chunk writes it.
    used: AtomicU32,
    /// The block that it lies in.
    block: u32,
}

#[derive(Debug)]
pub(crate) struct Arena {
    levels: [AtomicPtr<UnsafeCell<Chunk>>; LEVELS],
    blocks: Mutex<Blocks>,
    budget: Arc<Budget>,
}

/// Memory from which chunks are cut.
#[derive(Debug, Default)]
struct Blocks {
    blocks: Vec<Block>,
    /// The number of the next chunk; 0 is none.
    chunks: u32,
}

#[derive(Debug)]
struct Block {
    region: Option<Region>,
    /// How many chunks were cut from it.
    chunks: u32,
}

// SAFETY: a chunk is written before a number in it is published, and vectors before their numbers
// are; after that both are only read.
unsafe impl Send for Arena {}
// SAFETY: as above.
unsafe impl Sync for Arena {}

/// The chunks that a thread fills.
#[derive(Debug, Default)]
pub(crate) struct Open {
    chunks: Vec<OpenChunk>,
    block: Option<OpenBlock>,
}

/// What is left of a block.
#[derive(Clone, Copy, Debug)]
struct OpenBlock {
    number: u32,
    start: *mut u8,
    bytes: usize,
    used: usize,
}

// SAFETY: the block belongs to the session, which only cuts chunks from it.
unsafe impl Send for Open {}

#[derive(Clone, Copy, Debug)]
struct OpenChunk {
    class: Class,
    chunk: u32,
    used: u32,
    room: u32,
}

/// A place for a vector that is not committed yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub(crate) number: u32,
    open: usize,
}

impl Arena {
    pub(crate) fn new(budget: Arc<Budget>) -> Arena {
        let levels = std::array::from_fn(|_| AtomicPtr::new(null_mut()));
        Arena { levels, blocks: Mutex::new(Blocks { chunks: 1, ..Blocks::default() }), budget }
    }

    /// Where a chunk is described.
    #[inline(always)]
    fn cell(&self, chunk: u32) -> *mut Chunk {
        let level = level_of(chunk);
        let first = (1_u32 << FIRST_LEVEL << level) - (1 << FIRST_LEVEL);
        let cells = self.levels[level as usize].load(Ordering::Acquire);
        debug_assert!(!cells.is_null());
        // The level has room for all chunks that are counted to it.
        UnsafeCell::raw_get(cells.wrapping_add((chunk - first) as usize))
    }

    #[inline(always)]
    fn chunk(&self, number: u32) -> &Chunk {
        // SAFETY: numbers are made by `add_chunk` only and become known after the chunk is written.
        unsafe { &*self.cell(number >> PLACE_BITS) }
    }

    /// Where a vector begins, and its class.
    #[inline(always)]
    pub(crate) fn vector(&self, number: u32) -> (*const u8, Class) {
        let chunk = self.chunk(number);
        let place = (number & ((1 << PLACE_BITS) - 1)) as usize;
        (chunk.start.wrapping_add(place * chunk.class.bytes as usize), chunk.class)
    }

    /// The first cache line of a vector, and the second if there is one.
    #[inline(always)]
    pub(crate) fn lines(&self, number: u32) -> [*const u8; 2] {
        let (vector, class) = self.vector(number);
        [vector, vector.wrapping_add((class.key as usize).clamp(1, 128) - 1)]
    }

    /// Whether a stored vector has this class and key.
    #[inline]
    pub(crate) fn is(&self, number: u32, class: Class, words: &[u64]) -> bool {
        let (stored, its) = self.vector(number);
        assert!(words.len() >= words_of(class.key));
        // SAFETY: the stored vector has at least `key` bytes, and so has the other.
        its == class && unsafe { same(stored, words.as_ptr(), class.key) }
    }

    /// Appends a stored vector to some words.
    #[inline]
    pub(crate) fn load(&self, number: u32, words: &mut Vec<u64>) -> u32 {
        let (stored, class) = self.vector(number);
        // SAFETY: the stored vector has so many bytes.
        unsafe { append(stored, class.bytes, words) };
        class.bytes
    }

    /// Finds a place for a vector and writes it there. The same place is given again until it is
    /// [committed](Arena::commit). None: no room.
    #[inline]
    pub(crate) fn write(&self, open: &mut Open, class: Class, words: &[u64]) -> Option<Place> {
        let place = self.place(open, class)?;
        self.fill(place, class, words);
        Some(place)
    }

    /// Finds a place for a vector. The same place is given again until it is committed.
    #[inline]
    pub(crate) fn place(&self, open: &mut Open, class: Class) -> Option<Place> {
        let index = match open.chunks.iter().position(|chunk| chunk.class == class) {
            Some(index) if open.chunks[index].used < open.chunks[index].room => index,
            found => self.open_chunk(open, found, class)?,
        };
        let chunk = open.chunks[index];
        Some(Place { number: chunk.chunk << PLACE_BITS | chunk.used, open: index })
    }

    /// Writes a vector into its place, which is not committed yet.
    #[inline]
    pub(crate) fn fill(&self, place: Place, class: Class, words: &[u64]) {
        let (target, its) = self.vector(place.number);
        assert!(its == class && words.len() >= words_of(class.bytes));
        // SAFETY: the place lies in a chunk of a session that was not given away; nobody else knows
        // its number.
        unsafe { copy(words.as_ptr().cast(), target.cast_mut(), class.bytes) };
    }

    /// Keeps the vector that was written last.
    #[inline]
    pub(crate) fn commit(&self, open: &mut Open, place: Place) {
        open.chunks[place.open].used += 1;
    }

    /// Writes down how many vectors there are in the chunks that a session fills. Other threads read what lies beside
    /// these numbers for each vector that they compare, so they are not written for each vector that is kept.
    #[inline]
    pub(crate) fn publish(&self, open: &Open) {
        open.chunks.iter().for_each(|chunk| self.count(chunk));
    }

    fn count(&self, open: &OpenChunk) {
        let used = &self.chunk(open.chunk << PLACE_BITS).used;
        if used.load(Ordering::Relaxed) != open.used {
            used.store(open.used, Ordering::Relaxed);
        }
    }

    #[cold]
    fn open_chunk(&self, open: &mut Open, found: Option<usize>, class: Class) -> Option<usize> {
        let last = found.map_or(FIRST_CHUNK / 4, |index| open.chunks[index].room);
        found.iter().for_each(|&index| self.count(&open.chunks[index]));
        let most = (MAX_CHUNK / class.bytes.max(1) as usize).clamp(1, 1 << PLACE_BITS) as u32;
        let mut room = (last * 4).min(most);
        let chunk = loop {
            match self.add_chunk(&mut open.block, class, room) {
                Some(chunk) => break chunk,
                None if room == 1 => return None,
                None => room = (room / 4).max(1),
            }
        };
        let new = OpenChunk { class, chunk, used: 0, room };
        let index = found.unwrap_or(open.chunks.len());
        if index == open.chunks.len() {
            open.chunks.push(new)
        } else {
            open.chunks[index] = new
        }
        Some(index)
    }

    fn add_chunk(&self, open: &mut Option<OpenBlock>, class: Class, room: u32) -> Option<u32> {
        let bytes = room as usize * class.bytes as usize;
        let block = match open {
            Some(block) if block.bytes - block.used >= bytes => block,
            last => last.insert(self.open_block(last.map_or(0, |last| last.bytes), bytes)?),
        };
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        let chunk = blocks.chunks;
        if chunk == MAX_CHUNKS || !self.make_level(level_of(chunk)) {
            return None;
        }
        let start = block.start.wrapping_add(block.used);
        block.used += bytes;
        // SAFETY: the level is there, and nobody knows the number of this chunk yet.
        unsafe { self.cell(chunk).write(Chunk { start, class, used: AtomicU32::new(0), block: block.number }) };
        blocks.blocks[block.number as usize].chunks += 1;
        blocks.chunks += 1;
        Some(chunk)
    }

    /// A block of at least so many bytes, twice as large as the last. None: no memory.
    fn open_block(&self, last: usize, bytes: usize) -> Option<OpenBlock> {
        let doubled = (last * 2).clamp(FIRST_BLOCK, PIECE).max(bytes);
        let region = if doubled == PIECE {
            if self.budget.has_core() {
                self.budget.prepare();
            }
            self.budget.piece()
        } else {
            self.budget.allocate(doubled)
        };
        // If there is little left it is for who needs it.
        let region = region.or_else(|| self.budget.allocate(bytes.next_multiple_of(64)))?;
        let (start, bytes) = (region.start(), region.bytes());
        let mut blocks = self.blocks.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.blocks.push(Block { region: Some(region), chunks: 0 });
        Some(OpenBlock { number: blocks.blocks.len() as u32 - 1, start, bytes, used: 0 })
    }

    /// Makes sure that a level is there; false: no memory. Only under the lock of the blocks.
    fn make_level(&self, level: u32) -> bool {
        let pointer = &self.levels[level as usize];
        if !pointer.load(Ordering::Acquire).is_null() {
            return true;
        }
        let size = 1 << FIRST_LEVEL << level;
        if !self.budget.take(size * size_of::<Chunk>()) {
            return false;
        }
        let empty = || {
            let class = Class { bytes: 0, key: 0 };
            UnsafeCell::new(Chunk { start: null_mut(), class, used: AtomicU32::new(0), block: 0 })
        };
        let cells: Box<[UnsafeCell<Chunk>]> = (0..size).map(|_| empty()).collect();
        pointer.store(Box::into_raw(cells).cast(), Ordering::Release);
        true
    }

    /// How many chunks there are, and one.
    pub(crate) fn chunks(&mut self) -> u32 {
        self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner).chunks
    }

    /// The vectors in a chunk.
    pub(crate) fn extent(&self, chunk: u32) -> Range<u32> {
        let first = chunk << PLACE_BITS;
        first..first + self.chunk(first).used.load(Ordering::Relaxed)
    }

    /// A chunk is not needed any more; its block is freed with the last one of it.
    pub(crate) fn close(&mut self, chunk: u32) {
        let block = self.chunk(chunk << PLACE_BITS).block as usize;
        let block = &mut self.blocks.get_mut().unwrap_or_else(PoisonError::into_inner).blocks[block];
        block.chunks -= 1;
        if block.chunks == 0 {
            block.region = None;
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        for (level, pointer) in self.levels.iter_mut().enumerate() {
            let cells = *pointer.get_mut();
            if !cells.is_null() {
                let cells = std::ptr::slice_from_raw_parts_mut(cells, 1 << FIRST_LEVEL << level);
                // SAFETY: `make_level` made a box of this size.
                drop(unsafe { Box::from_raw(cells) });
            }
        }
    }
}

impl Numbered for Arena {
    #[inline]
    fn prefetch(&self, number: u32) {
        self.lines(number).into_iter().for_each(prefetch);
    }

    fn hash(&self, number: u32) -> u64 {
        let (_, class) = self.vector(number);
        let mut words = Vec::with_capacity(words_of(class.bytes));
        self.load(number, &mut words);
        hash_vector(&words, class.key, class.code())
    }
}

/// The level of a chunk.
#[inline(always)]
fn level_of(chunk: u32) -> u32 {
    31 - FIRST_LEVEL - (chunk + (1 << FIRST_LEVEL)).leading_zeros()
}
