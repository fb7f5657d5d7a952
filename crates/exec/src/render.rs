//! States and statements as text for people, in the manner of SPIN's simulator.

use crate::interpreter::{Context, Interpreter};
use crate::state::State;
use spinor_model::model::Action;
use spinor_model::{ProctypeId, Scalar, StatementId, Variable};

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rendered {
    /// Its name, with process in front for a local one.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// The value of a number: names of `mtype`s are shown.
#[must_use]
pub fn scalar_text(interpreter: &Interpreter<'_>, ty: &Scalar, value: i32) -> String {
    match ty {
        Scalar::Mtype(set) => match interpreter.model().mtype_name(set.as_deref(), value) {
            Some(name) => name.to_string(),
            None => value.to_string(),
        },
        _ => value.to_string(),
    }
}

/// The global variables, and the contents of all buffered channels.
#[must_use]
pub fn variables(interpreter: &Interpreter<'_>, state: &State) -> Vec<Rendered> {
    let model = interpreter.model();
    let mut out = Vec::new();
    for variable in &model.globals {
        push(interpreter, state, variable, interpreter.layout().hidden, "", &mut out);
    }
    for variable in &model.hidden {
        push(interpreter, state, variable, 0, "", &mut out);
    }
    for channel in 0..state.channel_count() {
        let kind = &model.channel_types[state.channel_kind(interpreter.layout(), channel)];
        if kind.capacity > 0 {
            out.push(Rendered { name: format!("queue {}", channel + 1), value: queue(interpreter, state, channel) });
        }
    }
    out
}

fn queue(interpreter: &Interpreter<'_>, state: &State, channel: usize) -> String {
    let length = state.channel_length(interpreter.layout(), channel);
    let messages: Vec<String> = (0..length).map(|slot| message_text(interpreter, state, channel, slot)).collect();
    messages.iter().map(|message| format!("[{message}]")).collect()
}

/// The message in a slot of a channel.
#[must_use]
pub fn message_text(interpreter: &Interpreter<'_>, state: &State, channel: usize, slot: usize) -> String {
    let kind = &interpreter.model().channel_types[state.channel_kind(interpreter.layout(), channel)];
    let field = |(index, ty): (usize, &Scalar)| {
        scalar_text(interpreter, ty, state.message_field(interpreter.layout(), channel, slot, index))
    };
    kind.fields.iter().enumerate().map(field).collect::<Vec<_>>().join(",")
}

/// The local variables of a process.
#[must_use]
pub fn locals(interpreter: &Interpreter<'_>, state: &State, pid: usize) -> Vec<Rendered> {
    let proctype = interpreter.model().proctype(interpreter.proctype(state, pid));
    let prefix = format!("{}({pid}):", proctype.name);
    let base = state.locals(interpreter.layout(), pid);
    let mut out = Vec::new();
    for variable in &proctype.locals {
        push(interpreter, state, variable, base, &prefix, &mut out);
    }
    out
}

fn push(
    interpreter: &Interpreter<'_>,
    state: &State,
    variable: &Variable,
    base: usize,
    prefix: &str,
    out: &mut Vec<Rendered>,
) {
    variable.for_each_scalar(&mut |name, offset, ty| {
        let value = scalar_text(interpreter, ty, state.get(base + offset as usize, ty));
        out.push(Rendered { name: format!("{prefix}{name}"), value });
    });
}

/// Where a process stands: `proc  1 (Q:1) file:3 (state 4)`.
#[must_use]
pub fn process_line(interpreter: &Interpreter<'_>, state: &State, pid: usize) -> String {
    let model = interpreter.model();
    let proctype = model.proctype(interpreter.proctype(state, pid));
    let location = interpreter.location(state, pid);
    let at = location.place.at;
    format!(
        "proc {pid:2} ({}:1) {}:{} (state {})",
        proctype.name,
        model.sources.name(at),
        model.sources.line(at),
        location.number
    )
}

/// What a statement prints when a process executes it in a state; nothing if it does not print.
#[must_use]
pub fn printed(
    interpreter: &Interpreter<'_>,
    state: &State,
    pid: usize,
    proctype: ProctypeId,
    statement: StatementId,
) -> Option<String> {
    let cx = Context::of(pid);
    match &interpreter.model().proctype(proctype).statement(statement).action {
        Action::Print(format, values) => {
            let values: Vec<i32> =
                values.iter().map(|value| interpreter.eval(value, state, cx).unwrap_or_default()).collect();
            Some(format_text(interpreter, format, &values))
        }
        Action::PrintMtype(value, set) => {
            let value = interpreter.eval(value, state, cx).unwrap_or_default();
            Some(scalar_text(interpreter, &Scalar::Mtype(set.clone()), value))
        }
        _ => None,
    }
}

/// Fills in a format: `%d %c %e %o %u %x` and the escapes of C.
fn format_text(interpreter: &Interpreter<'_>, format: &str, values: &[i32]) -> String {
    let mut out = String::new();
    let mut values = values.iter().copied();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some('r') => out.push('\r'),
                Some(other) => out.push(other),
                None => out.push('\\'),
            },
            '%' => match chars.next() {
                Some('%') => out.push('%'),
                Some(kind) => out.push_str(&one_value(interpreter, kind, values.next())),
                None => out.push('%'),
            },
            other => out.push(other),
        }
    }
    out
}

fn one_value(interpreter: &Interpreter<'_>, kind: char, value: Option<i32>) -> String {
    let Some(value) = value else { return format!("%{kind}") };
    match kind {
        'c' => char::from(value as u8).to_string(),
        'e' => any_mtype(interpreter, value),
        'o' => format!("{value:o}"),
        'u' => (value as u32).to_string(),
        'x' => format!("{value:x}"),
        _ => value.to_string(),
    }
}

fn any_mtype(interpreter: &Interpreter<'_>, value: i32) -> String {
    let model = interpreter.model();
    let named = model.mtypes.iter().find_map(|set| model.mtype_name(set.name.as_deref(), value));
    named.map_or_else(|| value.to_string(), ToString::to_string)
}
