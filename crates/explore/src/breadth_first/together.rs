//! What the processes of a breadth-first search do together.

use super::{BreadthFirst, Found, Leader, lock, middle};
use crate::checkpoint::Recorder;
use crate::control::Control;
use crate::expand::Expand;
use crate::peers::{
    Abroad, Exchange, Summary, call_off, gather, is_lost, knowledge, learn, meet, read_bytes, write_bytes,
};
use crate::report::Peer;
use crate::trace::{NONE, Tag};
use crate::vectors::State;
use crate::worker::Worker;
use spinor_store::Store;
use std::sync::MutexGuard;
use std::time::{Duration, Instant};

/// To meet once costs as much as to store so many states.
const MEETING: u64 = 1 << 10;

impl<S: Expand> BreadthFirst<S> {
    /// Ends the search for all processes, if it is not over: this one cannot go on.
    pub(super) fn part(&mut self, control: &Control<'_>, peers: &dyn Exchange) {
        if !self.position.is_over {
            self.position.is_over = true;
            call_off(control, peers);
            meet(control, peers, knowledge(control), |_, _| {});
        }
    }

    /// What this process had to do.
    pub(crate) fn peer(&self, bytes: usize) -> Peer {
        let worker = lock(&self.workers[0]);
        Peer {
            stored: worker.sink.counts.stored,
            bytes,
            sent: worker.abroad.as_ref().map_or(0, |it| it.sent),
            received: worker.received,
            idle_s: self.position.idle.as_secs_f64(),
        }
    }

    /// What each process found: the level of the goal, and the number of the middle of its path. None if one of them
    /// had to end.
    pub(super) fn compare_ways(
        &mut self,
        control: &Control<'_>,
        peers: &dyn Exchange,
        found: Option<(usize, Tag)>,
    ) -> Option<Vec<Vec<u64>>> {
        let (level, middle) = found.map_or((u64::MAX, NONE), |(level, tag)| (level as u64, tag.middle));
        let own = [level, u64::from(middle), self.counts().stored, control.is_halted().into()];
        let all = gather(peers, &own)?;
        self.position.effort = all.iter().map(|it| it[2] + MEETING).sum();
        all.iter().all(|it| it[3] == 0).then_some(all)
    }

    /// The way to the goal, if some process found it and none had to end: the same for all of them.
    pub(super) fn agree_on_way<T: Store>(
        &mut self,
        (control, peers): (&Control<'_>, &dyn Exchange),
        store: &T,
        found: Option<(usize, Tag)>,
    ) -> Option<Found> {
        let all = self.compare_ways(control, peers, found)?;
        let best = all.iter().filter(|it| it[0] < u64::MAX).min_by_key(|it| it[0])?;
        let (level, number) = (best[0] as usize, best[1] as u32);
        if number == NONE {
            return Some(Found::Closer(level));
        }
        let owner = number as usize % (peers.count() * self.workers.len()) / self.workers.len();
        let workers: Vec<MutexGuard<'_, Worker<S>>> = self.workers.iter().map(lock).collect();
        let mut words = Vec::new();
        if owner == peers.index() {
            let (state, at) = middle(&workers, store, number);
            words.push(at as u64);
            write_bytes(&mut words, &workers[0].engine.atlas().describe(&state.words));
        }
        let all = gather(peers, &words)?;
        let (words, bytes, key) = workers[0].engine.atlas().state_of(&read_bytes(&all[owner][1..]));
        Some(Found::Middle { state: State { words, bytes, key }, at: all[owner][0] as usize, level })
    }
}

impl<S: Expand, T: Store> Leader<'_, S, T> {
    /// The search rests. If it ends, the other processes are told.
    pub(super) fn rest(&mut self) {
        let control = self.cx.control;
        if let Some(peers) = &control.plan.peers
            && (control.is_halted() || control.is_done())
        {
            call_off(control, &**peers);
            self.meet();
        }
    }

    /// Waits until all processes have done this level; what is next is the same for all. False if nothing is.
    pub(super) fn meet(&mut self) -> bool {
        let Leader { cx, workers, session, position, .. } = self;
        let Some(peers) = &cx.control.plan.peers else { return false };
        let begun = Instant::now();
        let mut worker = lock(&workers[0]);
        let sent = worker.abroad.as_mut().map_or(usize::MAX, Abroad::flush);
        let next = if worker.sink.next.states.len() > 0 { position.level } else { usize::MAX };
        let later = worker.sink.far.keys().next().copied().unwrap_or(usize::MAX);
        let is_due = position.recorder.as_ref().is_some_and(Recorder::is_due);
        let own = Summary { next: sent.min(next).min(later), is_due, ..knowledge(cx.control) };
        let level = position.level;
        let mut busy = Duration::ZERO;
        meet(cx.control, &**peers, own, |from, words| {
            let begun = Instant::now();
            worker.accept(cx, session, level, (from, words));
            busy += begun.elapsed();
        });
        let heard = worker.abroad.as_mut().and_then(|it| it.heard.take());
        let all = heard.map_or(own, |it| it.join(own));
        learn(cx.control, all);
        position.idle += begun.elapsed().saturating_sub(busy);
        position.level = all.next;
        position.is_complete = true;
        position.is_due = all.is_due;
        // What this process alone has learnt meanwhile, it tells at the end of the next round.
        let goes_on = all.next < usize::MAX && all.halted.is_none() && !all.done && !is_lost(cx.control);
        position.is_over |= !goes_on || cx.control.is_beaten(all.next);
        goes_on
    }
}
