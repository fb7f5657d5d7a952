//! `spinor symmetry`.

use crate::Exit;
use crate::args::SymmetryArgs;
use crate::load::load;
use crate::output::{complain, printed};
use spinor_exec::{Packed, Packing, Shapes};
use spinor_explore::symmetry::{Strategy, Symmetries, SymmetryReport};
use spinor_model::Model;
pub(crate) use spinor_model::symmetry::Observer;
use spinor_model::symmetry::Scalarsets;
use std::sync::Arc;

pub(crate) fn run(args: &SymmetryArgs) -> Exit {
    let Some(model) = load(&args.model) else { return Exit::Usage };
    let engine = Packed::new(&model, Packing::Bits);
    let report = symmetries(engine.shapes(), Strategy::Auto, &[]).report(&mut Packed::with(engine.shapes().clone()));
    let text = match args.json {
        true => format!("{}\n", spinor_report::symmetry::json(&report)),
        false => spinor_report::symmetry::text(&report),
    };
    let exit = if refuse_broken(&report) { Exit::Usage } else { Exit::Holds };
    printed(&text, exit)
}

/// Whether the processes of a model are not as symmetric as its text promises, which is said.
pub(crate) fn breaks_promises(model: &Model) -> bool {
    if model.promises.is_empty() {
        return false;
    }
    let engine = Packed::new(model, Packing::Bits);
    let symmetries = symmetries(engine.shapes(), Strategy::Auto, &[]);
    refuse_broken(&symmetries.report(&mut Packed::with(engine.shapes().clone())))
}

fn refuse_broken(report: &SymmetryReport) -> bool {
    let broken: Vec<String> = report.broken().collect();
    broken.iter().for_each(|it| complain(&format!("error: {it}")));
    !broken.is_empty()
}

/// The symmetries of a model if nobody but its processes and these observers look at states.
pub(crate) fn symmetries<'m>(
    shapes: &Arc<Shapes<'m>>,
    strategy: Strategy,
    observers: &[Observer<'_>],
) -> Symmetries<'m> {
    let sets = Scalarsets::new(shapes.model(), shapes.ranges(), observers);
    Symmetries::new(shapes.clone(), sets, strategy)
}

/// The symmetries of a model, if there are any that are worth it, and what there is to say of them. What is asked for
/// by name is always worth it.
pub(crate) fn found<'m>(
    shapes: &Arc<Shapes<'m>>,
    strategy: Strategy,
    is_asked: bool,
    observers: &[Observer<'_>],
) -> (Option<Arc<Symmetries<'m>>>, SymmetryReport) {
    let symmetries = symmetries(shapes, strategy, observers);
    let mut report = symmetries.report(&mut Packed::with(shapes.clone()));
    report.idle = report.idle.filter(|_| !is_asked);
    (report.is_used().then(|| Arc::new(symmetries)), report)
}
