//! Which engine computes the steps: the one place that names them.

use crate::args::{EngineArg, LayoutArg};
use crate::plan::Resolved;
use spinor_exec::{Cells, Packed, Packing, Semantics, Shapes};
use spinor_explore::{Observer, Plan, Report, check};
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
    let Resolved { engine, layout, plan } = resolved;
    let packing = if *layout == LayoutArg::Bytes { Packing::Bytes } else { Packing::Bits };
    match engine {
        EngineArg::Interpret => {
            let engine = Packed::new(model, packing);
            let shapes = engine.shapes().clone();
            prepared();
            search(engine, shapes, *layout, plan, observer)
        }
        EngineArg::Native => {
            let engine = Native::new(model, packing);
            let shapes = engine.interpreter().shapes().clone();
            prepared();
            search(engine, shapes, *layout, plan, observer)
        }
    }
}

fn search<'m, S: Semantics>(
    engine: S,
    shapes: Arc<Shapes<'m>>,
    layout: LayoutArg,
    plan: &Plan,
    observer: &mut dyn Observer,
) -> Report {
    let model = shapes.model();
    match layout {
        LayoutArg::Bytes | LayoutArg::Bits => check(engine, model, plan, observer),
        LayoutArg::Cells => check(Cells::new(engine, shapes), model, plan, observer),
    }
}
