//! Claims and formulas: both searches, all exact stores, native code and the interpreter, with and without fairness.

use crate::support::{self, compile_text};
use spinor_exec::{Packed, Packing, Shapes, Simplify};
use spinor_explore::live::{Claim, CycleSearch, Judgement, Manner, Reduce, confirm_claim, judge};
use spinor_explore::reduce::sound::{Parts, Wanted};
use spinor_explore::reduce::{Method, resolve_claim};
use spinor_explore::{Plan, Quiet, StopReason, StoreKind, Verdict, ViolationKind};
use spinor_model::Model;
use std::sync::Arc;
use std::time::Duration;

const SEARCHES: [CycleSearch; 2] = [CycleSearch::Components, CycleSearch::Nested];
const STORES: [StoreKind; 3] = [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse];

fn file(folder: &str, name: &str) -> Model {
    support::compile(&support::place("tests").join(folder).join(name))
}

/// The claim of the first formula, or else the never claim, or else that of `accept` labels.
fn claim(model: &Model, search: CycleSearch) -> Claim {
    let made = match (model.ltl.first(), model.claims().next()) {
        (Some(block), _) => Claim::of_formula(block, search.wanted()),
        (None, Some(never)) => Claim::of_never(model, never),
        (None, None) => Ok(Claim::of_labels()),
    };
    made.unwrap_or_else(|reason| panic!("{reason}"))
}

fn run(model: &Model, claim: &Claim, (search, fair): (CycleSearch, bool), plan: &Plan) -> Judgement {
    run_in(model, claim, Manner { search, fair, reduce: None }, plan)
}

fn run_in(model: &Model, claim: &Claim, manner: Manner, plan: &Plan) -> Judgement {
    let engine = Packed::with(Arc::new(claim.shapes(model, Packing::default())));
    let shapes = engine.shapes().clone();
    let judgement = judge((engine, shapes), claim, manner, plan, &mut Quiet);
    let judgement = judgement.unwrap_or_else(|reason| panic!("{reason}"));
    if let Some(violation) = &judgement.violation {
        confirm_claim(model, claim, violation, manner.fair).unwrap_or_else(|error| panic!("{error}"));
    }
    judgement
}

/// All that the table allows to be left out of the search for a claim.
fn reductions(model: &Model, claim: &Claim, fair: bool) -> Vec<Reduce> {
    let shapes = Shapes::new(model, Packing::default(), Simplify::default());
    let about = claim.about(&shapes, fair);
    let sound = |selector: &Method| {
        let wanted = Wanted::Parts(Parts { selector: Some(*selector), ..Parts::default() });
        resolve_claim(wanted, model, about).selector.is_some()
    };
    Method::ALL.into_iter().filter(sound).map(|selector| Reduce { selector, is_thrifty: false }).collect()
}

/// The verdict of all searches in all stores, reduced or not, which must be one.
fn verdict(model: &Model, fair: bool) -> Verdict {
    let mut verdicts = Vec::new();
    for search in SEARCHES {
        for store in STORES {
            let plan = Plan { store, ..Plan::default() };
            let claim = claim(model, search);
            verdicts.push(run(model, &claim, (search, fair), &plan).verdict());
            let several = Plan { threads: 3, ..plan.clone() };
            verdicts.push(run(model, &claim, (search, fair), &several).verdict());
            for reduce in reductions(model, &claim, fair) {
                let manner = Manner { search, fair, reduce: Some(reduce) };
                verdicts.push(run_in(model, &claim, manner, &plan).verdict());
                verdicts.push(run_in(model, &claim, manner, &several).verdict());
            }
        }
    }
    assert!(verdicts.windows(2).all(|pair| pair[0] == pair[1]), "{verdicts:?}");
    verdicts[0]
}

/// Processes that go round for ever, and formulas with their verdicts without and with fairness.
const TURNS: &str = "byte x, y; bool b;
    active proctype P() { do :: x = (x + 1) % 3 od }
    active proctype Q() { again: do :: y < 2 -> y++; :: y == 2 -> break od; y = 0; b = true; goto again }";

