//! `spinor check`.

use crate::Exit;
use crate::args::{CheckArgs, SearchArg};
use crate::cluster::{
    Company, Search, checkpoints, company, end_with_supervisor, follow, is_silent, refuse, supervise,
};
use crate::engine::dispatch;
use crate::files::Files;
use crate::load::{Formulas, load_with};
use crate::output::{complain, printed};
use crate::plan::{Resolved, resolve};
use crate::progress::Watcher;
use crate::properties::{Asked, asked, check as check_properties, cycle_search};
use crate::symmetry::breaks_promises;
use crate::trails::{refuse_folder, write_trails};
use serde_json::json;
use spinor_exec::Interpreter;
use spinor_explore::reduce::sound::Property as Kept;
use spinor_explore::symmetry::SymmetryReport;
use spinor_explore::{Encoding, Plan, Report, StopReason, StoreKind, Verdict, confirm};
use spinor_model::model::{Model, ProctypeId};
use spinor_model::symmetry::Scalarsets;
use spinor_report::{Outcome, json, text};
use std::time::Instant;

pub(crate) fn run(args: &CheckArgs) -> Exit {
    let begun = Instant::now();
    if args.supervised {
        end_with_supervisor();
    }
    if args.hosts.is_none()
        && let Some(workers) = args.workers
    {
        if !args.path().is_file() {
            complain(&format!(
                "error: '{}' is no file that can be read more than once, as --workers does",
                args.path().display()
            ));
            return Exit::Usage;
        }
        return match prepare(args, &Files::default()) {
            Some(_) => supervise(args, workers.into()),
            None => Exit::Usage,
        };
    }
    if args.model.is_some() {
        return search(args, &Files::default(), None, begun);
    }
    match follow(args) {
        Ok((args, files, company)) => search(&args, &files, Some(company), begun),
        Err(reason) => {
            complain(&format!("error: {reason}"));
            Exit::Usage
        }
    }
}

/// Does what is asked, together with other processes if there are any.
fn search(args: &CheckArgs, files: &Files, joined: Option<Company>, begun: Instant) -> Exit {
    let Some((model, mut resolved, asked)) = prepare(args, files) else {
        joined.into_iter().for_each(Company::abandon);
        return Exit::Usage;
    };
    let one = Search::new(args, &resolved, &model);
    let both = checkpoints(args, &one).and_then(|checkpoints| {
        let company = if joined.is_some() { None } else { company(args, &one, files)? };
        Ok((checkpoints, company))
    });
    let company = match both {
        Ok((checkpoints, company)) => {
            resolved.plan.checkpoints = checkpoints;
            joined.or(company)
        }
        Err(reason) => {
            complain(&format!("error: {reason}"));
            joined.into_iter().for_each(Company::abandon);
            return Exit::Usage;
        }
    };
    resolved.plan.peers = company.as_ref().map(|it| it.peers.clone());
    let mut compile_seconds = 0.0;
    let mut watcher = Watcher::new(args.json || is_silent(args));
    let mut prepared = || compile_seconds = begun.elapsed().as_secs_f64();
    let mut report = match asked.safety {
        true => dispatch(&model, (&resolved, begun), &mut watcher, &mut prepared),
        false => Report::nothing(resolved.plan.store),
    };
    if args.supervised && report.stopped == Some(StopReason::Lost) {
        return Exit::Lost;
    }
    report.notes.extend(company.as_ref().and_then(Company::loss));
    drop(resolved.plan.peers.take());
    drop(company);
    let properties = check_properties(args, &asked, (&model, &resolved), begun, &mut watcher);
    watcher.finish();
    let mut outcome = outcome(args, (&resolved, &asked), &model, (report, compile_seconds));
    outcome.properties = properties;
    if is_silent(args) {
        return exit(&outcome);
    }
    outcome.trails = write_trails(args, &model, &outcome);
    let text = if args.json { format!("{}\n", json::object(&outcome)) } else { text::report(&outcome) };
    printed(&text, exit(&outcome))
}

