//! Processes that are threads: to see that a search by several finds the same, whoever owns what and however long
//! messages take.

use super::{Exchange, Peers, Received};
use std::collections::VecDeque;
use std::fmt::{self, Debug};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

/// Whose a state with a hash is, among so many.
pub type Owner = Arc<dyn Fn(u64, usize) -> usize + Send + Sync>;

/// Where they meet.
struct Hall {
    desks: Mutex<Vec<Desk>>,
    changed: Condvar,
    owner: Owner,
    /// Whether one of them panicked.
    is_lost: AtomicBool,
}

/// What one of them has.
#[derive(Debug, Default)]
struct Desk {
    /// By sender: what was sent, with the round.
    inbox: Vec<VecDeque<(u64, Vec<u64>)>>,
    /// The round it is in, and whether it sends nothing more in it.
    round: u64,
    has_finished: bool,
    /// Chooses whose message comes next, and which come late.
    dice: u64,
}

/// One of them.
struct Seat {
    hall: Arc<Hall>,
    index: usize,
    count: usize,
}

/// Peers in one process. Messages of different senders arrive in any order, some of them late; a seed decides.
#[must_use]
pub fn hall(count: usize, owner: Owner, seed: u64) -> Vec<Peers> {
    let desk = |index: usize| Desk {
        inbox: vec![VecDeque::new(); count],
        dice: seed ^ (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15),
        ..Desk::default()
    };
    let desks = Mutex::new((0..count).map(desk).collect());
    let hall = Arc::new(Hall { desks, changed: Condvar::new(), owner, is_lost: AtomicBool::new(false) });
    (0..count).map(|index| Arc::new(Seat { hall: hall.clone(), index, count }) as Peers).collect()
}

impl Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {} of {}", self.index, self.count)
    }
}

impl Seat {
    fn desks(&self) -> MutexGuard<'_, Vec<Desk>> {
        self.hall.desks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        if thread::panicking() {
            self.hall.is_lost.store(true, Relaxed);
        }
    }
}

impl Desk {
    /// A number below a limit.
    fn roll(&mut self, limit: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 33) as usize % limit
    }

    /// A message of this round.
    fn take(&mut self) -> Option<Received> {
        let first = self.roll(self.inbox.len());
        let mut senders = (0..self.inbox.len()).map(|sender| (sender + first) % self.inbox.len());
        let from = senders.find(|&from| self.inbox[from].front().is_some_and(|(round, _)| *round == self.round))?;
        let (_, words) = self.inbox[from].pop_front()?;
        Some(Received::Words { from, words })
    }
}

impl Exchange for Seat {
    fn index(&self) -> usize {
        self.index
    }

    fn count(&self) -> usize {
        self.count
    }

    fn owner(&self, hash: u64) -> usize {
        (self.hall.owner)(hash, self.count)
    }

    fn is_even(&self) -> bool {
        false
    }

    fn send(&self, to: usize, words: Vec<u64>) {
        let mut desks = self.desks();
        assert!(!desks[self.index].has_finished, "nothing is sent after the end of a round");
        let round = desks[self.index].round;
        desks[to].inbox[self.index].push_back((round, words));
        self.hall.changed.notify_all();
    }

    fn finish(&self) {
        self.desks()[self.index].has_finished = true;
        self.hall.changed.notify_all();
    }

    fn receive(&self, patience: Duration) -> Received {
        if self.hall.is_lost.load(Relaxed) {
            return Received::Lost;
        }
        let mut desks = self.desks();
        if desks[self.index].roll(4) == 0 {
            return Received::Nothing;
        }
        for wait in [true, false] {
            let desk = &mut desks[self.index];
            if let Some(message) = desk.take() {
                return message;
            }
            let round = desk.round;
            if desks.iter().all(|it| it.round > round || it.round == round && it.has_finished) {
                let desk = &mut desks[self.index];
                desk.round += 1;
                desk.has_finished = false;
                self.hall.changed.notify_all();
                return Received::Over;
            }
            if !wait || patience.is_zero() {
                break;
            }
            desks = self.hall.changed.wait_timeout(desks, patience).unwrap_or_else(PoisonError::into_inner).0;
        }
        Received::Nothing
    }
}
