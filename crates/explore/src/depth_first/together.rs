//! Depth-first search by several processes (paper 001): each searches what it owns, one stack a process. Nobody waits
//! for others as long as there is something to do.

use super::{DepthFirst, lock};
use crate::control::Control;
use crate::expand::Expand;
use crate::observe::{Observer, Progress};
use crate::peers::{NAP, Peers, Received, call_off, drain, knowledge, learn, meet, message, tell};
use crate::report::{Peer, StopReason};
use crate::stack::Task;
use crate::vectors::State;
use crate::verdicts::Candidate;
use crate::walker::{Foreign, Walker};
use spinor_store::Store;
use std::time::{Duration, Instant};

/// What a process knows of the search of all.
#[derive(Debug, Default)]
pub(super) struct Together {
    /// Whether all processes know that the search is over.
    is_over: bool,
    /// How long this process had nothing to do.
    idle: Duration,
}

/// Goes on where the store and the walker are.
struct Errand<'a, S, T: Store> {
    control: &'a Control<'a>,
    store: &'a T,
    peers: Peers,
    walker: &'a mut Walker<S>,
    observer: &'a mut dyn Observer,
}

impl<S: Expand> DepthFirst<S> {
    /// Begins in the process that the first state belongs to.
    pub(super) fn begin_together(&mut self, first: &State, foreign: Foreign) {
        let walker = &mut *lock(&self.walkers[0]);
        let foreign = walker.foreign.insert(Box::new(foreign));
        if foreign.owns(walker.engine.atlas(), first.vector()) {
            let (state, choices) = (first.clone(), Vec::new());
            walker.begin(Task { state, depth: 0, choices, is_claimed: false });
        }
    }

    /// Goes on until the search of all processes is over, or this one must rest.
    pub(super) fn run_together<T: Store>(
        &mut self,
        (control, peers): (&Control<'_>, Peers),
        store: &T,
        observer: &mut dyn Observer,
    ) {
        let is_over = {
            let walker = &mut *lock(&self.walkers[0]);
            Errand { control, store, peers, walker, observer }.run(&mut self.together.idle)
        };
        if is_over || control.is_halted() || control.is_done() {
            self.part(control);
        }
    }

    /// Ends the search for all processes, if it is not over.
    pub(super) fn part(&mut self, control: &Control<'_>) {
        let Some(peers) = &control.plan.peers else { return };
        if std::mem::replace(&mut self.together.is_over, true) {
            return;
        }
        let walker = &mut *lock(&self.walkers[0]);
        let Some(foreign) = &mut walker.foreign else { return };
        if control.must_rest() {
            call_off(control, &**peers);
        } else if peers.index() == 0 {
            tell(&**peers, &[message::OVER]);
        }
        meet(control, &**peers, knowledge(control), |_, words| {
            foreign.abroad.hear(control, &words);
        });
        if let Some(heard) = foreign.abroad.heard.take() {
            learn(control, heard);
        }
    }

    /// What this process had to do.
    pub(crate) fn peer(&self, bytes: usize) -> Option<Peer> {
        let walker = lock(&self.walkers[0]);
        let foreign = walker.foreign.as_ref()?;
        let (stored, sent, received) = (walker.counts.stored, foreign.abroad.sent, foreign.received);
        Some(Peer { stored, bytes, sent, received, idle_s: self.together.idle.as_secs_f64() })
    }

    /// The violations whose paths are not known.
    pub(crate) fn take_candidates(&mut self) -> Vec<Candidate> {
        let mut walker = lock(&self.walkers[0]);
        walker.foreign.as_mut().map_or_else(Vec::new, |it| std::mem::take(&mut it.candidates))
    }
}

impl<S: Expand, T: Store> Errand<'_, S, T> {
    /// Whether the search of all processes is over.
    fn run(&mut self, idle: &mut Duration) -> bool {
        let mut session = self.store.session();
        let mut arrivals = self.store.session();
        while !self.control.must_rest() {
            if self.walker.begin_anew() {
                let Errand { control, store, peers, walker, observer } = self;
                walker.walk(control, *store, &mut session, &mut |walker| {
                    drain(control, &**peers, |from, words| {
                        walker.accept(control, (*store, &mut arrivals), (from, words));
                    });
                    watch(control, *store, walker, *observer);
                });
                continue;
            }
            let begun = Instant::now();
            let is_over = self.rest(&mut arrivals);
            *idle += begun.elapsed();
            if is_over {
                return true;
            }
        }
        false
    }

    /// There is nothing to do here: waits for a moment. Whether the search of all is over.
    fn rest(&mut self, session: &mut T::Session) -> bool {
        let Errand { control, store, peers, walker, observer } = self;
        if let Some(foreign) = &mut walker.foreign {
            foreign.abroad.flush();
        }
        drain(control, &**peers, |from, words| walker.accept(control, (*store, session), (from, words)));
        if control.must_rest() || walker.begin_anew() {
            return false;
        }
        if walker.foreign.as_mut().is_some_and(|it| it.is_idle(peers)) {
            return true;
        }
        match peers.receive(NAP) {
            Received::Words { from, words } => walker.accept(control, (*store, session), (from, words)),
            Received::Nothing => watch(control, *store, walker, *observer),
            Received::Over => unreachable!("this process has not finished the round"),
            Received::Lost => control.halt(StopReason::Lost),
        }
        false
    }
}

fn watch<S: Expand, T: Store>(control: &Control<'_>, store: &T, walker: &Walker<S>, observer: &mut dyn Observer) {
    control.set_size(0, walker.memory());
    let (depth, waiting, errors) = (walker.depth(), walker.waiting(), walker.tally.total());
    control.watch(store, Progress { depth, waiting, errors, ..Progress::default() }, observer);
}
