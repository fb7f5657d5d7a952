//! Models on which published algorithms lose states, deadlocks or violated assertions. Those algorithms lose here
//! what they are known to lose, and never say that something holds; the repaired ones lose nothing.

use crate::support;
use spinor_exec::{Interpreter, Packed, Packing};
use spinor_explore::reduce::sound::{Parts, Wanted};
use spinor_explore::reduce::{Preserve, Tables};
use spinor_explore::{
    CacheConfig, Order, Plan, Quiet, Reduction, Report, StopReason, StoreKind, Verdict, check, confirm,
};
use spinor_model::Model;
use std::sync::Arc;

fn compile(name: &str) -> Model {
    support::compile(&support::place("tests/counterexamples").join(name))
}

fn parts(names: &str) -> Parts {
    match names.parse() {
        Ok(Wanted::Parts(parts)) => parts,
        other => panic!("{names}: {other:?}"),
    }
}

/// A depth-first search that goes on after errors, all of which replay.
fn search(model: &Model, names: &str, plan: &Plan) -> Report {
    let engine = Packed::new(model, Packing::default());
    let tables = Arc::new(Tables::new(engine.shapes().clone(), Preserve::Statements));
    let reduction = Reduction { parts: parts(names), tables, kinds: false };
    let report = check(engine, Some(reduction), model, plan, &mut Quiet);
    for violation in &report.violations {
        confirm(&mut Interpreter::new(model), violation).unwrap_or_else(|error| panic!("{names}: {error}"));
    }
    report
}

fn depth_first() -> Plan {
    Plan { order: Order::DepthFirst, keep_going: true, ..Plan::default() }
}

/// States, transitions and errors of a search.
fn counts(name: &str, names: &str) -> (u64, u64, u64) {
    let report = search(&compile(name), names, &depth_first());
    let verdict = report.verdict();
    assert!(report.incomplete.is_none() || verdict != Verdict::Holds, "{name} {names}: {verdict:?}");
    (report.statistics.stored, report.statistics.transitions(), report.errors)
}

#[test]
fn conflict_sets_that_are_not_kept_lose_states() {
    assert_eq!(counts("conflict_state.pml", "none"), (12, 49, 0));
    assert_eq!(counts("conflict_state.pml", "conflict"), (10, 31, 0));
    assert_eq!(counts("conflict_state.pml", "sleep"), (12, 48, 0));
}

#[test]
fn conflict_sets_that_are_not_kept_lose_deadlocks() {
    assert_eq!(counts("conflict_deadlock.pml", "none"), (96, 337, 8));
    assert_eq!(counts("conflict_deadlock.pml", "conflict"), (88, 166, 6));
    assert_eq!(counts("conflict_deadlock.pml", "sleep"), (96, 233, 8));
}

#[test]
fn conflict_sets_that_are_not_kept_miss_an_assertion() {
    let model = compile("conflict_assertion.pml");
    let verdict = |names: &str| search(&model, names, &depth_first()).verdict();
    assert_eq!(verdict("none"), Verdict::Violated);
    assert_eq!(verdict("conflict"), Verdict::Undecided);
    for names in ["sleep", "local+sleep", "ample+sleep", "stubborn+sleep", "two-phase", "two-phase-1"] {
        assert_eq!(verdict(names), Verdict::Violated, "{names}");
    }
}

#[test]
fn sleep_sets_of_what_does_not_lead_to_the_stack_lose_states() {
    assert_eq!(counts("off_stack_state.pml", "none"), (56, 197, 0));
    assert_eq!(counts("off_stack_state.pml", "conflict-002"), (52, 143, 0));
    assert_eq!(counts("off_stack_state.pml", "sleep"), (56, 129, 0));
}

#[test]
fn sleep_sets_of_what_does_not_lead_to_the_stack_lose_deadlocks() {
    assert_eq!(counts("off_stack_deadlock.pml", "none"), (91, 283, 4));
    assert_eq!(counts("off_stack_deadlock.pml", "conflict-002"), (84, 192, 3));
    assert_eq!(counts("off_stack_deadlock.pml", "sleep"), (91, 178, 4));
}

