//! What there is to say of the symmetries of a model.

use super::canonical::Scratch;
use super::group::Found;
use super::{Orbits, Strategy, Symmetries};
use spinor_exec::{Limit, Semantics, Shape, Successors};
use spinor_model::model::Promise;
use spinor_model::{Proctype, ProctypeId, Role};
use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::time::Instant;

/// States on which it is tried what representatives are good for, and single steps that are waited for after each.
const TRIAL: usize = 1_000;
const TRIAL_STEPS: u64 = 2_000;

/// States that are visited to find those in which all processes are there, and single steps after each.
const PRELUDE: usize = 20_000;
const PRELUDE_STEPS: u64 = 1_000_000;

/// Fields that are looked at for a representative, beyond which it must be worth it. Time is not measured: the same model
/// shall be searched in the same way.
const COSTLY: u64 = 2_000;

/// States for each representative that are asked for, if it is cheap and if it is costly.
const WORTH: [f64; 2] = [1.05, 1.5];

/// How long somebody waits for what a model is tried out for. What is done in that time is the same in every run.
#[derive(Default)]
pub struct Trial<'a> {
    /// When it must be done.
    pub until: Option<Instant>,
    /// Whether to go on.
    pub goes_on: Option<&'a dyn Fn() -> bool>,
}

impl Trial<'_> {
    fn goes_on(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until) && self.goes_on.is_none_or(|goes_on| goes_on())
    }

    /// Successors of states, of which more than a few steps or bytes are not waited for.
    fn successors(&self, steps: u64) -> Successors {
        let limit = Limit { bytes: 1 << 20, until: self.until };
        Successors { limit, patience: Some(steps), ..Successors::default() }
    }
}

impl fmt::Debug for Trial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trial").field("until", &self.until).finish_non_exhaustive()
    }
}

/// States in which a model comes to rest.
#[derive(Debug, Default)]
pub(super) struct Rests {
    pub(super) states: Vec<Vec<u64>>,
    /// Why there may be others.
    cut: Option<String>,
}

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
    /// Why that would not be worth it.
    pub idle: Option<String>,
    /// What the text promises.
    pub promises: Vec<PromiseReport>,
}

impl SymmetryReport {
    /// Whether states stand for others.
    #[must_use]
    pub fn is_used(&self) -> bool {
        self.order > 1 && self.idle.is_none()
    }

    /// The promises that are not kept, and why.
    pub fn broken(&self) -> impl Iterator<Item = String> {
        let broken = |it: &PromiseReport| {
            let why = it.broken.as_ref()?;
            Some(format!("{}: `{}` is not symmetric as promised: {why}", it.line, it.proctype))
        };
        self.promises.iter().filter_map(broken)
    }
}

/// A promise of the text that any two processes of a type can change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromiseReport {
    /// The type.
    pub proctype: String,
    /// File and line.
    pub line: String,
    /// Why it is not kept.
    pub broken: Option<String>,
}

/// Processes that can change places.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassReport {
    /// The processes of each index: their types and pids.
    pub members: Vec<Vec<(String, usize)>>,
    /// Channels that go with them and belong to none of them alone.
    pub channels: usize,
    /// Whether any two can; otherwise they move together.
    pub is_full: bool,
}