#[test]
fn formulas() {
    use Verdict::{Holds, Violated};
    let cases = [
        ("[] (x < 3)", Holds, Holds),
        ("[] (x < 2)", Violated, Violated),
        ("[] <> (x == 2)", Violated, Holds),
        ("<> [] (x == 2)", Violated, Violated),
        ("<> b", Violated, Holds),
        ("[] (b -> [] b)", Holds, Holds),
        ("(! b) W b", Holds, Holds),
        ("(y == 0) U (y == 1)", Violated, Holds),
        ("b V (y <= 2)", Holds, Holds),
        ("X ((x == 1) || (x == 0))", Holds, Holds),
        ("X X (x == 2)", Violated, Violated),
        ("[] ((x == 0) -> X ((x == 0) || (x == 1)))", Holds, Holds),
        ("[] <> (x == 0) -> [] <> (x == 1)", Violated, Holds),
        ("<> (Q@again)", Holds, Holds),
        ("[] (Q:y_local == 0)", Holds, Holds),
        ("true", Holds, Holds),
        ("false", Violated, Violated),
        ("[] (_nr_pr == 2)", Holds, Holds),
    ];
    for (formula, unfair, fair) in cases {
        let text = format!("{} ltl p {{ {formula} }}", TURNS.replace("again: do", "byte y_local; again: do"));
        let model = compile_text(&text);
        assert_eq!(verdict(&model, false), unfair, "{formula}");
        assert_eq!(verdict(&model, true), fair, "{formula}, fair");
    }
}

#[test]
fn channels_in_formulas() {
    let text = "chan c = [2] of { byte }; active proctype P() { c!3; c!4 }
        active proctype Q() { byte v; do :: c?v od }";
    for (formula, expected) in [
        ("[] (len(c) < 3)", Verdict::Holds),
        ("[] !full(c)", Verdict::Violated),
        ("[] ((c?[3]) -> <> !(c?[3]))", Verdict::Holds),
        ("<> (c?[4])", Verdict::Holds),
        ("[] empty(c)", Verdict::Violated),
    ] {
        let model = compile_text(&format!("{text} ltl p {{ {formula} }}"));
        assert_eq!(verdict(&model, false), expected, "{formula}");
    }
}

#[test]
fn a_system_that_stops_repeats_its_state() {
    let text = "byte x; active proctype P() { x = 1; x = 2 }";
    for (formula, expected) in [
        ("<> [] (x == 2)", Verdict::Holds),
        ("[] <> (x == 1)", Verdict::Violated),
        ("X X X X X (x == 2)", Verdict::Holds),
    ] {
        let model = compile_text(&format!("{text} ltl p {{ {formula} }}"));
        assert_eq!(verdict(&model, false), expected, "{formula}");
        assert_eq!(verdict(&model, true), expected, "{formula}, fair");
    }
}

#[test]
fn never_claims() {
    let cases = [
        ("claim_enabled_last.pml", Verdict::Violated),
        ("claim_never.pml", Verdict::Violated),
        ("claim_never_deadlock.pml", Verdict::Violated),
        ("claim_never_ends.pml", Verdict::Violated),
        ("claim_np.pml", Verdict::Violated),
    ];
    for (name, expected) in cases {
        assert_eq!(verdict(&file("micro", name), false), expected, "{name}");
    }
}

#[test]
fn statements_of_claims() {
    let system = "byte x; active proctype P() { do :: x < 2 -> x++ :: x == 2 -> x = 0 od }";
    let cases = [
        ("never { do :: x == 2 -> break :: else od }", Verdict::Violated),
        ("never { do :: assert(x < 3) od }", Verdict::Holds),
        ("never { do :: assert(x < 2) od }", Verdict::Violated),
        ("never { do :: atomic { x == 1 -> x == 2 -> break } :: else od }", Verdict::Holds),
        ("never { do :: atomic { x == 1 -> x < 2 -> break } :: else od }", Verdict::Violated),
        ("never { accept: do :: x < 2 od }", Verdict::Holds),
        ("never { accept: do :: x < 3 od }", Verdict::Violated),
        ("never { do :: true od }", Verdict::Holds),
        ("never { skip }", Verdict::Violated),
        ("never { do :: printf(\"x\") od }", Verdict::Holds),
    ];
    for (claim, expected) in cases {
        assert_eq!(verdict(&compile_text(&format!("{system} {claim}")), false), expected, "{claim}");
    }
}

#[test]
fn claims_that_do_more_than_look_are_refused() {
    let system = "byte x; active proctype P() { do :: x = 1 - x od }";
    for claim in ["never { x = 1 }", "never { do :: timeout od }", "never { byte y; do :: y == 0 od }"] {
        let model = compile_text(&format!("{system} {claim}"));
        let never = model.claims().next().expect("a claim");
        assert!(Claim::of_never(&model, never).is_err(), "{claim}");
    }
    let model = compile_text(&format!("{system} ltl p {{ [] !timeout }}"));
    assert!(Claim::of_formula(&model.ltl[0], CycleSearch::Nested.wanted()).is_err());
}

