//! From a plan to a report.

use crate::breadth_first::BreadthFirst;
use crate::control::Control;
use crate::depth_first::DepthFirst;
use crate::expand::{Expand, Expander, Reduction};
use crate::findings::{Counts, Tally};
use crate::observe::Observer;
use crate::path::search_again;
use crate::peers::{Division, Share, share as exchange_shares};
use crate::plan::{Order, Plan, StoreKind};
use crate::report::{Report, Statistics, StopReason, Unreached, Violation, ViolationKind};
use crate::stores::{Open, Storage, run_to_end};
use crate::swarm::swarm;
use crate::vectors::{State, Vector};
use crate::verdicts::{Candidate, first_of_kinds};
use spinor_exec::{Fault, Semantics, Successors};
use spinor_model::{Model, ProctypeId, StatementId};
use spinor_store::{
    BitstateStore, CacheStore, CollapseStore, Encoded, ExactStore, Guarantee, HashCompactStore, TreeStore,
};
use std::time::{Duration, Instant};

/// States that searches for further paths may store when the first is known.
const EFFORT: u64 = 1 << 17;

/// Searches the states of a model: once, or several times if the plan is one of a swarm. A reduction visits
/// a part of them that is enough for what it preserves.
pub fn check<S: Semantics>(
    semantics: S,
    reduction: Option<Reduction<'_>>,
    model: &Model,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Report {
    let incomplete = reduction.as_ref().and_then(|reduction| reduction.parts.incomplete_because());
    let mut semantics = Expander::new(semantics, reduction);
    if plan.order == Order::BreadthFirst {
        semantics = semantics.with_both_phases();
    }
    let mut out = Successors::default();
    if let Err(fault) = semantics.initial(&mut out) {
        return without_beginning(&fault, model, plan);
    }
    let next = out.list[0];
    let first = Vector { words: out.vector(&next), bytes: next.bytes, key: next.key }.to_state();
    let report = swarm(plan, observer, |plan, observer| {
        let check = Check { semantics: semantics.fork(), model, plan, first: first.clone() };
        // The one place where a plan becomes a type.
        match plan.store {
            _ if first.key < first.bytes => check.search::<ExactStore>(observer),
            StoreKind::Exact if plan.encode.is_some() => check.search::<Encoded<ExactStore>>(observer),
            StoreKind::Exact => check.search::<ExactStore>(observer),
            StoreKind::Tree => check.search::<TreeStore>(observer),
            StoreKind::Collapse => check.search::<CollapseStore>(observer),
            StoreKind::HashCompact => check.search::<HashCompactStore>(observer),
            StoreKind::Bitstate => check.search::<BitstateStore>(observer),
            StoreKind::Cache => check.depth_first::<CacheStore>(observer),
        }
    });
    let mut executed = |violation: Violation| {
        let rests = violation.kind == ViolationKind::InvalidEndState;
        Violation { moves: semantics.executed(violation.moves, rests), ..violation }
    };
    let violations = report.violations.into_iter().map(&mut executed).collect();
    Report { incomplete, violations, ..report }
}

struct Check<'a, S> {
    semantics: S,
    model: &'a Model,
    plan: &'a Plan,
    first: State,
}

