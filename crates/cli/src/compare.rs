//! `spinor compare`.

use crate::Exit;
use crate::args::{CheckArgs, CompareArgs};
use crate::check::outcome;
use crate::engine::dispatch;
use crate::load::load;
use crate::output::{complain, print};
use crate::plan::resolve;
use crate::progress::Watcher;
use crate::properties::asked;
use clap::Parser;
use spinor_explore::StopReason;
use spinor_model::{Model, Trace};
use spinor_report::Property;
use spinor_report::compare::{Figures, Row, csv, json, svg, text};
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
    let Some(mut model) = load(&args.model) else { return Exit::Usage };
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
    print(&match (args.json, args.csv) {
        (true, _) => format!("{}\n", json(name, &rows)),
        (_, true) => csv(&rows),
        _ => text(name, &rows),
    });
    match &args.plot {
        Some(file) => match fs::write(file, svg(name, &rows)) {
            Ok(()) => Exit::Holds,
            Err(error) => {
                complain(&format!("error: cannot write '{}': {error}", file.display()));
                Exit::Usage
            }
        },
        None => Exit::Holds,
    }
}

/// Runs one algorithm; also whether the user interrupted it.
fn row(args: &CompareArgs, (model, trace): (&Model, Option<&Trace>), name: &str) -> Result<(Row, bool), clap::Error> {
    let file = args.model.model.to_string_lossy().into_owned();
    let words = ["spinor compare".to_string(), format!("--reduce={name}"), "--no-trail".into()];
    let Options { check } =
        Options::try_parse_from(words.into_iter().chain(args.options.iter().cloned()).chain([file]))?;
    let both = refuse(&check).and_then(|()| Ok((resolve(&check, model)?, asked(&check, model)?)));
    let (resolved, asked) = match both {
        Ok(both) => both,
        Err(reason) => return Ok((Row { name: name.into(), result: Err(reason) }, false)),
    };
    let begun = Instant::now();
    let mut compile_seconds = 0.0;
    let mut watcher = Watcher::new(args.json || args.csv);
    let report = dispatch(model, &resolved, &mut watcher, &mut || compile_seconds = begun.elapsed().as_secs_f64());
    watcher.finish();
    let interrupted = report.stopped == Some(StopReason::Interrupted);
    let mut outcome = outcome(&check, &resolved, model, (report, compile_seconds));
    outcome.unchecked.extend(asked.unchecked(model));
    let trace = trace.filter(|_| !check.no_claim).map(|trace| model.proctype(trace.proctype).name.to_string());
    outcome.unchecked.extend(trace.map(|name| Property { name, kind: "trace" }));
    let sound = resolved.reduction.parts.incomplete_because().map_or(Ok(()), |why| Err(why.to_string()));
    Ok((Row { name: name.into(), result: Ok(Figures::new(&outcome, sound)) }, interrupted))
}

/// Reductions are compared on assertions, end states and faults; claims and the trace of the model are left unchecked,
/// and that is said. One process compares.
fn refuse(check: &CheckArgs) -> Result<(), String> {
    let is_given = !check.ltl.is_empty() || check.ltl_file.is_some() || check.claim.is_some();
    if is_given || check.property.is_some() || check.progress || check.fair {
        return Err("claims are not compared: use spinor check".into());
    }
    if check.workers.is_some() || check.hosts.is_some() || check.checkpoint.is_some() || check.resume.is_some() {
        return Err("searches by several processes and checkpoints are not compared: use spinor check".into());
    }
    Ok(())
}
