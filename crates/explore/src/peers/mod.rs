//! A search by several processes (paper 001): each state belongs to one of them, which stores and expands it;
//! what others reach is sent there.
//!
//! All processes do the same things in the same order, and meet at the end of each round: a level of a
//! breadth-first search, a depth-first search as a whole, or a question that all answer. Nothing is sent from one
//! round to another, so that a round that is over left nothing on its way.

mod division;
mod hall;
mod lately;
mod meeting;
mod parcel;
mod share;
mod termination;

pub use division::Division;
pub use hall::{Owner, hall};
pub(crate) use meeting::{call_off, drain, is_lost, knowledge, learn, meet};
pub(crate) use parcel::{Abroad, Arrival, Parcel, Translation, read_bytes, write_bytes};
pub(crate) use share::{Letter, Share, merge, share};
pub(crate) use termination::Termination;

use crate::report::StopReason;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

/// How the processes of a search reach each other.
pub trait Exchange: Debug + Send + Sync {
    /// The number of this process.
    fn index(&self) -> usize;

    /// How many there are.
    fn count(&self) -> usize;

    /// Whose a state with this hash is.
    fn owner(&self, hash: u64) -> usize {
        even_share(hash, self.count())
    }

    /// Whether all have shares of the same size, and in their order: then nobody asks whose each single state is.
    fn is_even(&self) -> bool {
        true
    }

    /// Sends something to another process. What goes to one process arrives in order.
    fn send(&self, to: usize, words: Vec<u64>);

    /// Whether others are so much behind that it is better to wait.
    fn is_congested(&self) -> bool {
        false
    }

    /// This process sends nothing more in this round.
    fn finish(&self);

    /// What arrived in this round. Waits for so long at most.
    fn receive(&self, patience: Duration) -> Received;
}

/// In which of so many even shares a hash is.
#[inline(always)]
pub(crate) fn even_share(hash: u64, count: usize) -> usize {
    ((u128::from(hash) * count as u128) >> 64) as usize
}

/// What arrived from other processes.
#[derive(Debug)]
pub enum Received {
    /// Something that was sent.
    Words {
        /// By whom.
        from: usize,
        /// What.
        words: Vec<u64>,
    },
    /// Nothing yet.
    Nothing,
    /// All processes have finished the round, and all that they sent here has arrived. The next round begins.
    Over,
    /// Some process cannot be reached any more.
    Lost,
}

/// The processes that search together.
pub type Peers = Arc<dyn Exchange>;

/// What the first word of a message says.
pub(crate) mod message {
    /// States.
    pub(crate) const STATES: u64 = 0;
    /// An example of a shape.
    pub(crate) const SHAPE: u64 = 1;
    /// What a process knows at the end of a round.
    pub(crate) const SUMMARY: u64 = 2;
    /// All must stop.
    pub(crate) const HALT: u64 = 3;
    /// The token that asks whether the search is over.
    pub(crate) const TOKEN: u64 = 4;
    /// The search is over.
    pub(crate) const OVER: u64 = 5;
}

/// How long a process sleeps before it looks at its limits while it waits for others.
pub(crate) const NAP: Duration = Duration::from_millis(20);

/// Sends the same to all others.
pub(crate) fn tell(peers: &dyn Exchange, words: &[u64]) {
    for to in (0..peers.count()).filter(|&to| to != peers.index()) {
        peers.send(to, words.to_vec());
    }
}

/// What every process has to say, in their order. None: somebody is lost. States that arrive meanwhile are not wanted
/// any more.
pub(crate) fn gather(peers: &dyn Exchange, own: &[u64]) -> Option<Vec<Vec<u64>>> {
    let mut all = vec![Vec::new(); peers.count()];
    all[peers.index()] = own.to_vec();
    let mut words = vec![message::SUMMARY];
    words.extend_from_slice(own);
    tell(peers, &words);
    peers.finish();
    loop {
        match peers.receive(NAP) {
            Received::Words { from, words } if words[0] == message::SUMMARY => all[from] = words[1..].to_vec(),
            Received::Words { .. } | Received::Nothing => {}
            Received::Over => return Some(all),
            Received::Lost => return None,
        }
    }
}

/// What a process knows at the end of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The next level for which there are states; [`usize::MAX`] if there are none.
    pub(crate) next: usize,
    /// The length of the shortest violation that is known.
    pub(crate) best: usize,
    /// Why the search must end.
    pub(crate) halted: Option<StopReason>,
    /// Whether what is looked for is found.
    pub(crate) done: bool,
    /// Whether it is time for a checkpoint.
    pub(crate) is_due: bool,
}

impl Summary {
    pub(crate) fn words(self) -> [u64; 5] {
        [self.next as u64, self.best as u64, code(self.halted), self.done.into(), self.is_due.into()]
    }

    pub(crate) fn read(words: &[u64]) -> Summary {
        let [next, best, halted, done, is_due] = words[..5].try_into().expect("a summary has five words");
        let (next, best, halted) = (next as usize, best as usize, reason(halted));
        Summary { next, best, halted, done: done != 0, is_due: is_due != 0 }
    }

    /// What two know together.
    pub(crate) fn join(self, other: Summary) -> Summary {
        Summary {
            next: self.next.min(other.next),
            best: self.best.min(other.best),
            halted: self.halted.or(other.halted),
            done: self.done || other.done,
            is_due: self.is_due || other.is_due,
        }
    }
}

const REASONS: [StopReason; 11] = [
    StopReason::Violation,
    StopReason::Memory,
    StopReason::Time,
    StopReason::Depth,
    StopReason::EndlessAtomic,
    StopReason::Interrupted,
    StopReason::StoreFull,
    StopReason::CacheFull,
    StopReason::Processes,
    StopReason::Lost,
    StopReason::Fault,
];

/// A reason as a number, 0 being none.
pub(crate) fn code(reason: Option<StopReason>) -> u64 {
    reason.and_then(|reason| REASONS.iter().position(|it| *it == reason)).map_or(0, |place| place as u64 + 1)
}

/// The reason of a number.
pub(crate) fn reason(code: u64) -> Option<StopReason> {
    REASONS.get((code as usize).checked_sub(1)?).copied()
}