#[test]
fn the_proviso_counts_only_what_is_awake() {
    for names in ["none", "local+sleep", "ample+sleep", "overman+sleep", "stubborn+sleep", "stubborn=deletion+sleep"] {
        assert!(counts("sleeping_proviso.pml", names).2 > 0, "{names}");
    }
}

#[test]
fn expanding_only_what_is_not_deterministic_loses_a_deadlock() {
    assert_eq!(counts("dfs3_deadlock.pml", "none"), (11, 15, 2));
    assert_eq!(counts("dfs3_deadlock.pml", "dfs3"), (4, 4, 1));
    for names in ["two-phase", "two-phase-1"] {
        assert_eq!(counts("dfs3_deadlock.pml", names).2, 2, "{names}");
    }
}

#[test]
fn expanding_only_what_is_not_deterministic_misses_an_assertion() {
    let model = compile("dfs3_assertion.pml");
    let report = search(&model, "dfs3", &depth_first());
    assert_eq!((report.statistics.stored, report.verdict()), (3, Verdict::Undecided));
    for names in ["none", "two-phase", "two-phase-1"] {
        assert_eq!(search(&model, names, &depth_first()).verdict(), Verdict::Violated, "{names}");
    }
}

/// By levels a step goes on to where its first phase ends: what is between is not stored, and is part of trails.
#[test]
fn two_phases_by_levels_find_what_two_phases_in_depth_find() {
    let by_levels = |threads: usize| Plan { order: Order::BreadthFirst, threads, ..depth_first() };
    let models = ["dfs3_deadlock.pml", "dfs3_assertion.pml", "conflict_assertion.pml", "off_stack_deadlock.pml"];
    for (name, names) in models.into_iter().flat_map(|name| [(name, "two-phase"), (name, "two-phase-1")]) {
        let model = compile(name);
        let deep = search(&model, names, &depth_first());
        for threads in [1, 2] {
            let flat = search(&model, names, &by_levels(threads));
            assert!(flat.statistics.stored <= deep.statistics.stored, "{name} {names}");
            assert_eq!((flat.verdict(), &flat.unreached), (Verdict::Violated, &deep.unreached), "{name} {names}");
            assert!(!flat.violations.is_empty(), "{name} {names}");
        }
    }
}

#[test]
fn what_is_blocked_counts_as_a_sibling() {
    for names in ["none", "local", "local+sleep", "ample", "stubborn"] {
        assert_eq!(counts("blocked_sibling.pml", names).2, 2, "{names}");
    }
}

#[test]
fn to_create_a_partner_is_not_independent_of_a_rendezvous() {
    for names in ["none", "sleep", "ample+sleep", "stubborn+sleep"] {
        assert_eq!(counts("created_partner.pml", names), (12, 13, 5), "{names}");
    }
}

#[test]
fn an_offer_that_nobody_accepts_interrupts() {
    for names in ["none", "local", "ample", "overman", "stubborn", "stubborn=deletion", "sleep", "merge", "dead"] {
        assert_eq!(counts("interrupted_offer.pml", names).2, 1, "{names}");
    }
}

#[test]
fn a_cache_smaller_than_the_stack_is_not_an_answer() {
    let model = compile("off_stack_state.pml");
    let cached = |states| Plan {
        store: StoreKind::Cache,
        cache: CacheConfig { states, ..CacheConfig::default() },
        ..depth_first()
    };
    for names in ["none", "sleep", "ample", "ample+sleep"] {
        let report = search(&model, names, &cached(3));
        assert_eq!((report.stopped, report.verdict()), (Some(StopReason::CacheFull), Verdict::Undecided), "{names}");
        let report = search(&model, names, &cached(50));
        assert_eq!((report.stopped, report.verdict()), (None, Verdict::Holds), "{names}");
    }
}
