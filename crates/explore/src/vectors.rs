//! States that wait.

use spinor_store::{Handle, words_of};

/// A packed vector with its lengths in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) bytes: u32,
    /// How many of the bytes count in comparisons.
    pub(crate) key: u32,
}

impl Vector<'_> {
    pub(crate) fn to_state(self) -> State {
        State { words: self.words.to_vec(), bytes: self.bytes, key: self.key }
    }
}

/// A packed vector that somebody owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) words: Vec<u64>,
    pub(crate) bytes: u32,
    pub(crate) key: u32,
}

impl State {
    pub(crate) fn vector(&self) -> Vector<'_> {
        Vector { words: &self.words, bytes: self.bytes, key: self.key }
    }
}

#[derive(Clone, Copy, Debug)]
struct Span {
    at: usize,
    bytes: u32,
    key: u32,
}

/// A list of vectors.
#[derive(Debug, Default)]
pub(crate) struct Vectors {
    words: Vec<u64>,
    spans: Vec<Span>,
}

impl Vectors {
    pub(crate) fn push(&mut self, vector: Vector<'_>) {
        self.spans.push(Span { at: self.words.len(), bytes: vector.bytes, key: vector.key });
        self.words.extend_from_slice(vector.words);
    }

    pub(crate) fn get(&self, index: usize) -> Vector<'_> {
        let Span { at, bytes, key } = self.spans[index];
        Vector { words: &self.words[at..at + words_of(bytes)], bytes, key }
    }

    pub(crate) fn len(&self) -> usize {
        self.spans.len()
    }

    pub(crate) fn memory(&self) -> usize {
        self.words.capacity() * 8 + self.spans.capacity() * size_of::<Span>()
    }
}

/// What a stored state is known by: where it is stored if the store gives it back, else itself.
#[derive(Debug, Default)]
pub(crate) struct Stored {
    pub(crate) handles: Vec<Handle>,
    pub(crate) vectors: Vectors,
}

impl Stored {
    /// Forgets all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.handles.clear();
        self.vectors.words.clear();
        self.vectors.spans.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.handles.len() + self.vectors.len()
    }

    pub(crate) fn memory(&self) -> usize {
        self.handles.capacity() * size_of::<Handle>() + self.vectors.memory()
    }
}
