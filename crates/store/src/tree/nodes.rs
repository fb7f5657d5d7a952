//! Inner nodes of trees: pairs of 32-bit words, numbered.

use std::sync::Arc;

use crate::arena::{Arena, Class, Open};
use crate::budget::Budget;
use crate::extendible::Growth;
use crate::hash::hash_vector;
use crate::index::{Candidate, Directory, Entered, Home, Index, Numbered};
use crate::region::prefetch;

/// Numbers of nodes are smaller than this.
pub(crate) const MAX_NODES: u32 = 1 << 28;
/// A node is a vector of one word.
const NODE: Class = Class { bytes: 8, key: 8 };
/// How many nodes are on their way at once.
const GROUP: usize = 256;

/// The pairs, numbered from 1. No number changes when the table grows, so that a pair can be part of
/// another one for good.
#[derive(Debug)]
pub(crate) struct Nodes {
    index: Index,
    arena: Arena,
}

/// Pairs to be looked up together.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) pairs: Vec<u64>,
    /// What they are for.
    pub(crate) places: Vec<u32>,
    homes: Vec<Home>,
}

// SAFETY: the homes are only leftovers of the last lookup; none is used again.
unsafe impl Send for Wanted {}

impl Nodes {
    pub(crate) fn new(budget: &Arc<Budget>) -> Nodes {
        Nodes { index: Index::new(Arc::clone(budget)), arena: Arena::new(Arc::clone(budget)) }
    }

    /// The pair with a number.
    #[inline]
    pub(crate) fn pair(&self, number: u32) -> u64 {
        let (pair, class) = self.arena.vector(number);
        debug_assert_eq!(class, NODE);
        // SAFETY: all vectors of this arena have eight bytes.
        u64::from_le(unsafe { pair.cast::<u64>().read_unaligned() })
    }

    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        self.arena.prefetch(number);
    }

    /// Numbers all pairs and tells `answer` the place, the pair and the number of each; 0 if there is no room.
    pub(crate) fn number_all(&self, wanted: &mut Wanted, open: &mut Open, mut answer: impl FnMut(u32, u64, u32)) {
        let mut from = 0;
        while from < wanted.pairs.len() {
            if let Some((growth, must)) = self.number_some(wanted, open, &mut from, &mut answer)
                && !self.index.grow(growth, &self.arena)
                && must
            {
                answer(wanted.places[from], wanted.pairs[from], 0);
                from += 1;
            }
        }
        wanted.pairs.clear();
        wanted.places.clear();
    }

    /// Numbers pairs from `from` on; stops when a segment should, or must, grow.
    fn number_some(
        &self,
        wanted: &mut Wanted,
        open: &mut Open,
        from: &mut usize,
        answer: &mut impl FnMut(u32, u64, u32),
    ) -> Option<(Growth, bool)> {
        let directory = self.index.read(&self.arena);
        let Wanted { pairs, places, homes } = wanted;
        // A group at a time: what is fetched must still be there when it is its turn.
        let end = pairs.len().min(*from + GROUP);
        self.fetch(&directory, &pairs[*from..end], homes);
        for home in &*homes {
            let at = *from;
            let words = [pairs[at]];
            let mut place = None;
            let entered = directory.enter(
                home,
                |number| self.arena.is(number, NODE, &words),
                || {
                    place = place.or_else(|| self.arena.write(open, NODE, &words));
                    place.map(|place| place.number).filter(|&number| number < MAX_NODES)
                },
            );
            let (number, growth) = match entered {
                Entered::Old(number) => (number, None),
                Entered::NoNumber => (0, None),
                Entered::New(number, growth) => {
                    self.arena.commit(open, place.expect("a new number has a place"));
                    (number, growth)
                }
                Entered::Crowded(growth) => return Some((growth, true)),
            };
            answer(places[at], pairs[at], number);
            *from += 1;
            if let Some(growth) = growth {
                return Some((growth, false));
            }
        }
        None
    }

    /// The numbers of all pairs, as far as they have any; 0 for the others.
    pub(crate) fn find_all(&self, wanted: &mut Wanted, mut answer: impl FnMut(u32, u64, u32)) {
        let directory = self.index.read(&self.arena);
        let Wanted { pairs, places, homes } = wanted;
        for (pairs, places) in pairs.chunks(GROUP).zip(places.chunks(GROUP)) {
            self.fetch(&directory, pairs, homes);
            for ((&pair, &place), home) in pairs.iter().zip(places).zip(&*homes) {
                let number = directory.find(home, |number| self.arena.is(number, NODE, &[pair]));
                answer(place, pair, number.unwrap_or(0));
            }
        }
        pairs.clear();
        places.clear();
    }

    /// Brings the buckets of all pairs, and the pairs that they may be equal to, into the cache.
    fn fetch(&self, directory: &Directory, pairs: &[u64], homes: &mut Vec<Home>) {
        homes.clear();
        homes.extend(pairs.iter().map(|&pair| directory.home(hash_vector(&[pair], NODE.key, NODE.code()))));
        homes.iter().for_each(Home::prefetch);
        for home in homes {
            match directory.candidate(home) {
                Some(Candidate::Number(number)) => self.arena.prefetch(number),
                Some(Candidate::NextBucket(bucket)) => prefetch(bucket),
                None => {}
            }
        }
    }
}
