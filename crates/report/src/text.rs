//! The report for people: first what happened, then the steps, then the statistics.

use crate::explain;
use crate::outcome::{Outcome, Reduction, verdict_name};
use crate::properties;
use crate::shell;
use crate::steps::{self, Show};
use crate::symmetry;
use spinor_exec::{Interpreter, Replay};
use spinor_explore::{CacheReport, Report, StopReason, Verdict, Violation};
use spinor_syntax::plural;
use std::fmt::Write as _;

/// Steps at the start and the end of a long trail that are shown.
const SHOWN_STEPS: usize = 60;

/// What stands before the steps that are repeated for ever, as SPIN writes it.
pub const CYCLE: &str = "  <<<<<START OF CYCLE>>>>>\n";

/// The whole report.
#[must_use]
pub fn report(outcome: &Outcome<'_>) -> String {
    let mut out = headline(outcome);
    out.push_str(&properties::table(outcome));
    if let Some(violation) = outcome.violations().next() {
        out.push('\n');
        out.push_str(&trail(outcome, violation));
        for (pid, name) in explain::starving(outcome.model, violation) {
            let _ = writeln!(
                out,
                "process {pid} ({name}) could always move in the cycle, and does not; --fair leaves such cycles out"
            );
        }
    }
    out.push_str(&trail_files(outcome));
    if outcome.report.violations.len() > 1 {
        let again = if outcome.counts_again() { ", some counted again, with states that were forgotten" } else { "" };
        let _ = writeln!(out, "\nall errors ({}{again}):", outcome.report.errors);
        for violation in &outcome.report.violations {
            let _ = writeln!(out, "  {}", explain::violation(outcome.model, violation).sentence);
        }
        let kept = outcome.report.violations.len() as u64;
        if outcome.report.errors > kept {
            let _ = writeln!(out, "  ... and {} more", outcome.report.errors - kept);
        }
    }
    out.push('\n');
    if outcome.safety {
        out.push_str(&statistics(outcome));
        out.push_str(&unreached(outcome));
    }
    out.push_str(&properties::statistics(outcome));
    out
}

fn headline(outcome: &Outcome<'_>) -> String {
    let verdict = outcome.verdict();
    let sentence = match (verdict, outcome.violations().next()) {
        (Verdict::Violated, Some(first)) => explain::violation(outcome.model, first).sentence,
        _ => outcome.reason(),
    };
    let mut out = format!("{}: {}: {sentence}\n", outcome.model.name, verdict_name(verdict));
    let also = verdict == Verdict::Violated && !outcome.unchecked.is_empty();
    if also {
        for property in &outcome.unchecked {
            let _ = writeln!(out, "not checked: {} {}", property.kind, property.name);
        }
    }
    if let (Verdict::Violated, Some(reason)) = (verdict, outcome.report.stopped)
        && reason != StopReason::Violation
    {
        let _ = writeln!(out, "the search is not complete: {}", crate::outcome::stop_text(reason));
    }
    out
}

/// Where trails were written, and how they are shown again.
fn trail_files(outcome: &Outcome<'_>) -> String {
    let mut out = String::new();
    for (index, (violation, (native, spin))) in outcome.violations().zip(&outcome.trails).enumerate() {
        if native.is_none() && spin.is_none() {
            continue;
        }
        out.push('\n');
        if index > 0 {
            let _ = writeln!(out, "{}:", explain::violation(outcome.model, violation).sentence);
        }
        if let Some(native) = native {
            let _ = writeln!(out, "trail: {native} ({})", replay_command(outcome, native));
        }
        if let Some(spin) = spin {
            let model = shell::path(&outcome.model.name);
            let words = ["spin", "-t", "-p", "-g", "-l", "-k", spin];
            let reading = outcome.reading.iter().map(String::as_str);
            let command = shell::command(words.into_iter().chain(reading).chain([model.as_str()]));
            let _ = writeln!(out, "SPIN's trail: {spin} ({command})");
        }
    }
    out
}

/// The command that shows a trail.
pub(crate) fn replay_command(outcome: &Outcome<'_>, trail: &str) -> String {
    let (model, trail) = (shell::path(&outcome.model.name), shell::path(trail));
    let reading = outcome.reading.iter().map(String::as_str);
    shell::command(["spinor", "replay"].into_iter().chain(reading).chain([model.as_str(), trail.as_str()]))
}

/// The steps of a violation with the values they change.
#[must_use]
pub fn trail(outcome: &Outcome<'_>, violation: &Violation) -> String {
    let mut interpreter = Interpreter::new(outcome.model);
    let mut out = String::new();
    let Ok(mut replay) = Replay::new(&mut interpreter) else { return out };
    let total = violation.moves.len();
    let (mut done, mut skipped) = (0, 0);
    while done < total {
        let Ok(step) = replay.step(&violation.moves[done..]) else { break };
        let hidden = total > 2 * SHOWN_STEPS && (SHOWN_STEPS..total - SHOWN_STEPS).contains(&done);
        if violation.cycle_start() == Some(done) {
            out.push_str(&gap(std::mem::take(&mut skipped)));
            out.push_str(CYCLE);
        }
        if hidden {
            skipped += step.moves.len();
        } else {
            out.push_str(&gap(std::mem::take(&mut skipped)));
            out.push_str(&steps::step(replay.interpreter(), &step, done, Show::all()));
        }
        done += step.moves.len();
    }
    out.push_str(&gap(skipped));
    if violation.cycle_start() == Some(total) {
        out.push_str(CYCLE);
        out.push_str("  nothing moves any more\n");
    }
    let state = replay.interpreter().state(replay.vector());
    out.push_str(&steps::final_state(replay.interpreter(), &state, total));
    out
}

