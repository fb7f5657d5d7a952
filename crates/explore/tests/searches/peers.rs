//! Searches by several processes find what one finds.

use crate::support;
use spinor_exec::{Interpreter, Packed, Packing, Shapes, Simplify};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_explore::{
    Checkpoints, Identity, Order, Owner, Peers, Plan, Quiet, Report, Resume, StopReason, StoreKind, Verdict, check,
    confirm, hall, is_checkpoint,
};
use spinor_model::Model;
use spinor_model::symmetry::Scalarsets;
use std::fs;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

fn models() -> Vec<(String, Model)> {
    let table = support::text("tests/micro/truth.tsv");
    let names = table.lines().skip(1).filter_map(|line| line.split('\t').next());
    let compile = |name: &str| (name.to_string(), support::compile(&support::place("tests/micro").join(name)));
    // States whose vectors do not tell them apart belong to nobody.
    names.map(compile).filter(|(_, model)| !model.uses.reads_hidden).collect()
}

/// An engine that knows the shapes of so many states before it begins.
fn engine(model: &Model, states: usize) -> Packed<'_> {
    let mut engine = Packed::new(model, Packing::default());
    engine.agree(states);
    engine
}

/// What each process reports.
fn together(model: &Model, plan: &Plan, peers: Vec<Peers>, states: usize) -> Vec<Report> {
    thread::scope(|scope| {
        let one = |peers: Peers| {
            let plan = Plan { peers: Some(peers), ..plan.clone() };
            scope.spawn(move || check(engine(model, states), None, model, &plan, &mut Quiet))
        };
        let all: Vec<_> = peers.into_iter().map(one).collect();
        all.into_iter().map(|it| it.join().expect("a search that ends")).collect()
    })
}

/// Owners by the hash, by a few of its bits, and such that one process has almost nothing.
fn owners() -> [Owner; 3] {
    [
        Arc::new(|hash, count| ((u128::from(hash) * count as u128) >> 64) as usize),
        Arc::new(|hash, count| (hash >> 60) as usize % count),
        Arc::new(|hash, count| if hash.is_multiple_of(50) { 0 } else { count - 1 }),
    ]
}

#[test]
fn several_processes_count_what_one_counts() {
    for (number, (name, model)) in models().iter().enumerate() {
        let stores = [StoreKind::Exact, StoreKind::Tree];
        let plan = Plan { keep_going: true, max_violations: 2, store: stores[number % 2], ..Plan::default() };
        let alone = check(engine(model, 0), None, model, &plan, &mut Quiet);
        for (count, owner) in [2, 3, 4].into_iter().zip(owners()) {
            let reports = together(model, &plan, hall(count, owner, number as u64), [0, 3, 300][number % 3]);
            for report in &reports {
                let figures = |it: &Report| {
                    let statistics = it.statistics;
                    let counts = (statistics.stored, statistics.matched, statistics.depth);
                    (counts, it.errors, it.stopped, it.unreached.clone())
                };
                assert_eq!(figures(report), figures(&alone), "{name}, {count} processes");
                assert_eq!(report.peers.iter().map(|it| it.stored).sum::<u64>(), alone.statistics.stored, "{name}");
            }
        }
    }
}

#[test]
fn several_stacks_count_what_one_counts() {
    for (number, (name, model)) in models().iter().enumerate() {
        let store = [StoreKind::Exact, StoreKind::Tree][number % 2];
        let order = Order::DepthFirst;
        let plan = Plan { keep_going: true, max_violations: 2, store, order, ..Plan::default() };
        let alone = check(engine(model, 0), None, model, &plan, &mut Quiet);
        for (count, owner) in [2, 3, 4].into_iter().zip(owners()) {
            let reports = together(model, &plan, hall(count, owner, number as u64), [0, 3, 300][number % 3]);
            for report in &reports {
                let counts = |it: &Report| (it.statistics.stored, it.statistics.matched, it.errors, it.stopped);
                assert_eq!(counts(report), counts(&alone), "{name}, {count} processes");
                assert_eq!(report.unreached, alone.unreached, "{name}, {count} processes");
                assert_eq!(report.peers.iter().map(|it| it.stored).sum::<u64>(), alone.statistics.stored, "{name}");
                assert_eq!(report.verdict(), alone.verdict(), "{name}, {count} processes");
                for violation in &report.violations {
                    let confirmed = confirm(&mut Interpreter::new(model), violation);
                    confirmed.unwrap_or_else(|error| panic!("{name}: {error:?}"));
                }
            }
        }
    }
}

