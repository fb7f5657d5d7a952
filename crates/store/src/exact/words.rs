//! Vectors of at most eight bytes: the table holds them whole.
//!
//! A permutation of all words spreads them evenly, so that a table of fingerprints is exact for
//! them: equal fingerprints are equal vectors. To see that a vector is known then costs one cache
//! line instead of two. The arena has the vectors too, in the order in which they came, which is
//! where they are read again.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{ExactSession, ExactStore};
use crate::arena::{Class, Open};
use crate::extendible::Extendible;
use crate::fingerprints::{Entered, Fingerprints, Growth, Segment};
use crate::store::{Batch, Handle, Item, Seen};

/// How many items are on their way at once.
///
/// First all addresses, then all prefetches, then the items: a prefetch waits for the translation
/// of its address, and only prefetches that stand close together wait at the same time.
const GROUP: usize = 64;

/// The vectors of one length.
#[derive(Debug)]
pub(super) struct Words {
    pub(super) table: Fingerprints,
    /// The vector that the permutation makes 0 of, which is no fingerprint.
    zero: AtomicBool,
}

impl Words {
    pub(super) fn new(table: Fingerprints) -> Words {
        Words { table, zero: AtomicBool::new(false) }
    }

    #[inline]
    fn has(&self, table: &Extendible<Segment>, fingerprint: u64) -> bool {
        if fingerprint == 0 { self.zero.load(Ordering::Relaxed) } else { table.has(fingerprint) }
    }

    #[inline]
    fn enter(&self, table: &Extendible<Segment>, fingerprint: u64) -> Entered {
        match fingerprint {
            0 if self.zero.swap(true, Ordering::Relaxed) => Entered::Old,
            0 => Entered::New(None),
            _ => table.enter(fingerprint),
        }
    }
}

/// Whether a vector is kept this way.
#[inline]
pub(super) fn is_small(item: &Item) -> bool {
    item.bytes <= 8 && item.bytes > 0 && item.key == item.bytes
}

/// A permutation of all words: the finaliser of splitmix64 (Steele, Lea, Flood 2014).
#[inline]
fn permuted(word: u64) -> u64 {
    let word = word ^ 0x9e37_79b9_7f4a_7c15;
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

impl ExactStore {
    fn words(&self, bytes: u32) -> &Words {
        self.words[bytes as usize - 1].get_or_init(|| Words::new(Fingerprints::new(self.budget.clone())))
    }

    /// Inserts items that are small and of one length.
    pub(super) fn insert_words(&self, session: &mut ExactSession, batch: &Batch<'_>, seen: &mut Vec<Seen>) {
        let Some(first) = batch.items.first() else { return };
        let words = self.words(first.bytes);
        let mut from = 0;
        let mut fingerprints = std::mem::take(&mut session.fingerprints);
        fingerprints.clear();
        fingerprints.extend(batch.items.iter().map(|item| permuted(batch.words[item.at as usize])));
        let before = seen.len();
        while from < fingerprints.len() {
            let growth = self.insert_run(session, words, batch, &fingerprints, &mut from, seen);
            if let Some((growth, must)) = growth
                && !words.table.grow(growth)
                && must
            {
                seen.push(Seen::Full);
                from += 1;
            }
        }
        session.fingerprints = fingerprints;
        let new = seen[before..].iter().filter(|it| matches!(it, Seen::New(_))).count();
        self.vectors.fetch_add(new as u64, Ordering::Relaxed);
    }

    /// Answers the items from `from` on, until a segment should, or must, grow.
    fn insert_run(
        &self,
        session: &mut ExactSession,
        words: &Words,
        batch: &Batch<'_>,
        fingerprints: &[u64],
        from: &mut usize,
        seen: &mut Vec<Seen>,
    ) -> Option<(Growth, bool)> {
        let table = words.table.read();
        while *from < fingerprints.len() {
            let group = &fingerprints[*from..fingerprints.len().min(*from + GROUP)];
            let ExactSession { open, lines, .. } = session;
            let fetched = table.fetch_all(group, lines);
            for (n, &fingerprint) in group.iter().enumerate() {
                if fingerprint != 0 && fetched.is_home(n, fingerprint) {
                    seen.push(Seen::Old);
                    *from += 1;
                    continue;
                }
                let answer = self.insert_word(open, words, &table, fingerprint, (batch, &batch.items[*from]));
                match answer {
                    Err(growth) => return Some((growth, true)),
                    Ok((answer, growth)) => {
                        seen.push(answer);
                        *from += 1;
                        if let Some(growth) = growth {
                            return Some((growth, false));
                        }
                    }
                }
            }
        }
        None
    }

    /// One item; an error if a segment must grow before.
    fn insert_word(
        &self,
        open: &mut Open,
        words: &Words,
        table: &Extendible<Segment>,
        fingerprint: u64,
        (batch, item): (&Batch<'_>, &Item),
    ) -> Result<(Seen, Option<Growth>), Growth> {
        let class = Class { bytes: item.bytes, key: item.key };
        // The place comes first: what is in the table must have one.
        let Some(place) = self.arena.place(open, class) else {
            let known = words.has(table, fingerprint);
            return Ok((if known { Seen::Old } else { Seen::Full }, None));
        };
        match words.enter(table, fingerprint) {
            Entered::Old => Ok((Seen::Old, None)),
            Entered::Crowded(growth) => Err(growth),
            Entered::New(growth) => {
                self.arena.fill(place, class, batch.vector(item));
                self.arena.commit(open, place);
                Ok((Seen::New(Handle(u64::from(place.number))), growth))
            }
        }
    }

    /// Looks up items that are small and of one length.
    pub(super) fn lookup_words(&self, session: &mut ExactSession, batch: &Batch<'_>, known: &mut Vec<bool>) {
        let Some(first) = batch.items.first() else { return };
        let words = self.words(first.bytes);
        let table = words.table.read();
        for items in batch.items.chunks(GROUP) {
            session.fingerprints.clear();
            session.fingerprints.extend(items.iter().map(|item| permuted(batch.words[item.at as usize])));
            table.fetch_all(&session.fingerprints, &mut session.lines);
            known.extend(session.fingerprints.iter().map(|&fingerprint| words.has(&table, fingerprint)));
        }
    }
}
