//! The exact store: [short vectors](words) in the table itself; for others an
//! [index](crate::index) of numbers, the vectors in an [arena](crate::arena).

mod drain;
mod words;

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crossbeam_utils::CachePadded;

pub use self::drain::Drain;
use self::words::{Keys, Words, is_short};
use crate::arena::{Arena, Class, Open};
use crate::budget::Budget;
use crate::extendible::Growth;
use crate::hash::hash_vector;
use crate::index::{Candidate, Directory, Entered, Home, Index};
use crate::region::prefetch;
use crate::store::{Batch, Config, Fresh, Guarantee, Handle, Item, Memo, Store, identity};

/// How many items are on their way at once.
const GROUP: usize = 64;

/// A set of vectors that forgets nothing and confuses nothing. Vectors are equal if they have the
/// same number of bytes, the same number of bytes that count, and these are the same.
///
/// It holds at most 2^32 vectors of more than sixteen bytes, somewhat fewer if they have many
/// lengths.
#[derive(Debug)]
pub struct ExactStore {
    index: Index,
    words: Words,
    arena: Arena,
    budget: Arc<Budget>,
    vectors: CachePadded<AtomicU64>,
    /// Tells its own sessions from those of other stores.
    identity: u64,
}

/// What a thread needs to use an [`ExactStore`].
#[derive(Debug)]
pub struct ExactSession {
    open: Open,
    flight: Flight,
    keys: Keys,
    identity: u64,
}

/// Items whose memory is on its way.
#[derive(Debug, Default)]
struct Flight {
    homes: Vec<Home>,
    /// For each, the number that it may be equal to; 0 is none.
    numbers: Vec<u32>,
    lines: Vec<*const u8>,
}

// SAFETY: these are only leftovers of the last batch; none is used again.
unsafe impl Send for Flight {}

/// What came of an insertion.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// It is there under this number.
    Old(u32),
    /// It was put in under this number.
    New(u32),
    /// There is no room for it.
    Full,
}

impl Answer {
    /// What it means for an item.
    #[inline(always)]
    pub(crate) fn fresh(self, place: Option<u32>) -> Option<Fresh> {
        let handle = match self {
            Answer::Old(_) => return None,
            Answer::New(number) => Some(Handle(u64::from(number))),
            Answer::Full => None,
        };
        place.map(|place| Fresh { place, handle })
    }
}

