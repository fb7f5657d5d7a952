//! COLLAPSE (Holzmann 1997): a vector is cut into components, each is kept once and numbered, and the
//! vector of the numbers is stored.

use std::sync::Arc;

use crate::budget::Budget;
use crate::exact::{Answer, ExactSession, ExactStore};
use crate::recent::Recent;
use crate::store::{Batch, Config, Fresh, Guarantee, Handle, Item, Memo, Store, words_of};

/// How vectors are cut.
#[derive(Clone, Copy, Debug)]
pub enum Cut {
    /// Into pieces of so many bytes; the last may be shorter.
    Pieces(u32),
    /// As a function of the vector and its number of bytes says: it appends the lengths of the
    /// components in bytes, from the first to the last. What it leaves over is one more component.
    By(fn(&[u64], u32, &mut Vec<u32>)),
}

impl Default for Cut {
    fn default() -> Cut {
        Cut::Pieces(8)
    }
}

/// A set of vectors that shares their components.
#[derive(Debug)]
pub struct CollapseStore {
    components: ExactStore,
    vectors: ExactStore,
    budget: Arc<Budget>,
    cut: Cut,
}

/// What a thread needs to use a [`CollapseStore`].
#[derive(Debug)]
pub struct CollapseSession {
    components: ExactSession,
    vectors: ExactSession,
    lengths: Vec<u32>,
    /// The components of all items.
    words: Vec<u64>,
    items: Vec<Item>,
    numbers: Vec<u32>,
    /// The vectors of numbers.
    packed: Vec<u64>,
    packed_items: Vec<Item>,
    recent: Recent,
}

impl CollapseStore {
    /// An empty store.
    #[must_use]
    pub fn new(config: &Config, cut: Cut) -> CollapseStore {
        let budget = Arc::new(Budget::thrifty(config));
        let part = || ExactStore::with_budget(Arc::clone(&budget));
        CollapseStore { components: part(), vectors: part(), cut, budget }
    }

    /// Cuts all items into components.
    fn cut_all(&self, session: &mut CollapseSession, batch: &Batch<'_>) {
        session.words.clear();
        session.items.clear();
        session.packed_items.clear();
        for item in batch.items {
            debug_assert_eq!(item.key, item.bytes, "all bytes count here");
            let words = batch.vector(item);
            self.cut.lengths(words, item.bytes, &mut session.lengths);
            let first = session.items.len() as u32;
            let mut start = 0;
            for &bytes in &session.lengths {
                let at = session.words.len() as u32;
                extract(words, start, bytes, &mut session.words);
                session.items.push(Item::new(at, bytes));
                start += bytes;
            }
            // For now `at` is the first of its components.
            let bytes = session.lengths.len() as u32 * 4;
            session.packed_items.push(Item::new(first, bytes));
        }
    }

    /// Packs the numbers of the components, and keeps only items that have one for each; says of each
    /// item whether it is kept.
    fn pack_all(session: &mut CollapseSession) -> Vec<bool> {
        let CollapseSession { numbers, packed, packed_items, .. } = session;
        packed.clear();
        let mut kept = Vec::with_capacity(packed_items.len());
        packed_items.retain_mut(|item| {
            let numbers = &numbers[item.at as usize..][..item.bytes as usize / 4];
            let is_kept = !numbers.contains(&0);
            kept.push(is_kept);
            if is_kept {
                item.at = packed.len() as u32;
                let pair = |pair: &[u32]| u64::from(pair[0]) | pair.get(1).map_or(0, |&high| u64::from(high) << 32);
                packed.extend(numbers.chunks(2).map(pair));
            }
            is_kept
        });
        kept
    }

    /// Looks the items up in order and puts in those that are not there.
    pub(crate) fn insert_with(&self, session: &mut CollapseSession, items: &Batch<'_>, mut answer: impl FnMut(Answer)) {
        self.cut_all(session, items);
        session.numbers.clear();
        let CollapseSession { components, words, items, numbers, .. } = &mut *session;
        self.components.insert_with(components, &batch(words, items), |answer| {
            numbers.push(match answer {
                Answer::New(number) | Answer::Old(number) => number,
                Answer::Full => 0,
            });
        });
        // Vectors without a number for each component are not asked for: there is no room for them.
        let kept = CollapseStore::pack_all(session);
        let mut answers = Vec::with_capacity(session.packed_items.len());
        let packed = batch(&session.packed, &session.packed_items);
        self.vectors.insert_with(&mut session.vectors, &packed, |answer| answers.push(answer));
        let mut answers = answers.into_iter();
        for is_kept in kept {
            answer(if is_kept { answers.next().unwrap_or(Answer::Full) } else { Answer::Full });
        }
    }
}

