//! Which part of a state says whose it is.
//!
//! If the owner is a hash of the whole of a state, all but one in P successors are sent. So it is a hash of a few bits
//! that few steps change, of which there are enough that everybody has as much to do (the idea of Lerda and Sisto 1999,
//! who take the state of one process). The first process looks at some states, near and far, before the search begins, and
//! tells the others which bits these are.

use super::{Exchange, even_share, gather};
use crate::vectors::{State, Vector};
use spinor_exec::{Atlas, Limit, Semantics, Shape, Successors};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::{Duration, Instant};

/// States that are looked at, and how many of a level at most.
const STATES: usize = 1 << 12;
const WIDTH: usize = 1 << 6;
/// With fewer pairs of states of a level nothing is known of how even shares are, unless these are all states.
const PAIRS: f64 = 16_384.0;
/// Bytes of successors that are made of one state at most.
const BYTES: usize = 1 << 20;
/// Words of successors that are kept, and the most time that it takes.
const WORDS: usize = 1 << 20;
const TIME: Duration = Duration::from_millis(300);
/// What it costs to send a state, if a successor that stays costs 1. It is about 3. But what a process has of a level varies
/// more than the sample shows: with 3, one process had up to 0.64 of the states of two.
const SENDING: f64 = 2.5;
/// Hash functions of which the best is taken.
const SALTS: u64 = 64;

const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xd1b5_4a32_d192_ed03];

/// Which part of a state says whose it is: all of it, unless bits were chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    salt: u64,
    /// Words of a vector and the bits of them that count.
    parts: Vec<(usize, u64)>,
}

impl Division {
    /// Chooses bits: the first process does, and tells the others. They begin when all are there.
    pub(crate) fn found<S: Semantics>(engine: &S, first: &State, peers: &dyn Exchange) -> Division {
        let own = match peers.index() {
            0 if peers.count() > 1 => Division::chosen(engine, first, peers).words(),
            _ => Vec::new(),
        };
        // Who is lost is noticed again.
        gather(peers, &own).map_or_else(Division::default, |all| Division::read(&all[0]))
    }

    fn words(&self) -> Vec<u64> {
        let parts = self.parts.iter().flat_map(|&(at, mask)| [at as u64, mask]);
        std::iter::once(self.salt).chain(parts).collect()
    }

    fn read(words: &[u64]) -> Division {
        let Some((&salt, rest)) = words.split_first() else { return Division::default() };
        Division { salt, parts: rest.chunks_exact(2).map(|it| (it[0] as usize, it[1])).collect() }
    }

    /// A hash of what counts of a state. It depends on what the state means, not on the number of its shape here.
    #[inline(always)]
    pub(super) fn hash(&self, atlas: &dyn Atlas, signatures: &mut Vec<Option<u64>>, vector: Vector<'_>) -> u64 {
        if self.parts.is_empty() {
            debug_assert_eq!(vector.key, vector.bytes, "all of a state counts here");
            return hash(vector, signature(atlas, signatures, vector));
        }
        self.hash_of(vector.words)
    }

    #[inline(always)]
    fn hash_of(&self, words: &[u64]) -> u64 {
        self.parts.iter().fold(self.salt, |hash, &(at, mask)| fold(hash ^ (word(words, at) & mask), FACTORS[0]))
    }

    /// Whose successors are, if all of so many have even shares; false if all of a state counts. The same as
    /// [`Self::hash`] for each, but nothing is decided for each: whose the next is cannot be guessed.
    pub(super) fn owners(&self, count: usize, out: &Successors, owners: &mut Vec<u32>) -> bool {
        let step =
            |hash: u64, words: &[u64], (at, mask): (usize, u64)| fold(hash ^ (word(words, at) & mask), FACTORS[0]);
        let owner = |hash: u64| even_share(hash, count) as u32;
        let list = out.list.iter().map(|next| out.vector(next));
        match *self.parts {
            [] => return false,
            [one] => owners.extend(list.map(|words| owner(step(self.salt, words, one)))),
            [one, two] => {
                owners.extend(list.map(|words| owner(step(step(self.salt, words, one), words, two))));
            }
            _ => owners.extend(list.map(|words| owner(self.hash_of(words)))),
        }
        true
    }