#[test]
fn what_goes_wrong_is_found_with_the_same_shortest_path_length() {
    let mut violated = 0;
    for (number, (name, model)) in models().iter().enumerate() {
        // Paths are looked for by each process, or by all together.
        let plan = Plan { log_limit: [1 << 17, 0][number % 2], ..Plan::default() };
        let alone = check(engine(model, 0), None, model, &plan, &mut Quiet);
        let [owner, ..] = owners();
        let levels = together(model, &plan, hall(3, owner.clone(), number as u64), 10);
        let plan = Plan { order: Order::DepthFirst, ..plan };
        let stacks = together(model, &plan, hall(3, owner, number as u64), 10);
        let orders = [true; 3].into_iter().chain([false; 3]);
        for (is_shortest, report) in orders.zip(levels.into_iter().chain(stacks)) {
            assert_eq!(report.verdict(), alone.verdict(), "{name}");
            let length = |it: &Report| it.violations.first().map(|it| it.moves.len());
            assert_eq!(length(&report).is_some(), length(&alone).is_some(), "{name}");
            assert!(!is_shortest || length(&report) == length(&alone), "{name}");
            for violation in &report.violations {
                confirm(&mut Interpreter::new(model), violation).unwrap_or_else(|error| panic!("{name}: {error:?}"));
            }
            violated += usize::from(report.verdict() == Verdict::Violated);
        }
    }
    assert!(violated > 30, "only {violated}");
}

#[test]
fn a_limit_of_one_process_ends_the_search_of_all() {
    let text = "byte a, b, c; active proctype P() { do :: a++ :: b++ :: c++ od }";
    let (model, _) = spinor_model::compile("limit.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let [owner, ..] = owners();
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let plan = Plan { max_memory: Some(1 << 21), order, ..Plan::default() };
        for report in together(&model, &plan, hall(2, owner.clone(), 1), 0) {
            assert_eq!((report.stopped, report.verdict()), (Some(StopReason::Memory), Verdict::Undecided));
        }
    }
    let plan = Plan { max_depth: Some(20), ..Plan::default() };
    let alone = check(engine(&model, 0), None, &model, &plan, &mut Quiet);
    for report in together(&model, &plan, hall(2, owner, 1), 0) {
        assert_eq!(report.stopped, Some(StopReason::Depth));
        assert_eq!(report.statistics.stored, alone.statistics.stored);
    }
}

