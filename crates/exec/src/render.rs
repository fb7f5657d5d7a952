//! States and statements as text for people, in the manner of SPIN's simulator.

use crate::interpreter::{Context, Handshake, Interpreter};
use crate::semantics::Move;
use crate::state::State;
use spinor_model::model::Action;
use spinor_model::{Expr, Scalar, Variable};

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
        Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short => value.to_string(),
        Scalar::Int | Scalar::Unsigned(_) | Scalar::Chan | Scalar::Range { .. } => value.to_string(),
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

/// What a move prints in a state, a text for each print; `sender` offers it a message if it takes one.
#[must_use]
pub fn printed(interpreter: &Interpreter<'_>, state: &State, step: Move, sender: Option<Move>) -> Vec<String> {
    let pid = usize::from(step.pid);
    let proctype = interpreter.model().proctype(interpreter.proctype(state, pid));
    let statement = proctype.statement(step.statement);
    let Some(d_step) = statement.action.d_step() else {
        if !statement.runs {
            return print(interpreter, state, pid, &statement.action).into_iter().collect();
        }
        let mut after = state.clone();
        let settled = interpreter.settled(&statement.action, &mut after, Context::of(pid));
        return settled.ok().and_then(|action| print(interpreter, &after, pid, &action)).into_iter().collect();
    };
    let offer = sender.and_then(|sender| offered(interpreter, state, sender));
    let mut cx = Context { handshake: offer.as_ref(), ..Context::of(pid) };
    let mut state = state.clone();
    let mut texts = Vec::new();
    let mut node = 0;
    // One that never ends must not be followed for ever, and nobody reads more.
    for _ in 0..MAX_INSIDE {
        let Ok(Some((statement, target))) = interpreter.d_step_choice(proctype, d_step, node, &state, cx) else {
            break;
        };
        texts.extend(print(interpreter, &state, pid, &statement.action));
        if interpreter.apply(&statement.action, &mut state, cx, &mut Vec::new()).is_err() {
            break;
        }
        cx.handshake = None;
        let Some(target) = target else { break };
        node = target as usize;
    }
    texts
}

/// Statements of a `d_step` whose prints are shown.
const MAX_INSIDE: usize = 100_000;

/// The message that a rendezvous offers.
fn offered(interpreter: &Interpreter<'_>, state: &State, sender: Move) -> Option<Handshake> {
    let pid = usize::from(sender.pid);
    let proctype = interpreter.model().proctype(interpreter.proctype(state, pid));
    let send = proctype.statement(sender.statement).action.send()?;
    let cx = Context::of(pid);
    let channel = interpreter.channel(&send.channel, state, cx).ok()?;
    let values = interpreter.message(send, channel, state, cx).ok()?;
    Some(Handshake { channel, values })
}

/// What a single statement prints; nothing if it does not print.
fn print(interpreter: &Interpreter<'_>, state: &State, pid: usize, action: &Action) -> Option<String> {
    let cx = Context::of(pid);
    match action {
        Action::Print(format, values) => {
            let shown =
                |value| Shown { value: interpreter.eval(value, state, cx).unwrap_or_default(), set: set_of(value) };
            Some(format_text(interpreter, format, values.iter().map(shown)))
        }
        Action::PrintMtype(value, set) => {
            let value = interpreter.eval(value, state, cx).unwrap_or_default();
            Some(scalar_text(interpreter, &Scalar::Mtype(set.clone()), value))
        }
        Action::Condition(_)
        | Action::Else
        | Action::Assign(..)
        | Action::Input(_)
        | Action::Assert(_)
        | Action::Send(_)
        | Action::Receive(_)
        | Action::SetPriority(..)
        | Action::DStep(_)
        | Action::End
        | Action::Goto => None,
    }
}

/// Fills in a format: `%d %c %e %o %u %x` and the escapes of C.
fn format_text<'v>(interpreter: &Interpreter<'_>, format: &str, mut values: impl Iterator<Item = Shown<'v>>) -> String {
    let mut out = String::new();
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

/// A value that is shown, and its `mtype` if it is a variable of one.
struct Shown<'v> {
    value: i32,
    set: Option<&'v Scalar>,
}

/// The type of an expression that has names for its values.
fn set_of(value: &Expr) -> Option<&Scalar> {
    match value {
        Expr::Load(access) | Expr::Remote { access, .. } => match access.ty {
            Scalar::Mtype(_) => Some(&access.ty),
            Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Short | Scalar::Int => None,
            Scalar::Unsigned(_) | Scalar::Range { .. } | Scalar::Chan => None,
        },
        Expr::Constant(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Conditional(_) | Expr::Run(_) => None,
        Expr::Len(_) | Expr::ChannelTest(..) | Expr::Poll(_) | Expr::Enabled(_) | Expr::PcValue(_) => None,
        Expr::GetPriority(_) | Expr::AtLabel { .. } | Expr::Timeout | Expr::NonProgress | Expr::Pid => None,
        Expr::ProcessCount | Expr::Last | Expr::OwnPriority => None,
    }
}

fn one_value(interpreter: &Interpreter<'_>, kind: char, value: Option<Shown<'_>>) -> String {
    let Some(Shown { value, set }) = value else { return format!("%{kind}") };
    match kind {
        'c' => char::from(value as u8).to_string(),
        'e' => set.map_or_else(|| any_mtype(interpreter, value), |set| scalar_text(interpreter, set, value)),
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
