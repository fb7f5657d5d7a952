//! All states of a model, by the simplest means: the naive twin of every search.

use std::collections::{BTreeSet, HashMap};

use spinor_exec::{Ended, FindingKind, Interpreter, Move, Packed, Replay, Semantics, Successors};
use spinor_model::{LocationId, ProctypeId, StatementId};

/// What is reachable.
pub(crate) struct Space<'m> {
    engine: Packed<'m>,
    /// In the order in which they were found.
    states: Vec<Vec<u64>>,
    /// How each state was reached first: from which, and as which of its successors.
    parents: Vec<Option<(usize, usize)>>,
    /// What went wrong, as text, and where first: the state that was expanded, and the moves from there.
    findings: HashMap<String, (FindingKind, usize, Vec<Move>)>,
    /// States in which processes wait for ever, and not where they may.
    dead_ends: Vec<usize>,
}

impl<'m> Space<'m> {
    /// `None` if there is no first state, there are more states than `most`, or something is not
    /// followed to its end.
    pub(crate) fn explore(mut engine: Packed<'m>, most: usize) -> Option<Space<'m>> {
        let mut out = Successors::default();
        engine.initial(&mut out).ok()?;
        let first = out.vector(&out.list[0]).to_vec();
        let mut numbers = HashMap::from([(first.clone(), 0)]);
        let (states, parents) = (vec![first], vec![None]);
        let mut space = Space { engine, states, parents, findings: HashMap::new(), dead_ends: Vec::new() };
        let mut at = 0;
        while at < space.states.len() {
            out.clear();
            space.expand(at, &mut out)?;
            for (n, next) in out.list.iter().enumerate() {
                let state = out.vector(next);
                if !numbers.contains_key(state) {
                    numbers.insert(state.to_vec(), space.states.len());
                    space.states.push(state.to_vec());
                    space.parents.push(Some((at, n)));
                }
            }
            if space.states.len() > most {
                return None;
            }
            at += 1;
        }
        Some(space)
    }

    fn expand(&mut self, at: usize, out: &mut Successors) -> Option<()> {
        let state = self.states[at].clone();
        let expanded = self.engine.expand(&state, out);
        for finding in out.findings.drain(..) {
            let text = format!("{:?}", finding.kind);
            // What an endless sequence leads to is not followed.
            if text.contains("Endless") {
                return None;
            }
            self.findings.entry(text).or_insert((finding.kind, at, finding.moves));
        }
        if expanded.ended == Ended::Stuck && !self.engine.is_valid_end(&state) {
            self.dead_ends.push(at);
        }
        expanded.ended.cut().is_none().then_some(())
    }

    /// How many states there are.
    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    /// What went wrong.
    pub(crate) fn findings(&self) -> BTreeSet<String> {
        self.findings.keys().cloned().collect()
    }

    /// The states as reference vectors, as the engine `by` would store them.
    pub(crate) fn states(&self, by: &Packed<'_>) -> BTreeSet<Vec<u8>> {
        (0..self.states.len()).map(|at| self.reference(at, by)).collect()
    }

    /// The dead ends as reference vectors, as the engine `by` would store them.
    pub(crate) fn dead_ends(&self, by: &Packed<'_>) -> BTreeSet<Vec<u8>> {
        self.dead_ends.iter().map(|&at| self.reference(at, by)).collect()
    }

    fn reference(&self, at: usize, by: &Packed<'_>) -> Vec<u8> {
        by.unpacked(&self.engine.repacked(&self.states[at], by))
    }

    /// Where processes were seen.
    pub(crate) fn locations(&self) -> BTreeSet<(ProctypeId, LocationId)> {
        let mut seen = BTreeSet::new();
        for state in &self.states {
            let shape = self.engine.shapes().get(spinor_exec::Shape::id_of(state[0]));
            let place = |it: &spinor_exec::ProcessPlace| (it.proctype, LocationId(it.location.get(state) as u16));
            seen.extend(shape.processes.iter().map(place));
        }
        seen
    }

    /// The statements that were executed.
    pub(crate) fn executed(&self) -> BTreeSet<(ProctypeId, StatementId)> {
        let mut executed = BTreeSet::new();
        for (index, proctype) in self.engine.shapes().model().proctypes.iter().enumerate() {
            let id = ProctypeId(index as u16);
            let statements = (0..proctype.statements.len()).map(|statement| StatementId(statement as u32));
            executed.extend(statements.filter(|&it| self.engine.was_executed(id, it)).map(|it| (id, it)));
        }
        executed
    }

    /// The engine.
    pub(crate) fn engine(&self) -> &Packed<'m> {
        &self.engine
    }

    /// Replays a trail to each kind of finding and to the first dead end; says how many.
    pub(crate) fn replay(&mut self) -> Result<u64, String> {
        let findings: Vec<_> = self.findings.values().cloned().collect();
        let mut count = 0;
        for (kind, at, moves) in findings {
            let mut trail = self.path(at);
            trail.extend(moves);
            self.replay_one(&trail, Some(&kind))?;
            count += 1;
        }
        if let Some(&at) = self.dead_ends.first() {
            let trail = self.path(at);
            self.replay_one(&trail, None)?;
            count += 1;
        }
        Ok(count)
    }

    /// The moves from the first state to another.
    fn path(&mut self, mut at: usize) -> Vec<Move> {
        let mut parts = Vec::new();
        while let Some((from, n)) = self.parents[at] {
            parts.push(self.engine.moves(&self.states[from].clone(), n));
            at = from;
        }
        parts.into_iter().rev().flatten().collect()
    }

    /// A trail must end with a finding, or else in a dead end.
    fn replay_one(&self, trail: &[Move], kind: Option<&FindingKind>) -> Result<(), String> {
        let mut interpreter = Interpreter::new(self.engine.shapes().model());
        let mut replay = Replay::new(&mut interpreter).map_err(|error| error.to_string())?;
        let (mut taken, mut found) = (0, Vec::new());
        while taken < trail.len() {
            let step = replay.step(&trail[taken..]).map_err(|error| error.to_string())?;
            taken += step.moves.len();
            found = step.findings;
        }
        let confirmed = match kind {
            Some(kind) => found.contains(kind),
            None => replay.is_stuck() && !replay.is_valid_end(),
        };
        if confirmed { Ok(()) } else { Err(format!("the trail to {kind:?} does not show it: {trail:?}")) }
    }
}
