//! Depth-first search by one thread or several.
//!
//! Each thread has a stack of its own over the same store. One that has nothing to do waits until
//! another gives a part of its stack away: the oldest successor that it has not visited, with the
//! choices that lead there. Only one thread alone visits in SPIN's order; without reduction the states and
//! the transitions are the same with several, depth and trails are not.

mod together;

use crate::control::Control;
use crate::expand::Expand;
use crate::findings::{Counts, Tally};
use crate::observe::{Observer, Progress};
use crate::plan::Plan;
use crate::report::Violation;
use crate::sample::sample;
use crate::stack::Task;
use crate::stores::Search;
use crate::vectors::State;
use crate::walker::{Foreign, Walker};
use spinor_store::{Handle, Store};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Condvar, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;
use together::Together;

/// How long a thread that waits for work sleeps before it looks whether the search is over.
const NAP: Duration = Duration::from_millis(20);

/// A depth-first search that can be interrupted, to go on with another store.
pub(crate) struct DepthFirst<S> {
    walkers: Vec<Mutex<Walker<S>>>,
    exchange: Exchange,
    together: Together,
}

/// Where threads give and take parts of the search.
#[derive(Debug, Default)]
struct Exchange {
    board: Mutex<Board>,
    changed: Condvar,
    /// Threads that wait and have not been given anything.
    hungry: AtomicUsize,
}

#[derive(Debug, Default)]
struct Board {
    tasks: Vec<Task>,
    idle: usize,
}

impl Exchange {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().expect("no panic under the lock")
    }

    fn give(&self, task: Task) {
        let mut board = self.board();
        board.tasks.push(task);
        self.hungry.store(board.idle.saturating_sub(board.tasks.len()), Relaxed);
        self.changed.notify_one();
    }

    /// Waits for something to do; nothing if all threads wait, or the search must rest.
    fn take(&self, control: &Control<'_>, threads: usize, while_waiting: &mut dyn FnMut()) -> Option<Task> {
        let mut board = self.board();
        board.idle += 1;
        loop {
            // What was given stays there while the search rests: it may go on in another store.
            if control.must_rest() {
                self.changed.notify_all();
                return None;
            }
            if let Some(task) = board.tasks.pop() {
                board.idle -= 1;
                self.hungry.store(board.idle.saturating_sub(board.tasks.len()), Relaxed);
                return Some(task);
            }
            if board.idle == threads {
                self.changed.notify_all();
                return None;
            }
            self.hungry.store(board.idle, Relaxed);
            board = self.changed.wait_timeout(board, NAP).expect("no panic under the lock").0;
            while_waiting();
        }
    }
}

fn lock<S>(walker: &Mutex<Walker<S>>) -> MutexGuard<'_, Walker<S>> {
    walker.lock().expect("a thread that panicked ends the search")
}

impl<S: Expand> DepthFirst<S> {
    pub(crate) fn new(engine: &S, first: &State, plan: &Plan) -> DepthFirst<S> {
        let walkers: Vec<_> = (0..plan.threads)
            .map(|_| Mutex::new(Walker::new(engine.fork(), first.clone(), plan.threads > 1)))
            .collect();
        let mut search = DepthFirst { walkers, exchange: Exchange::default(), together: Together::default() };
        if let Some(peers) = &plan.peers {
            search.begin_together(first, Foreign::new(peers, plan));
        } else {
            let (state, choices) = (first.clone(), Vec::new());
            lock(&search.walkers[0]).begin(Task { state, depth: 0, choices, is_claimed: false });
        }
        search
    }

    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.walkers.iter().for_each(|walker| counts.merge(&lock(walker).counts));
        counts
    }

    pub(crate) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        self.walkers.iter().for_each(|walker| tally.merge(&lock(walker).tally));
        tally
    }

    pub(crate) fn take_violations(&mut self) -> Vec<Violation> {
        self.walkers.iter().flat_map(|walker| std::mem::take(&mut lock(walker).violations)).collect()
    }

    /// Whether any thread executed a statement.
    pub(crate) fn was_executed(&self, check: impl Fn(&S) -> bool) -> bool {
        self.walkers.iter().any(|walker| check(&lock(walker).engine))
    }

    /// What one thread does. `watch` is called now and then.
    fn work<T: Store>(&self, control: &Control<'_>, store: &T, index: usize, watch: &mut dyn FnMut(Progress)) {
        let threads = self.walkers.len();
        let mut session = store.session();
        let walker = &mut *lock(&self.walkers[index]);
        loop {
            if walker.is_done() {
                let task = self.exchange.take(control, threads, &mut || watch(Progress::default()));
                let Some(task) = task else { break };
                walker.begin(task);
            }
            walker.walk(control, store, &mut session, &mut |walker| {
                control.set_size(index, walker.memory());
                if self.exchange.hungry.load(Relaxed) > 0
                    && let Some(task) = walker.share()
                {
                    self.exchange.give(task);
                }
                watch(Progress {
                    depth: walker.depth(),
                    waiting: walker.waiting(),
                    errors: walker.tally.total(),
                    ..Progress::default()
                });
            });
            if control.must_rest() {
                self.exchange.changed.notify_all();
                break;
            }
        }
        control.set_size(index, walker.memory());
    }
}

impl<S: Expand> Search for DepthFirst<S> {
    fn run<T: Store>(&mut self, control: &Control<'_>, store: &T, observer: &mut dyn Observer) {
        if let Some(peers) = control.plan.peers.clone() {
            return self.run_together((control, peers), store, observer);
        }
        self.exchange.board().idle = 0;
        let search = &*self;
        thread::scope(|scope| {
            for index in 1..search.walkers.len() {
                scope.spawn(move || search.work(control, store, index, &mut |_| {}));
            }
            search.work(control, store, 0, &mut |progress| control.watch(store, progress, observer));
        });
    }

    fn conclude<T: Store>(&mut self, control: &Control<'_>, _: &T) {
        self.part(control);
    }

    fn abandon(&mut self, control: &Control<'_>) {
        self.part(control);
    }

    fn handles(&mut self, _: &mut dyn FnMut(&mut Handle)) {
        // The stacks hold vectors.
        self.walkers.iter().for_each(|walker| lock(walker).forget_handles());
    }

    fn compares_all(&self) -> bool {
        lock(&self.walkers[0]).compares_all()
    }

    fn sample(&self, visit: &mut dyn FnMut(&[u64], u32)) {
        let walker = lock(&self.walkers[0]);
        sample(walker.engine.fork(), walker.first(), visit);
    }
}
