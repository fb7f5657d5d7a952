//! What the threads of a breadth-first search do together, in blocks that each takes when it is done with another.

use crate::frontier::{Frontier, Waiting};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What all threads do together: they fill a level.
///
/// It has the successors of the level before that are one move away, and the states that waited for it: those were
/// reached by several moves, all of them before the level before was opened. So both can be stored at the same time.
#[derive(Debug)]
pub(crate) struct Job {
    /// The level that is filled.
    pub(crate) level: usize,
    /// The states of the level before, which are expanded. What each thread has made itself is a piece.
    pub(crate) expand: Vec<Frontier>,
    /// The states that waited, in such pieces.
    pub(crate) admit: Vec<Waiting>,
    /// The blocks of each piece, in this order.
    queues: Vec<Queue>,
    pub(crate) states: usize,
    /// Bytes that the states take.
    pub(super) memory: usize,
}

/// A part of a job.
#[derive(Debug)]
pub(super) enum Block<'a> {
    Expand(&'a Frontier, Range<usize>),
    Admit(&'a Waiting, Range<usize>),
}

/// The blocks of a piece, in order, and how many of them were taken. As a rule one thread takes them all, so queues do not
/// share cache lines, which a core fetches in pairs.
#[derive(Debug)]
#[repr(align(128))]
struct Queue {
    blocks: Vec<Range<usize>>,
    taken: AtomicUsize,
}

impl Job {
    pub(crate) fn new(level: usize, expand: Vec<Frontier>, admit: Vec<Waiting>, threads: usize) -> Job {
        let lengths = || expand.iter().map(|it| it.states.len()).chain(admit.iter().map(|it| it.states.len()));
        let queue = |length| Queue { blocks: blocks(length, threads), taken: AtomicUsize::new(0) };
        let (states, queues) = (lengths().sum(), lengths().map(queue).collect());
        let memory = expand.iter().map(Frontier::memory).chain(admit.iter().map(Waiting::memory)).sum();
        Job { level, expand, admit, queues, states, memory }
    }

    /// The next block for a thread. States are expanded first: a proviso wants successors that are new, and those that
    /// waited may be among them.
    pub(super) fn take(&self, thread: usize) -> Option<Block<'_>> {
        let (expand, admit) = self.queues.split_at(self.expand.len());
        let expanded = || take(expand, thread).map(|(piece, range)| Block::Expand(&self.expand[piece], range));
        let admitted = || take(admit, thread).map(|(piece, range)| Block::Admit(&self.admit[piece], range));
        expanded().or_else(admitted)
    }

    /// Whether every block was taken. Blocks that were taken are always finished.
    pub(crate) fn is_done(&self) -> bool {
        self.queues.iter().all(|queue| queue.taken.load(Relaxed) >= queue.blocks.len())
    }
}

/// The next block, and its piece. What the thread made itself comes first: it may still be in the
/// cache of its core, and what another core has just written takes longer to read.
fn take(queues: &[Queue], thread: usize) -> Option<(usize, Range<usize>)> {
    let pieces = queues.len();
    (0..pieces).map(|turn| (thread + turn) % pieces).find_map(|piece| Some((piece, queues[piece].take()?)))
}

impl Queue {
    fn take(&self) -> Option<Range<usize>> {
        // Who finds nothing need not write what others read.
        if self.taken.load(Relaxed) >= self.blocks.len() {
            return None;
        }
        self.blocks.get(self.taken.fetch_add(1, Relaxed)).cloned()
    }
}

/// States of a block, at least and at most.
const BLOCK: (usize, usize) = (8, 256);

/// Divides a piece of this length into blocks. They become smaller towards the end, so that threads are done
/// at the same time (guided self-scheduling, Polychronopoulos and Kuck 1987).
fn blocks(length: usize, threads: usize) -> Vec<Range<usize>> {
    let (least, most) = BLOCK;
    let mut blocks = Vec::with_capacity(length / most + 16);
    let mut begin = 0;
    while begin < length {
        let left = length - begin;
        let fair = if threads > 1 { (left / (4 * threads)).clamp(least, most) } else { most };
        let end = begin + fair.min(left);
        blocks.push(begin..end);
        begin = end;
    }
    blocks
}
