//! States on their way to other processes.

use super::division::{Division, hash};
use super::lately::Lately;
use super::{Peers, Summary, message, reason};
use crate::control::Control;
use crate::plan::{Order, Plan};
use crate::trace::{Origin, Tag};
use crate::vectors::{Vector, append};
use spinor_exec::{Atlas, Next, Shape, Successors};
use spinor_store::words_of;
use std::hint::black_box;

/// Words after which a parcel is sent, at least and at most. Each wakes half a dozen threads on its way, so that small ones
/// take time; but nobody should wait for the whole of a level when it is over.
const FULL: (usize, usize) = (1 << 12, 1 << 16);
/// So many parcels go to each process in a round, if they are not too small or too large.
const PARCELS: usize = 4;
/// Words that a parcel may have beyond that, as a rule.
const SLACK: usize = 1 << 8;

/// What a process has for others, and what it knows of them.
#[derive(Debug)]
pub(crate) struct Abroad {
    pub(crate) peers: Peers,
    index: usize,
    /// One for each process.
    neighbours: Vec<Neighbour>,
    lately: Lately,
    /// What of a state says whose it is.
    division: Division,
    /// What stands for shapes, by their numbers here.
    signatures: Vec<Option<u64>>,
    /// The smallest level of a state that was sent in this round.
    least: usize,
    /// Whether a state that is reached by fewer moves than before is of interest again.
    minds_level: bool,
    /// Words after which a parcel is sent now, and words that were sent in this round.
    full: usize,
    words: usize,
    /// States that were sent, and messages with them.
    pub(crate) sent: u64,
    pub(crate) messages: u64,
    /// What those know who have done this round already.
    pub(crate) heard: Option<Summary>,
}

/// States as they are written down for somebody else.
#[derive(Debug, Default)]
pub(crate) struct Parcel {
    pub(crate) words: Vec<u64>,
    /// The last run of states in it, and where it begins.
    run: Option<(Run, usize)>,
    /// For each shape whether an example was given.
    announced: Vec<bool>,
}

/// The numbers here of shapes that have others elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Translation(Vec<u32>);

/// What goes to another process, and comes from it.
#[derive(Debug, Default)]
struct Neighbour {
    parcel: Parcel,
    translation: Translation,
}

/// States of one form for one level, in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    level: usize,
    bytes: u32,
    key: u32,
    is_traced: bool,
}

impl Run {
    /// A header without a count.
    fn words(self) -> [u64; 2] {
        [(self.level as u64) << 32, u64::from(self.bytes) << 32 | u64::from(self.key) << 1 | u64::from(self.is_traced)]
    }

    fn read(first: u64, second: u64) -> (Run, usize) {
        let (level, count) = ((first >> 32) as usize, first as u32 as usize);
        let (bytes, key) = ((second >> 32) as u32, (second as u32) >> 1);
        (Run { level, bytes, key, is_traced: second & 1 != 0 }, count)
    }
}

/// A state that arrived.
#[derive(Debug)]
pub(crate) struct Arrival<'a> {
    pub(crate) level: usize,
    pub(crate) vector: Vector<'a>,
    pub(crate) origin: Option<Origin>,
}

impl Abroad {
    pub(crate) fn new(peers: &Peers, plan: &Plan) -> Abroad {
        Abroad {
            peers: peers.clone(),
            index: peers.index(),
            neighbours: (0..peers.count()).map(|_| Neighbour::default()).collect(),
            lately: Lately::default(),
            division: plan.division.clone(),
            signatures: Vec::new(),
            least: usize::MAX,
            minds_level: plan.order == Order::BreadthFirst || plan.max_depth.is_some(),
            full: FULL.0,
            words: 0,
            sent: 0,
            messages: 0,
            heard: None,
        }
    }

    /// The number of this process.
    pub(crate) fn index(&self) -> usize {
        self.index
    }