/// The model, what is to be done, and what is asked; none if something is wrong, which is said.
fn prepare(args: &CheckArgs, files: &Files) -> Option<(Model, Resolved, Asked)> {
    let formulas = Formulas { texts: &args.ltl, file: args.ltl_file.as_deref(), claim: args.claim.as_deref() };
    let mut model = load_with(args.path(), &args.reading, &formulas, files)?;
    if args.no_claim {
        model.trace = None;
    }
    let both = resolve(args, &model).and_then(|resolved| {
        let asked = asked(args, &model)?;
        // The first process writes trails.
        if !is_silent(args) {
            refuse_folder(args)?;
        }
        refuse(args, &resolved, asked.has_claims(), model.uses.reads_hidden)?;
        Ok((resolved, asked))
    });
    match both {
        Ok(_) if breaks_promises(&model, args.max_time) => None,
        Ok((resolved, asked)) => Some((model, resolved, asked)),
        Err(reason) => {
            complain(&format!("error: {reason}"));
            None
        }
    }
}

/// All that there is to say of a search, before trails are written.
pub(crate) fn outcome<'m>(
    args: &CheckArgs,
    (resolved, asked): (&Resolved, &Asked),
    model: &'m Model,
    (report, compile_seconds): (Report, f64),
) -> Outcome<'m> {
    let Resolved { engine, plan: Plan { assertions, end_states, threads, .. }, .. } = *resolved;
    Outcome {
        model,
        defect: defect(model, &report),
        reduction: asked.safety.then(|| resolved.reduced(&report)).flatten(),
        engine: engine.name(),
        threads,
        assertions,
        end_states,
        faults: resolved.reduction.kept() >= Kept::Assertions,
        statements: resolved.reduction.kept() >= Kept::Statements && ends_are_seen(model, &report),
        asked: asked.rows(model),
        safety: asked.safety,
        properties: Vec::new(),
        unchecked: Vec::new(),
        compile_seconds,
        trails: Vec::new(),
        reading: args.reading.macros.words(),
        options: options(args, resolved),
        report,
    }
}

/// A process ends only as the youngest, and with symmetry another may stand in its place.
fn ends_are_seen(model: &Model, report: &Report) -> bool {
    let types = 0..model.proctypes.len() as u16;
    !report.symmetry.as_ref().is_some_and(SymmetryReport::is_used)
        || !types.map(ProctypeId).any(|id| Scalarsets::is_mortal(model, id))
}

/// No counterexample without replay: one that does not replay is a defect of the tool.
fn defect(model: &Model, report: &Report) -> Option<String> {
    let mut interpreter = Interpreter::new(model);
    let mut failed = report.violations.iter().filter_map(|violation| confirm(&mut interpreter, violation).err());
    failed.next().map(|error| error.to_string())
}

fn options(args: &CheckArgs, resolved: &Resolved) -> serde_json::Value {
    let Resolved { engine, layout, plan, reduction, symmetry } = resolved;
    let bitstate = plan.store == StoreKind::Bitstate;
    let lossy = plan.store.is_lossy();
    json!({
        "search": match args.search { SearchArg::Dfs => "dfs", _ => "bfs" },
        "cycle_search": cycle_search(args).name(),
        "fair": args.fair,
        "progress": args.progress,
        "property": args.property,
        "ltl": args.ltl,
        "ltl_file": args.ltl_file,
        "claim": args.claim,
        "engine": engine.name(),
        "layout": layout.name(),
        "store": plan.store.name(),
        "encode": plan.encode.map(Encoding::name),
        "bitstate_memory": bitstate.then_some(plan.bitstate_bytes),
        "cache": (plan.store == StoreKind::Cache).then(|| {
            json!({ "states": plan.cache.states, "replacement": plan.cache.replacement.name() })
        }),
        "hashes": bitstate.then_some(plan.hashes),
        "swarm": lossy.then_some(plan.swarm),
        "seed": lossy.then_some(plan.seed),
        "threads": plan.threads,
        "symmetry": symmetry.map(|strategy| strategy.to_string()),
        "reduce": reduction.parts.to_string(),
        "keep_going": args.keep_going,
        "no_claim": args.no_claim,
        "no_assertions": args.no_assertions,
        "no_end_states": args.no_end_states,
        "max_depth": args.max_depth,
        "max_memory": args.max_memory,
        "max_time_s": args.max_time.map(|time| time.as_secs_f64()),
        "define": args.reading.macros.definitions(),
        "macros": args.reading.macros.words(),
    })
}

fn exit(outcome: &Outcome<'_>) -> Exit {
    let interrupted = outcome.report.stopped == Some(StopReason::Interrupted);
    if (interrupted || outcome.properties.iter().any(|it| it.interrupted)) && outcome.verdict() != Verdict::Violated {
        return Exit::Interrupted;
    }
    match outcome.verdict() {
        Verdict::Holds => Exit::Holds,
        Verdict::Violated => Exit::Violated,
        Verdict::Undecided => Exit::Undecided,
    }
}