impl ExactStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: &Config) -> ExactStore {
        ExactStore::with_budget(Arc::new(Budget::new(config)))
    }

    /// An empty store that is part of another one.
    pub(crate) fn with_budget(budget: Arc<Budget>) -> ExactStore {
        budget.force(size_of::<ExactStore>());
        ExactStore {
            index: Index::new(Arc::clone(&budget)),
            words: Words::default(),
            arena: Arena::new(Arc::clone(&budget)),
            budget,
            vectors: CachePadded::new(AtomicU64::new(0)),
            identity: identity(),
        }
    }

    /// All vectors, with their handles. The index is freed at once, the vectors as they are handed
    /// out: so that they can move to a smaller store when memory is short.
    #[must_use]
    pub fn drain(self) -> Drain {
        self.budget.release();
        Drain::new(self.arena, self.words)
    }

    /// Looks the items up in order and puts in those that are not there. All are numbered through the
    /// index, short ones too: who uses this must not use [`Store::insert`].
    #[inline]
    pub(crate) fn insert_with(&self, session: &mut ExactSession, batch: &Batch<'_>, mut answer: impl FnMut(Answer)) {
        assert_eq!(session.identity, self.identity, "a session of another store");
        let mut from = 0;
        while from < batch.items.len() {
            if let Some((growth, must)) = self.insert_some(session, batch, &mut from, &mut answer)
                && !self.index.grow(growth, &self.arena)
                && must
            {
                answer(Answer::Full);
                from += 1;
            }
        }
    }

    /// Answers the items from `from` on, until a segment should, or must, grow.
    #[inline]
    fn insert_some(
        &self,
        session: &mut ExactSession,
        batch: &Batch<'_>,
        from: &mut usize,
        answer: &mut impl FnMut(Answer),
    ) -> Option<(Growth, bool)> {
        let directory = self.index.read(&self.arena);
        let mut new = 0;
        let mut stop = None;
        'groups: while *from < batch.items.len() && stop.is_none() {
            let group = *from..batch.items.len().min(*from + GROUP);
            self.fetch(&directory, batch, group.clone(), &mut session.flight);
            let Flight { homes, numbers, .. } = &session.flight;
            for ((at, home), &number) in group.zip(homes).zip(numbers) {
                if self.is_candidate(batch, &batch.items[at], number) {
                    answer(Answer::Old(number));
                    *from += 1;
                    continue;
                }
                match self.enter(&directory, home, batch, at, &mut session.open) {
                    Entered::Old(number) => answer(Answer::Old(number)),
                    Entered::NoNumber => answer(Answer::Full),
                    Entered::New(number, growth) => {
                        new += 1;
                        stop = stop.or(growth.map(|growth| (growth, false)));
                        answer(Answer::New(number));
                    }
                    Entered::Crowded(growth) => {
                        stop = Some((growth, true));
                        break 'groups;
                    }
                }
                *from += 1;
            }
        }
        self.arena.publish(&session.open);
        self.vectors.fetch_add(new, Ordering::Relaxed);
        stop
    }

    /// Brings the buckets of a group of items, and the vectors that they may be equal to, into the
    /// cache.
    ///
    /// First all addresses, then all prefetches: a prefetch waits for the translation of its address,
    /// and only prefetches that stand close together wait at the same time. A pipeline with a prefetch
    /// for each item that is entered took half as long again.
    #[inline]
    fn fetch(&self, directory: &Directory, batch: &Batch<'_>, group: Range<usize>, flight: &mut Flight) {
        let Flight { homes, numbers, lines } = flight;
        homes.clear();
        homes.extend(batch.items[group].iter().map(|item| {
            debug_assert!(item.key <= item.bytes);
            directory.home(hash_vector(batch.vector(item), item.key, class(item).code()))
        }));
        homes.iter().for_each(Home::prefetch);
        lines.clear();
        numbers.clear();
        numbers.extend(homes.iter().map(|home| match directory.candidate(home) {
            Some(Candidate::Number(number)) => {
                lines.extend(self.arena.lines(number));
                number
            }
            Some(Candidate::NextBucket(bucket)) => {
                lines.push(bucket);
                0
            }
            None => 0,
        }));
        lines.iter().for_each(|&line| prefetch(line));
    }

    /// Whether an item is equal to the vector that was fetched for it: the usual case.
    #[inline(always)]
    fn is_candidate(&self, batch: &Batch<'_>, item: &Item, number: u32) -> bool {
        number != 0 && self.arena.is(number, class(item), batch.vector(item))
    }

    /// Looks one item up and puts it in if it is not there.
    fn enter(&self, directory: &Directory, home: &Home, batch: &Batch<'_>, at: usize, open: &mut Open) -> Entered {
        let item = &batch.items[at];
        let (class, words) = (class(item), batch.vector(item));
        let mut place = None;
        let entered = directory.enter(
            home,
            |number| self.arena.is(number, class, words),
            || {
                place = place.or_else(|| self.arena.write(open, class, words));
                place.map(|place| place.number)
            },
        );
        if let (Entered::New(..), Some(place)) = (entered, place) {
            self.arena.commit(open, place);
        }
        entered
    }

    /// Looks the items up in order; the number of each that is there.
    #[inline]
    pub(crate) fn lookup_with(
        &self,
        session: &mut ExactSession,
        batch: &Batch<'_>,
        mut answer: impl FnMut(Option<u32>),
    ) {
        assert_eq!(session.identity, self.identity, "a session of another store");
        let directory = self.index.read(&self.arena);
        for start in (0..batch.items.len()).step_by(GROUP) {
            let group = start..batch.items.len().min(start + GROUP);
            self.fetch(&directory, batch, group.clone(), &mut session.flight);
            let Flight { homes, numbers, .. } = &session.flight;
            for ((item, home), &number) in batch.items[group].iter().zip(homes).zip(numbers) {
                if self.is_candidate(batch, item, number) {
                    answer(Some(number));
                    continue;
                }
                let (class, words) = (class(item), batch.vector(item));
                answer(directory.find(home, |number| self.arena.is(number, class, words)));
            }
        }
    }
}

#[inline]
fn class(item: &Item) -> Class {
    Class { bytes: item.bytes, key: item.key }
}

/// Whether two items have the same lengths.
#[inline(always)]
fn is_alike(a: &Item, b: &Item) -> bool {
    a.bytes == b.bytes && a.key == b.key
}

impl Store for ExactStore {
    type Session = ExactSession;

    const USES_SOURCES: bool = false;

    fn memo(&self, bytes: u32, key: u32) -> Memo {
        if is_short(bytes, key) { Memo::VECTOR } else { Memo::HANDLE }
    }

    fn session(&self) -> ExactSession {
        self.budget.join();
        ExactSession {
            open: Open::default(),
            flight: Flight::default(),
            keys: Keys::default(),
            identity: self.identity,
        }
    }

    fn insert(&self, session: &mut ExactSession, batch: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        assert_eq!(session.identity, self.identity, "a session of another store");
        let mut first = 0;
        for items in batch.items.chunk_by(is_alike) {
            let batch = Batch { items, ..*batch };
            if is_short(items[0].bytes, items[0].key) {
                let new = self.words.insert(&self.budget, &mut session.keys, &batch, (first, fresh));
                self.vectors.fetch_add(new, Ordering::Relaxed);
            } else {
                let mut places = first as u32..;
                self.insert_with(session, &batch, |answer| fresh.extend(answer.fresh(places.next())));
            }
            first += items.len();
        }
    }

    fn lookup(&self, session: &mut ExactSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        for items in batch.items.chunk_by(is_alike) {
            let batch = Batch { items, ..*batch };
            if is_short(items[0].bytes, items[0].key) {
                self.words.lookup(&self.budget, &mut session.keys, &batch, known);
            } else {
                self.lookup_with(session, &batch, |number| known.push(number.is_some()));
            }
        }
    }

    fn load(&self, _session: &mut ExactSession, handle: Handle, words: &mut Vec<u64>) -> u32 {
        self.arena.load(handle.0 as u32, words)
    }

    fn len(&self) -> u64 {
        self.vectors.load(Ordering::Relaxed)
    }

    fn memory(&self) -> usize {
        self.budget.used()
    }

    fn fill(&self) -> f64 {
        self.len() as f64 / (self.index.slots(&self.arena) + self.words.slots()) as f64
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }
}
