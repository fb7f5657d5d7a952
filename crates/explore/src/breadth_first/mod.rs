//! Breadth-first search, level by level.
//!
//! A level is a number of moves. A step between stored states can have several (atomic sequences,
//! rendezvous), so this is Dijkstra's algorithm with levels for a queue: a state that is several
//! moves away waits as a vector until its level is opened. So states are stored in the order of
//! their distance from the first, and a counterexample has the fewest moves that any has.

mod record;
mod team;
mod together;

use self::team::{Board, Team};

use crate::checkpoint::{Recorder, Resume};
use crate::control::Control;
use crate::expand::Expand;
use crate::findings::{Counts, Tally};
use crate::frontier::{Frontier, Waiting};
use crate::observe::{Observer, Progress};
use crate::path::Walk;
use crate::peers::Abroad;
use crate::plan::Plan;
use crate::report::Unreached;
use crate::sample::sample;
use crate::stores::Search;
use crate::trace::{Goal, Link, NONE, Tag, Trace, choices};
use crate::vectors::{Remembered, State};
use crate::verdicts::{Candidate, first_of_kinds, keep_some};
use crate::worker::{Context, Job, Worker};
use spinor_exec::Move;
use spinor_store::{Handle, Store};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// A breadth-first search that can be interrupted, to go on with another store.
pub(crate) struct BreadthFirst<S> {
    workers: Vec<Mutex<Worker<S>>>,
    goal: Option<Goal>,
    position: Position,
}

/// Where a search is.
struct Position {
    first: State,
    /// The level that is opened next.
    level: usize,
    /// What is not finished.
    job: Option<Job>,
    candidates: Vec<Candidate>,
    /// States up to which a log is kept.
    log_limit: u64,
    /// Violations that are wanted, and moves up to which paths are found by the log.
    max_violations: usize,
    max_moves: usize,
    found: Option<Found>,
    /// Whether other processes have nothing more for the level that is opened next.
    is_complete: bool,
    /// Whether all processes know that the search is over.
    is_over: bool,
    /// How long this process waited for others.
    idle: Duration,
    /// Who writes checkpoints, and what they should know of statements.
    recorder: Option<Recorder>,
    statements: Vec<Unreached>,
    /// Whether one is to be written at this level.
    is_due: bool,
    /// Where to go on.
    resume: Option<(PathBuf, Resume)>,
    /// What was never executed before the search went on.
    unreached: Option<Vec<Unreached>>,
    notes: Vec<String>,
    /// States that all processes stored, if they looked for a goal; a meeting takes as long as many.
    effort: u64,
}

/// The goal of a search, found.
#[derive(Debug)]
pub(crate) enum Found {
    /// All the moves to it.
    Path(Vec<Move>),
    /// A state on the way with its level, and the level of the goal.
    Middle { state: State, at: usize, level: usize },
    /// It is closer than the middle.
    Closer(usize),
}

fn lock<S>(worker: &Mutex<Worker<S>>) -> MutexGuard<'_, Worker<S>> {
    worker.lock().expect("a worker that panicked ends the search")
}

impl<S: Expand> BreadthFirst<S> {
    /// A search from a state on, for everything or for a goal.
    pub(crate) fn new(engine: &S, first: State, plan: &Plan, goal: Option<Goal>) -> BreadthFirst<S> {
        // Paths that depend on what is not compared cannot be found by searching for a state.
        let log_limit = if first.key < first.bytes { u64::MAX } else { plan.log_limit };
        // A link is good for nothing without those of other processes, and of an earlier search.
        let is_resumed = plan.checkpoints.as_ref().is_some_and(|it| it.resume.is_some());
        let log_limit = if plan.peers.is_some() || is_resumed { 0 } else { log_limit };
        let (here, count) = plan.peers.as_ref().map_or((0, 1), |peers| (peers.index(), peers.count()));
        let workers: Vec<Mutex<Worker<S>>> = (0..plan.threads)
            .map(|index| {
                let number = here * plan.threads + index;
                let trace = Trace::new(number, count * plan.threads, log_limit > 0, goal.is_some());
                let mut worker = Worker::new(engine.fork(), index, trace);
                worker.abroad = plan.peers.as_ref().map(|peers| Abroad::new(peers, plan));
                Mutex::new(worker)
            })
            .collect();
        lock(&workers[0]).begin_here(&first);
        let position = Position {
            first,
            level: 0,
            job: None,
            candidates: Vec::new(),
            log_limit,
            max_violations: plan.max_violations,
            max_moves: plan.max_moves,
            found: None,
            is_complete: true,
            is_over: plan.peers.is_none(),
            idle: Duration::ZERO,
            recorder: None,
            statements: Vec::new(),
            is_due: false,
            resume: None,
            unreached: None,
            notes: Vec::new(),
            effort: 0,
        };
        BreadthFirst { workers, goal, position }
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        self.workers.iter().for_each(|worker| counts.merge(&lock(worker).sink.counts));
        counts
    }

