//! `spinor symmetry`.

use crate::Exit;
use crate::args::SymmetryArgs;
use crate::load::load;
use crate::output::{complain, printed};
use spinor_exec::{Packed, Packing, Shapes};
use spinor_explore::symmetry::{Strategy, Symmetries, SymmetryReport, Trial};
use spinor_explore::{Observer as Watch, Plan, Progress};
use spinor_model::Model;
pub(crate) use spinor_model::symmetry::Observer;
use spinor_model::symmetry::Scalarsets;
use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
pub(crate) fn breaks_promises(model: &Model, max_time: Option<Duration>) -> bool {
    if model.promises.is_empty() {
        return false;
    }
    let trial = Trial { until: max_time.and_then(|limit| Instant::now().checked_add(limit)), ..Trial::default() };
    let engine = Packed::new(model, Packing::Bits);
    let symmetries = symmetries(engine.shapes(), Strategy::Auto, &[]);
    refuse_broken(&symmetries.report_within(&mut Packed::with(engine.shapes().clone()), &trial))
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
/// by name is always worth it. Whether it is worth it is tried out in the time of the search, which `plan` has less of then.
pub(crate) fn found<'m>(
    shapes: &Arc<Shapes<'m>>,
    (strategy, is_asked): (Strategy, bool),
    observers: &[Observer<'_>],
    (plan, observer): (&mut Plan, &mut dyn Watch),
) -> (Option<Arc<Symmetries<'m>>>, SymmetryReport) {
    let begun = Instant::now();
    let watch = RefCell::new(observer);
    let goes_on = || watch.borrow_mut().observe(&Progress::default());
    let until = plan.max_time.and_then(|limit| begun.checked_add(limit));
    let symmetries = symmetries(shapes, strategy, observers);
    let trial = Trial { until, goes_on: Some(&goes_on) };
    let mut report = symmetries.report_within(&mut Packed::with(shapes.clone()), &trial);
    report.idle = report.idle.filter(|_| !is_asked);
    plan.max_time = plan.max_time.map(|limit| limit.saturating_sub(begun.elapsed()));
    (report.is_used().then(|| Arc::new(symmetries)), report)
}
