//! `spinor replay`, and trails as files.

use crate::Exit;
use crate::args::{ReplayArgs, ShowArgs};
use crate::load::load;
use crate::output::{complain, print};
use serde_json::json;
use spinor_exec::{Interpreter, Move, Replay, ReplayError};
use spinor_explore::{Violation, ending};
use spinor_model::Model;
use spinor_report::steps::{self, Show};
use spinor_report::{explain, spin_trail, trail};
use std::fs;
use std::path::Path;

pub(crate) fn run(args: &ReplayArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    let moves = match read_trail(&model, &args.trail) {
        Ok(moves) => moves,
        Err(error) => {
            complain(&format!("error: {}: {error}", args.trail.display()));
            return Exit::Usage;
        }
    };
    let show = shown(&args.show, Show::all());
    match replay(&model, &moves, show) {
        Ok(replayed) => {
            if args.json {
                let object = json!({
                    "schema": 1,
                    "model": model.name,
                    "outcome": replayed.outcome,
                    "kind": replayed.kind,
                    "length": moves.len(),
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
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    if spin_trail::is_trail(&text) {
        return spin_trail::read(model, &text);
    }
    trail::read(model, &text).map(|told| told.moves)
}

struct Replayed {
    text: String,
    outcome: String,
    kind: Option<&'static str>,
}

fn replay(model: &Model, moves: &[Move], show: Show) -> Result<Replayed, ReplayError> {
    let mut interpreter = Interpreter::new(model);
    let mut replay = Replay::new(&mut interpreter)?;
    let mut text = String::new();
    let mut done = 0;
    let mut last = None;
    while done < moves.len() {
        let step = replay.step(&moves[done..])?;
        text.push_str(&steps::step(replay.interpreter(), &step, done, show));
        done += step.moves.len();
        last = Some(step);
    }
    let state = replay.interpreter().state(replay.vector());
    text.push_str(&steps::final_state(replay.interpreter(), &state, done));
    let (outcome, kind) = match ending(&mut replay, last.as_ref()).into_iter().next() {
        Some((kind, message)) => {
            let violation = Violation { kind, message, moves: moves.to_vec(), lasso: None };
            (explain::violation(model, &violation).sentence, Some(kind.name()))
        }
        None => (format!("the trail ends after {done} steps"), None),
    };
    Ok(Replayed { text, outcome, kind })
}