    /// How many violations there were; of one that ends the search, only the best counts.
    pub(crate) fn tally(&self, plan: &Plan) -> Tally {
        let mut tally = Tally::default();
        if plan.keep_going {
            self.workers.iter().for_each(|worker| tally.merge(&lock(worker).verdicts.tally));
        } else if let Some(best) = self.position.candidates.first() {
            tally.add(best.wrong.kind, 1);
        }
        tally
    }

    /// Whether any thread executed a statement.
    pub(crate) fn was_executed(&self, check: impl Fn(&S) -> bool) -> bool {
        self.workers.iter().any(|worker| check(&lock(worker).engine))
    }

    /// The violations that were found, the shortest first.
    pub(crate) fn take_candidates(&mut self) -> Vec<Candidate> {
        std::mem::take(&mut self.position.candidates)
    }

    /// How many states were stored to find the goal.
    pub(crate) fn effort(&self) -> u64 {
        self.counts().stored.max(self.position.effort)
    }

    pub(crate) fn take_found(&mut self) -> Option<Found> {
        self.position.found.take()
    }

    /// The way to the goal that was found, as far as it is known.
    fn way_to_goal<T: Store>(&self, store: &T, level: usize, tag: Tag) -> Found {
        let mut workers: Vec<MutexGuard<'_, Worker<S>>> = self.workers.iter().map(lock).collect();
        if let Some(choices) = logs_of(&mut workers).and_then(|logs| choices_to(&logs, tag)) {
            let mut walk = Walk::from(&self.position.first);
            Found::Path(walk.along(&mut workers[0].engine, &choices).to_vec())
        } else if tag.middle == NONE {
            Found::Closer(level)
        } else {
            let (state, at) = middle(&workers, store, tag.middle);
            Found::Middle { state, at, level }
        }
    }
}

impl<S: Expand> Search for BreadthFirst<S> {
    fn run<T: Store>(&mut self, control: &Control<'_>, store: &T, observer: &mut dyn Observer) {
        let cx = Context { control, store, goal: self.goal.as_ref() };
        let (cx, workers, board) = (&cx, &self.workers[..], &Board::default());
        thread::scope(|scope| {
            let team = Team::hire(scope, cx, board, &workers[1..]);
            let session = store.session();
            Leader { cx, workers, team, session, position: &mut self.position, observer }.levels();
        });
    }

    fn conclude<T: Store>(&mut self, control: &Control<'_>, store: &T) {
        let found = self.workers.iter().find_map(|worker| lock(worker).sink.found);
        if let Some(peers) = control.plan.peers.clone() {
            self.part(control, &*peers);
            let is_sought = self.goal.is_some();
            self.position.found = is_sought.then(|| self.agree_on_way((control, &*peers), store, found)).flatten();
        } else {
            self.position.found = found.map(|(level, tag)| self.way_to_goal(store, level, tag));
        }
        self.position.resolve(&self.workers);
    }

    fn abandon(&mut self, control: &Control<'_>) {
        if let Some(peers) = &control.plan.peers {
            self.part(control, &**peers);
            if self.goal.is_some() {
                self.compare_ways(control, &**peers, None);
            }
        }
    }