impl<S: Expand> Check<'_, S> {
    fn search<T: Open>(self, observer: &mut dyn Observer) -> Report {
        let mut plan = self.plan.clone();
        if let Some(peers) = &plan.peers {
            plan.division = Division::found(&self.semantics, &self.first, &**peers);
        }
        let check = Check { plan: &plan, ..self };
        match plan.order {
            Order::DepthFirst => check.depth_first::<T>(observer),
            Order::BreadthFirst => check.breadth_first::<T>(observer),
        }
    }

    fn depth_first<T: Open>(self, observer: &mut dyn Observer) -> Report {
        let control = Control::new(self.plan, Instant::now());
        let mut search = DepthFirst::new(&self.semantics, &self.first, self.plan);
        let mut storage = run_to_end::<T>(&mut search, &control, observer);
        let executed = |proctype, statement| search.was_executed(|it| it.was_executed(proctype, statement));
        let unreached = unreached(self.model, executed);
        if let Some(peer) = search.peer(control.peak().max(storage.memory)) {
            let share = Share {
                counts: search.counts(),
                tally: search.tally(),
                unreached,
                candidates: search.take_candidates(),
                stopped: control.stopped(),
                notes: std::mem::take(&mut storage.notes),
                peers: vec![peer],
                omissions: storage.guarantee.expected_omissions(),
            };
            drop(search);
            return self.conclude::<T>(&control, storage, share, observer);
        }
        let violations = search.take_violations();
        report(&control, (search.counts(), search.tally()), storage, violations, unreached)
    }

    fn breadth_first<T: Open>(self, observer: &mut dyn Observer) -> Report {
        let control = Control::new(self.plan, Instant::now());
        let mut search = BreadthFirst::new(&self.semantics, self.first.clone(), self.plan, None);
        search.record(self.plan, unreached(self.model, |_, _| false));
        let mut storage = run_to_end::<T>(&mut search, &control, observer);
        storage.notes.extend(search.take_notes());
        let executed = |proctype, statement| search.was_executed(|it| it.was_executed(proctype, statement));
        let share = Share {
            counts: search.counts(),
            tally: search.tally(self.plan),
            unreached: search.unreached(unreached(self.model, executed)),
            candidates: search.take_candidates(),
            stopped: control.stopped(),
            notes: std::mem::take(&mut storage.notes),
            peers: vec![search.peer(control.peak().max(storage.memory))],
            omissions: storage.guarantee.expected_omissions(),
        };
        // Its memory is needed for the paths.
        drop(search);
        self.conclude::<T>(&control, storage, share, observer)
    }

    /// What all processes found, if there are several, with paths to what is wrong.
    fn conclude<T: Open>(
        mut self,
        control: &Control<'_>,
        mut storage: Storage,
        mut share: Share,
        observer: &mut dyn Observer,
    ) -> Report {
        if !self.plan.keep_going {
            share.candidates.truncate(1);
        }
        if let Some(peers) = &self.plan.peers
            && control.stopped() != Some(StopReason::Lost)
        {
            match exchange_shares(&**peers, &share, self.semantics.atlas(), self.plan.keep_going) {
                Some(all) => share = all,
                None => share.stopped = Some(StopReason::Lost),
            }
        }
        let Share { counts, tally, candidates, unreached, stopped, notes, peers, omissions } = share;
        // All processes must still be there.
        let candidates = if stopped == Some(StopReason::Lost) { Vec::new() } else { candidates };
        storage.notes = notes;
        if self.plan.peers.is_some() {
            storage.memory = peers.iter().map(|peer| peer.bytes).sum();
            if let Guarantee::Probabilistic { expected_omissions } = &mut storage.guarantee {
                *expected_omissions = omissions;
            }
        }
        // Where a log of all states is kept, each process finds the same paths alone, sooner than all together.
        let is_whole = !self.semantics.is_reduced() && self.semantics.parts().phases.is_none();
        let mut plan = self.plan.clone();
        if is_whole && counts.stored <= plan.log_limit {
            (plan.peers, plan.checkpoints) = (None, None);
        }
        let violations = if storage.kind == T::KIND {
            self.find_paths::<T>(candidates, &plan, observer)
        } else {
            self.find_paths::<T::Smaller>(candidates, &plan, observer)
        };
        if violations.is_empty() && tally.total() > 0 {
            storage.notes.push("the way to the violation was not found again within the limits".into());
        }
        let found = report(control, (counts, tally), storage, violations, unreached);
        match self.plan.peers {
            Some(_) => Report { stopped, peers, ..found },
            None => found,
        }
    }

    /// The violations, with their paths. One of each kind is always looked for; of the others those that are
    /// known or found with little effort are kept. All of that takes at most as long again as the search may.
    fn find_paths<T: Open>(
        &mut self,
        candidates: Vec<Candidate>,
        plan: &Plan,
        observer: &mut dyn Observer,
    ) -> Vec<Violation> {
        let begun = Instant::now();
        let mut effort = 0;
        let mut violations: Vec<(usize, Violation)> = Vec::new();
        let mut candidates: Vec<(usize, Candidate)> = candidates.into_iter().enumerate().collect();
        // One of each kind comes first.
        let firsts = first_of_kinds(candidates.iter().map(|(_, it)| it.wrong.kind));
        candidates.sort_by_key(|(place, _)| !firsts[*place]);
        for (place, Candidate { wrong, state, level, path, .. }) in candidates {
            if violations.len() == plan.max_violations {
                break;
            }
            let is_new = violations.iter().all(|(_, known)| known.kind != wrong.kind);
            let path = path.or_else(|| {
                let max_time = plan.max_time.map(|limit| limit.saturating_sub(begun.elapsed()));
                let plan = Plan { max_time, ..plan.clone() };
                let ends = (self.first.clone(), state, level);
                let wanted = effort < EFFORT || is_new;
                wanted.then(|| search_again::<S, T>(&mut self.semantics, &plan, ends, observer, &mut effort))?
            });
            if let Some(mut moves) = path {
                moves.extend(wrong.tail);
                let (kind, message) = (wrong.kind, wrong.message.into_owned());
                violations.push((place, Violation { kind, message, moves, lasso: None }));
            }
        }
        violations.sort_by_key(|(place, _)| *place);
        violations.into_iter().map(|(_, violation)| violation).collect()
    }
}

