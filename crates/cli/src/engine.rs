//! Which engine computes the steps: the one place that names them.

use crate::args::{EngineArg, LayoutArg};
use crate::plan::Resolved;
use spinor_exec::{Cells, Packed, Packing, Semantics, Shapes};
use spinor_explore::reduce::Tables;
use spinor_explore::reduce::sound::Sound;
use spinor_explore::{Observer, Reduction, Replacement, Report, StoreKind, check};
use spinor_jit::Native;
use spinor_model::Model;
use std::sync::Arc;

/// Searches with the engine and the layout that were chosen. What store is used is matched in
/// `check`, once.
/// `prepared` is called when all is ready for the search.
pub(crate) fn dispatch(
    model: &Model,
    resolved: &Resolved,
    observer: &mut dyn Observer,
    prepared: &mut dyn FnMut(),
) -> Report {
    let Resolved { engine, layout, .. } = resolved;
    let simplify = resolved.reduction.parts.simplify;
    let packing = if *layout == LayoutArg::Bytes { Packing::Bytes } else { Packing::Bits };
    match engine {
        EngineArg::Interpret => {
            let engine = Packed::simplified(model, packing, simplify);
            let shapes = engine.shapes().clone();
            prepared();
            search(engine, shapes, resolved, observer)
        }
        EngineArg::Native => {
            let engine = Native::simplified(model, packing, simplify);
            let shapes = engine.interpreter().shapes().clone();
            prepared();
            search(engine, shapes, resolved, observer)
        }
    }
}

fn search<'m, S: Semantics>(
    engine: S,
    shapes: Arc<Shapes<'m>>,
    resolved: &Resolved,
    observer: &mut dyn Observer,
) -> Report {
    let model = shapes.model();
    let Resolved { layout, plan, reduction: Sound { parts, preserve, .. }, .. } = resolved;
    let tables = || Arc::new(Tables::new(shapes.clone(), preserve.clone()));
    let kinds = plan.store == StoreKind::Cache && plan.cache.replacement == Replacement::Typed;
    let reduction =
        (kinds || parts.asks_for_dependence()).then(|| Reduction { parts: *parts, tables: tables(), kinds });
    match layout {
        LayoutArg::Bytes | LayoutArg::Bits => check(engine, reduction, model, plan, observer),
        LayoutArg::Cells => check(Cells::new(engine, shapes), reduction, model, plan, observer),
    }
}
