//! What happened, in one sentence.

use spinor_exec::{Expansion, Interpreter, Replay, State};
use spinor_explore::{Violation, ViolationKind};
use spinor_model::expr::Expr;
use spinor_model::model::Action;
use spinor_model::{Model, Proctype, Statement};
use spinor_syntax::{Place, plural};

/// Processes of a deadlock that are named.
const NAMED_PROCESSES: usize = 6;

/// What happened and where.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// In a sentence.
    pub sentence: String,
    /// The last statement, or for a deadlock the first process that waits.
    pub place: Option<Place>,
}

/// Explains a violation.
#[must_use]
pub fn violation(model: &Model, violation: &Violation) -> Explanation {
    if violation.kind == ViolationKind::InvalidEndState {
        return deadlock(model, violation);
    }
    if violation.lasso.is_some() {
        return Explanation { sentence: format!("{}{}", violation.message, repeated(violation)), place: None };
    }
    let Some(last) = violation.moves.last() else {
        return Explanation { sentence: violation.message.clone(), place: None };
    };
    let proctype = model.proctype(last.proctype);
    let statement = proctype.statement(last.statement);
    let line = model.sources.line(statement.place.at);
    let what = if violation.kind == ViolationKind::Fault {
        format!("fault: {} in {}", violation.message, statement.text)
    } else {
        violation.message.clone()
    };
    let sentence = format!("{what} (process {} ({}), line {line})", last.pid, proctype.name);
    Explanation { sentence, place: Some(statement.place) }
}

/// The processes that can move all along the part that is repeated, and do not: with weak fairness such an execution
/// does not count.
#[must_use]
pub fn starving(model: &Model, violation: &Violation) -> Vec<(usize, String)> {
    let Some(start) = violation.cycle_start() else { return Vec::new() };
    let mut interpreter = Interpreter::new(model);
    let Ok(mut replay) = Replay::new(&mut interpreter) else { return Vec::new() };
    let moves = &violation.moves;
    let mut done = 0;
    let mut waiting: Option<Vec<usize>> = None;
    while done < moves.len() {
        if done >= start && replay.holder().is_none() {
            let options = replay.options();
            let first =
                |it: &spinor_exec::Successor| options.path(&it.moves).first().map(|first| usize::from(first.pid));
            let can_move: Vec<usize> = options.successors.iter().filter_map(first).collect();
            let known = waiting.take().unwrap_or_else(|| can_move.clone());
            waiting = Some(known.into_iter().filter(|pid| can_move.contains(pid)).collect());
        }
        let Ok(step) = replay.step(&moves[done..]) else { return Vec::new() };
        done += step.moves.len();
    }
    let mut waiting = waiting.unwrap_or_default();
    waiting.sort_unstable();
    waiting.dedup();
    waiting.retain(|pid| moves[start..].iter().all(|step| usize::from(step.pid) != *pid));
    let state = replay.interpreter().state(replay.vector());
    let name = |pid: usize| model.proctype(replay.interpreter().proctype(&state, pid)).name.to_string();
    waiting.into_iter().filter(|&pid| pid < state.process_count()).map(|pid| (pid, name(pid))).collect()
}

/// How long the part is that is repeated.
fn repeated(violation: &Violation) -> String {
    let length = violation.moves.len();
    match violation.cycle_start() {
        None => format!(" (after {})", plural(length, "step")),
        Some(start) if start == length => format!(" ({}, then nothing moves any more)", plural(start, "step")),
        Some(start) => format!(" ({}, then {} that are repeated)", plural(start, "step"), length - start),
    }
}

fn final_state(interpreter: &mut Interpreter<'_>, violation: &Violation) -> Option<State> {
    let mut replay = Replay::new(interpreter).ok()?;
    let mut rest = &violation.moves[..];
    while !rest.is_empty() {
        let step = replay.step(rest).ok()?;
        rest = &rest[step.moves.len()..];
    }
    Some(replay.interpreter().state(replay.vector()))
}

/// The processes that wait where they should not, or all that wait if there is none.
fn waiting(interpreter: &Interpreter<'_>, state: &State) -> Vec<usize> {
    (0..state.process_count()).filter(|&pid| !interpreter.location(state, pid).is_end).collect()
}