#[test]
fn accept_labels_without_a_claim() {
    let cases = [
        ("active proctype P() { do :: skip od }", Verdict::Holds),
        ("active proctype P() { accept: do :: skip od }", Verdict::Violated),
        ("active proctype P() { accept: skip; do :: skip od }", Verdict::Holds),
        // A process that waits there for ever.
        ("active proctype P() { accept: false }", Verdict::Violated),
    ];
    for (text, expected) in cases {
        assert_eq!(verdict(&compile_text(text), false), expected, "{text}");
    }
}

#[test]
fn progress() {
    let cases = [
        ("active proctype P() { do :: skip od }", Verdict::Violated),
        ("active proctype P() { do :: progress: skip od }", Verdict::Holds),
        ("byte x; active proctype P() { do :: x = 1; progress: x = 0 :: x = 1; x = 0 od }", Verdict::Violated),
        // A system that stops is no cycle.
        ("active proctype P() { skip }", Verdict::Holds),
    ];
    for (text, expected) in cases {
        let model = compile_text(text);
        for search in SEARCHES {
            let found = run(&model, &Claim::of_progress(search.wanted()), (search, false), &Plan::default());
            assert_eq!(found.verdict(), expected, "{text}");
        }
    }
}

#[test]
fn published_counterexamples_to_reductions() {
    for name in ["weak_proviso_cycle.pml", "sleeping_cycle.pml", "guessed_parity.pml"] {
        assert_eq!(verdict(&file("counterexamples", name), false), Verdict::Violated, "{name}");
    }
}

/// What is left out, and what is not: `<> [] p` of eight processes that count by themselves.
#[test]
fn less_is_searched() {
    let workers =
        "byte done; bool p; active [4] proctype W() { byte i; do :: i < 5 -> i++ :: else -> break od; done++ }
        active proctype S() { done == 4; p = true }";
    let model = compile_text(&format!("{workers} ltl live {{ <> p }}"));
    for search in SEARCHES {
        let claim = claim(&model, search);
        let whole = run(&model, &claim, (search, false), &Plan::default());
        for reduce in reductions(&model, &claim, false) {
            let manner = Manner { search, fair: false, reduce: Some(reduce) };
            let found = run_in(&model, &claim, manner, &Plan::default());
            assert_eq!(found.verdict(), Verdict::Holds);
            assert!(found.statistics.stored * 5 < whole.statistics.stored, "{manner:?}: {}", found.statistics.stored);
        }
    }
}

#[test]
fn what_is_not_reduced() {
    let system = "byte x, a[2]; active proctype P() { x = 1; x = 0 } active proctype Q() { skip; skip }";
    let cases = [
        ("ltl p { [] <> (x == 0) }", false, 5),
        // What goes first may be what others wait for.
        ("ltl p { [] <> (x == 0) }", true, 0),
        // It matters how often a state is repeated.
        ("ltl p { X (x == 1) }", false, 0),
        // X makes no difference here.
        ("ltl p { X [] <> (x == 0) }", false, 5),
        // It may be at fault.
        ("ltl p { [] (a[x + 1] == 0) }", false, 0),
        ("ltl p { [] (a[x] == 0) }", false, 5),
        // A claim that guesses, and one that does not.
        (
            "never { if :: goto A :: goto B fi; A: if :: x == 0 -> goto B fi; B: accept: if :: x == 0 -> goto A fi }",
            false,
            0,
        ),
        ("never { do :: true :: x == 0 -> goto accept od; accept: do :: x == 0 od }", false, 5),
    ];
    for (property, fair, selectors) in cases {
        let model = compile_text(&format!("{system} {property}"));
        let found = reductions(&model, &claim(&model, CycleSearch::Components), fair).len();
        assert_eq!(found, selectors, "{property}");
        verdict(&model, fair);
    }
}

/// Labels are seen: a step to one, or away from it, cannot wait.
#[test]
fn labels_are_visible() {
    let text = "byte x; active proctype P() { do :: skip; progress: skip :: x == 1 -> do :: skip od od }
        active proctype Q() { do :: x = 1 - x od }";
    let model = compile_text(text);
    for search in SEARCHES {
        let claim = Claim::of_progress(search.wanted());
        for reduce in reductions(&model, &claim, false) {
            let manner = Manner { search, fair: false, reduce: Some(reduce) };
            assert_eq!(run_in(&model, &claim, manner, &Plan::default()).verdict(), Verdict::Violated, "{manner:?}");
        }
    }
}

