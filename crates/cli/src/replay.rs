//! `spinor replay`, and trails as files.

use crate::Exit;
use crate::args::{ReplayArgs, ShowArgs};
use crate::load::load;
use crate::output::{complain, print};
use serde_json::json;
use spinor_exec::{Interpreter, Move, Replay, ReplayError};
use spinor_explore::{Violation, ViolationKind, ending};
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
            if args.json {
                let object = json!({
                    "schema": 1,
                    "model": model.name,
                    "outcome": replayed.outcome,
                    "kind": replayed.kind,
                    "length": told.moves.len(),
                    "cycle_start": told.cycle_start,
                });
                print(&format!("{object}\n"));
            } else {
                print(&format!("{}{}\n", replayed.text, replayed.outcome));
            }
            if replayed.kind.is_some() { Exit::Violated } else { Exit::Holds }
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
    read(model, path).map(|told| told.moves)
}

fn read(model: &Model, path: &Path) -> Result<Told, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if spin_trail::is_trail(&text) {
        let (moves, cycle_start) = spin_trail::read(model, &text)?;
        let property = ViolationKind::AcceptanceCycle.name().into();
        return Ok(Told { moves, property, cycle_start });
    }
    trail::read(model, &text)
}

struct Replayed {
    text: String,
    outcome: String,
    kind: Option<String>,
}

fn replay(model: &Model, told: &Told, show: Show) -> Result<Replayed, ReplayError> {
    let Told { moves, property, cycle_start } = told;
    let mut interpreter = Interpreter::new(model);
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
        return Ok(Replayed { text, outcome, kind: Some(property.clone()) });
    }
    let (outcome, kind) = match ending(&mut replay, last.as_ref()).into_iter().next() {
        Some((kind, message)) => {
            let violation = Violation { kind, message, moves: moves.clone(), lasso: None };
            (explain::violation(model, &violation).sentence, Some(kind.name().to_string()))
        }
        None => (format!("the trail ends after {done} steps"), None),
    };
    Ok(Replayed { text, outcome, kind })
}

/// What the end of a trail says that leads back to where it began.
fn repeats(replay: &mut Replay<'_, '_>, begins: &[u8], length: usize) -> Result<String, ReplayError> {
    let hidden = replay.interpreter().layout().hidden;
    let is_closed = begins[hidden..] == replay.vector()[hidden..] && (length > 0 || replay.is_stuck());
    match (is_closed, length) {
        (false, _) => {
            Err(ReplayError { after: length, reason: "the cycle does not lead back to its beginning".into() })
        }
        (true, 0) => Ok("nothing moves any more, for ever".into()),
        (true, _) => Ok(format!("the last {length} steps are repeated for ever")),
    }
}
