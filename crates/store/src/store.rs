//! What all stores have in common.

use crate::cache::Kind;
use std::sync::atomic::{AtomicU64, Ordering};

/// A vector in [`Batch::words`].
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Its first word.
    pub at: u32,
    /// How many bytes it has.
    pub bytes: u32,
    /// How many of these count when vectors are compared: `key <= bytes`. The rest is kept along;
    /// that of the first vector with this key stays. Only [`ExactStore`](crate::ExactStore) knows
    /// the difference; all others want `key == bytes`.
    pub key: u32,
    /// Whatever who makes it wants to know of it later; no store looks at it.
    pub note: u32,
}

impl Item {
    /// One all bytes of which count.
    #[must_use]
    #[inline]
    pub fn new(at: u32, bytes: u32) -> Item {
        Item { at, bytes, key: bytes, note: 0 }
    }
}

/// A stored vector that items were made from; it differs from them in few words as a rule.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its first word in [`Batch::source_words`].
    pub at: u32,
    /// How many bytes it has.
    pub bytes: u32,
    /// Behind the last of the items that were made from it: they follow those of the source before.
    pub end: u32,
    /// Where it is stored, if that is known.
    pub handle: Option<Handle>,
}

/// Vectors to be looked up together. A vector begins at a word; the first byte is the lowest of
/// that word, and the bits of the last word beyond its bytes are zero.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// What the items are made of.
    pub words: &'a [u64],
    /// The vectors to be looked up.
    pub items: &'a [Item],
    /// What the sources are made of.
    pub source_words: &'a [u64],
    /// The vectors that the items were made from. Items behind those of the last have no source.
    pub sources: &'a [Source],
}

impl<'a> Batch<'a> {
    /// The words of an item.
    #[must_use]
    #[inline]
    pub fn vector(&self, item: &Item) -> &'a [u64] {
        &self.words[item.at as usize..][..words_of(item.bytes)]
    }

    /// The words of a source.
    #[must_use]
    #[inline]
    pub fn source(&self, source: &Source) -> &'a [u64] {
        &self.source_words[source.at as usize..][..words_of(source.bytes)]
    }
}

/// How many words hold that many bytes.
#[must_use]
#[inline]
pub const fn words_of(bytes: u32) -> usize {
    (bytes as usize).div_ceil(8)
}

/// How to find a stored vector again. What it means is private to the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(pub u64);

/// An item that was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// Which item of the batch.
    pub place: u32,
    /// Where it is now; nowhere if there is no room for it.
    pub handle: Option<Handle>,
}

/// How to remember a stored vector that is needed again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memo {
    /// By its handle; without the vector, [`Store::load`] gives it.
    pub handle: bool,
    /// As it is.
    pub vector: bool,
}

impl Memo {
    /// The handle is enough.
    pub const HANDLE: Memo = Memo { handle: true, vector: false };
    /// The store does not give it back.
    pub const VECTOR: Memo = Memo { handle: false, vector: true };
    /// The store could give it back, but that takes longer than to keep it.
    pub const BOTH: Memo = Memo { handle: true, vector: true };
}

/// How far an answer of a store can be trusted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Guarantee {
    /// No vector is taken for old that was not put in.
    Exact,
    /// Two vectors may be taken for one.
    Probabilistic {
        /// How many vectors were wrongly called old, in expectation.
        expected_omissions: f64,
    },
    /// Vectors share bits: a search of part of the states.
    Bitstate {
        /// The share of the vectors that were not wrongly called old, in expectation.
        coverage: f64,
        /// Bits for each vector: above 100 is good, below 10 poor (Holzmann).
        hash_factor: f64,
        /// How many vectors were wrongly called old, in expectation.
        expected_omissions: f64,
    },
}

impl Guarantee {
    /// How many vectors were wrongly called old, in expectation.
    #[must_use]
    pub fn expected_omissions(&self) -> f64 {
        match *self {
            Guarantee::Exact => 0.0,
            Guarantee::Probabilistic { expected_omissions } | Guarantee::Bitstate { expected_omissions, .. } => {
                expected_omissions
            }
        }
    }
}

/// What a store may use.
#[derive(Clone, Copy, Debug, Default)]
pub struct Config {
    /// The limit of [`Store::memory`].
    pub max_bytes: Option<usize>,
    /// Where the hash function begins; matters only to lossy stores, where another seed loses
    /// other vectors.
    pub seed: u64,
    /// Whether there is a core that the threads of the search leave idle: memory is asked for there.
    pub has_core: bool,
}

/// A set of vectors that several threads use at once.
pub trait Store: Sync {
    /// What a thread keeps for itself: buffers, and the piece of memory that it fills.
    type Session: Send;

    /// Whether it looks at the sources of a batch.
    const USES_SOURCES: bool;

    /// Whether it forgets vectors that a depth-first search has [left](Store::leave). Other stores need not be
    /// told what follows here.
    const FORGETS: bool = false;

    /// How vectors of so many bytes, of which `key` count, are to be remembered. It is the same for
    /// equal lengths.
    fn memo(&self, bytes: u32, key: u32) -> Memo;

    /// What a thread needs to use the store.
    fn session(&self) -> Self::Session;

    /// Looks the items up in order and puts in those that are not there. Appends these to `fresh`,
    /// in order; of equal items in one batch the first is new. A lossy store may take one for old
    /// that is not.
    fn insert(&self, session: &mut Self::Session, batch: &Batch<'_>, fresh: &mut Vec<Fresh>);

    /// The same without putting anything in: whether each item is there.
    fn lookup(&self, session: &mut Self::Session, batch: &Batch<'_>, known: &mut Vec<bool>);

    /// Appends a stored vector to `words`, whole words padded with zeros, and returns its number
    /// of bytes.
    ///
    /// # Panics
    /// If vectors of this length are not to be remembered [by their handles](Memo::handle).
    fn load(&self, session: &mut Self::Session, handle: Handle, words: &mut Vec<u64>) -> u32;

    /// How many vectors there are.
    fn len(&self) -> u64;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of memory in use: all tables, arenas and directories.
    fn memory(&self) -> usize;

    /// The share of the table that is filled, from 0.0 to 1.0, for people.
    fn fill(&self) -> f64;

    /// How far the answers can be trusted.
    fn guarantee(&self) -> Guarantee;

    /// What leads to the vector that is put in next, and how deep the search is.
    fn announce(&self, _session: &mut Self::Session, _kind: Kind, _depth: usize) {}

    /// The search goes on from a vector that is there: it is not forgotten before the search leaves it once
    /// more.
    fn hold(&self, _words: &[u64], _bytes: u32) -> Option<Handle> {
        None
    }

    /// The search leaves a vector that it put in or holds, below which it visited so many others.
    fn leave(&self, _handle: Handle, _below: u64) {}

    /// Who put a vector in wants to know when it is forgotten.
    fn follow(&self, _handle: Handle) {}

    /// The vector that was forgotten for the one that was put in last, if somebody [follows](Store::follow) it.
    fn forgotten(&self, _session: &mut Self::Session) -> Option<Vec<u64>> {
        None
    }
}

/// A number that no other store has, to tell sessions of stores apart.
pub(crate) fn identity() -> u64 {
    static STORES: AtomicU64 = AtomicU64::new(0);
    STORES.fetch_add(1, Ordering::Relaxed)
}