    fn chosen<S: Semantics>(engine: &S, first: &State, peers: &dyn Exchange) -> Division {
        let sample = Sample::new(engine.fork(), first);
        let masks = Choice::new(&sample).best(peers.count() as f64);
        let parts: Vec<(usize, u64)> = masks.into_iter().enumerate().filter(|(_, mask)| *mask != 0).collect();
        let salts = (1..=SALTS).map(|n| Division { salt: n.wrapping_mul(FACTORS[0]), parts: parts.clone() });
        salts.min_by_key(|it| sample.most(it, peers)).unwrap_or_default()
    }
}

/// Some states of a search, and what follows them.
struct Sample {
    states: Vec<Vec<u64>>,
    /// Where each level ends.
    levels: Vec<usize>,
    /// What follows them.
    steps: Vec<Step>,
    /// How many words a state has at most.
    words: usize,
    /// Whether these are all states.
    is_complete: bool,
    /// When it is time to begin with the search.
    until: Instant,
}

struct Step {
    from: u32,
    to: Vec<u64>,
    /// Of which level the states are from which it begins.
    level: u32,
    /// Whether it leads to a state that was not seen before.
    is_new: bool,
}

impl Sample {
    /// Goes from level to level, but with few states of each, so that it comes far.
    fn new<S: Semantics>(mut engine: S, first: &State) -> Sample {
        let until = Instant::now() + TIME;
        let mut out = Successors { limit: Limit { bytes: BYTES, until: Some(until) }, ..Successors::default() };
        let mut seen = HashSet::from([first.words.clone()]);
        let mut all = Sample {
            states: vec![first.words.clone()],
            levels: vec![1],
            steps: Vec::new(),
            words: first.words.len(),
            is_complete: false,
            until,
        };
        let (mut begin, mut room, mut are_all) = (0, WORDS, true);
        while begin < all.states.len() && all.states.len() < STATES && Instant::now() < until {
            let (level, end) = (all.levels.len() as u32 - 1, all.states.len());
            let mut next: Vec<(u64, Vec<u64>)> = Vec::new();
            for number in begin..end {
                out.clear();
                engine.expand(&all.states[number], &mut out);
                room = room.saturating_sub(out.words.len());
                if room == 0 {
                    return all;
                }
                for it in &out.list {
                    let to = out.vector(it).to_vec();
                    all.words = all.words.max(to.len());
                    let is_new = seen.insert(to.clone());
                    if is_new {
                        next.push((hash(Vector { words: &to, bytes: it.bytes, key: it.key }, 0), to.clone()));
                    }
                    all.steps.push(Step { from: number as u32, to, level, is_new });
                }
            }
            // Any will do, but not only those that come from the first states.
            next.sort_unstable_by_key(|(hash, _)| *hash);
            are_all &= next.len() <= WIDTH;
            for (_, words) in next.drain(next.len().min(WIDTH)..) {
                seen.remove(&words);
            }
            all.states.extend(next.into_iter().map(|(_, words)| words));
            all.levels.push(all.states.len());
            begin = end;
        }
        all.is_complete = are_all && begin == all.states.len();
        all
    }

    /// How many new states in the sample belong to whoever gets the most of their level, in all.
    fn most(&self, division: &Division, peers: &dyn Exchange) -> u32 {
        let count = peers.count();
        let mut counts = vec![0_u32; self.levels.len() * count];
        for Step { to, level, .. } in self.steps.iter().filter(|it| it.is_new) {
            counts[*level as usize * count + peers.owner(division.hash_of(to))] += 1;
        }
        counts.chunks(count).filter_map(|level| level.iter().max()).sum()
    }
}

/// What lies between ends.
fn ranges(ends: &[usize]) -> impl Iterator<Item = Range<usize>> {
    let begins = std::iter::once(0).chain(ends.iter().copied());
    begins.zip(ends).map(|(begin, &end)| begin..end)
}

