//! Which engine computes the steps: the one place that names them.

use crate::args::{EngineArg, LayoutArg};
use crate::plan::Resolved;
use crate::symmetry;
use spinor_exec::{Cells, Packed, Packing, Semantics, Shapes};
use spinor_explore::reduce::sound::Sound;
use spinor_explore::reduce::{Breach, Tables, breaches};
use spinor_explore::symmetry::Quotient;
use spinor_explore::{Observer, Reduction, Replacement, Report, StoreKind, check};
use spinor_jit::Native;
use spinor_model::Model;
use spinor_syntax::Place;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// States that every process looks at before a search by several begins.
const AGREED: usize = 2_000;

/// Searches with the engine and the layout that were chosen. What store is used is matched in
/// `check`, once.
/// `prepared` is called when all is ready for the search. Time counts since all of it was begun.
pub(crate) fn dispatch(
    model: &Model,
    (resolved, begun): (&Resolved, Instant),
    observer: &mut dyn Observer,
    prepared: &mut dyn FnMut(),
) -> Report {
    let Resolved { engine, layout, .. } = resolved;
    let packing = if *layout == LayoutArg::Bytes { Packing::Bytes } else { Packing::Bits };
    match engine {
        EngineArg::Interpret => {
            let engine = interpreter(model, packing, resolved);
            let shapes = engine.shapes().clone();
            prepared();
            search(engine, shapes, (resolved, begun), observer)
        }
        EngineArg::Native => {
            let engine = Native::beside(interpreter(model, packing, resolved), resolved.plan.leaves_core());
            let (shapes, first_code) = (engine.interpreter().shapes().clone(), engine.first_code());
            prepared();
            let ready = Instant::now();
            let mut report = search(engine, shapes, (resolved, begun), observer);
            let waited = first_code.get().map_or(Duration::ZERO, |at| at.saturating_duration_since(ready));
            report.statistics.code = waited.min(report.statistics.time);
            report
        }
    }
}

/// The interpreter; if there are several processes, with shapes that mean the same to all of them.
fn interpreter<'m>(model: &'m Model, packing: Packing, resolved: &Resolved) -> Packed<'m> {
    let shapes = Shapes::new(model, packing, resolved.reduction.parts.simplify);
    let mut interpreter = Packed::with(Arc::new(shapes));
    if is_shared(resolved) {
        interpreter.agree(AGREED);
    }
    interpreter
}

/// Whether other processes must understand the states of this one, now or later.
fn is_shared(resolved: &Resolved) -> bool {
    resolved.plan.peers.is_some() || resolved.plan.checkpoints.is_some()
}

fn search<'m, S: Semantics>(
    engine: S,
    shapes: Arc<Shapes<'m>>,
    (resolved, begun): (&Resolved, Instant),
    observer: &mut dyn Observer,
) -> Report {
    let model = shapes.model();
    let Resolved { layout, plan, reduction: Sound { parts, preserve, .. }, .. } = resolved;
    let tables = || Arc::new(Tables::new(shapes.clone(), preserve.clone()));
    let kinds = plan.store == StoreKind::Cache && plan.cache.replacement == Replacement::Typed;
    let reduction =
        (kinds || parts.asks_for_dependence()).then(|| Reduction { parts: *parts, tables: tables(), kinds });
    let mut plan = plan.since(begun);
    let begun = Instant::now();
    let (symmetries, found) = match resolved.symmetry {
        Some(strategy) => {
            let how = (strategy, parts.symmetry);
            let (symmetries, report) = symmetry::found(&shapes, how, &[], (&mut plan, observer));
            (symmetries, Some(report))
        }
        None => (None, None),
    };
    let tried = begun.elapsed();
    let engine = Quotient::new(engine, symmetries);
    let mut report = match layout {
        LayoutArg::Bytes | LayoutArg::Bits => check(engine, reduction, model, &plan, observer),
        LayoutArg::Cells => check(Cells::new(engine, shapes.clone()), reduction, model, &plan, observer),
    };
    report.symmetry = found;
    report.statistics.time += tried;
    let broken = broken_promises(&shapes, &report);
    report.notes.extend(broken);
    report
}

/// Promises of `xr` and `xs` that are not kept. What is never executed breaks none.
fn broken_promises(shapes: &Shapes<'_>, report: &Report) -> Vec<String> {
    let model = shapes.model();
    let line = |place: Place| format!("{}:{}", model.sources.name(place.at), model.sources.line(place.at));
    let breaches = breaches(shapes).into_iter();
    let is_executed = |it: &Breach| {
        !report.unreached.iter().any(|unreached| (unreached.proctype, unreached.statement) == (it.by, it.statement))
    };
    let text = |(breach, is_sure): (Breach, bool)| {
        let promise = &model.proctype(breach.proctype).exclusive[breach.promise];
        let by = model.proctype(breach.by);
        let (name, verb) = if promise.send { ("xs", "sends to") } else { ("xr", "receives from") };
        format!(
            "the promise `{name}` of {} at {} {} kept: another process ({}) {verb} the channel at {}; no reduction \
             relies on it",
            model.proctype(breach.proctype).name,
            line(promise.place),
            if is_sure { "is not" } else { "may not be" },
            by.name,
            line(by.statement(breach.statement).place),
        )
    };
    breaches.filter(|(breach, _)| is_executed(breach)).map(text).collect()
}
