//! What the threads of a breadth-first search do together, in blocks that each takes when it is done with another.

use crate::frontier::{Frontier, Waiting};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

#[derive(Debug)]
pub(crate) enum Work {
    /// Store what waited for this level.
    Admit(Vec<Waiting>),
    /// Expand the states of this level.
    Expand(Vec<Frontier>),
}

/// What all threads do together.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) level: usize,
    pub(crate) work: Work,
    /// The blocks of each piece.
    queues: Vec<Queue>,
    pub(crate) states: usize,
    /// Bytes that the states take.
    pub(super) memory: usize,
}

/// The blocks of a piece, in order, and how many of them were taken.
#[derive(Debug)]
struct Queue {
    blocks: Vec<Range<usize>>,
    taken: AtomicUsize,
}

impl Job {
    pub(crate) fn new(level: usize, work: Work, threads: usize) -> Job {
        let (lengths, memory): (Vec<usize>, usize) = match &work {
            Work::Admit(pieces) => {
                (pieces.iter().map(|it| it.states.len()).collect(), pieces.iter().map(Waiting::memory).sum())
            }
            Work::Expand(pieces) => {
                (pieces.iter().map(|it| it.states.len()).collect(), pieces.iter().map(Frontier::memory).sum())
            }
        };
        let states = lengths.iter().sum();
        let queue = |length| Queue { blocks: blocks(length, threads), taken: AtomicUsize::new(0) };
        Job { level, work, queues: lengths.into_iter().map(queue).collect(), states, memory }
    }

    /// The next block for a thread, and its piece. What the thread made itself comes first: it may still be in the
    /// cache of its core, and what another core has just written takes longer to read.
    pub(super) fn take(&self, thread: usize) -> Option<(usize, Range<usize>)> {
        let pieces = self.queues.len();
        (0..pieces).map(|turn| (thread + turn) % pieces).find_map(|piece| Some((piece, self.queues[piece].take()?)))
    }

    /// Whether every block was taken. Blocks that were taken are always finished.
    pub(crate) fn is_done(&self) -> bool {
        self.queues.iter().all(|queue| queue.taken.load(Relaxed) >= queue.blocks.len())
    }
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
