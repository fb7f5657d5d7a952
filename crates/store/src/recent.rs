//! What a thread put in a moment ago.
//!
//! In a breadth-first search most vectors that are old were put in a moment ago: independent steps of
//! two siblings lead to the same vector. To find such a one here takes less than the way through the
//! tables of a store that cuts vectors into parts.

use std::ops::Range;

use crate::hash::{hash_pair, hash_vector};
use crate::store::{Batch, Fresh, Item, Source};

/// The logarithm of the number of slots for short vectors of one length.
const SHORT_BITS: u32 = 11;
/// The logarithm of the number of slots that point to the ring.
const LONG_BITS: u32 = 12;
/// Words in the ring; together with the slots a third of the second cache of a core.
const RING: usize = 1 << 14;
/// Vectors of so many words are not remembered.
const TOO_LONG: usize = RING / 64;
/// Bits of a slot that are bits of the hash; above these lies the position.
const TAG_BITS: u32 = 16;
const TAG: u64 = (1 << TAG_BITS) - 1;

/// The vectors that a thread put into a store last.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    /// Those of at most two words, by their number of bytes.
    short: [Short<2>; 17],
    long: Long,
    /// What is left of a batch, and where it was.
    items: Vec<Item>,
    sources: Vec<Source>,
    places: Vec<u32>,
}

impl Recent {
    /// Calls `insert` with the items of a batch that are not known to be old, as [`Store::insert`] is
    /// called with all of them.
    ///
    /// [`Store::insert`]: crate::Store::insert
    pub(crate) fn sift(
        &mut self,
        batch: &Batch<'_>,
        fresh: &mut Vec<Fresh>,
        insert: impl FnOnce(&Batch<'_>, &mut Vec<Fresh>),
    ) {
        self.sources.clear();
        if self.items.len() < batch.items.len() {
            self.items.resize(batch.items.len(), Item::new(0, 0));
            self.places.resize(batch.items.len(), 0);
        }
        let (mut from, mut kept) = (0, 0);
        for source in batch.sources {
            let end = source.end as usize;
            let all = self.keep(batch, from..end, kept);
            if all > kept {
                self.sources.push(Source { end: all as u32, ..*source });
            }
            (from, kept) = (end, all);
        }
        kept = self.keep(batch, from..batch.items.len(), kept);
        let first = fresh.len();
        insert(&Batch { items: &self.items[..kept], sources: &self.sources, ..*batch }, fresh);
        if !is_all_there(&mut fresh[first..], &self.places) {
            self.short = Default::default();
            self.long = Long::default();
        }
    }

    /// Keeps the items that are not remembered, and remembers them. So many were kept before; returns how many
    /// are now.
    #[inline(always)]
    fn keep(&mut self, batch: &Batch<'_>, range: Range<usize>, mut kept: usize) -> usize {
        for (item, place) in batch.items[range.clone()].iter().zip(range.start as u32..) {
            self.items[kept] = *item;
            self.places[kept] = place;
            let words = batch.vector(item);
            let is_known = match *words {
                [] => false,
                [low] => self.short[item.bytes as usize].is_known([low, 0]),
                [low, high] => self.short[item.bytes as usize].is_known([low, high]),
                _ => self.long.is_known(words, item.bytes),
            };
            kept += usize::from(!is_known);
        }
        kept
    }
}

/// The same for vectors of one word only, which take little time in the tables, too.
#[derive(Debug, Default)]
pub(crate) struct RecentWords {
    /// By their number of bytes.
    short: [Short<1>; 9],
    words: Vec<u64>,
    places: Vec<u32>,
}

impl RecentWords {
    /// Calls `insert` with the words of those items that are not known to be old. All have the same length.
    pub(crate) fn sift(
        &mut self,
        batch: &Batch<'_>,
        range: Range<usize>,
        fresh: &mut Vec<Fresh>,
        insert: impl FnOnce(&[u64], &mut Vec<Fresh>),
    ) {
        let items = &batch.items[range.clone()];
        let short = &mut self.short[items[0].bytes as usize];
        if self.words.len() < items.len() {
            self.words.resize(items.len(), 0);
            self.places.resize(items.len(), 0);
        }
        let mut kept = 0;
        for (item, place) in items.iter().zip(range.start as u32..) {
            let word = batch.vector(item).first().copied().unwrap_or(0);
            self.words[kept] = word;
            self.places[kept] = place;
            kept += usize::from(!short.is_known([word]));
        }
        let first = fresh.len();
        insert(&self.words[..kept], fresh);
        if !is_all_there(&mut fresh[first..], &self.places) {
            self.short = Default::default();
        }
    }
}

/// Tells the places of items in their batch; false if there was no room for one, so that it must not be
/// remembered.
fn is_all_there(fresh: &mut [Fresh], places: &[u32]) -> bool {
    fresh.iter_mut().for_each(|it| it.place = places[it.place as usize]);
    fresh.iter().all(|it| it.handle.is_some())
}

/// Vectors of one length of at most so many words: the last with each hash.
#[derive(Debug, Default)]
struct Short<const WORDS: usize> {
    slots: Vec<[u64; WORDS]>,
}

impl<const WORDS: usize> Short<WORDS> {
    #[inline(always)]
    fn place(vector: [u64; WORDS]) -> usize {
        (hash_pair(vector[0], vector[WORDS - 1]) >> (64 - SHORT_BITS)) as usize
    }

