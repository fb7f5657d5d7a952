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

/// What all threads do together, in blocks that each takes when it is done with another.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) level: usize,
    pub(crate) work: Work,
    blocks: Vec<(usize, Range<usize>)>,
    next: AtomicUsize,
    pub(crate) states: usize,
    /// Bytes that the states take.
    pub(super) memory: usize,
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
        let states: usize = lengths.iter().sum();
        let blocks = blocks(&lengths, threads);
        Job { level, work, blocks, next: AtomicUsize::new(0), states, memory }
    }

    /// The next block, of a piece.
    pub(super) fn take(&self) -> Option<&(usize, Range<usize>)> {
        self.blocks.get(self.next.fetch_add(1, Relaxed))
    }

    /// Whether every block was taken. Blocks that were taken are always finished.
    pub(crate) fn is_done(&self) -> bool {
        self.next.load(Relaxed) >= self.blocks.len()
    }
}

/// States of a block, at least and at most.
const BLOCK: (usize, usize) = (16, 256);

/// Divides pieces of these lengths into blocks. They become smaller towards the end, so that threads are done
/// at the same time (guided self-scheduling, Polychronopoulos and Kuck 1987).
fn blocks(lengths: &[usize], threads: usize) -> Vec<(usize, Range<usize>)> {
    let (least, most) = BLOCK;
    let mut left: usize = lengths.iter().sum();
    let mut blocks = Vec::with_capacity(left / most + 16);
    for (piece, &length) in lengths.iter().enumerate() {
        let mut begin = 0;
        while begin < length {
            let fair = if threads > 1 { (left / (4 * threads)).clamp(least, most) } else { most };
            let size = fair.min(length - begin);
            blocks.push((piece, begin..begin + size));
            begin += size;
            left -= size;
        }
    }
    blocks
}
