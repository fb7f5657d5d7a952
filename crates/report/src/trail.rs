//! The native trail: what was checked, on which model, and every move with the values it changed.

use serde::{Deserialize, Serialize};
use spinor_exec::{Interpreter, Move, Replay, ReplayStep, State, locals, variables};
use spinor_explore::{Violation, ViolationKind};
use spinor_model::{Model, ProctypeId, StatementId};

/// A trail file.
#[derive(Debug, Serialize, Deserialize)]
pub struct Trail {
    /// The version of the format.
    pub schema: u32,
    /// The name of the model.
    pub model: String,
    /// A hash of its text, all included files with it.
    pub model_hash: String,
    /// What is violated.
    pub property: String,
    /// What happened, in a sentence.
    pub message: String,
    /// Whose property that is, if it is not safety: kind and name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// Where the model is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// How many moves come before those that are repeated for ever, if any are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycle_start: Option<usize>,
    /// The moves.
    pub moves: Vec<TrailMove>,
}

/// A move of a trail file.
#[derive(Debug, Serialize, Deserialize)]
pub struct TrailMove {
    /// The process.
    pub pid: u8,
    /// Its type.
    pub process: String,
    /// The statement's number in the model.
    pub statement: u32,
    /// The line.
    pub line: u32,
    /// The statement as text, for people.
    pub text: String,
    /// The variables that it changed, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// The state after it, as bytes in hexadecimal; absent inside of a rendezvous, and in long
    /// trails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// The name of what is read behind a model because options say so, and of what macros of options are.
pub const ADDED: &str = "--ltl";
const OPTIONS: &str = "<command line>";

/// Trails with more moves than this carry no states.
const MAX_STATES: usize = 10_000;

/// Where a trail comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Where the model is.
    pub source: String,
    /// What is violated if it is not safety: kind and name.
    pub claim: Option<String>,
}

/// The trail of a violation.
#[must_use]
pub fn of_violation(model: &Model, violation: &Violation, Origin { source, claim }: Origin) -> Trail {
    Trail {
        schema: 1,
        model: model.name.clone(),
        model_hash: model_hash(model),
        property: violation.kind.name().into(),
        message: crate::explain::violation(model, violation).sentence,
        claim,
        source: Some(source),
        cycle_start: violation.cycle_start(),
        moves: moves_with_changes(model, &violation.moves),
    }
}

fn moves_with_changes(model: &Model, moves: &[Move]) -> Vec<TrailMove> {
    let mut out: Vec<TrailMove> = moves.iter().map(|step| plain(model, step)).collect();
    let mut interpreter = Interpreter::new(model);
    let Ok(mut replay) = Replay::new(&mut interpreter) else { return out };
    let mut index = 0;
    while index < moves.len() {
        let Ok(step) = replay.step(&moves[index..]) else { break };
        index += step.moves.len();
        let is_short = moves.len() <= MAX_STATES;
        out[index - 1].state = step.after.as_deref().filter(|_| is_short).map(hex);
        out[index - 1].changes = changes(replay.interpreter(), &step);
    }
    out
}

/// The variables that differ between two states, as `name = value`.
#[must_use]
pub fn changed(interpreter: &Interpreter<'_>, before: &State, after: &State) -> Vec<String> {
    let all = |state: &State| {
        let mut out = variables(interpreter, state);
        for pid in 0..state.process_count() {
            out.extend(locals(interpreter, state, pid));
        }
        out
    };
    let (old, new) = (all(before), all(after));
    let known = |name: &str| old.iter().find(|it| it.name == name).map(|it| &it.value);
    new.iter()
        .filter(|it| known(&it.name).is_some_and(|value| *value != it.value) || known(&it.name).is_none())
        .map(|it| format!("{} = {}", it.name, it.value))
        .collect()
}