    /// Whether a vector is remembered; from now on it is. Without a branch, because nobody can foretell the
    /// answer.
    #[inline(always)]
    fn is_known(&mut self, vector: [u64; WORDS]) -> bool {
        if self.slots.is_empty() {
            self.fill();
        }
        let slot = &mut self.slots[Short::place(vector)];
        let differs = (0..WORDS).fold(0, |differs, word| differs | (slot[word] ^ vector[word]));
        *slot = vector;
        differs == 0
    }

    /// Fills the slots, each with a vector that belongs to another one.
    #[cold]
    fn fill(&mut self) {
        let zero = [0; WORDS];
        let other = (1..).map(|word| [word; WORDS]).find(|&other| Short::place(other) != Short::place(zero));
        self.slots.resize(1 << SHORT_BITS, zero);
        self.slots[Short::place(zero)] = other.expect("hashes differ");
    }
}

/// Longer vectors. They lie in a ring of words, so that those of all lengths share one piece of memory;
/// slots say where. Positions in the ring only grow: a vector is still there if nothing was written
/// to its place since.
#[derive(Debug)]
struct Long {
    /// For each hash some bits of it, and the position of the last vector that has it.
    slots: Vec<u64>,
    /// Vectors, each behind its number of bytes.
    ring: Vec<u64>,
    /// Where the next vector begins. Positions start behind the first turn: what a slot says that was
    /// never written is no longer there.
    head: usize,
}

impl Default for Long {
    fn default() -> Long {
        Long { slots: Vec::new(), ring: Vec::new(), head: 2 * RING }
    }
}

impl Long {
    /// Whether a vector is remembered; from now on it is.
    fn is_known(&mut self, words: &[u64], bytes: u32) -> bool {
        if words.len() >= TOO_LONG {
            return false;
        }
        if self.slots.is_empty() {
            self.slots.resize(1 << LONG_BITS, 0);
            self.ring.resize(RING, 0);
        }
        let hash = hash_vector(words, bytes, 0);
        let slot = &mut self.slots[(hash >> (64 - LONG_BITS)) as usize];
        let position = (*slot >> TAG_BITS) as usize;
        if (*slot ^ hash) & TAG == 0 && self.head - position <= RING {
            let at = position % RING;
            if self.ring[at] == u64::from(bytes) && self.ring[at + 1..].starts_with(words) {
                return true;
            }
        }
        if self.head % RING + words.len() >= RING {
            self.head = self.head.next_multiple_of(RING);
        }
        *slot = (self.head as u64) << TAG_BITS | hash & TAG;
        let at = self.head % RING;
        self.ring[at] = u64::from(bytes);
        self.ring[at + 1..][..words.len()].copy_from_slice(words);
        self.head += 1 + words.len();
        false
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use std::collections::HashSet;

    use super::{Recent, RecentWords};
    use crate::hash::hash_word;
    use crate::store::{Batch, Fresh, Handle, Item, Source};

    /// Vectors of some lengths, equal ones among them, some with equal words and different lengths.
    struct Items {
        words: Vec<u64>,
        items: Vec<Item>,
        sources: Vec<Source>,
    }

    impl Items {
        fn random(seed: u64, bytes: impl Fn(u64) -> u32) -> Items {
            let (mut words, mut items, mut sources) = (Vec::new(), Vec::new(), Vec::new());
            for n in 0..hash_word(seed) % 200 {
                let random = hash_word(seed << 32 | n);
                let bytes = bytes(random);
                let at = words.len() as u32;
                // Few of them, or so many that the ring turns.
                let value = if seed.is_multiple_of(2) { random >> 8 & 3 } else { random >> 8 & 0xffff };
                words.extend((0..bytes.div_ceil(8)).map(|word| if word == 0 { value } else { random >> 56 & 3 }));
                items.push(Item::new(at, bytes));
                if random >> 60 == 0 {
                    sources.push(Source { at, bytes, end: items.len() as u32, handle: Some(Handle(n)) });
                }
            }
            Items { words, items, sources }
        }

        fn batch(&self) -> Batch<'_> {
            Batch { words: &self.words, items: &self.items, source_words: &self.words, sources: &self.sources }
        }
    }