    fn handles(&mut self, visit: &mut dyn FnMut(&mut Handle)) {
        if let Some(job) = &mut self.position.job {
            job.expand.iter_mut().for_each(|piece| piece.states.handles(visit));
        }
        for worker in &self.workers {
            let Worker { sink, .. } = &mut *lock(worker);
            sink.next.states.handles(visit);
            sink.trace.middles.handles(visit);
        }
    }

    fn compares_all(&self) -> bool {
        self.position.first.key == self.position.first.bytes
    }

    fn sample(&self, visit: &mut dyn FnMut(&[u64], u32)) {
        sample(lock(&self.workers[0]).engine.fork(), &self.position.first, visit);
    }
}

/// The thread that goes from level to level.
struct Leader<'a, S, T: Store> {
    cx: &'a Context<'a, T>,
    workers: &'a [Mutex<Worker<S>>],
    team: Team<'a>,
    session: T::Session,
    position: &'a mut Position,
    observer: &'a mut dyn Observer,
}

impl<S: Expand, T: Store> Leader<'_, S, T> {
    fn levels(&mut self) {
        if self.cx.control.plan.peers.is_some() && self.position.is_over {
            // It ended for all when there was no more room here.
            return;
        }
        if let Some((directory, resume)) = self.position.resume.take() {
            self.load(&directory, &resume);
        }
        loop {
            if let Some(job) = self.position.job.take() {
                let job = self.perform(job);
                if job.is_done() {
                    self.reuse(job);
                } else {
                    self.position.job = Some(job);
                }
                if self.cx.control.must_rest() {
                    return self.rest();
                }
                self.check_log();
            }
            match self.open() {
                Some(job) => self.position.job = Some(job),
                None => return,
            }
        }
    }

    /// Gives memory back to those who filled it.
    fn reuse(&self, job: Job) {
        for (piece, worker) in job.expand.into_iter().zip(self.workers) {
            lock(worker).sink.spare = piece.cleared();
        }
        for (piece, worker) in job.admit.into_iter().zip(self.workers) {
            lock(worker).sink.reuse(piece);
        }
    }

    /// What waits for a level, by thread; nothing if nothing does.
    fn waiting(&self, level: usize) -> Vec<Waiting> {
        let waiting: Vec<Option<Waiting>> =
            self.workers.iter().map(|worker| lock(worker).sink.far.remove(&level)).collect();
        if waiting.iter().all(Option::is_none) {
            return Vec::new();
        }
        waiting.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// What to do next: fill a level. That of the first state has no level before it; else something waits for a level
    /// whose states could be expanded only if there was no room for it.
    fn open(&mut self) -> Option<Job> {
        let threads = self.workers.len();
        loop {
            if !self.position.is_complete && !self.meet() {
                return None;
            }
            let level = self.position.level;
            if self.cx.control.is_beaten(level) {
                return None;
            }
            let waiting = self.waiting(level);
            if !waiting.is_empty() {
                return Some(Job::new(level, Vec::new(), waiting, threads));
            }
            let next = self.workers.iter().map(|worker| {
                let sink = &mut lock(worker).sink;
                std::mem::replace(&mut sink.next, std::mem::take(&mut sink.spare))
            });
            let frontier: Vec<Frontier> = next.collect();
            self.record(level, &frontier);
            if frontier.iter().any(|piece| piece.states.len() > 0) {
                self.position.level += 1;
                self.position.is_complete = self.cx.control.plan.peers.is_none();
                return Some(Job::new(level + 1, frontier, self.waiting(level + 1), threads));
            }
            if self.cx.control.plan.peers.is_some() {
                self.position.level += 1;
                self.position.is_complete = false;
                continue;
            }
            let later = self.workers.iter().filter_map(|worker| lock(worker).sink.far.keys().next().copied());
            self.position.level = later.min()?;
        }
    }

    /// Does a job, together if it is not small.
    fn perform(&mut self, job: Job) -> Job {
        let Leader { cx, workers, team, session, observer, .. } = self;
        let known = job.states;
        let mut lead = |job: &Job| {
            lock(&workers[0]).work(cx, session, job, &mut |worker: &Worker<S>| {
                let waiting = known + worker.sink.next.states.len();
                let progress = Progress {
                    depth: job.level.saturating_sub(1),
                    waiting,
                    errors: worker.verdicts.tally.total(),
                    ..Progress::default()
                };
                cx.control.watch(cx.store, progress, &mut **observer);
            });
        };
        if team.is_empty() || known < cx.control.plan.small_level {
            lead(&job);
            return job;
        }
        team.perform(job, lead)
    }

    /// Ends the log when it is long.
    fn check_log(&mut self) {
        let logged = lock(&self.workers[0]).sink.trace.log.is_some();
        if !logged || self.cx.store.len() <= self.position.log_limit {
            return;
        }
        // Paths of a reduced search can be found again only without reduction: from a state in the middle, it may
        // go another way. That must not take much longer.
        if !self.workers.iter().all(|worker| lock(worker).engine.is_mostly_whole()) {
            return;
        }
        let is_wanted = self.workers.iter().any(|worker| !lock(worker).verdicts.candidates.is_empty());
        self.workers.iter().for_each(|worker| lock(worker).sink.trace.end_log(is_wanted));
        if self.cx.goal.is_none() {
            self.workers.iter().for_each(|worker| lock(worker).sink.next.tags = Vec::new());
        }
    }
}