    /// Whose a state is. This depends on what the state means, not on the number of its shape here.
    #[inline(always)]
    pub(crate) fn owner(&mut self, atlas: &dyn Atlas, vector: Vector<'_>) -> usize {
        self.peers.owner(self.division.hash(atlas, &mut self.signatures, vector))
    }

    /// Whose successors are, one after the other.
    pub(crate) fn owners(&mut self, atlas: &dyn Atlas, out: &Successors, owners: &mut Vec<u32>) {
        owners.clear();
        if !(self.peers.is_even() && self.division.owners(self.neighbours.len(), out, owners)) {
            let vector = |next: &Next| Vector { words: out.vector(next), bytes: next.bytes, key: next.key };
            owners.extend(out.list.iter().map(|next| self.owner(atlas, vector(next)) as u32));
        }
    }

    /// Looks at what is remembered of a state that will be sent, so that it is near then.
    #[inline(always)]
    pub(crate) fn anticipate(&self, vector: Vector<'_>) -> u64 {
        let hash = hash(vector, 0);
        black_box(self.lately.head(hash));
        hash
    }

    /// Sends a state to its owner, sooner or later; false if that was done lately. Its hash is that which was
    /// anticipated.
    #[inline(always)]
    pub(crate) fn push(&mut self, atlas: &dyn Atlas, (to, hash): (usize, u64), arrival: &Arrival<'_>) -> bool {
        let level = if self.minds_level { arrival.level as u32 } else { 0 };
        if self.lately.has(arrival.vector, level, hash) {
            return false;
        }
        let neighbour = &mut self.neighbours[to];
        if !Shape::is_agreed(Shape::id_of(arrival.vector.words[0]))
            && let Some(words) = neighbour.parcel.announce(atlas, arrival.vector)
        {
            self.messages += 1;
            self.peers.send(to, words);
        }
        neighbour.parcel.add(arrival);
        self.least = self.least.min(arrival.level);
        self.sent += 1;
        if neighbour.parcel.words.len() >= self.full {
            self.ship(to);
            if self.words / (2 * PARCELS * self.others()) > self.full {
                self.full = (2 * self.full).min(FULL.1);
            }
        }
        true
    }

    /// Sends a parcel.
    #[cold]
    fn ship(&mut self, to: usize) {
        let words = self.neighbours[to].parcel.take();
        self.messages += 1;
        self.words += words.len();
        self.peers.send(to, words);
    }

    /// Takes a message that is not of states: of the end of a round, or of the search. Whether it is one.
    pub(crate) fn hear(&mut self, control: &Control<'_>, words: &[u64]) -> bool {
        match words[0] {
            message::SUMMARY => {
                let summary = Summary::read(&words[1..]);
                self.heard = Some(self.heard.map_or(summary, |it| it.join(summary)));
            }
            message::HALT => match reason(words[1]) {
                Some(reason) => control.halt(reason),
                None => control.set_done(),
            },
            _ => return false,
        }
        true
    }

    /// Sends what is left; the smallest level of a state that was sent in this round.
    pub(crate) fn flush(&mut self) -> usize {
        for to in 0..self.neighbours.len() {
            if !self.neighbours[to].parcel.words.is_empty() {
                self.ship(to);
            }
        }
        // The next round is about as large as this one.
        self.full = (std::mem::take(&mut self.words) / (PARCELS * self.others())).clamp(FULL.0, FULL.1);
        std::mem::replace(&mut self.least, usize::MAX)
    }

    fn others(&self) -> usize {
        self.neighbours.len().saturating_sub(1).max(1)
    }

    /// Reads a message of states, or of a shape; says of each state where it is in the message.
    pub(crate) fn read(
        &mut self,
        atlas: &dyn Atlas,
        from: usize,
        words: &mut [u64],
        visit: impl FnMut(usize, Arrival<'_>),
    ) {
        self.neighbours[from].translation.read(atlas, words, visit);
    }

    pub(crate) fn memory(&self) -> usize {
        let parcels: usize = self.neighbours.iter().map(|it| it.parcel.words.capacity() * 8).sum();
        parcels + self.lately.memory()
    }
}

impl Parcel {
    /// Whether it is as large as any should be.
    pub(crate) fn is_full(&self) -> bool {
        self.words.len() >= FULL.1
    }

