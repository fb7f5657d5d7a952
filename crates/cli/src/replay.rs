//! `spinor replay`, and trails as files.

use crate::Exit;
use crate::args::{ReplayArgs, ShowArgs};
use crate::load::load;
use crate::output::{complain, printed};
use serde_json::json;
use spinor_exec::{Fault, Interpreter, Move, Replay, ReplayError};
use spinor_explore::live::{Claim, Wanted, ends_claim, never_claims};
use spinor_explore::{Violation, ViolationKind, confirm, ending};
use spinor_model::Model;
use spinor_report::steps::{self, Show};
use spinor_report::text::CYCLE;
use spinor_report::trail::{self, Told};
use spinor_report::{explain, spin_trail};
use std::fs;
use std::path::Path;

pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    let told = match read(&model, &args.trail) {
        Ok(told) => told,
        Err(error) => {
            complain(&format!("error: {}: {error}", args.trail.display()));
            return Exit::Usage;
        }
    };
    let show = shown(&args.show, Show::all());
    match replay(&model, &told, show) {
        Ok(replayed) => {
            let exit = if replayed.kind.is_some() { Exit::Violated } else { Exit::Holds };
            let text = if args.json {
                let object = json!({
                    "schema": 1,
                    "model": model.name,
                    "outcome": replayed.outcome,
                    "kind": replayed.kind.map(ViolationKind::name),
                    "length": told.moves.len(),
                    "cycle_start": told.cycle_start,
                });
                format!("{object}\n")
            } else {
                format!("{}{}\n", replayed.text, replayed.outcome)
            };
            printed(&text, exit)
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            Exit::Usage
        }
    }
}

/// What to show: the options given, or `all` if none is.
pub(crate) fn shown(args: &ShowArgs, default: Show) -> Show {
    let show = Show {
        statements: args.statements,
        globals: args.globals,
        locals: args.locals,
        sends: args.sends,
        receives: args.receives,
    };
    if show == Show::default() { default } else { show }
}

/// The moves of a trail file, whichever kind it is.
pub(crate) fn read_trail(model: &Model, path: &Path) -> Result<Vec<Move>, String> {
    read(model, path).map(|told| told.moves).map_err(|error| format!("{}: {error}", path.display()))
}

fn read(model: &Model, path: &Path) -> Result<Told, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if spin_trail::is_trail(&text) {
        let (moves, cycle_start) = spin_trail::read(model, &text)?;
        // SPIN does not write down what is wrong.
        return Ok(Told { moves, kind: None, message: String::new(), claim: None, cycle_start });
    }
    trail::read(model, &text)
}

struct Replayed {
    text: String,
    outcome: String,
    kind: Option<ViolationKind>,
}

fn replay(model: &Model, told: &Told, show: Show) -> Result<Replayed, ReplayError> {
    let Told { moves, cycle_start, .. } = told;
    let mut interpreter = Interpreter::new(model);
    if let (Err(fault), true) = (interpreter.initial(), moves.is_empty()) {
        let outcome = format!("fault: {fault}, in an initial value");
        return Ok(Replayed { text: String::new(), outcome, kind: Some(ViolationKind::Fault) });
    }
    let mut replay = Replay::new(&mut interpreter)?;
    let mut text = String::new();
    let mut done = 0;
    let mut last = None;
    let mut begins = None;
    loop {
        if *cycle_start == Some(done) {
            text.push_str(CYCLE);
            begins = Some(replay.vector().to_vec());
        }
        if done == moves.len() {
            break;
        }
        let step = replay.step(&moves[done..])?;
        text.push_str(&steps::step(replay.interpreter(), &step, done, show));
        done += step.moves.len();
        last = Some(step);
    }
    let state = replay.interpreter().state(replay.vector());
    text.push_str(&steps::final_state(replay.interpreter(), &state, done));
    if let Some(begins) = begins {
        let outcome = repeats(&mut replay, &begins, done - cycle_start.unwrap_or(0))?;
        return Ok(Replayed { text, outcome, kind: Some(told.kind.unwrap_or(ViolationKind::AcceptanceCycle)) });
    }
    if cycle_start.is_some() {
        let reason = "what is repeated begins inside of a step".into();
        return Err(ReplayError { after: done, reason });
    }
    let ends = ending(&mut replay, last.as_ref());
    let (outcome, kind) = wrong(model, told, ends)?;
    Ok(Replayed { text, outcome, kind })
}