impl Cut {
    fn lengths(self, words: &[u64], bytes: u32, lengths: &mut Vec<u32>) {
        lengths.clear();
        if let Cut::By(cut) = self {
            cut(words, bytes, lengths);
        }
        let mut left = bytes.checked_sub(lengths.iter().sum()).expect("components lie within the vector");
        let piece = if let Cut::Pieces(piece) = self { piece.max(1) } else { left };
        while left > 0 {
            lengths.push(piece.min(left));
            left -= piece.min(left);
        }
    }
}

/// Appends some bytes of a vector as a vector of its own.
fn extract(from: &[u64], start: u32, bytes: u32, to: &mut Vec<u64>) {
    let (word, bit) = (start as usize / 8, start % 8 * 8);
    let first = to.len();
    to.extend((0..words_of(bytes)).map(|at| {
        let low = from[word + at] >> bit;
        let high = if bit == 0 { 0 } else { from.get(word + at + 1).map_or(0, |&high| high << (64 - bit)) };
        low | high
    }));
    if let Some(last) = to[first..].last_mut() {
        *last &= crate::hash::tail_mask(bytes);
    }
}

/// Puts the bytes of a component behind those of a vector that has `start` of them.
fn append(to: &mut Vec<u64>, first: usize, start: u32, component: &[u64], bytes: u32) {
    to.resize(first + words_of(start + bytes), 0);
    let (word, bit) = (first + start as usize / 8, start % 8 * 8);
    for (at, &part) in component.iter().enumerate() {
        to[word + at] |= part << bit;
        if bit != 0
            && let Some(next) = to.get_mut(word + at + 1)
        {
            *next |= part >> (64 - bit);
        }
    }
}

fn batch<'a>(words: &'a [u64], items: &'a [Item]) -> Batch<'a> {
    Batch { words, items, source_words: &[], sources: &[] }
}

impl Store for CollapseStore {
    type Session = CollapseSession;

    const USES_SOURCES: bool = false;

    fn memo(&self, _bytes: u32, _key: u32) -> Memo {
        Memo::HANDLE
    }

    fn session(&self) -> CollapseSession {
        CollapseSession {
            components: self.components.session(),
            vectors: self.vectors.session(),
            lengths: Vec::new(),
            words: Vec::new(),
            items: Vec::new(),
            numbers: Vec::new(),
            packed: Vec::new(),
            packed_items: Vec::new(),
            recent: Recent::default(),
        }
    }

    fn insert(&self, session: &mut CollapseSession, items: &Batch<'_>, fresh: &mut Vec<Fresh>) {
        let mut recent = std::mem::take(&mut session.recent);
        recent.sift(items, fresh, |items, fresh| {
            let mut places = 0..;
            self.insert_with(session, items, |answer| fresh.extend(answer.fresh(places.next())));
        });
        session.recent = recent;
    }

    fn lookup(&self, session: &mut CollapseSession, items: &Batch<'_>, known: &mut Vec<bool>) {
        self.cut_all(session, items);
        session.numbers.clear();
        let CollapseSession { components, words, items, numbers, .. } = &mut *session;
        self.components.lookup_with(components, &batch(words, items), |number| numbers.push(number.unwrap_or(0)));
        let first = known.len();
        known.extend(CollapseStore::pack_all(session));
        let mut places = (first..known.len()).filter(|&place| known[place]).collect::<Vec<_>>().into_iter();
        self.vectors.lookup_with(&mut session.vectors, &batch(&session.packed, &session.packed_items), |number| {
            known[places.next().expect("as many answers as items")] = number.is_some();
        });
    }

    fn load(&self, session: &mut CollapseSession, handle: Handle, words: &mut Vec<u64>) -> u32 {
        session.packed.clear();
        let count = self.vectors.load(&mut session.vectors, handle, &mut session.packed) / 4;
        let (first, mut bytes) = (words.len(), 0);
        for at in 0..count {
            let number = session.packed[at as usize / 2] >> (at % 2 * 32) & 0xffff_ffff;
            session.words.clear();
            let length = self.components.load(&mut session.components, Handle(number), &mut session.words);
            append(words, first, bytes, &session.words, length);
            bytes += length;
        }
        bytes
    }

    fn len(&self) -> u64 {
        self.vectors.len()
    }

    fn memory(&self) -> usize {
        self.budget.used()
    }

    fn fill(&self) -> f64 {
        self.vectors.fill()
    }

    fn guarantee(&self) -> Guarantee {
        Guarantee::Exact
    }
}
