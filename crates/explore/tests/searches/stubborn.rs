//! What stubborn sets know of guards, values and indexes: models in which that leaves few states, beside selectors that
//! do not know it.

use crate::support::compile_text;
use spinor_exec::{Packed, Packing};
use spinor_explore::reduce::sound::{Parts, Wanted};
use spinor_explore::reduce::{Preserve, Tables};
use spinor_explore::{Plan, Quiet, Reduction, Verdict, check};
use std::sync::Arc;

/// How many states are visited to find all deadlocks.
fn states(text: &str, names: &str) -> u64 {
    let model = compile_text(text);
    let parts = match names.parse() {
        Ok(Wanted::Parts(parts)) => parts,
        other => panic!("{names}: {other:?}"),
    };
    let engine = Packed::new(&model, Packing::default());
    let tables = Arc::new(Tables::new(engine.shapes().clone(), Preserve::Deadlock));
    let reduction = (parts != Parts::default()).then(|| Reduction { parts, tables, kinds: false });
    let plan = Plan { keep_going: true, proviso: spinor_explore::Proviso::None, ..Plan::default() };
    let report = check(engine, reduction, &model, &plan, &mut Quiet);
    assert_ne!(report.verdict(), Verdict::Undecided, "{names}");
    report.statistics.stored
}

/// States of the full search, with closed sets of processes, and with stubborn sets.
fn compare(text: &str) -> [u64; 4] {
    ["none", "overman", "stubborn", "stubborn=deletion"].map(|names| states(text, names))
}

/// Who waits for a fork needs only the neighbour that holds it, not one that would have to take it first.
#[test]
fn who_must_take_before_it_gives_is_not_waited_for() {
    let text = "bit fork[6];
        active [6] proctype P() {
            do
            :: d_step { !fork[_pid]; fork[_pid] = 1 }
               d_step { !fork[(_pid + 1) % 6]; fork[(_pid + 1) % 6] = 1 }
               fork[_pid] = 0;
               fork[(_pid + 1) % 6] = 0
            od
        }";
    assert_eq!(compare(text), [728, 205, 92, 92]);
}

/// Processes that write the same value need no order.
#[test]
fn values_decide_whether_an_order_matters() {
    let same = "byte x; active [4] proctype P() { byte i; do :: i < 3 -> x = 7; i++ :: else -> break od }";
    assert_eq!(compare(same), [16_105, 1_881, 45, 45]);
}

/// An index that only the process itself changes means one element where it stands.
#[test]
fn an_index_is_known_in_a_state() {
    let text = "byte a[4];
        active proctype R() { byte i, x; i = 1; x = a[i]; x = a[i]; x = a[i]; false }
        active proctype W() { a[2] = 1; a[2] = 2; a[2] = 3; false }";
    assert_eq!(compare(text), [20, 17, 8, 8]);
}

/// A rendezvous inside an atomic sequence concerns its partners only.
#[test]
fn a_rendezvous_inside_an_atomic_sequence_leaves_others_alone() {
    let text = "chan c = [0] of { bit }, d = [0] of { bit };
        active proctype A() { bit i; do :: atomic { i == 0 -> c!1; i = 1 } :: atomic { i == 1 -> c!0; i = 0 } od }
        active proctype B() { do :: c?_ od }
        active proctype C() { bit i; do :: atomic { i == 0 -> d!1; i = 1 } :: atomic { i == 1 -> d!0; i = 0 } od }
        active proctype D() { do :: d?_ od }";
    let [all, _, by_closure, by_deletion] = compare(text);
    assert!(by_closure < all && by_deletion < all, "{:?}", (all, by_closure, by_deletion));
}