    /// The store: a set. There is no room for what `is_full` names.
    type Set = HashSet<(Vec<u64>, u32)>;

    fn insert(set: &mut Set, batch: &Batch<'_>, fresh: &mut Vec<Fresh>, is_full: bool) {
        for (item, place) in batch.items.iter().zip(0..) {
            let vector = (batch.vector(item).to_vec(), item.bytes);
            if is_full && item.bytes % 2 == 0 && !set.contains(&vector) {
                fresh.push(Fresh { place, handle: None });
            } else if set.insert(vector) {
                fresh.push(Fresh { place, handle: Some(Handle(0)) });
            }
        }
    }

    /// The source of each item, as far as it has one.
    fn sources(batch: &Batch<'_>) -> Vec<Option<Handle>> {
        let source = |item: usize| batch.sources.iter().find(|source| source.end as usize > item);
        (0..batch.items.len()).map(|item| source(item).and_then(|source| source.handle)).collect()
    }

    #[test]
    fn what_is_sifted_out_is_old() {
        let (mut recent, mut plain, mut sifted) = (Recent::default(), Set::new(), Set::new());
        let (mut all, mut asked) = (0, 0);
        for seed in 0..if cfg!(miri) { 20 } else { 3_000 } {
            let items = Items::random(seed, |random| (hash_word(random & 0x7) % 60) as u32);
            let batch = items.batch();
            let is_full = seed % 16 == 7;
            let (mut expected, mut fresh) = (Vec::new(), Vec::new());
            insert(&mut plain, &batch, &mut expected, is_full);
            recent.sift(&batch, &mut fresh, |left, fresh| {
                all += batch.items.len();
                asked += left.items.len();
                let origins = sources(&batch);
                let mut from = 0;
                for (item, source) in left.items.iter().zip(sources(left)) {
                    from += batch.items[from..].iter().position(|it| it.at == item.at).expect("one of the batch");
                    assert_eq!(source, origins[from], "{seed}");
                }
                insert(&mut sifted, left, fresh, is_full);
            });
            if !is_full {
                assert_eq!(fresh, expected, "{seed}");
            }
            assert_eq!(sifted, plain, "{seed}");
            if seed % 64 == 63 {
                // Other vectors from now on, so that there are new ones.
                plain.clear();
                sifted.clear();
                recent = Recent::default();
            }
        }
        assert!(asked < all / 4 * 3, "{asked} of {all}");
    }

    #[test]
    fn words_that_are_sifted_out_are_old() {
        let (mut recent, mut plain, mut sifted) = (RecentWords::default(), Set::new(), Set::new());
        for seed in 0..if cfg!(miri) { 20 } else { 3_000 } {
            let bytes = (seed % 9) as u32;
            let items = Items::random(seed, |_| bytes);
            let batch = items.batch();
            let first = items.items.len() / 4;
            if first == items.items.len() {
                continue;
            }
            let left: Vec<Item> = items.items[first..].to_vec();
            let mut expected = Vec::new();
            insert(&mut plain, &Batch { items: &left, ..batch }, &mut expected, false);
            expected.iter_mut().for_each(|it| it.place += first as u32);
            let mut fresh = Vec::new();
            recent.sift(&batch, first..items.items.len(), &mut fresh, |words, fresh| {
                let items: Vec<Item> = (0..words.len() as u32).map(|at| Item::new(at, bytes)).collect();
                insert(&mut sifted, &Batch { words, items: &items, ..batch }, fresh, false);
            });
            assert_eq!(fresh, expected, "{seed}");
            if seed % 64 == 63 {
                plain.clear();
                sifted.clear();
                recent = RecentWords::default();
            }
        }
    }
}