/// Says that steps are left out, if any are.
fn gap(skipped: usize) -> String {
    match skipped {
        0 => String::new(),
        count => format!("  ... {} not shown ...\n", plural(count, "step")),
    }
}

fn statistics(outcome: &Outcome<'_>) -> String {
    let Report { statistics: it, store, notes, .. } = &outcome.report;
    let mut out = String::new();
    for note in notes {
        let _ = writeln!(out, "note: {note}");
    }
    out.push_str(&swarm(&outcome.report));
    if let Some(Reduction { parts, preserve, proviso, .. }) = &outcome.reduction {
        let proviso = proviso.map_or_else(String::new, |it| format!(", {it} proviso"));
        let _ = writeln!(out, "reduced by {parts}{proviso}; preserves {preserve}");
    }
    if let Some(symmetry) = &outcome.report.symmetry {
        out.push_str(&symmetry::line(symmetry));
    }
    out.push_str(&outcome.report.cache.as_ref().map_or_else(String::new, cache));
    let seconds = it.time.as_secs_f64();
    let rate = if seconds > 0.001 {
        format!(", {} states/s", group((it.stored as f64 / seconds) as u64))
    } else {
        String::new()
    };
    let (vector, per_state) = (it.vector_bytes(), it.bytes_per_state());
    let _ = write!(
        out,
        "states: {} stored, {} matched, {} transitions, depth {}\n\
         vector: {vector:.1} bytes a state, {per_state:.1} as stored\n\
         memory: {} for states, {} in all, table {:.1}% full\n\
         search: {} store, {} engine, {}\n\
         time:   {seconds:.2} s{rate}\n",
        group(it.stored),
        group(it.matched),
        group(it.transitions()),
        group(it.depth as u64),
        bytes(it.states_bytes),
        bytes(it.total_bytes),
        it.fill * 100.0,
        store.name(),
        outcome.engine,
        match outcome.report.peers.len() {
            0 => plural(outcome.threads, "thread"),
            count => format!("{count} processes"),
        },
    );
    for (index, it) in outcome.report.peers.iter().enumerate() {
        let _ = writeln!(
            out,
            "        process {index}: {} states, {}, {} sent, {} received, waited {:.2} s",
            group(it.stored),
            bytes(it.bytes),
            group(it.sent),
            group(it.received),
            it.idle_s,
        );
    }
    out
}

/// What a cache did.
fn cache(report: &CacheReport) -> String {
    let it = &report.statistics;
    let mut out = format!(
        "cache:  {} states at most ({}), {} stored, {} evicted, {} matched, about {} different, about {} visited again, \
         {} on the stack at the most\n",
        group(u64::from(report.room)),
        report.replacement.name(),
        group(it.stored),
        group(it.evicted),
        group(it.matched),
        group(it.distinct),
        group(it.revisited),
        group(u64::from(it.most_pinned)),
    );
    if report.explosion {
        out.push_str(
            "note: less than half of the states fit into the cache and they are met more than twice each: with a \
             little less room the search may take many times as long\n",
        );
    }
    out
}

/// The searches of a swarm, a line each.
fn swarm(report: &Report) -> String {
    let mut out = String::new();
    for run in &report.runs {
        let it = &run.statistics;
        let _ = writeln!(
            out,
            "seed {}: {} states, table {:.1}% full, {:.2} s",
            run.seed,
            group(it.stored),
            it.fill * 100.0,
            it.time.as_secs_f64(),
        );
    }
    out
}

fn unreached(outcome: &Outcome<'_>) -> String {
    if outcome.report.stopped.is_some() || outcome.report.unreached.is_empty() {
        return String::new();
    }
    let model = outcome.model;
    let mut out = String::from(match outcome.is_coverage_exact() {
        true => "never executed:\n",
        false if outcome.statements => "not seen in the states that were visited:\n",
        false => "not seen in the states that were visited (--preserve statements visits what tells for sure):\n",
    });
    for it in &outcome.report.unreached {
        let proctype = model.proctype(it.proctype);
        let statement = proctype.statement(it.statement);
        let at = statement.place.at;
        let (file, line) = (model.sources.name(at), model.sources.line(at));
        let _ = writeln!(out, "  {file}:{line} ({}) {}", proctype.name, statement.text);
    }
    out
}

/// A number with its digits in groups of three.
#[must_use]
pub fn group(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of bytes as people say it.
#[must_use]
pub fn bytes(number: usize) -> String {
    let number = number as f64;
    for (unit, size) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        let unit_size = f64::from(1_u32 << size);
        if number >= unit_size {
            return format!("{:.1} {unit}", number / unit_size);
        }
    }
    format!("{number} bytes")
}