/// What a trail without a cycle shows to be wrong.
fn wrong(
    model: &Model,
    told: &Told,
    ends: Vec<(ViolationKind, String)>,
) -> Result<(String, Option<ViolationKind>), ReplayError> {
    let Told { moves, kind, claim, .. } = told;
    let violation = |(kind, message)| Violation { kind, message, moves: moves.clone(), lasso: None };
    // What never ends is shown by a state that comes back.
    let endless = |kind| violation((kind, Fault::EndlessAtomic.to_string()));
    let is_told = |it: &(ViolationKind, String)| kind.is_none_or(|kind| kind == it.0);
    if claim.is_none()
        && let Some(end) = ends.into_iter().find(is_told)
    {
        let violation = violation(end);
        return Ok((explain::violation(model, &violation).sentence, Some(violation.kind)));
    }
    match (*kind, claim) {
        (Some(kind), Some(title)) => shows_claim(model, told, kind, title).map(|sentence| (sentence, Some(kind))),
        (Some(kind), None) => {
            let endless = endless(kind);
            confirm(&mut Interpreter::new(model), &endless)?;
            Ok((explain::violation(model, &endless).sentence, Some(kind)))
        }
        (None, _) if confirm(&mut Interpreter::new(model), &endless(ViolationKind::Fault)).is_ok() => {
            Ok((explain::violation(model, &endless(ViolationKind::Fault)).sentence, Some(ViolationKind::Fault)))
        }
        (None, _) => match ended(model, moves)? {
            Some(title) => Ok((format!("{title} is violated, whatever comes after"), Some(ViolationKind::ClaimEnd))),
            None => Ok((format!("the trail ends after {} steps", moves.len()), None)),
        },
    }
}

/// What a trail shows of a claim. Who has no such claim can only say what the trail tells.
fn shows_claim(model: &Model, told: &Told, kind: ViolationKind, title: &str) -> Result<String, ReplayError> {
    let known = claims(model).find(|(known, _)| known == title);
    if let (ViolationKind::ClaimEnd, Some((_, claim))) = (kind, known)
        && !ends_claim(model, &claim, &told.moves)?
    {
        let reason = format!("it does not show that {title} is violated");
        return Err(ReplayError { after: told.moves.len(), reason });
    }
    Ok(told.message.clone())
}

/// A claim of the model that these moves lead to its end.
fn ended(model: &Model, moves: &[Move]) -> Result<Option<String>, ReplayError> {
    for (title, claim) in claims(model) {
        if ends_claim(model, &claim, moves)? {
            return Ok(Some(title));
        }
    }
    Ok(None)
}

/// The claims of a model that can be checked, with their kinds and names.
fn claims(model: &Model) -> impl Iterator<Item = (String, Claim)> {
    let formulas = model.ltl.iter().filter_map(|block| Claim::of_formula(block, Wanted::Buchi).ok());
    let never = never_claims(model).into_iter().map(|id| model.proctype(id));
    let all = formulas.chain(never.filter_map(|it| Claim::of_never(model, it).ok()));
    all.map(|claim| (format!("{} {}", claim.kind.name(), claim.name), claim))
}

/// What the end of a trail says that leads back to where it began.
fn repeats(replay: &mut Replay<'_, '_>, begins: &[u8], length: usize) -> Result<String, ReplayError> {
    let interpreter = replay.interpreter();
    let is_same = interpreter.essence(begins) == interpreter.essence(replay.vector());
    let is_closed = is_same && (length > 0 || replay.is_stuck());
    match (is_closed, length) {
        (false, _) => {
            Err(ReplayError { after: length, reason: "the cycle does not lead back to its beginning".into() })
        }
        (true, 0) => Ok("nothing moves any more, for ever".into()),
        (true, _) => Ok(format!("the last {length} steps are repeated for ever")),
    }
}