/// Whose a state is depends on what few steps change.
#[test]
fn most_successors_stay_where_they_are_and_all_have_as_much_to_do() {
    let text = "byte n[4]; active [4] proctype P() { do :: n[_pid] < 8 -> n[_pid]++ :: n[_pid] = 0 od }";
    let (model, _) = spinor_model::compile("counters.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let [owner, ..] = owners();
    for (count, order) in [(2, Order::BreadthFirst), (3, Order::BreadthFirst), (3, Order::DepthFirst)] {
        let plan = Plan { order, ..Plan::default() };
        let alone = check(engine(&model, 0), None, &model, &plan, &mut Quiet).statistics;
        for report in together(&model, &plan, hall(count, owner.clone(), 1), 10) {
            assert_eq!((report.statistics.stored, report.statistics.matched), (alone.stored, alone.matched));
            let sent: u64 = report.peers.iter().map(|it| it.sent).sum();
            let by_chance = (alone.stored + alone.matched) as f64 * (1.0 - 1.0 / count as f64);
            assert!((sent as f64) < 0.6 * by_chance, "{sent} of {by_chance}");
            let most = report.peers.iter().map(|it| it.stored).max().unwrap_or(0) as f64;
            assert!(most < 1.3 * alone.stored as f64 / count as f64, "{:?}", report.peers);
        }
    }
}

/// By an atomic sequence, which goes first, a state is three moves away, and otherwise one: it is sent for both levels.
#[test]
fn a_state_that_is_reached_again_by_fewer_moves_is_sent_again() {
    let text = "byte x; active proctype P() {
        if :: atomic { x = 1; x = 2; x = 3 } :: x = 3 fi;
        x = 4; x = 5; x = 6; x = 7; assert(false)
    }";
    let (model, _) = spinor_model::compile("again.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let plan = Plan::default();
    let alone = check(engine(&model, 0), None, &model, &plan, &mut Quiet);
    for salt in 0..16 {
        let owner: Owner = Arc::new(move |hash, count| (hash.rotate_left(salt) >> 60) as usize % count);
        for report in together(&model, &plan, hall(2, owner, u64::from(salt)), 10) {
            assert_eq!(report.statistics.depth, alone.statistics.depth, "{salt}");
            assert_eq!(report.violations[0].moves.len(), alone.violations[0].moves.len(), "{salt}");
        }
    }
}

/// The names of processes that are at their end are dead, so that a process that meets such a state first would know of
/// fewer symmetries than others.
#[test]
fn a_path_through_representatives_is_found_by_all_together() {
    let text = "byte who = 255; chan c[2] = [1] of { byte };
        proctype P(byte id) { do :: nempty(c[id]) :: who == 255 -> break od }
        proctype Q(byte id) { who == id; c[id]!0 }
        init { byte i; atomic { do :: i < 2 -> run P(i); run Q(i); i++ :: else -> break od } }";
    let (model, _) = spinor_model::compile("names.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let model = &model;
    for (salt, order) in (0..12).flat_map(|salt| [(salt, Order::BreadthFirst), (salt, Order::DepthFirst)]) {
        let plan = Plan { keep_going: true, log_limit: 0, order, ..Plan::default() };
        let owner: Owner = Arc::new(move |hash, count| (hash.rotate_left(salt) >> 60) as usize % count);
        let one = |peers: Option<Peers>| {
            let plan = Plan { peers, ..plan.clone() };
            let shapes = Arc::new(Shapes::new(model, Packing::Bits, Simplify { merge: false, dead: true }));
            let mut engine = Packed::with(shapes.clone());
            engine.agree(10);
            let sets = Scalarsets::new(model, shapes.ranges(), &[]);
            let symmetries = Symmetries::new(shapes.clone(), sets, Strategy::Auto);
            check(Quotient::new(engine, Some(Arc::new(symmetries))), None, model, &plan, &mut Quiet)
        };
        let reports: Vec<Report> = thread::scope(|scope| {
            let all: Vec<_> =
                hall(3, owner, u64::from(salt)).into_iter().map(|it| scope.spawn(|| one(Some(it)))).collect();
            all.into_iter().map(|it| it.join().expect("a search that ends")).collect()
        });
        for report in reports.into_iter().chain([one(None)]) {
            assert_eq!((report.statistics.stored, report.violations.len()), (4, 1), "{salt} {order:?}");
            let confirmed = confirm(&mut Interpreter::new(model), &report.violations[0]);
            confirmed.unwrap_or_else(|error| panic!("{salt} {order:?}: {error:?}"));
        }
    }
}

#[test]
fn a_process_that_writes_no_checkpoints_lets_others_go_on() {
    let text = "byte a, b; active proctype P() { do :: a < 40 -> a++ :: b < 40 -> b++ od }";
    let (model, _) = spinor_model::compile("part.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let directory = std::env::temp_dir().join(format!("spinor-part-{}", std::process::id()));
    let alone = check(engine(&model, 0), None, &model, &Plan::default(), &mut Quiet);
    let every = Duration::ZERO;
    let checkpoints = Checkpoints { directory: directory.clone(), every, identity: Identity::default(), resume: None };
    let [owner, ..] = owners();
    let reports: Vec<Report> = thread::scope(|scope| {
        let one = |(index, peers): (usize, Peers)| {
            let checkpoints = (index == 0).then(|| checkpoints.clone());
            let (plan, model) = (Plan { peers: Some(peers), checkpoints, ..Plan::default() }, &model);
            scope.spawn(move || check(engine(model, 10), None, model, &plan, &mut Quiet))
        };
        let all: Vec<_> = hall(2, owner, 1).into_iter().enumerate().map(one).collect();
        all.into_iter().map(|it| it.join().expect("a search that ends")).collect()
    });
    for report in reports {
        assert_eq!((report.stopped, report.statistics.stored), (alone.stopped, alone.statistics.stored));
    }
    assert!(!is_checkpoint(&directory), "a checkpoint without a part is none");
    let _ = fs::remove_dir_all(&directory);
}

#[test]
fn what_was_found_before_the_log_ended_is_in_a_checkpoint() {
    let text = "byte a, b; active proctype P() { do :: a < 40 -> a++; assert(a != 3) :: b < 40 -> b++ od }";
    let (model, _) = spinor_model::compile("early.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let directory = std::env::temp_dir().join(format!("spinor-early-{}", std::process::id()));
    let run = |resume: Option<Resume>| {
        let checkpoints =
            Checkpoints { directory: directory.clone(), every: Duration::ZERO, identity: Identity::default(), resume };
        let plan = Plan { keep_going: true, log_limit: 50, checkpoints: Some(checkpoints), ..Plan::default() };
        check(engine(&model, 0), None, &model, &plan, &mut Quiet)
    };
    let whole = run(None);
    let (resume, _) = Resume::find(&directory, &Identity::default()).expect("a checkpoint of the last level");
    let resumed = run(Some(resume));
    let shortest = |report: &Report| report.violations.first().map(|it| it.moves.len());
    assert!(shortest(&whole).is_some(), "the assertion fails");
    assert_eq!((shortest(&resumed), resumed.statistics.stored), (shortest(&whole), whole.statistics.stored));
    let _ = fs::remove_dir_all(&directory);
}
