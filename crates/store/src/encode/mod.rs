//! Codes for whole vectors: Algorithm 4 of Holzmann, Godefroid and Pirottin (1992).
//!
//! A code must be the same from the beginning of a search to its end, or equal states would have
//! different codes; so it is made before, from a sample. No two vectors have the same code: states are
//! never confused.

mod huffman;
mod run_length;

pub use self::huffman::{Frequencies, Huffman};
pub use self::run_length::RunLength;

use crate::store::{Batch, Fresh, Guarantee, Handle, Item, Memo, Store};

/// A code of vectors that no two vectors share.
#[derive(Clone, Debug)]
pub enum Code {
    /// Each byte by as many bits as its frequency is worth.
    Huffman(Box<Huffman>),
    /// Equal bytes in a row as their number and the byte.
    RunLength(RunLength),
}

impl Code {
    /// Appends the code of a vector of so many bytes, whole words padded with zeros; how many bytes the
    /// code has.
    #[inline]
    pub fn encode(&self, words: &[u64], bytes: u32, out: &mut Vec<u64>) -> u32 {
        match self {
            Code::Huffman(code) => code.encode(words, bytes, out),
            Code::RunLength(code) => code.encode(words, bytes, out),
        }
    }

    /// Appends the vector of a code of so many bytes; how many bytes the vector has.
    #[inline]
    pub fn decode(&self, code_words: &[u64], code_bytes: u32, out: &mut Vec<u64>) -> u32 {
        match self {
            Code::Huffman(code) => code.decode(code_words, code_bytes, out),
            Code::RunLength(code) => code.decode(code_words, code_bytes, out),
        }
    }

    /// The least number of bytes of the code of a vector of so many bytes.
    #[must_use]
    pub fn shortest(&self, bytes: u32) -> u32 {
        match self {
            Code::Huffman(code) => code.shortest(bytes),
            Code::RunLength(code) => code.shortest(bytes),
        }
    }
}

/// The byte of a vector at a place.
#[inline(always)]
fn byte(words: &[u64], at: u32) -> u8 {
    (words[at as usize / 8] >> (at % 8 * 8)) as u8
}

/// Bytes that become words.
struct Writer<'a> {
    words: &'a mut Vec<u64>,
    bytes: u32,
}

impl Writer<'_> {
    #[inline(always)]
    fn push(&mut self, byte: u8) {
        let shift = self.bytes % 8 * 8;
        match self.words.last_mut() {
            Some(word) if shift != 0 => *word |= u64::from(byte) << shift,
            _ => self.words.push(u64::from(byte)),
        }
        self.bytes += 1;
    }
}

/// A store of the codes of vectors, which wants all bytes of a vector to count.
#[derive(Debug)]
pub struct Encoded<S> {
    code: Code,
    inner: S,
}

/// What a thread needs to use an [`Encoded`] store.
#[derive(Debug)]
pub struct EncodedSession<T> {
    inner: T,
    words: Vec<u64>,
    items: Vec<Item>,
}

impl<S: Store> Encoded<S> {
    /// A store of codes, in an empty store.
    #[must_use]
    pub fn new(code: Code, inner: S) -> Encoded<S> {
        Encoded { code, inner }
    }

    /// The codes of all items.
    fn encode(&self, session: &mut EncodedSession<S::Session>, batch: &Batch<'_>) {
        let EncodedSession { words, items, .. } = session;
        words.clear();
        items.clear();
        items.extend(batch.items.iter().map(|item| {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            let at = words.len() as u32;
            let bytes = self.code.encode(batch.vector(item), item.bytes, words);
            Item::new(at, bytes)
        }));
    }
}

impl<S: Store> Store for Encoded<S> {
    type Session = EncodedSession<S::Session>;

    const USES_SOURCES: bool = false;

    /// As the inner store remembers the shortest code that a vector of this length can have: a store
    /// gives back what is longer if it gives back what is shorter.
    fn memo(&self, bytes: u32, _key: u32) -> Memo {
        let shortest = self.code.shortest(bytes);
        if self.inner.memo(shortest, shortest).handle { Memo::HANDLE } else { Memo::VECTOR }
    }

    fn session(&self) -> Self::Session {
        EncodedSession { inner: self.inner.session(), words: Vec::new(), items: Vec::new() }
    }

    fn insert(&self, session: &mut Self::Session, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        self.encode(session, batch);
        let EncodedSession { inner, words, items } = session;
        self.inner.insert(inner, &Batch { words, items, source_words: &[], sources: &[] }, fresh);
    }

    fn lookup(&self, session: &mut Self::Session, batch: &Batch<'_>, known: &mut Vec<bool>) {
        self.encode(session, batch);
        let EncodedSession { inner, words, items } = session;
        self.inner.lookup(inner, &Batch { words, items, source_words: &[], sources: &[] }, known);
    }

    fn load(&self, session: &mut Self::Session, handle: Handle, words: &mut Vec<u64>) -> u32 {
        session.words.clear();
        let bytes = self.inner.load(&mut session.inner, handle, &mut session.words);
        self.code.decode(&session.words, bytes, words)
    }

    fn len(&self) -> u64 {
        self.inner.len()
    }

    fn memory(&self) -> usize {
        self.inner.memory()
    }

    fn fill(&self) -> f64 {
        self.inner.fill()
    }

    fn guarantee(&self) -> Guarantee {
        self.inner.guarantee()
    }
}