#[test]
fn a_proposition_at_fault_is_a_violation() {
    let model =
        compile_text("byte a[2]; byte i; active proctype P() { do :: i < 3 -> i++ od } ltl p { [] (a[i] == 0) }");
    for search in SEARCHES {
        let found = run(&model, &claim(&model, search), (search, false), &Plan::default());
        assert_eq!(found.violation.map(|it| it.kind), Some(ViolationKind::Fault));
    }
    // What is not asked for is not at fault.
    let guarded = "byte a[2]; byte i; active proctype P() { do :: i < 3 -> i++ od } ltl p { [] (i > 1 || a[i] == 0) }";
    assert_eq!(verdict(&compile_text(guarded), false), Verdict::Holds);
}

#[test]
fn limits_leave_it_undecided() {
    let text = "byte x, y, z; active proctype P() { do :: x++ :: y++ :: z++ od } ltl p { [] <> (x == 1 || y < 256) }";
    let model = compile_text(text);
    let limits = [
        (Plan { max_memory: Some(1 << 20), ..Plan::default() }, StopReason::Memory),
        (Plan { max_time: Some(Duration::from_millis(20)), ..Plan::default() }, StopReason::Time),
        (Plan { max_depth: Some(10), ..Plan::default() }, StopReason::Depth),
    ];
    for search in SEARCHES {
        for (plan, reason) in &limits {
            let found = run(&model, &claim(&model, search), (search, false), plan);
            assert_eq!((found.verdict(), found.stopped), (Verdict::Undecided, Some(*reason)), "{plan:?}");
        }
    }
}

#[test]
fn what_does_not_fit_is_searched_in_a_tree() {
    let text = "byte a[200]; int n; active proctype P() { do :: atomic { n < 20000 -> a[n % 200] = n % 251; n++ } od }";
    let model = compile_text(&format!("{text} ltl p {{ [] (n <= 20000) }}"));
    let claim = claim(&model, CycleSearch::Components);
    let options = (CycleSearch::Components, false);
    let plan = Plan { max_memory: Some(8 << 20), ..Plan::default() };
    let found = run(&model, &claim, options, &plan);
    assert_eq!((found.store, found.verdict()), (StoreKind::Tree, Verdict::Holds));
}

/// A trace has labels, and moves whatever a claim looks at.
#[test]
fn a_trace_beside_claims() {
    let text = "chan q = [1] of { bool }; byte x;
        active proctype P() { do :: q!0; x = 1 :: q!1; x = 0 od }
        active proctype Q() { do :: q?_ od }";
    let labels = "trace { do :: q!0 :: q!1; accept: q!0 od }";
    assert_eq!(verdict(&compile_text(&format!("{text} {labels}")), false), Verdict::Violated);
    let never_again = "notrace { do :: q!0 :: q!1 -> break od }";
    assert_eq!(verdict(&compile_text(&format!("{text} {never_again}")), false), Verdict::Holds);
    let formula = "ltl p { [] <> (x == 1) }";
    assert_eq!(verdict(&compile_text(&format!("{text} {never_again} {formula}")), false), Verdict::Violated);
}

#[test]
fn stores_that_lose_states_are_refused() {
    let model = compile_text("active proctype P() { do :: skip od } ltl p { [] true }");
    for store in [StoreKind::Bitstate, StoreKind::HashCompact, StoreKind::Cache] {
        let engine = Packed::new(&model, Packing::default());
        let shapes = engine.shapes().clone();
        let plan = Plan { store, ..Plan::default() };
        let claim = claim(&model, CycleSearch::Components);
        let manner = Manner { search: CycleSearch::Components, fair: false, reduce: None };
        assert!(judge((engine, shapes), &claim, manner, &plan, &mut Quiet).is_err());
    }
}

#[test]
fn a_false_counterexample_is_noticed() {
    let model = compile_text(&format!("{TURNS} ltl p {{ [] <> (x == 2) }}"));
    let claim = claim(&model, CycleSearch::Components);
    let found = run(&model, &claim, (CycleSearch::Components, false), &Plan::default());
    let violation = found.violation.expect("a violation");
    assert!(confirm_claim(&model, &claim, &violation, true).is_err(), "P starves");
    let mut shorter = violation.clone();
    shorter.moves.pop();
    assert!(confirm_claim(&model, &claim, &shorter, false).is_err());
    let mut elsewhere = violation;
    let lasso = elsewhere.lasso.as_mut().expect("a lasso");
    lasso.cycle = Some(lasso.steps.len());
    assert!(confirm_claim(&model, &claim, &elsewhere, false).is_err());
}