fn plain(model: &Model, step: &Move) -> TrailMove {
    let proctype = model.proctype(step.proctype);
    let statement = proctype.statement(step.statement);
    TrailMove {
        pid: step.pid,
        process: proctype.name.to_string(),
        statement: statement.number,
        line: model.sources.line(statement.place.at),
        text: statement.text.to_string(),
        changes: Vec::new(),
        state: None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// What a trail file tells.
#[derive(Clone, Debug)]
pub struct Told {
    /// The moves.
    pub moves: Vec<Move>,
    /// What kind of violation it is, if the file tells.
    pub kind: Option<ViolationKind>,
    /// What happened, in a sentence.
    pub message: String,
    /// Whose property is violated, if it is not safety: kind and name.
    pub claim: Option<String>,
    /// How many moves come before those that are repeated for ever, if any are.
    pub cycle_start: Option<usize>,
}

/// Reads a trail file.
///
/// # Errors
/// A sentence for the user if it is none, or one of another model.
pub fn read(model: &Model, text: &str) -> Result<Told, String> {
    let trail: Trail = serde_json::from_str(text).map_err(|error| format!("this is no trail: {error}"))?;
    if trail.model_hash != model_hash(model) {
        return Err(format!(
            "this trail is of another text of {}, or of one that was read with other -D and -U",
            trail.model
        ));
    }
    let moves = trail.moves.iter().map(|step| resolve(model, step)).collect::<Result<Vec<Move>, _>>()?;
    compare_changes(model, &moves, &trail.moves)?;
    if trail.cycle_start.is_some_and(|start| start > moves.len()) {
        return Err("what is repeated begins behind the end of the trail".into());
    }
    let kind = ViolationKind::ALL.into_iter().find(|kind| kind.name() == trail.property);
    let kind = kind.ok_or_else(|| format!("this trail tells of a violation that is not known: {}", trail.property))?;
    let Trail { message, claim, cycle_start, .. } = trail;
    Ok(Told { moves, kind: Some(kind), message, claim, cycle_start })
}

/// The moves must be possible, and change what the trail tells of. How a state is written depends on what was asked of the
/// model, a trace or a claim, so that states are not compared by their bytes.
fn compare_changes(model: &Model, moves: &[Move], told: &[TrailMove]) -> Result<(), String> {
    let mut interpreter = Interpreter::new(model);
    if moves.is_empty() {
        return Ok(());
    }
    let mut replay = Replay::new(&mut interpreter).map_err(|error| error.to_string())?;
    let mut done = 0;
    while done < moves.len() {
        let step = replay.step(&moves[done..]).map_err(|error| error.to_string())?;
        done += step.moves.len();
        if told[done - 1].changes != changes(replay.interpreter(), &step) {
            return Err(format!("the state after move {done} is not the one that the trail tells of"));
        }
    }
    Ok(())
}

/// The variables that a step changes; none inside of a rendezvous.
fn changes(interpreter: &Interpreter<'_>, step: &ReplayStep) -> Vec<String> {
    let after = step.after.as_ref().map(|after| interpreter.state(after));
    after.map_or_else(Vec::new, |after| changed(interpreter, &interpreter.state(&step.before), &after))
}

fn resolve(model: &Model, step: &TrailMove) -> Result<Move, String> {
    for (index, proctype) in model.proctypes.iter().enumerate().filter(|(_, it)| *it.name == *step.process) {
        if let Some(id) = proctype.statements.iter().position(|it| it.number == step.statement) {
            let proctype = ProctypeId(index as u16);
            return Ok(Move { pid: step.pid, proctype, statement: StatementId(id as u32) });
        }
    }
    Err(format!("the model has no statement {} in {}", step.statement, step.process))
}

/// A hash of the text of a model: FNV-1a over all its files.
#[must_use]
pub fn model_hash(model: &Model) -> String {
    // Formulas of options are no part of the model, and are read behind it.
    let own = model.sources.files().take_while(|file| file.name != ADDED).filter(|file| !file.name.starts_with("--"));
    let (options, files): (Vec<_>, Vec<_>) = own.partition(|file| file.name == OPTIONS);
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for file in files.into_iter().chain(options) {
        for &byte in file.text.as_bytes().iter().chain(&[0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}