    /// All that is in it. The next one will be about as large.
    pub(crate) fn take(&mut self) -> Vec<u64> {
        self.run = None;
        let room = Vec::with_capacity(self.words.len() + SLACK);
        std::mem::replace(&mut self.words, room)
    }

    /// A message with an example of the shape of a state, if it is the first of a shape whose number is not agreed
    /// upon.
    pub(crate) fn announce(&mut self, atlas: &dyn Atlas, vector: Vector<'_>) -> Option<Vec<u64>> {
        let shape = Shape::id_of(vector.words[0]);
        let at = shape as usize;
        if self.announced.len() <= at {
            self.announced.resize(at + 1, false);
        }
        if std::mem::replace(&mut self.announced[at], true) || Shape::is_agreed(shape) {
            return None;
        }
        let mut words = vec![message::SHAPE, u64::from(shape)];
        write_bytes(&mut words, &atlas.describe(vector.words));
        Some(words)
    }

    /// Puts a state in.
    #[inline]
    pub(crate) fn add(&mut self, arrival: &Arrival<'_>) {
        let Arrival { level, vector, origin } = *arrival;
        let run = Run { level, bytes: vector.bytes, key: vector.key, is_traced: origin.is_some() };
        let header = match self.run {
            Some((last, at)) if last == run => at,
            _ => self.begin(run),
        };
        self.words[header] += 1;
        append(&mut self.words, vector.words);
        if let Some(Origin { tag, successor }) = origin {
            self.words.extend([u64::from(tag.middle) << 32 | u64::from(tag.number), u64::from(successor)]);
        }
    }

    /// Begins a run; where its header is.
    fn begin(&mut self, run: Run) -> usize {
        if self.words.is_empty() {
            self.words.push(message::STATES);
        }
        let at = self.words.len();
        self.words.extend(run.words());
        self.run = Some((run, at));
        at
    }
}

impl Translation {
    /// Reads a message of states, or of a shape; says of each state where it is in the message.
    pub(crate) fn read(&mut self, atlas: &dyn Atlas, words: &mut [u64], mut visit: impl FnMut(usize, Arrival<'_>)) {
        let Translation(translated) = self;
        if words[0] == message::SHAPE {
            let shape = words[1] as usize;
            if translated.len() <= shape {
                translated.resize(shape + 1, 0);
            }
            translated[shape] = atlas.shape_of(&read_bytes(&words[2..]));
            return;
        }
        let mut at = 1;
        while at < words.len() {
            let (run, count) = Run::read(words[at], words[at + 1]);
            at += 2;
            let size = words_of(run.bytes);
            for _ in 0..count {
                let shape = Shape::id_of(words[at]);
                if !Shape::is_agreed(shape) {
                    words[at] = Shape::renumbered(words[at], translated[shape as usize]);
                }
                let place = at;
                let vector = Vector { words: &words[at..at + size], bytes: run.bytes, key: run.key };
                at += size;
                let origin = run.is_traced.then(|| {
                    let (tag, successor) = (words[at], words[at + 1] as u32);
                    at += 2;
                    Origin { tag: Tag { number: tag as u32, middle: (tag >> 32) as u32 }, successor }
                });
                visit(place, Arrival { level: run.level, vector, origin });
            }
        }
    }
}

/// Appends bytes with their number.
pub(crate) fn write_bytes(words: &mut Vec<u64>, bytes: &[u8]) {
    words.push(bytes.len() as u64);
    words.extend(bytes.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    }));
}

/// What [`write_bytes`] wrote.
pub(crate) fn read_bytes(words: &[u64]) -> Vec<u8> {
    let mut bytes: Vec<u8> = words[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
    bytes.truncate(words[0] as usize);
    bytes
}