impl Symmetries<'_> {
    /// Looks for a state in which all is there, and tells what is symmetric in it.
    pub fn report<S: Semantics>(&self, engine: &mut S) -> SymmetryReport {
        self.report_within(engine, &Trial::default())
    }

    /// The same, as long as somebody may wait for it.
    pub fn report_within<S: Semantics>(&self, engine: &mut S, trial: &Trial<'_>) -> SymmetryReport {
        let prelude = self.sets.prelude.iter().map(|(_, reason)| reason.text(self.model())).collect();
        let blank = SymmetryReport { prelude, order: 1, strategy: self.strategy, ..SymmetryReport::default() };
        let rests = self.rests(engine, trial);
        let Some(state) = rests.states.first() else {
            let why = match (&rests.cut, blank.prelude.last()) {
                (Some(cut), _) => cut.clone(),
                (None, last) => format!("something is always left that is not symmetric: {}", last.map_or("", |it| it)),
            };
            return SymmetryReport { promises: self.promises(|_| Some(why.clone())), refused: vec![why], ..blank };
        };
        let orbits = self.orbits(Shape::id_of(state[0]));
        let found = self.found(&orbits, &orbits.given_in(state));
        let class = |indexes: &Vec<usize>, is_full: bool| {
            let name = |id: ProctypeId| self.model().proctype(id).name.to_string();
            let members = |&index: &usize| found.names.members[index].iter().map(|it| (name(it.0), it.1)).collect();
            let members: Vec<Vec<_>> = indexes.iter().map(members).filter(|it: &Vec<_>| !it.is_empty()).collect();
            ClassReport { channels: indexes.len() - members.len(), members, is_full }
        };
        let blocks = found.blocks.iter().map(|block| class(block, true));
        let classes = blocks.chain(found.rings.iter().map(|ring| class(ring, false))).collect();
        let strategy = if self.strategy == Strategy::Auto { found.group.rule() } else { self.strategy };
        let (order, refused) = (found.group.order(), self.refusals(&found));
        let factor = if order > 1 { self.gain(engine, state, trial) } else { 1.0 };
        let least = WORTH[usize::from(found.group.cost(strategy) > COSTLY)];
        let idle = (order > 1 && factor < least)
            .then(|| format!("{factor:.2} of the first states for each representative, {least} are asked for"));
        let promises = self.promises(|proctype| self.breach_at(&rests, proctype));
        SymmetryReport { classes, refused, order, strategy, idle, promises, ..blank }
    }

    fn promises(&self, why: impl Fn(ProctypeId) -> Option<String>) -> Vec<PromiseReport> {
        let promise = |it: &Promise| PromiseReport {
            proctype: self.model().proctype(it.proctype).name.to_string(),
            line: self.model().line(it.place),
            broken: why(it.proctype),
        };
        self.model().promises.iter().map(promise).collect()
    }

    /// Why not any two processes of a type can change places, in all states in which the model comes to rest: what
    /// processes were given there may differ from one to another. What was not seen is not kept.
    fn breach_at(&self, rests: &Rests, proctype: ProctypeId) -> Option<String> {
        let breach = |state: &Vec<u64>| {
            let orbits = self.orbits(Shape::id_of(state[0]));
            self.breach(&self.found(&orbits, &orbits.given_in(state)), &orbits.shape, proctype)
        };
        rests.states.iter().find_map(breach).or(rests.cut.clone())
    }

    /// Why not any two processes of a type can change places.
    fn breach(&self, found: &Found, shape: &Shape, proctype: ProctypeId) -> Option<String> {
        let pids = (0..shape.processes.len()).filter(|&pid| shape.processes[pid].proctype == proctype);
        let pids: Vec<usize> = pids.collect();
        if let Some((_, why)) = found.names.refused.iter().find(|it| it.0 == proctype) {
            return Some(why.text(self.model()));
        }
        let indexes: Vec<Option<usize>> = pids.iter().map(|&pid| found.names.of_pid(pid)).collect();
        let is_whole = |block: &Vec<usize>| indexes.iter().all(|it| it.is_some_and(|it| block.contains(&it)));
        if pids.len() < 2 || found.blocks.iter().any(is_whole) {
            return None;
        }
        let is_meant = |index: usize| indexes.contains(&Some(index));
        let pair = found.refused.iter().find(|it| is_meant(it.0) && is_meant(it.1));
        let why = pair.map_or("their pids are names of others, too", |it| &it.2);
        Some(format!("{}: {why}", self.model().line(self.model().proctype(proctype).place)))
    }

    /// Why processes of one type cannot change places.
    fn refusals(&self, found: &Found) -> Vec<String> {
        let name = |id: ProctypeId| &self.model().proctype(id).name;
        let mut refused: Vec<String> = self.loners(found);
        refused
            .extend(found.names.refused.iter().map(|(id, why)| format!("{}: {}", name(*id), why.text(self.model()))));
        let moved: HashSet<usize> = found.blocks.iter().chain(&found.rings).flatten().copied().collect();
        for (one, other, why) in found.refused.iter().filter(|it| !(moved.contains(&it.0) && moved.contains(&it.1))) {
            let Some(&(id, _)) = found.names.members[*one].first() else { continue };
            let text = format!("{} ({}): {why}", name(id), self.model().line(self.model().proctype(id).place));
            let is_alone = |index: &usize| !moved.contains(index);
            if !refused.contains(&text) && (is_alone(one) || is_alone(other)) {
                refused.push(text);
            }
        }
        refused
    }

    /// Types of processes that have no second.
    fn loners(&self, found: &Found) -> Vec<String> {
        if !found.names.members.is_empty() || !found.names.refused.is_empty() {
            return Vec::new();
        }
        let types = self.model().proctypes.iter().filter(|it| it.role == Role::Process);
        let types: Vec<&Proctype> = types.collect();
        let line = |(at, it): (usize, &&Proctype)| {
            let twin = types[..at].iter().find_map(|other| self.difference(it, other));
            let why = twin.unwrap_or_else(|| "it is a type of its own".into());
            format!("{} ({}): {why}", it.name, self.model().line(it.place))
        };
        types.iter().enumerate().map(line).collect()
    }

    /// Where a type of processes differs from another of the same form.
    fn difference(&self, one: &Proctype, other: &Proctype) -> Option<String> {
        let form = |it: &Proctype| {
            let edges = it.locations.iter().map(|location| location.edges.len());
            (it.locals.len(), it.statements.len(), edges.collect::<Vec<_>>())
        };
        let (ours, theirs) = (&one.statements, &other.statements);
        if form(one) != form(other) {
            return None;
        }
        let Some((ours, theirs)) = ours.iter().zip(theirs).find(|(one, other)| one.text != other.text) else {
            return Some(format!("its statements are those of {}, but it is a type of its own", other.name));
        };
        let line = self.model().line(ours.place);
        Some(format!(
            "it is a type of its own, like {} but for {line}: `{}`, not `{}`",
            other.name, ours.text, theirs.text
        ))
    }

    /// States in which the model comes to rest. The first is found on the way that processes take which are not at rest:
    /// those that start others. The others are looked for if something was promised of them; one is enough of those in which
    /// the same processes were given the same.
    pub(super) fn rests<S: Semantics>(&self, engine: &mut S, trial: &Trial<'_>) -> Rests {
        let mut rests = Rests::default();
        let mut out = trial.successors(PRELUDE_STEPS);
        if engine.initial(&mut out).is_err() {
            return rests;
        }
        let mut known: HashSet<Vec<u64>> = HashSet::new();
        let mut seen: HashSet<Vec<u64>> = HashSet::new();
        let mut waiting = VecDeque::from([out.vector(&out.list[0]).to_vec()]);
        let is_all = !self.model().promises.is_empty();
        while let Some(state) = waiting.pop_front() {
            let id = Shape::id_of(state[0]);
            let orbits = self.orbits(id);
            if orbits.is_at_rest(&state) {
                let mut what = orbits.given_in(&state);
                what.push(id.into());
                if known.insert(what) {
                    rests.states.push(state);
                }
                if is_all {
                    continue;
                }
                return rests;
            }
            if seen.len() >= PRELUDE || !trial.goes_on() {
                rests.cut = Some(format!("it is not known what comes after the first {} states", seen.len()));
                return rests;
            }
            let (ahead, is_cut) = self.expand_prelude(engine, &orbits, &state, &mut out);
            if is_cut {
                rests.cut = Some("it is not known what comes after a step that is too long".into());
            }
            for (n, next) in out.list.iter().enumerate() {
                let next = out.vector(next).to_vec();
                if seen.insert(next.clone()) {
                    if n < ahead { waiting.push_front(next) } else { waiting.push_back(next) }
                }
            }
        }
        rests
    }

    /// All that follows a state, with what processes do that are not at rest at the front: how many these are, and whether
    /// there is more.
    fn expand_prelude<S: Semantics>(
        &self,
        engine: &mut S,
        orbits: &Orbits,
        state: &[u64],
        out: &mut Successors,
    ) -> (usize, bool) {
        out.clear();
        for (pid, process) in orbits.shape.processes.iter().enumerate() {
            if !self.sets.is_quiet(process.proctype, process.location.get(state) as usize) {
                engine.expand_process(state, pid, out);
            }
        }
        let ahead = out.list.len();
        let is_cut = engine.expand(state, out).ended.cut().is_some();
        (ahead, is_cut)
    }

    /// How many of the first states from some state on there are for each representative.
    fn gain<S: Semantics>(&self, engine: &mut S, from: &[u64], trial: &Trial<'_>) -> f64 {
        let mut states: HashSet<Vec<u64>> = HashSet::from([from.to_vec()]);
        let mut waiting = VecDeque::from([from.to_vec()]);
        let mut out = trial.successors(TRIAL_STEPS);
        while let Some(state) = waiting.pop_front().filter(|_| states.len() < TRIAL && trial.goes_on()) {
            out.clear();
            engine.expand(&state, &mut out);
            for next in &out.list {
                let next = out.vector(next).to_vec();
                if states.insert(next.clone()) {
                    waiting.push_back(next);
                }
            }
        }
        let mut scratch = Scratch::default();
        let count = states.len();
        let represent = |mut state: Vec<u64>| {
            let orbits = self.orbits(Shape::id_of(state[0]));
            if orbits.is_at_rest(&state) {
                self.group(&orbits, &state).represent(self.strategy, &mut state, None, &mut scratch);
            }
            state
        };
        let representatives: HashSet<Vec<u64>> = states.into_iter().map(represent).collect();
        count as f64 / representatives.len() as f64
    }
}
