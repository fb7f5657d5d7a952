//! `spinor compare`.

use crate::Exit;
use crate::args::{CheckArgs, CompareArgs, ModelArgs, ReadingArgs};
use crate::check::outcome;
use crate::engine::dispatch;
use crate::load::load;
use crate::output::{complain, printed};
use crate::plan::resolve;
use crate::progress::Watcher;
use crate::properties::{Asked, asked};
use crate::symmetry::breaks_promises;
use clap::Parser;
use spinor_explore::StopReason;
use spinor_model::{Model, Trace};
use spinor_report::compare::{Figures, Row, csv, json, svg, text};
use spinor_report::{Outcome, Property};
use std::ffi::OsString;
use std::fs;
use std::time::Instant;

/// The options of `check` that go for all algorithms, with one of them.
#[derive(Debug, Parser)]
#[command(name = "spinor compare")]
struct Options {
    #[command(flatten)]
    check: CheckArgs,
}

pub(crate) fn run(args: &CompareArgs) -> Exit {
    let options = match Options::of(args, "none") {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            return Exit::Usage;
        }
    };
    if let Err(reason) = refuse(&options.check) {
        complain(&format!("error: {reason}"));
        return Exit::Usage;
    }
    let ModelArgs { model: file, reading } = &args.model;
    // What stands behind `--` comes later.
    let mut macros = reading.macros.clone();
    macros.extend(&options.check.reading.macros);
    let no_warnings = reading.no_warnings || options.check.reading.no_warnings;
    let reading = ReadingArgs { macros, no_warnings };
    let Some(mut model) = load(&ModelArgs { model: file.clone(), reading }) else { return Exit::Usage };
    if breaks_promises(&model, options.check.max_time) {
        return Exit::Usage;
    }
    let trace = model.trace.take();
    let mut rows = Vec::new();
    for name in &args.algorithms {
        match row(args, (&model, trace.as_ref()), name) {
            Ok((row, interrupted)) => {
                rows.push(row);
                if interrupted {
                    return Exit::Interrupted;
                }
            }
            Err(error) => {
                let _ = error.print();
                return Exit::Usage;
            }
        }
    }
    let name = &*model.name;
    let text = match (args.json, args.csv) {
        (true, _) => format!("{}\n", json(name, &rows)),
        (_, true) => csv(&rows),
        _ => text(name, &rows),
    };
    let exit = match &args.plot {
        Some(file) => match fs::write(file, svg(name, &rows)) {
            Ok(()) => Exit::Holds,
            Err(error) => {
                complain(&format!("error: cannot write '{}': {error}", file.display()));
                Exit::Usage
            }
        },
        None => Exit::Holds,
    };
    printed(&text, exit)
}

impl Options {
    /// What stands behind `--`, with an algorithm.
    fn of(args: &CompareArgs, algorithm: &str) -> Result<Options, clap::Error> {
        let words = ["spinor compare".into(), format!("--reduce={algorithm}").into(), "--no-trail".into()];
        let options = args.options.iter().map(OsString::from);
        let file = ["--".into(), args.model.model.clone().into_os_string()];
        Options::try_parse_from(words.into_iter().chain(options).chain(file))
    }
}

/// Runs one algorithm; also whether the user interrupted it.
fn row(args: &CompareArgs, (model, trace): (&Model, Option<&Trace>), name: &str) -> Result<(Row, bool), clap::Error> {
    let Options { check } = Options::of(args, name)?;
    let both = resolve(&check, model).and_then(|resolved| Ok((resolved, asked(&check, model)?)));
    let (resolved, asked) = match both {
        Ok(both) => both,
        Err(reason) => return Ok((Row { name: name.into(), result: Err(reason) }, false)),
    };
    let begun = Instant::now();
    let mut compile_seconds = 0.0;
    let mut watcher = Watcher::new(args.json || args.csv);
    let report =
        dispatch(model, (&resolved, begun), &mut watcher, &mut || compile_seconds = begun.elapsed().as_secs_f64());
    watcher.finish();
    let interrupted = report.stopped == Some(StopReason::Interrupted);
    let open: Vec<Property> = asked.unchecked(model).collect();
    let asked = Asked { claims: Vec::new(), ..asked };
    let mut outcome = outcome(&check, (&resolved, &asked), model, (report, compile_seconds));
    outcome.unchecked.extend(open);
    let trace = trace.filter(|_| !check.no_claim).map(|trace| model.proctype(trace.proctype).name.to_string());
    outcome.unchecked.extend(trace.map(|name| Property { name, kind: "trace" }));
    let sound = sound(&outcome, resolved.reduction.parts.incomplete_because());
    Ok((Row { name: name.into(), result: Ok(Figures::new(&outcome, sound)) }, interrupted))
}

/// Whether an algorithm visits all that must be visited, or why not.
fn sound(outcome: &Outcome<'_>, incomplete: Option<&str>) -> Result<(), String> {
    if let Some(why) = incomplete {
        return Err(why.into());
    }
    if outcome.model.uses.reads_hidden {
        return Err("hidden variables are read, so states that differ are taken for the same".into());
    }
    match outcome.report.store {
        store if store.is_lossy() => Err(format!("--store {} may omit states", store.name())),
        _ => Ok(()),
    }
}

/// Reductions are compared on assertions, end states and faults; claims and the trace of the model are left unchecked,
/// and that is said. One process compares.
fn refuse(check: &CheckArgs) -> Result<(), String> {
    let is_given = !check.ltl.is_empty() || check.ltl_file.is_some() || check.claim.is_some();
    if is_given || check.property.is_some() || check.progress || check.fair {
        return Err("claims are not compared: use spinor check".into());
    }
    if check.json {
        return Err("--json stands before `--`: it is an option of compare".into());
    }
    if check.workers.is_some()
        || check.hosts.is_some()
        || check.checkpoint.is_some()
        || check.resume.is_some()
        || check.every.is_some()
    {
        return Err("searches by several processes and checkpoints are not compared: use spinor check".into());
    }
    Ok(())
}
