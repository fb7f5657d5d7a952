//! An execution, step by step, as SPIN's simulator shows it.

use spinor_exec::{Interpreter, Move, ReplayStep, State, locals, printed, process_line, variables};
use spinor_model::model::Action;
use std::fmt::Write as _;

/// What to show of each step: the options `-p -g -l -s -r` of SPIN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "options of the user, independent of each other")]
pub struct Show {
    /// `-p`: every statement.
    pub statements: bool,
    /// `-g`: global variables that changed.
    pub globals: bool,
    /// `-l`: local variables that changed.
    pub locals: bool,
    /// `-s`: sends.
    pub sends: bool,
    /// `-r`: receives.
    pub receives: bool,
}

impl Show {
    /// Everything.
    #[must_use]
    pub fn all() -> Show {
        Show { statements: true, globals: true, locals: true, sends: true, receives: true }
    }
}

/// One step; `depth` is the number of moves before it.
#[must_use]
pub fn step(interpreter: &Interpreter<'_>, step: &ReplayStep, depth: usize, show: Show) -> String {
    let before = interpreter.state(&step.before);
    let after = step.after.as_ref().map(|vector| interpreter.state(vector));
    let mut out = String::new();
    for (index, &it) in step.moves.iter().enumerate() {
        let sender = index.checked_sub(1).map(|before| step.moves[before]);
        for text in printed(interpreter, &before, it, sender) {
            out.push_str("          ");
            out.push_str(&text);
            if !text.ends_with('\n') {
                out.push('\n');
            }
        }
        if shows(interpreter, it, show) {
            let _ = writeln!(out, "{}", statement_line(interpreter, &before, it, depth + index + 1));
        }
    }
    if let Some(after) = &after {
        out.push_str(&changes(interpreter, &before, after, show));
    }
    out
}

fn shows(interpreter: &Interpreter<'_>, it: Move, show: Show) -> bool {
    match interpreter.model().proctype(it.proctype).statement(it.statement).action {
        Action::Send(_) => show.statements || show.sends,
        Action::Receive(_) => show.statements || show.receives,
        _ => show.statements,
    }
}

fn statement_line(interpreter: &Interpreter<'_>, before: &State, it: Move, depth: usize) -> String {
    let model = interpreter.model();
    let proctype = model.proctype(it.proctype);
    let statement = proctype.statement(it.statement);
    if statement.action == Action::End {
        return format!("{depth:3}:\tproc {:2} ({}:1) terminates", it.pid, proctype.name);
    }
    let at = statement.place.at;
    let number = interpreter.location(before, usize::from(it.pid)).number;
    format!(
        "{depth:3}:\tproc {:2} ({}:1) {}:{} (state {number})\t[{}]",
        it.pid,
        proctype.name,
        model.sources.name(at),
        model.sources.line(at),
        statement.text
    )
}

/// The variables whose value changed.
fn changes(interpreter: &Interpreter<'_>, before: &State, after: &State, show: Show) -> String {
    let mut out = String::new();
    let mut compare = |old: Vec<spinor_exec::Rendered>, new: Vec<spinor_exec::Rendered>| {
        for (index, variable) in new.iter().enumerate() {
            if old.get(index) != Some(variable) {
                let _ = writeln!(out, "\t\t{} = {}", variable.name, variable.value);
            }
        }
    };
    if show.globals {
        compare(variables(interpreter, before), variables(interpreter, after));
    }
    if show.locals {
        for pid in 0..after.process_count().min(before.process_count()) {
            compare(locals(interpreter, before, pid), locals(interpreter, after, pid));
        }
    }
    out
}

/// The last state: where every process stands, and all values.
#[must_use]
pub fn final_state(interpreter: &Interpreter<'_>, state: &State, depth: usize) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "#processes: {}", state.process_count());
    for variable in variables(interpreter, state) {
        let _ = writeln!(out, "\t\t{} = {}", variable.name, variable.value);
    }
    for pid in (0..state.process_count()).rev() {
        let end = if interpreter.location(state, pid).is_end { " <valid end state>" } else { "" };
        let _ = writeln!(out, "{depth:3}:\t{}{end}", process_line(interpreter, state, pid));
    }
    let _ = writeln!(out, "{} processes", state.process_count());
    out
}