impl Position {
    /// Takes the candidates of all workers, the shortest first, and finds the paths to them by the
    /// log, as far as it goes.
    fn resolve<S: Expand>(&mut self, workers: &[Mutex<Worker<S>>]) {
        let Position { first, candidates, max_violations, max_moves, .. } = self;
        let mut guards: Vec<MutexGuard<'_, Worker<S>>> = workers.iter().map(lock).collect();
        guards.iter_mut().for_each(|worker| candidates.append(&mut worker.verdicts.candidates));
        candidates.sort_by_key(Candidate::length);
        keep_some(candidates, *max_violations);
        let Some(logs) = logs_of(&mut guards) else { return };
        let mut moves = 0;
        let mut wanted = Vec::new();
        let firsts = first_of_kinds(candidates.iter().map(|it| it.wrong.kind));
        for (candidate, is_first) in candidates.iter_mut().zip(firsts).filter(|(it, _)| it.path.is_none()) {
            let Some(choices) = choices_to(&logs, candidate.tag) else { break };
            if is_first || moves <= *max_moves {
                moves += candidate.length();
                wanted.push((choices, candidate));
            }
        }
        // Neighbours have the most of their paths in common.
        wanted.sort_by(|(left, _), (right, _)| left.cmp(right));
        let mut walk = Walk::from(first);
        for (choices, candidate) in wanted {
            candidate.path = Some(walk.along(&mut guards[0].engine, &choices).to_vec());
        }
    }
}

/// The logs of all workers, if there are any.
fn logs_of<S>(workers: &mut [MutexGuard<'_, Worker<S>>]) -> Option<Vec<Vec<Link>>> {
    workers.iter_mut().map(|worker| worker.sink.trace.take_log()).collect()
}

/// The choices that lead to a state, if it is in the logs.
fn choices_to(logs: &[Vec<Link>], tag: Tag) -> Option<Vec<u32>> {
    (tag.number != NONE).then(|| choices(logs, tag.number))
}

/// A state by its number among those of all workers.
fn middle<S, T: Store>(workers: &[MutexGuard<'_, Worker<S>>], store: &T, number: u32) -> (State, usize) {
    let (worker, index) = workers[0].sink.trace.place(number);
    let Trace { middles, levels, .. } = &workers[worker % workers.len()].sink.trace;
    let state = match middles.get(index) {
        Remembered { vector: Some(vector), .. } => vector.to_state(),
        Remembered { handle, .. } => {
            let mut words = Vec::new();
            let handle = handle.expect("a state is remembered in some way");
            let bytes = store.load(&mut store.session(), handle, &mut words);
            State { words, bytes, key: bytes }
        }
    };
    (state, levels[index] as usize)
}
