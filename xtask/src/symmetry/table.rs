//! States with and without symmetry, alone and with partial order reduction, for growing numbers of processes.

use crate::agree::Disk;
use spinor_exec::{Packed, Packing, Semantics, Shapes, Simplify};
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
const MODELS: [(&str, u32); 9] = [
    ("mutex", 7),
    ("clients", 6),
    ("philosophers", 8),
    ("coherence", 6),
    ("leader", 6),
    ("readers", 6),
    ("ring", 8),
    ("torus", 3),
    ("tree", 2),
];

/// Beyond this a search is not waited for.
const MOST_TIME: Duration = Duration::from_secs(60);

/// Prints the table.
pub(crate) fn print(root: &Path) -> Result<bool, String> {
    println!("| model | N | states | with symmetry | ratio | of all permutations | stubborn | with symmetry |");
    println!("|---|---|---|---|---|---|---|---|");
    for (name, most) in MODELS {
        for n in 2..=most {
            println!("{}", row(&compile(root, name, &[("N", n)])?, name, n)?);
        }
    }
    Ok(true)
}

/// A model of the project, with some numbers defined.
pub(super) fn compile(root: &Path, name: &str, defines: &[(&str, u32)]) -> Result<Model, String> {
    let file = format!("{name}.pml");
    let text = fs::read_to_string(root.join("tests/symmetry").join(&file)).map_err(|error| error.to_string())?;
    let define = |&(name, value): &(&str, u32)| Define::Define { name: name.into(), value: value.to_string() };
    let defines: Vec<Define> = defines.iter().map(define).collect();
    let (model, diagnostics) = spinor_model::compile(&file, &text, &defines, &Disk);
    if has_errors(&diagnostics) { Err(format!("{name}: it has errors")) } else { Ok(model) }
}

fn row(model: &Model, name: &str, n: u32) -> Result<String, String> {
    let plain = Parts::default();
    let reduced =
        Parts { selector: Some(Method::Stubborn), simplify: Simplify { merge: true, dead: true }, ..Parts::default() };
    let search = |parts: Parts| search(model, parts, Some(MOST_TIME));
    let whole = search(plain)?;
    let order = whole.order;
    let complete = |it: Found| it.is_complete.then_some(it.statistics);
    let whole = complete(whole);
    let alone = complete(search(Parts { symmetry: true, ..plain })?);
    let stubborn = complete(search(reduced)?);
    let both = complete(search(Parts { symmetry: true, ..reduced })?);
    let stored = |it: &Option<Statistics>| it.map_or("-".into(), |it| it.stored.to_string());
    let ratio = whole.zip(alone).map(|(whole, alone)| whole.stored as f64 / alone.stored as f64);
    Ok(format!(
        "| {name} | {n} | {} | {} | {} | {} | {} | {} |",
        stored(&whole),
        stored(&alone),
        ratio.map_or("-".into(), |it| format!("{it:.1}")),
        ratio.map_or("-".into(), |it| format!("{:.2} of {order}", it / order as f64)),
        stored(&stubborn),
        stored(&both),
    ))
}

/// What a search came to.
pub(super) struct Found {
    pub(super) statistics: Statistics,
    pub(super) is_complete: bool,
    /// How many permutations there are.
    pub(super) order: u64,
}

/// A search by native code, for some time at most.
pub(super) fn search(model: &Model, parts: Parts, max_time: Option<Duration>) -> Result<Found, String> {
    search_with(model, parts, max_time, |engine, _| engine)
}

/// The same with an engine around that of the search.
pub(super) fn search_with<'m, S: Semantics>(
    model: &'m Model,
    parts: Parts,
    max_time: Option<Duration>,
    around: impl FnOnce(Quotient<'m, Native<'m>>, &Arc<Shapes<'m>>) -> S,
) -> Result<Found, String> {
    let setting = Setting { order: Order::BreadthFirst, threads: 1, store: StoreKind::Exact };
    let sound = sound::resolve(Wanted::Parts(parts), None, None, (model, setting))?;
    let shapes = Arc::new(Shapes::new(model, Packing::Bits, parts.simplify));
    let tables = Arc::new(Tables::new(shapes.clone(), sound.preserve.clone()));
    let reduction = parts.asks_for_dependence().then_some(Reduction { parts, tables, kinds: false });
    let sets = Scalarsets::new(model, shapes.ranges(), &[]);
    let symmetries = Symmetries::new(shapes.clone(), sets, Strategy::Auto);
    let order = symmetries.report(&mut Packed::with(shapes.clone())).order;
    let engine = Native::with_patience(Packed::with(shapes.clone()), 0);
    let engine = around(Quotient::new(engine, parts.symmetry.then(|| Arc::new(symmetries))), &shapes);
    let plan = Plan { keep_going: true, max_time, proviso: sound.proviso, ..Plan::default() };
    let report = check(engine, reduction, model, &plan, &mut Quiet);
    Ok(Found { is_complete: report.stopped.is_none(), statistics: report.statistics, order })
}
