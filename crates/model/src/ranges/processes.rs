//! Which processes there can be, and what is always executable.

use super::Interval;
use crate::access::Object;
use crate::model::{Action, LocationId, Model, Proctype, ProctypeId, Role, StatementId};

/// The most processes that there can be at a time.
const MOST_PROCESSES: u32 = 255;

/// Numbers that the system itself gives out.
#[derive(Clone, Debug)]
pub(super) struct Bounds {
    /// `_pid` of each proctype.
    pub(super) pids: Vec<Interval>,
    /// The greatest `_nr_pr`.
    pub(super) most_processes: i32,
    /// The greatest `pc_value`.
    pub(super) most_location: i32,
    /// Whether there is exactly one process of each proctype, from the start.
    pub(super) is_single: Vec<bool>,
    /// Whether some statement creates each proctype.
    pub(super) is_run: Vec<bool>,
}

impl Bounds {
    pub(super) fn new(model: &Model) -> Bounds {
        let runs = runs(model);
        let is_run: Vec<bool> = (0..model.proctypes.len()).map(|id| runs.iter().any(|run| run.what == id)).collect();
        let most = most_processes(model, &runs);
        let count = |id: usize| model.active.iter().filter(|active| usize::from(active.proctype.0) == id).count();
        let numbers = model.proctypes.iter().flat_map(|proctype| &proctype.locations).map(|location| location.number);
        Bounds {
            pids: (0..model.proctypes.len()).map(|id| pids(model, id, is_run[id], most)).collect(),
            most_processes: most as i32,
            most_location: numbers.max().unwrap_or(0) as i32,
            is_single: (0..model.proctypes.len()).map(|id| count(id) == 1 && !is_run[id]).collect(),
            is_run,
        }
    }
}

/// Processes that are there from the start have their places; others come behind their creator.
fn pids(model: &Model, id: usize, is_run: bool, most: u32) -> Interval {
    if !model.proctypes[id].is_process() {
        return Interval::new(-1, MOST_PROCESSES as i32);
    }
    let places = model.active.iter().enumerate().filter(|(_, active)| usize::from(active.proctype.0) == id);
    let active = places.fold(Interval::EMPTY, |all, (pid, _)| all.join(Interval::single(pid as i32)));
    if is_run { active.join(Interval::new(1, most as i32 - 1)) } else { active }
}

/// A `run` in a statement.
struct RunEdge {
    who: usize,
    what: usize,
    /// The statement can be executed again by the same process.
    repeats: bool,
}

fn runs(model: &Model) -> Vec<RunEdge> {
    let mut runs = Vec::new();
    for (who, proctype) in model.proctypes.iter().enumerate() {
        for (id, statement) in proctype.statements.iter().enumerate() {
            for run in statement.action.runs() {
                let repeats = repeats(proctype, StatementId(id as u32));
                runs.push(RunEdge { who, what: usize::from(run.proctype.0), repeats });
            }
        }
    }
    runs
}

fn repeats(proctype: &Proctype, statement: StatementId) -> bool {
    let edges = proctype.locations.iter().flat_map(|location| &location.edges);
    let targets: Vec<LocationId> =
        edges.filter(|edge| edge.statement == statement).filter_map(|it| it.target).collect();
    if targets.is_empty() {
        // Inside of a `d_step`, which may have loops of its own.
        return true;
    }
    let mut seen = vec![false; proctype.locations.len()];
    let mut waiting = targets;
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut seen[usize::from(at.0)], true) {
            continue;
        }
        for edge in &proctype.location(at).edges {
            if edge.statement == statement {
                return true;
            }
            waiting.extend(edge.target);
        }
    }
    false
}

/// All processes that are ever created, if that is bounded: each `run` once for each process that
/// has it.
fn most_processes(model: &Model, runs: &[RunEdge]) -> u32 {
    let mut counts = vec![0_u32; model.proctypes.len()];
    model.active.iter().for_each(|active| counts[usize::from(active.proctype.0)] += 1);
    let started = counts.clone();
    // A chain of creation without repetition passes each proctype once.
    for _ in 0..=model.proctypes.len() {
        let mut next = started.clone();
        for run in runs {
            let times = if run.repeats && counts[run.who] > 0 { MOST_PROCESSES } else { counts[run.who] };
            next[run.what] = (next[run.what] + times).min(MOST_PROCESSES);
        }
        if next == counts {
            return counts.iter().sum::<u32>().min(MOST_PROCESSES);
        }
        counts = next;
    }
    MOST_PROCESSES
}

/// For each location, whether a process there can always do something.
pub(super) fn never_blocks(model: &Model, id: ProctypeId) -> Vec<bool> {
    let proctype = model.proctype(id);
    // Priorities and `provided` can stop a process anywhere, and a claim moves in between.
    let is_stopped = model.uses.priority || proctype.provided.is_some() || proctype.role == Role::Never;
    let stoppable = is_stopped || model.claims().any(writes_globals);
    let moves = |id: &StatementId| is_always_executable(proctype, &proctype.statement(*id).action);
    let free = |edges: &[crate::model::Edge]| !stoppable && edges.iter().any(|edge| moves(&edge.statement));
    proctype.locations.iter().map(|location| free(&location.edges)).collect()
}

fn writes_globals(claim: &Proctype) -> bool {
    let mut writes = claim.statements.iter().flat_map(|statement| &statement.accesses.writes);
    writes.any(Object::is_shared_variable)
}

fn is_always_executable(proctype: &Proctype, action: &Action) -> bool {
    match action {
        Action::Condition(value) => value.constant().is_some_and(|value| value != 0),
        Action::Else | Action::Assign(..) | Action::Assert(_) | Action::Print(..) | Action::PrintMtype(..) => true,
        Action::SetPriority(..) | Action::Goto => true,
        Action::DStep(d_step) => {
            let first = d_step.nodes.first().map_or(&[][..], |node| &node.edges);
            first.iter().any(|(id, _)| is_always_executable(proctype, &proctype.statement(*id).action))
        }
        Action::Send(_) | Action::Receive(_) | Action::Input(_) | Action::End => false,
    }
}

/// Whether a process can end.
pub(super) fn is_mortal(proctype: &Proctype) -> bool {
    let edges = proctype.locations.iter().flat_map(|location| &location.edges);
    edges.map(|edge| proctype.statement(edge.statement)).any(|statement| statement.action == Action::End)
}
