//! The report as one JSON object. Fields are added, never renamed.

use crate::explain;
use crate::outcome::{Outcome, verdict_name};
use crate::properties;
use crate::symmetry;
use crate::text;
use serde_json::{Value, json};
use spinor_explore::{CacheReport, Guarantee, Peer, Report, Run, Violation};

/// The version of the format.
const SCHEMA: u32 = 1;

/// The object.
#[must_use]
pub fn object(outcome: &Outcome<'_>) -> Value {
    let report = &outcome.report;
    let statistics = &report.statistics;
    let violations: Vec<Value> = outcome
        .violations()
        .enumerate()
        .map(|(index, violation)| one_violation(outcome, violation, outcome.trails.get(index)))
        .collect();
    let guarantee = match outcome.guarantee() {
        Guarantee::Exact => "exact",
        Guarantee::Partial => "partial",
        Guarantee::Probabilistic => "probabilistic",
    };
    json!({
        "schema": SCHEMA,
        "model": outcome.model.name,
        "verdict": verdict_name(outcome.verdict()),
        "reason": outcome.reason(),
        "guarantee": guarantee,
        "complete": outcome.is_complete(),
        "violations": violations,
        "properties": properties::values(outcome),
        "errors": outcome.errors(),
        "errors_exact": !outcome.counts_again(),
        "kinds": outcome.kinds().iter().map(|(kind, n)| (kind.name().to_string(), json!(n))).collect::<serde_json::Map<_, _>>(),
        "states": {
            "stored": statistics.stored,
            "matched": statistics.matched,
            "transitions": statistics.transitions(),
            "depth": statistics.depth,
        },
        "memory": {
            "states_bytes": statistics.states_bytes,
            "total_bytes": statistics.total_bytes,
            "vector_bytes": statistics.vector_bytes(),
            "bytes_per_state": statistics.bytes_per_state(),
            "fill": statistics.fill,
        },
        "time": {
            "compile_s": outcome.compile_seconds,
            "code_s": statistics.code.as_secs_f64(),
            "search_s": statistics.time.as_secs_f64(),
        },
        "unreached": unreached(outcome),
        "unreached_exact": outcome.is_coverage_exact(),
        "unchecked": outcome.unchecked.iter().map(|it| json!({ "kind": it.kind, "name": it.name })).collect::<Vec<_>>(),
        "engine": outcome.engine,
        "reduction": outcome.reduction.as_ref().map(|it| json!({
            "parts": it.parts,
            "preserve": it.preserve,
            "proviso": it.proviso,
            "because": it.because,
        })),
        "symmetry": report.symmetry.as_ref().map(symmetry::json),
        "store": report.store.name(),
        "threads": outcome.threads,
        "expected_omissions": (!report.store.is_lossy()).then_some(0.0),
        "omission_chance": report.omission_chance(),
        "swarm": swarm(report),
        "cache": report.cache.as_ref().map(cache),
        "processes": report.peers.iter().map(peer).collect::<Vec<_>>(),
        "notes": report.notes,
        "options": outcome.options,
    })
}

/// What a cache did.
fn cache(report: &CacheReport) -> Value {
    let it = &report.statistics;
    json!({
        "room": report.room,
        "replacement": report.replacement.name(),
        "stored": it.stored,
        "matched": it.matched,
        "evicted": it.evicted,
        "held": it.held,
        "most_pinned": it.most_pinned,
        "distinct_estimate": it.distinct,
        "revisited_estimate": it.revisited,
        "explosion": report.explosion,
    })
}

/// What one process of several did.
fn peer(it: &Peer) -> Value {
    json!({
        "stored": it.stored,
        "memory_bytes": it.bytes,
        "sent": it.sent,
        "received": it.received,
        "idle_s": it.idle_s,
    })
}

/// The searches of a swarm; null if there was one search.
fn swarm(report: &Report) -> Value {
    let run = |run: &Run| {
        json!({
            "seed": run.seed,
            "stored": run.statistics.stored,
            "matched": run.statistics.matched,
            "transitions": run.statistics.transitions(),
            "depth": run.statistics.depth,
            "fill": run.statistics.fill,
            "search_s": run.statistics.time.as_secs_f64(),
        })
    };
    match report.runs.is_empty() {
        true => Value::Null,
        false => json!({ "runs": report.runs.iter().map(run).collect::<Vec<_>>() }),
    }
}

fn one_violation(
    outcome: &Outcome<'_>,
    violation: &Violation,
    trails: Option<&(Option<String>, Option<String>)>,
) -> Value {
    let explain::Explanation { sentence, place } = explain::violation(outcome.model, violation);
    let sources = &outcome.model.sources;
    let (trail, spin_trail) = trails.cloned().unwrap_or_default();
    json!({
        "kind": violation.kind.name(),
        "message": sentence,
        "line": place.map(|place| sources.line(place.at)),
        "file": place.map(|place| sources.name(place.at)),
        "length": violation.moves.len(),
        "cycle_start": violation.cycle_start(),
        "starving": explain::starving(outcome.model, violation).into_iter().map(|it| it.0).collect::<Vec<_>>(),
        "trail": trail,
        "replay": trail.as_ref().map(|trail| text::replay_command(outcome, trail)),
        "spin_trail": spin_trail,
    })
}

fn unreached(outcome: &Outcome<'_>) -> Vec<Value> {
    let model = outcome.model;
    let mut places: Vec<(String, u32, String)> = Vec::new();
    for it in &outcome.report.unreached {
        let proctype = model.proctype(it.proctype);
        let at = proctype.statement(it.statement).place.at;
        places.push((model.sources.name(at).to_string(), model.sources.line(at), proctype.name.to_string()));
    }
    places.sort();
    places.dedup();
    places.into_iter().map(|(file, line, process)| json!({ "file": file, "line": line, "process": process })).collect()
}
