//! Checkpoints of a breadth-first search.

use super::{BreadthFirst, Leader, Position, lock};
use crate::checkpoint::{Part, Recorder, Resume};
use crate::expand::Expand;
use crate::findings::{Counts, Tally};
use crate::frontier::{Frontier, Waiting};
use crate::peers::{Letter, Share, gather, merge, read_bytes, write_bytes};
use crate::plan::Plan;
use crate::report::{Peer, StopReason, Unreached};
use crate::vectors::{State, Vector};
use crate::worker::Worker;
use spinor_store::Store;
use std::path::Path;
use std::sync::MutexGuard;

impl<S: Expand> BreadthFirst<S> {
    /// Writes checkpoints, or goes on from one. These are all statements that there are.
    pub(crate) fn record(&mut self, plan: &Plan, statements: Vec<Unreached>) {
        let Some(checkpoints) = &plan.checkpoints else { return };
        self.position.statements = statements;
        self.position.resume = checkpoints.resume.clone().map(|it| (checkpoints.directory.clone(), it));
        match Recorder::new(checkpoints, plan.peers.as_ref().map_or(0, |peers| peers.index())) {
            Ok(recorder) => self.position.recorder = Some(recorder),
            Err(error) => self.position.notes.push(no_checkpoint(&error.to_string())),
        }
    }

    /// Leaves only statements that were not executed before the search went on from a checkpoint, either.
    pub(crate) fn unreached(&self, mut unreached: Vec<Unreached>) -> Vec<Unreached> {
        if let Some(before) = &self.position.unreached {
            unreached.retain(|it| before.contains(it));
        }
        unreached
    }

    /// What the user should know.
    pub(crate) fn take_notes(&mut self) -> Vec<String> {
        let failure = self.position.recorder.as_mut().and_then(|it| it.failure.take());
        self.position.notes.extend(failure.map(|it| no_checkpoint(&it)));
        std::mem::take(&mut self.position.notes)
    }
}

impl<S: Expand, T: Store> Leader<'_, S, T> {
    /// Goes on where another search was.
    pub(super) fn load(&mut self, directory: &Path, resume: &Resume) {
        let Leader { cx, workers, session, position, .. } = self;
        let mut worker = lock(&workers[0]);
        if let Err(error) = worker.load(cx, session, (directory, resume), position.recorder.as_mut()) {
            position.notes.push(format!("{}: {error}", directory.display()));
            cx.control.halt(StopReason::Lost);
            return;
        }
        position.level = resume.level;
        let letters: Vec<Letter> = resume.parts().iter().map(|part| part.letter.clone()).collect();
        let share = merge(&letters, worker.engine.atlas());
        position.unreached = Some(share.unreached);
        // One process has what all had.
        let is_first = cx.control.plan.peers.as_ref().is_none_or(|peers| peers.index() == 0);
        worker.sink.counts = if is_first { share.counts } else { Counts::default() };
        if is_first {
            worker.verdicts.tally = share.tally;
            worker.verdicts.candidates = share.candidates;
        }
        if let Some(reason) = share.stopped {
            cx.control.cut(reason);
        }
        for candidate in &worker.verdicts.candidates {
            cx.control.improves(candidate.length());
        }
    }

    /// Others write a checkpoint, for which this process has no part.
    fn decline(&self) {
        let mut words = Vec::new();
        write_bytes(&mut words, b"null");
        if let Some(peers) = &self.cx.control.plan.peers
            && gather(&**peers, &words).is_none()
        {
            self.cx.control.halt(StopReason::Lost);
        }
    }

    /// Writes the states of a level down before they are expanded, and a checkpoint if it is time.
    pub(super) fn record(&mut self, level: usize, frontier: &[Frontier]) {
        let Leader { cx, workers, session, position, .. } = self;
        if position.recorder.is_none() && std::mem::take(&mut position.is_due) {
            return self.decline();
        }
        let Position { recorder: Some(recorder), is_due, statements, unreached, .. } = &mut **position else { return };
        let guards: Vec<MutexGuard<'_, Worker<S>>> = workers.iter().map(lock).collect();
        let atlas = guards[0].engine.atlas();
        let mut words = Vec::new();
        for state in frontier.iter().flat_map(|it| it.states.iter(0..it.states.len())) {
            let vector = state.vector.unwrap_or_else(|| {
                words.clear();
                let handle = state.handle.expect("a state is remembered in some way");
                let bytes = cx.store.load(session, handle, &mut words);
                Vector { words: &words, bytes, key: bytes }
            });
            recorder.push(atlas, level, vector);
        }
        *is_due |= cx.control.plan.peers.is_none() && recorder.is_due();
        if !std::mem::take(is_due) {
            return;
        }
        let waiting = |(level, waiting): (&usize, &Waiting)| {
            let vectors = waiting.states.iter(0..waiting.states.len()).filter_map(|it| it.vector);
            vectors.map(|vector| (*level, vector.to_state())).collect::<Vec<_>>()
        };
        let waiting: Vec<(usize, State)> = guards.iter().flat_map(|it| it.sink.far.iter().flat_map(waiting)).collect();
        let mut tally = Tally::default();
        guards.iter().for_each(|it| tally.merge(&it.verdicts.tally));
        let is_unreached = |it: &Unreached| {
            let was_executed = guards.iter().any(|worker| worker.engine.was_executed(it.proctype, it.statement));
            !was_executed && unreached.as_ref().is_none_or(|before| before.contains(it))
        };
        let share = Share {
            counts: guards.iter().fold(Counts::default(), |mut all, worker| {
                all.merge(&worker.sink.counts);
                all
            }),
            tally,
            candidates: guards.iter().flat_map(|it| it.verdicts.candidates.iter().cloned()).collect(),
            unreached: statements.iter().filter(|it| is_unreached(it)).copied().collect(),
            stopped: cx.control.stopped(),
            notes: Vec::new(),
            peers: vec![Peer::default()],
            omissions: 0.0,
        };
        let letter = Letter::new(&share, atlas);
        let part = recorder.part(atlas, level, waiting.iter().map(|(level, it)| (*level, it.vector())), letter);
        let Some(peers) = &cx.control.plan.peers else {
            return recorder.commit(level, part.into_iter().collect());
        };
        // All parts are on the disk before a checkpoint is made of them.
        let mut words = Vec::new();
        write_bytes(&mut words, &serde_json::to_vec(&part).expect("a part can be written"));
        let Some(all) = gather(&**peers, &words) else { return cx.control.halt(StopReason::Lost) };
        let parts: Option<Vec<Part>> =
            all.iter().map(|words| serde_json::from_slice(&read_bytes(words)).ok().flatten()).collect();
        if let (Some(parts), 0) = (parts, peers.index()) {
            recorder.commit(level, parts);
        }
    }
}

fn no_checkpoint(reason: &str) -> String {
    format!("no checkpoint can be written: {reason}")
}
