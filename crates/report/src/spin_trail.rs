//! SPIN's `.trail` files: one `depth:process:statement` per line.

use spinor_exec::{Expansion, Interpreter, Move};
use spinor_model::{Action, Model, StatementId};
use std::fmt::Write as _;

/// The mark of what is repeated for ever.
const CYCLE: &str = "-1:-1:-1\n";

/// The text of a trail file, without the moves of a claim. Statements were not merged, so SPIN replays it as it is.
#[must_use]
pub fn write(model: &Model, moves: &[Move], cycle_start: Option<usize>) -> String {
    let mut out = String::new();
    for (index, step) in moves.iter().enumerate() {
        if cycle_start == Some(index) {
            out.push_str(CYCLE);
        }
        let number = model.proctype(step.proctype).statement(step.statement).number;
        let _ = writeln!(out, "{}:{}:{number}", index + 1, step.pid);
    }
    if cycle_start == Some(moves.len()) {
        out.push_str(CYCLE);
    }
    out
}

/// Whether a text looks like one of SPIN's trails.
#[must_use]
pub fn is_trail(text: &str) -> bool {
    // A deadlock in the first state has an empty trail.
    text.lines().next().is_none_or(|line| {
        line.split(':').count() == 3 && line.split(':').all(|field| field.trim().parse::<i64>().is_ok())
    })
}

/// The moves of a trail file, without those of a claim, and how many come before those that are repeated for ever.
///
/// # Errors
/// A sentence for the user if the text is no trail, or not one of this model.
pub fn read(model: &Model, text: &str) -> Result<(Vec<Move>, Option<usize>), String> {
    let (lines, cycle_start) = steps(text)?;
    if lines.is_empty() {
        // There need not be a first state.
        return Ok((Vec::new(), cycle_start));
    }
    moves(model, &lines).map(|moves| (moves, cycle_start))
}

fn moves(model: &Model, lines: &[Line]) -> Result<Vec<Move>, String> {
    let mut interpreter = Interpreter::new(model);
    let mut vector = interpreter.initial().map_err(|fault| fault.to_string())?;
    let mut holder = None;
    let mut expansion = Expansion::default();
    let mut moves: Vec<Move> = Vec::new();
    let mut index = 0;
    while index < lines.len() {
        interpreter.steps(&vector, holder, &mut expansion);
        let fits = |path: &[Move]| {
            path.len() <= lines.len() - index
                && path.iter().zip(&lines[index..]).all(|(step, line)| is_step(model, step, line))
        };
        if let Some(successor) = expansion.successors.iter().find(|it| fits(expansion.path(&it.moves))) {
            moves.extend_from_slice(expansion.path(&successor.moves));
            index += successor.moves.len();
            vector = expansion.vector(successor).to_vec();
            holder = successor.holder;
            continue;
        }
        if let Some(finding) = expansion.findings.iter().find(|it| fits(expansion.path(&it.moves))) {
            moves.extend_from_slice(expansion.path(&finding.moves));
            return Ok(moves);
        }
        let Line { depth, process, statement } = lines[index];
        // A trail to a failed rendezvous ends with the offer, which nobody takes.
        if index + 1 == lines.len() && is_offer(&interpreter, &vector, &lines[index]) {
            return Ok(moves);
        }
        return Err(format!("step {depth}: process {process} cannot execute statement {statement}"));
    }
    Ok(moves)
}

/// Whether a line is a send at which its process stands.
fn is_offer(interpreter: &Interpreter<'_>, vector: &[u8], line: &Line) -> bool {
    let state = interpreter.state(vector);
    if line.process >= state.process_count() {
        return false;
    }
    let proctype = interpreter.model().proctype(interpreter.proctype(&state, line.process));
    let edges = &interpreter.location(&state, line.process).edges;
    let mut statements = edges.iter().map(|edge| proctype.statement(edge.statement));
    statements.any(|it| it.number == line.statement && matches!(it.action, Action::Send(_)))
}

fn is_step(model: &Model, step: &Move, line: &Line) -> bool {
    usize::from(step.pid) == line.process
        && model.proctype(step.proctype).statement(StatementId(step.statement.0)).number == line.statement
}

/// A line of a trail.
#[derive(Clone, Copy, Debug)]
struct Line {
    depth: i64,
    process: usize,
    statement: u32,
}

/// The lines of processes, and how many come before those that are repeated.
fn steps(text: &str) -> Result<(Vec<Line>, Option<usize>), String> {
    let mut lines = Vec::new();
    let (mut cycle_start, mut has_claim) = (None, false);
    for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<i64> = line.split(':').map_while(|field| field.trim().parse().ok()).collect();
        let &[depth, process, statement] = &fields[..] else {
            return Err(format!("line {} is not of the form depth:process:statement", number + 1));
        };
        match depth {
            -4 => return Err("this trail was made with merged statements: build SPIN's verifier with -o3".into()),
            -2 => has_claim = true,
            -1 => cycle_start = Some(lines.len()),
            // The claim is the first process then.
            _ if has_claim && process == 0 => {}
            _ => lines.push(Line {
                depth,
                process: usize::try_from(process - i64::from(has_claim))
                    .map_err(|_| format!("line {}: bad process", number + 1))?,
                statement: u32::try_from(statement).map_err(|_| format!("line {}: bad statement", number + 1))?,
            }),
        }
    }
    Ok((lines, cycle_start))
}
