//! What there is to say of the symmetries of a model.

use super::group::{self, Found};
use super::{Strategy, Symmetries};
use spinor_exec::{Semantics, Shape, Successors};
use spinor_model::ProctypeId;
use std::collections::{HashSet, VecDeque};

/// States that are visited to find one in which all processes are there.
const TRIAL: usize = 10_000;

/// The symmetries of the states with the most processes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymmetryReport {
    /// Processes that can change places.
    pub classes: Vec<ClassReport>,
    /// Processes that cannot, and why.
    pub refused: Vec<String>,
    /// What comes before anything is symmetric.
    pub prelude: Vec<String>,
    /// How many permutations there are.
    pub order: u64,
    /// How representatives are found.
    pub strategy: Strategy,
}

/// Processes that can change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassReport {
    /// The processes of each index: their types and pids.
    pub members: Vec<Vec<(String, usize)>>,
    /// Whether any two can; otherwise they turn together.
    pub is_full: bool,
}

impl Symmetries<'_> {
    /// Looks for a state in which all is there, and tells what is symmetric in it.
    pub fn report<S: Semantics>(&self, engine: &mut S) -> SymmetryReport {
        let prelude = self.sets.prelude.iter().map(|(_, reason)| reason.text(self.model())).collect();
        let blank = SymmetryReport { prelude, order: 1, strategy: self.strategy, ..SymmetryReport::default() };
        let Some(state) = self.largest(engine) else {
            return SymmetryReport { refused: vec!["no state at rest was found".into()], ..blank };
        };
        let shape = self.shapes.get(Shape::id_of(state[0]));
        let found = group::find(&self.sets, &self.shapes, &shape, &state);
        let class = |indexes: &Vec<usize>, is_full: bool| {
            let name = |id: ProctypeId| self.model().proctype(id).name.to_string();
            let members = |&index: &usize| found.names.members[index].iter().map(|it| (name(it.0), it.1)).collect();
            ClassReport { members: indexes.iter().map(members).collect(), is_full }
        };
        let blocks = found.blocks.iter().map(|block| class(block, true));
        let classes = blocks.chain(found.rings.iter().map(|ring| class(ring, false))).collect();
        let strategy = if self.strategy == Strategy::Auto { found.group.rule() } else { self.strategy };
        SymmetryReport { classes, refused: self.refusals(&found), order: found.group.order(), strategy, ..blank }
    }

    /// Why processes of one type cannot change places.
    fn refusals(&self, found: &Found) -> Vec<String> {
        let name = |id: ProctypeId| &self.model().proctype(id).name;
        let mut refused: Vec<String> =
            found.names.refused.iter().map(|(id, why)| format!("{}: {}", name(*id), why.text(self.model()))).collect();
        let moved: HashSet<usize> = found.blocks.iter().chain(&found.rings).flatten().copied().collect();
        for (one, other, why) in found.refused.iter().filter(|it| !(moved.contains(&it.0) && moved.contains(&it.1))) {
            let Some(&(id, _)) = found.names.members[*one].first() else { continue };
            let text = format!("{}: {why}", name(id));
            let is_alone = |index: &usize| !moved.contains(index);
            if !refused.contains(&text) && (is_alone(one) || is_alone(other)) {
                refused.push(text);
            }
        }
        refused
    }

    /// A state at rest with as many processes as any among the first.
    fn largest<S: Semantics>(&self, engine: &mut S) -> Option<Vec<u64>> {
        let mut out = Successors::default();
        engine.initial(&mut out).ok()?;
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut waiting = VecDeque::from([out.vector(&out.list[0]).to_vec()]);
        let mut best: Option<(usize, Vec<u64>)> = None;
        while let Some(state) = waiting.pop_front() {
            let processes = engine.processes(&state);
            let is_more = best.as_ref().is_none_or(|(most, _)| *most < processes);
            if is_more && self.orbits(Shape::id_of(state[0])).is_at_rest(&state) {
                best = Some((processes, state.clone()));
            }
            out.clear();
            engine.expand(&state, &mut out);
            for next in &out.list {
                let next = out.vector(next).to_vec();
                if seen.len() < TRIAL && seen.insert(next.clone()) {
                    waiting.push_back(next);
                }
            }
        }
        best.map(|best| best.1)
    }
}
