//! States with and without symmetry, alone and with partial order reduction, for growing numbers of processes.

use crate::agree::Disk;
use spinor_exec::{Packed, Packing, Shapes, Simplify};
use spinor_explore::reduce::sound::{self, Parts, Setting, Wanted};
use spinor_explore::reduce::{Method, Tables};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_explore::{Order, Plan, Quiet, Reduction, Statistics, StoreKind, check};
use spinor_jit::Native;
use spinor_model::Model;
use spinor_model::symmetry::Scalarsets;
use spinor_syntax::Define;
use spinor_syntax::diagnostic::has_errors;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The models, and how many processes each can have within a minute.
const MODELS: [(&str, u32); 7] =
    [("mutex", 7), ("clients", 6), ("philosophers", 8), ("coherence", 5), ("leader", 5), ("readers", 6), ("ring", 8)];

/// Beyond this a search is not waited for.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Prints the table.
pub(crate) fn print(root: &Path) -> Result<bool, String> {
    println!(
        "| model | N | states | with symmetry | ratio | of all permutations | stubborn | with symmetry | ns a state | with symmetry |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, most) in MODELS {
        let path = root.join("tests/symmetry").join(format!("{name}.pml"));
        let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        for n in 2..=most {
            let define = Define::Define { name: "N".into(), value: n.to_string() };
            let (model, diagnostics) = spinor_model::compile(&format!("{name}.pml"), &text, &[define], &Disk);
            if has_errors(&diagnostics) {
                return Err(format!("{name}: it has errors"));
            }
            println!("{}", row(&model, name, n)?);
        }
    }
    Ok(true)
}

fn row(model: &Model, name: &str, n: u32) -> Result<String, String> {
    let plain = Parts::default();
    let reduced =
        Parts { selector: Some(Method::Stubborn), simplify: Simplify { merge: true, dead: true }, ..Parts::default() };
    let (whole, order) = search(model, plain)?;
    let (alone, _) = search(model, Parts { symmetry: true, ..plain })?;
    let (stubborn, _) = search(model, reduced)?;
    let (both, _) = search(model, Parts { symmetry: true, ..reduced })?;
    let stored = |it: &Option<Statistics>| it.map_or("-".into(), |it| it.stored.to_string());
    let speed = |it: &Option<Statistics>| {
        it.map_or("-".into(), |it| format!("{:.0}", it.time.as_nanos() as f64 / it.stored as f64))
    };
    let ratio = whole.zip(alone).map(|(whole, alone)| whole.stored as f64 / alone.stored as f64);
    Ok(format!(
        "| {name} | {n} | {} | {} | {} | {} | {} | {} | {} | {} |",
        stored(&whole),
        stored(&alone),
        ratio.map_or("-".into(), |it| format!("{it:.1}")),
        ratio.map_or("-".into(), |it| format!("{:.2} of {order}", it / order as f64)),
        stored(&stubborn),
        stored(&both),
        speed(&whole),
        speed(&alone),
    ))
}

/// A search by native code, if it comes to its end; also how many permutations there are.
fn search(model: &Model, parts: Parts) -> Result<(Option<Statistics>, u64), String> {
    let setting = Setting { order: Order::BreadthFirst, threads: 1, store: StoreKind::Exact };
    let sound = sound::resolve(Wanted::Parts(parts), None, None, (model, setting))?;
    let shapes = Arc::new(Shapes::new(model, Packing::Bits, parts.simplify));
    let tables = Arc::new(Tables::new(shapes.clone(), sound.preserve.clone()));
    let reduction = parts.asks_for_dependence().then_some(Reduction { parts, tables, kinds: false });
    let sets = Scalarsets::new(model, shapes.ranges(), &[]);
    let symmetries = Symmetries::new(shapes.clone(), sets, Strategy::Auto);
    let order = symmetries.report(&mut Packed::with(shapes.clone())).order;
    let engine = Native::with_patience(Packed::with(shapes), 0);
    let engine = Quotient::new(engine, parts.symmetry.then(|| Arc::new(symmetries)));
    let plan = Plan { keep_going: true, max_time: Some(MOST_TIME), proviso: sound.proviso, ..Plan::default() };
    let report = check(engine, reduction, model, &plan, &mut Quiet);
    Ok((report.stopped.is_none().then_some(report.statistics), order))
}