fn report(
    control: &Control<'_>,
    (counts, tally): (Counts, Tally),
    storage: Storage,
    violations: Vec<Violation>,
    unreached: Vec<Unreached>,
) -> Report {
    let Storage { kind, time, memory, fill, guarantee, notes, cache } = storage;
    Report {
        violations,
        errors: tally.total(),
        kinds: tally.0,
        stopped: control.stopped(),
        statistics: Statistics {
            stored: counts.stored,
            matched: counts.matched,
            depth: counts.depth,
            vectors_bytes: counts.bytes,
            states_bytes: memory,
            total_bytes: control.peak().max(memory),
            fill,
            time,
            code: Duration::ZERO,
        },
        unreached,
        store: kind,
        trust: guarantee,
        notes,
        runs: Vec::new(),
        cache,
        incomplete: None,
        peers: Vec::new(),
        symmetry: None,
    }
}

/// The report on a model that has no first state.
fn without_beginning(fault: &Fault, model: &Model, plan: &Plan) -> Report {
    let kind = ViolationKind::Fault;
    Report {
        violations: vec![Violation {
            kind,
            message: format!("{fault}, in an initial value"),
            moves: Vec::new(),
            lasso: None,
        }],
        errors: 1,
        kinds: vec![(kind, 1)],
        stopped: None,
        statistics: Statistics::default(),
        unreached: unreached(model, |_, _| false),
        store: plan.store,
        trust: Guarantee::Exact,
        notes: Vec::new(),
        runs: Vec::new(),
        cache: None,
        incomplete: None,
        peers: Vec::new(),
        symmetry: None,
    }
}

/// All statements of processes that were not executed: on edges, and where no edge leads to.
fn unreached(model: &Model, was_executed: impl Fn(ProctypeId, StatementId) -> bool) -> Vec<Unreached> {
    let mut unreached = Vec::new();
    for (index, it) in model.proctypes.iter().enumerate().filter(|(_, it)| it.is_process()) {
        let proctype = ProctypeId(index as u16);
        let is_executed = |statement: &StatementId| was_executed(proctype, *statement);
        let unseen = it.covered().into_iter().filter(|statement| !is_executed(statement));
        unreached.extend(unseen.map(|statement| Unreached { proctype, statement }));
    }
    unreached
}
