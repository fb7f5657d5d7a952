//! The threads that work on a level together.
//!
//! The leader puts a job on a board and begins with it; who looks at the board takes part, and holds the job as long as
//! it does. So a level ends when nobody but the leader holds its job. Nobody waits for a thread that sleeps, or that has
//! no core: it comes too late, and finds nothing to do.

use super::lock;
use crate::expand::Expand;
use crate::worker::{Context, Job, Worker};
use spinor_store::Store;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, Scope, Thread};
use std::time::{Duration, Instant};

/// How long a thread looks at the board before it sleeps: to be woken takes longer than many a level.
const PATIENCE: Duration = Duration::from_millis(1);

/// How long a level must take, as far as is known, for a thread to be woken.
const WAKE: Duration = Duration::from_micros(100);

/// Where the leader shows what there is to do.
#[derive(Debug, Default)]
pub(super) struct Board {
    job: Mutex<Option<Arc<Job>>>,
    bell: Bell,
}

/// What threads look at that wait for a job. Nothing else is in its cache lines: to write there takes the longer the more
/// look.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Bell {
    /// How many jobs there were.
    count: AtomicU64,
    /// There will be no more.
    is_over: AtomicBool,
}

impl Board {
    fn job(&self) -> MutexGuard<'_, Option<Arc<Job>>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a job after so many; the job, if it is still there, and how many there were. None if there will be no more.
    fn next(&self, seen: u64, patience: Duration, sleeps: &AtomicBool) -> Option<(u64, Option<Arc<Job>>)> {
        let is_news = || self.bell.count.load(SeqCst) != seen || self.bell.is_over.load(SeqCst);
        let begun = Instant::now();
        while !is_news() {
            if begun.elapsed() < patience {
                (0..64).take_while(|_| !is_news()).for_each(|_| std::hint::spin_loop());
                continue;
            }
            sleeps.store(true, SeqCst);
            if !is_news() {
                thread::park();
            }
            sleeps.store(false, SeqCst);
        }
        if self.bell.is_over.load(SeqCst) {
            return None;
        }
        let job = self.job();
        Some((self.bell.count.load(SeqCst), job.clone()))
    }
}

/// The other threads of a search, as the leader sees them.
pub(super) struct Team<'a> {
    board: &'a Board,
    mates: Vec<Mate>,
    /// How long the last job took, a state.
    pace: Duration,
}

struct Mate {
    thread: Thread,
    sleeps: Arc<AtomicBool>,
}

impl<'a> Team<'a> {
    /// A thread for each worker.
    pub(super) fn hire<'scope, S: Expand, T: Store>(
        scope: &'scope Scope<'scope, '_>,
        cx: &'scope Context<'_, T>,
        board: &'a Board,
        workers: &'scope [Mutex<Worker<S>>],
    ) -> Team<'a>
    where
        'a: 'scope,
    {
        // Who has to share a core does not keep it busy with waiting.
        let patience = if cx.control.plan.has_cores() { PATIENCE } else { Duration::ZERO };
        let hire = |worker: &'scope Mutex<Worker<S>>| {
            let sleeps = Arc::new(AtomicBool::new(false));
            let own = sleeps.clone();
            let mate = scope.spawn(move || {
                let mut session = cx.store.session();
                let mut seen = 0;
                while let Some((count, job)) = board.next(seen, patience, &own) {
                    seen = count;
                    if let Some(job) = job {
                        lock(worker).work(cx, &mut session, &job, &mut |_| {});
                    }
                }
            });
            Mate { thread: mate.thread().clone(), sleeps }
        };
        Team { board, mates: workers.iter().map(hire).collect(), pace: Duration::ZERO }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.mates.is_empty()
    }

    /// Does a job together with the leader, who does its part in `lead`.
    pub(super) fn perform(&mut self, job: Job, lead: impl FnOnce(&Job)) -> Job {
        let states = u32::try_from(job.states).unwrap_or(u32::MAX).max(1);
        let mut job = Arc::new(job);
        *self.board.job() = Some(job.clone());
        self.board.bell.count.fetch_add(1, SeqCst);
        let is_long = self.pace.saturating_mul(states) >= WAKE;
        for mate in self.mates.iter().filter(|mate| is_long && mate.sleeps.load(SeqCst)) {
            mate.thread.unpark();
        }
        let begun = Instant::now();
        lead(&job);
        self.pace = begun.elapsed() / states;
        *self.board.job() = None;
        let begun = Instant::now();
        loop {
            // To try it writes where others read.
            while Arc::strong_count(&job) > 1 {
                // Who has a part of it needs a core, perhaps this one.
                if begun.elapsed() < PATIENCE { std::hint::spin_loop() } else { thread::yield_now() }
            }
            job = match Arc::try_unwrap(job) {
                Ok(job) => return job,
                Err(job) => job,
            };
        }
    }
}

impl Drop for Team<'_> {
    fn drop(&mut self) {
        self.board.bell.is_over.store(true, SeqCst);
        self.mates.iter().for_each(|mate| mate.thread.unpark());
    }
}
