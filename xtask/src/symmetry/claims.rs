//! Formulas on random programs: the same answer with symmetry, and each counterexample replayed.

use rand::Rng as _;
use rand::rngs::SmallRng;
use spinor_exec::{Packed, Packing, Semantics};
use spinor_explore::live::{Claim, CycleSearch, Judgement, Manner, Reduce, confirm_claim, judge};
use spinor_explore::reduce::sound::{Parts, Wanted};
use spinor_explore::reduce::{Method, may_use_symmetry, resolve_claim};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_explore::{Plan, Quiet, StoreKind};
use spinor_model::Model;
use spinor_model::symmetry::{Observer, Scalarsets};
use std::sync::Arc;

/// Compares the answers for the first formula of a model, if states may stand for their orbits; how many searches.
pub(super) fn compare(model: &Model, rng: &mut SmallRng) -> Result<u64, String> {
    let Some(block) = model.ltl.first().filter(|_| may_use_symmetry(model, false).is_ok()) else { return Ok(0) };
    let engine = Packed::new(model, Packing::Bits);
    let shapes = engine.shapes().clone();
    let observers: Vec<Observer<'_>> = block.atoms.iter().map(|expr| Observer { expr, place: block.place }).collect();
    let sets = Scalarsets::new(model, shapes.ranges(), &observers);
    let strategies = [Strategy::Auto, Strategy::Sorted, Strategy::Segmented, Strategy::Full, Strategy::Climb];
    let strategy = strategies[rng.random_range(0..strategies.len())];
    let symmetries = Arc::new(Symmetries::new(shapes.clone(), sets, strategy));
    if symmetries.report(&mut engine.fork()).order == 1 {
        return Ok(0);
    }
    let plain = Manner { search: CycleSearch::Components, fair: false, reduce: None };
    let claim = Claim::of_formula(block, plain.search.wanted())?;
    let expected = judge((engine.fork(), shapes.clone()), &claim, plain, &Plan::default(), &mut Quiet)?.verdict();
    for search in [CycleSearch::Components, CycleSearch::Nested] {
        let claim = Claim::of_formula(block, search.wanted())?;
        let method = Method::ALL[rng.random_range(0..Method::ALL.len())];
        let wanted = Wanted::Parts(Parts { selector: Some(method), ..Parts::default() });
        let sound = resolve_claim(wanted, model, claim.about(&shapes, false)).selector;
        let reduce = sound.filter(|_| rng.random_bool(0.5)).map(|selector| Reduce { selector, is_thrifty: false });
        let store = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse][rng.random_range(0..3)];
        let plan = Plan { store, threads: rng.random_range(1..=2), ..Plan::default() };
        let quotient = Quotient::new(engine.fork(), Some(symmetries.clone()));
        let manner = Manner { search, fair: false, reduce };
        let judgement = judge((quotient, shapes.clone()), &claim, manner, &plan, &mut Quiet)?;
        let what = || format!("{} {strategy} {reduce:?} {store:?}", search.name());
        is_right(model, &claim, &judgement).map_err(|it| format!("{}: {it}", what()))?;
        if judgement.verdict() != expected {
            return Err(format!("{}: {:?} instead of {expected:?}", what(), judgement.verdict()));
        }
    }
    Ok(2)
}

fn is_right(model: &Model, claim: &Claim, judgement: &Judgement) -> Result<(), String> {
    let Some(violation) = &judgement.violation else { return Ok(()) };
    confirm_claim(model, claim, violation, false).map_err(|error| error.to_string())
}