/// How many pairs there are of so many.
fn pairs(size: usize) -> f64 {
    size as f64 * (size as f64 - 1.0) / 2.0
}

/// Bits as they are chosen.
struct Choice<'a> {
    sample: &'a Sample,
    masks: Vec<u64>,
    /// For each bit, in which steps it changes.
    changes: Vec<Vec<u64>>,
    /// In which steps some bit changes that was chosen.
    changed: Vec<u64>,
    /// For each state, which it is among those of its level that differ in bits that were chosen.
    classes: Vec<u32>,
    /// How many states each such class has, and how many pairs of states of a level there are.
    sizes: Vec<usize>,
    pairs: f64,
}

impl<'a> Choice<'a> {
    fn new(sample: &'a Sample) -> Choice<'a> {
        let size = sample.steps.len().div_ceil(64);
        let mut changes = vec![Vec::new(); sample.words * 64];
        for (number, Step { from, to, .. }) in sample.steps.iter().enumerate() {
            let from = &sample.states[*from as usize];
            for at in 0..from.len().max(to.len()) {
                let mut difference = word(from, at) ^ word(to, at);
                while difference != 0 {
                    let bit = at * 64 + difference.trailing_zeros() as usize;
                    changes[bit].resize(size, 0);
                    changes[bit][number / 64] |= 1_u64 << (number % 64);
                    difference &= difference - 1;
                }
            }
        }
        Choice {
            sample,
            masks: vec![0; sample.words],
            changes,
            changed: vec![0; size],
            classes: ranges(&sample.levels).zip(0..).flat_map(|(it, level)| it.map(move |_| level)).collect(),
            sizes: ranges(&sample.levels).map(|it| it.len()).collect(),
            pairs: ranges(&sample.levels).map(|it| pairs(it.len())).sum(),
        }
    }

    /// Adds the best bit as long as there is one. None at all if too little is known, or it takes too long.
    fn best(mut self, processes: f64) -> Vec<u64> {
        let mut least = f64::MAX;
        loop {
            if !self.sample.is_complete && self.pairs < PAIRS || Instant::now() > self.sample.until {
                return Vec::new();
            }
            match self.next(least, processes) {
                Some((cost, bit)) => {
                    least = cost;
                    self.add(bit);
                }
                None => return self.masks,
            }
        }
    }

    /// The bit with which a search costs least, if less than this.
    fn next(&self, mut least: f64, processes: f64) -> Option<(f64, usize)> {
        let is_new = |bit: usize| self.masks[bit / 64] >> (bit % 64) & 1 == 0;
        let bits = (0..self.changes.len()).filter(|&bit| !self.changes[bit].is_empty() && is_new(bit));
        let mut bits: Vec<(f64, usize)> = bits.map(|bit| (self.sent(bit, processes), bit)).collect();
        bits.sort_unstable_by(|one, other| one.0.total_cmp(&other.0));
        // No bit leaves fewer pairs alike than one that divides each class into halves.
        let evenest = self.sizes.iter().map(|&size| 2.0 * pairs(size / 2)).sum::<f64>();
        let mut best = None;
        for (sent, bit) in bits {
            if self.cost(sent, evenest, processes) >= least {
                break;
            }
            let cost = self.cost(sent, self.alike(bit), processes);
            if cost < least {
                least = cost;
                best = Some((cost, bit));
            }
        }
        best
    }

    fn value(&self, state: usize, bit: usize) -> bool {
        word(&self.sample.states[state], bit / 64) >> (bit % 64) & 1 != 0
    }

    /// How many steps, of all, lead to another process with one more bit.
    fn sent(&self, bit: usize, processes: f64) -> f64 {
        let both = self.changed.iter().zip(&self.changes[bit]);
        let changed: u32 = both.map(|(one, other)| (one | other).count_ones()).sum();
        f64::from(changed) / self.sample.steps.len() as f64 * (1.0 - 1.0 / processes)
    }

    /// How many pairs of states of a level are alike in the bits that were chosen and in one more.
    fn alike(&self, bit: usize) -> f64 {
        let mut ones = vec![0_usize; self.sizes.len()];
        for (state, &class) in self.classes.iter().enumerate() {
            ones[class as usize] += usize::from(self.value(state, bit));
        }
        ones.iter().zip(&self.sizes).map(|(&ones, &size)| pairs(ones) + pairs(size - ones)).sum()
    }

    /// How long a search takes, if it takes 1 when nothing is sent and all have as much to do. States of a level that
    /// are alike belong to the same process: the more pairs of them there are, the greater is the variance of what a
    /// process has of a level.
    fn cost(&self, sent: f64, alike: f64, processes: f64) -> f64 {
        (1.0 + SENDING * sent) * (1.0 + (alike / self.pairs.max(1.0) * (processes - 1.0)).sqrt())
    }

    fn add(&mut self, bit: usize) {
        self.masks[bit / 64] |= 1 << (bit % 64);
        self.changed.iter_mut().zip(&self.changes[bit]).for_each(|(all, it)| *all |= it);
        let mut numbers = HashMap::new();
        for state in 0..self.classes.len() {
            let new = numbers.len() as u32;
            let key = (self.classes[state], self.value(state, bit));
            self.classes[state] = *numbers.entry(key).or_insert(new);
        }
        self.sizes = vec![0; numbers.len()];
        self.classes.iter().for_each(|&class| self.sizes[class as usize] += 1);
    }
}

/// A word of a vector without the number of its shape.
#[inline(always)]
fn word(words: &[u64], at: usize) -> u64 {
    match at {
        0 => Shape::without_number(words[0]),
        _ => words.get(at).copied().unwrap_or(0),
    }
}

#[inline(always)]
fn fold(one: u64, other: u64) -> u64 {
    let product = u128::from(one) * u128::from(other);
    product as u64 ^ (product >> 64) as u64
}

/// What stands for the shape of a state everywhere.
#[inline(always)]
fn signature(atlas: &dyn Atlas, known: &mut Vec<Option<u64>>, vector: Vector<'_>) -> u64 {
    let shape = Shape::id_of(vector.words[0]) as usize;
    if known.len() <= shape {
        known.resize(shape + 1, None);
    }
    *known[shape].get_or_insert_with(|| atlas.signature(shape as u32))
}

/// A hash of a state, without the number of its shape. Two words at a time, since multiplications wait for each other.
#[inline(always)]
pub(super) fn hash(vector: Vector<'_>, signature: u64) -> u64 {
    let (first, rest) = (word(vector.words, 0), &vector.words[1..]);
    let mut hash = fold(signature ^ first ^ FACTORS[0], u64::from(vector.bytes) ^ FACTORS[1]);
    let mut pairs = rest.chunks_exact(2);
    for pair in &mut pairs {
        hash = fold(hash ^ pair[0], pair[1] ^ FACTORS[0]);
    }
    let last = pairs.remainder().first().copied().unwrap_or(0);
    fold(hash ^ last, FACTORS[1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use spinor_exec::Next;

    #[test]
    fn owners_of_many_are_those_of_each() {
        let mut out = Successors::default();
        for number in 0..200_u32 {
            let words = 1 + number % 4;
            out.list.push(Next { at: out.words.len() as u32, bytes: 8 * words, key: 8 * words, distance: 1 });
            let vector = (0..words).map(|word| fold(u64::from(number) + 1, FACTORS[1] ^ u64::from(word)));
            out.words.extend(vector);
        }
        let parts = [(0, 0x00ff_ff00), (1, 0xffff), (2, 0x0f0f)];
        for used in 1..=parts.len() {
            let division = Division { salt: 7, parts: parts[..used].to_vec() };
            let mut owners = Vec::new();
            assert!(division.owners(3, &out, &mut owners));
            let each = out.list.iter().map(|next| even_share(division.hash_of(out.vector(next)), 3) as u32);
            assert_eq!(owners, each.collect::<Vec<_>>());
            assert!((0..3).all(|it| owners.contains(&it)));
        }
        assert!(!Division::default().owners(3, &out, &mut Vec::new()));
    }
}