fn deadlock(model: &Model, violation: &Violation) -> Explanation {
    let mut interpreter = Interpreter::new(model);
    let Some(state) = final_state(&mut interpreter, violation) else {
        return Explanation { sentence: violation.message.clone(), place: None };
    };
    let stuck = waiting(&interpreter, &state);
    if let (true, Some(trace)) = (stuck.is_empty(), interpreter.traced(&state)) {
        let line = model.sources.line(trace.place.at);
        let sentence = format!("nothing moves any more, but the trace waits at line {line}");
        return Explanation { sentence, place: Some(trace.place) };
    }
    let mut parts: Vec<String> = stuck.iter().map(|&pid| waits(&interpreter, &state, pid)).collect();
    // Those that may rest where they are can still be what the others wait for.
    for pid in (0..state.process_count()).filter(|pid| !stuck.contains(pid)) {
        let ends = |edge: &spinor_model::Edge| edge.target.is_none();
        if !interpreter.location(&state, pid).edges.iter().any(ends) {
            parts.push(format!("{}, as it may", waits(&interpreter, &state, pid)));
        }
    }
    if parts.len() > NAMED_PROCESSES {
        let rest = parts.len() - NAMED_PROCESSES;
        parts.truncate(NAMED_PROCESSES);
        parts.push(format!("and {rest} more"));
    }
    let place = stuck.first().map(|&pid| interpreter.location(&state, pid).place);
    Explanation { sentence: format!("deadlock: {}", parts.join("; ")), place }
}

/// `process 2 (R) at line 3 waits to receive 2 from c`.
fn waits(interpreter: &Interpreter<'_>, state: &State, pid: usize) -> String {
    let model = interpreter.model();
    let proctype = model.proctype(interpreter.proctype(state, pid));
    let location = interpreter.location(state, pid);
    let line = model.sources.line(location.place.at);
    let mut reasons: Vec<String> = Vec::new();
    let all = location.edges.iter().flat_map(|edge| wants(proctype, proctype.statement(edge.statement)));
    for reason in all {
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let mut reason = match reasons.len() {
        0 => "has nothing to do".into(),
        1..=3 => reasons.join(", or "),
        n => format!("{}, or one of {} other things", reasons[0], n - 1),
    };
    if interpreter.is_held_back(state, pid) {
        reason.push_str(", and may not move: what it is provided with does not hold");
    }
    format!("process {pid} ({}) at line {line} {reason}", proctype.name)
}

/// What a statement waits for: one of these.
fn wants(proctype: &Proctype, statement: &Statement) -> Vec<String> {
    let one = match &statement.action {
        Action::Send(_) => match statement.text.split_once('!') {
            Some((channel, message)) => format!("waits to send {} to {channel}", message.trim_start_matches('!')),
            None => format!("waits for {}", statement.text),
        },
        Action::Receive(_) => match statement.text.split_once('?') {
            Some((channel, message)) => {
                format!("waits to receive {} from {channel}", message.trim_start_matches('?'))
            }
            None => format!("waits for {}", statement.text),
        },
        Action::End => "waits to end, after the processes that were started later".into(),
        Action::Condition(Expr::Constant(0)) => "waits for ever".into(),
        Action::DStep(d_step) => {
            let first = d_step.nodes.first().map_or(&[][..], |node| &node.edges);
            return first.iter().flat_map(|&(id, _)| wants(proctype, proctype.statement(id))).collect();
        }
        Action::Condition(_)
        | Action::Else
        | Action::Assign(..)
        | Action::Input(_)
        | Action::Assert(_)
        | Action::Print(..)
        | Action::PrintMtype(..)
        | Action::SetPriority(..)
        | Action::Goto => format!("waits for {}", unwrapped(&statement.text)),
    };
    vec![one]
}

/// A condition without the parentheses around all of it.
fn unwrapped(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return text };
    let mut depth = 0_i32;
    let balanced = inner.chars().all(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth >= 0
    });
    if balanced { unwrapped(inner) } else { text }
}

/// What could be done next, for people who choose.
#[must_use]
pub fn options(model: &Model, expansion: &Expansion) -> Vec<String> {
    expansion
        .successors
        .iter()
        .map(|successor| {
            let moves = expansion.path(&successor.moves);
            let parts: Vec<String> = moves
                .iter()
                .map(|step| {
                    let proctype = model.proctype(step.proctype);
                    let statement = proctype.statement(step.statement);
                    let line = model.sources.line(statement.place.at);
                    format!("proc {} ({}) line {line} [{}]", step.pid, proctype.name, statement.text)
                })
                .collect();
            parts.join(" + ")
        })
        .collect()
}
