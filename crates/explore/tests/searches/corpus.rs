//! The corpus of small models, searched in every order and compared with what SPIN counts.
//!
//! `tests/micro/truth.tsv` holds SPIN's figures; `cargo xtask truth` runs SPIN itself.

use crate::support;
use spinor_exec::{Cells, Ended, Expansion, Interpreter, Move, Packed, Packing, Semantics, Simplify};
use spinor_explore::{
    Encoding, Guarantee, Observer, Order, Plan, Progress, Quiet, Report, StopReason, StoreKind, Verdict, check, confirm,
};
use spinor_model::Model;
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::fs;

fn compile(name: &str) -> Model {
    support::compile(&support::place("tests/micro").join(name))
}

/// Name, stored, transitions, depth, errors.
fn truth() -> Vec<(String, u64, u64, usize, u64)> {
    let table = support::text("tests/micro/truth.tsv");
    table
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let number = |index: usize| fields[index].parse::<u64>().expect("a number");
            (fields[0].to_string(), number(1), number(2), number(3) as usize, number(4))
        })
        .collect()
}

fn search(model: &Model, order: Order, keep_going: bool) -> Report {
    run(model, &Plan { order, keep_going, ..Plan::default() })
}

fn run(model: &Model, plan: &Plan) -> Report {
    check(Packed::new(model, Packing::default()), None, model, plan, &mut Quiet)
}

/// Plans that differ only in how they find the same: threads that really work together, stores that
/// forget nothing, paths by the log or by searching again.
fn variants(order: Order, keep_going: bool) -> Vec<Plan> {
    let plan = |store, threads, log_limit| {
        let small_level = 20;
        Plan { order, keep_going, store, threads, log_limit, small_level, ..Plan::default() }
    };
    use StoreKind::{Collapse, Exact, Tree};
    match order {
        Order::DepthFirst => vec![plan(Tree, 1, 0), plan(Collapse, 1, 0), plan(Exact, 2, 0), plan(Tree, 3, 0)],
        Order::BreadthFirst => vec![
            plan(Exact, 1, 1 << 20),
            plan(Exact, 1, 5),
            plan(Tree, 1, 0),
            plan(Exact, 2, 1 << 20),
            plan(Tree, 2, 0),
            plan(Collapse, 2, 0),
            plan(Exact, 3, 0),
        ],
    }
}

/// The same for codes of whole vectors.
fn encoded(order: Order) -> Vec<Plan> {
    let plan = |encode, threads| {
        let encode = Some(encode);
        Plan { order, keep_going: true, encode, threads, log_limit: 0, small_level: 20, ..Plan::default() }
    };
    vec![plan(Encoding::Huffman, 1), plan(Encoding::RunLength, 1), plan(Encoding::Huffman, 2)]
}

/// Whether a plan suits a model.
fn suits(model: &Model, plan: &Plan) -> bool {
    !model.uses.reads_hidden || plan.threads == 1 && plan.store == StoreKind::Exact
}

#[test]
fn the_table_covers_the_corpus() {
    let listed: BTreeSet<String> = truth().into_iter().map(|row| row.0).collect();
    let files: BTreeSet<String> = fs::read_dir(support::place("tests/micro"))
        .expect("the corpus")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".pml"))
        .collect();
    assert!(files.len() > 50);
    assert_eq!(listed, files);
}

#[test]
fn depth_first_search_counts_as_spin() {
    for (name, stored, transitions, depth, errors) in truth() {
        let model = compile(&name);
        let report = search(&model, Order::DepthFirst, true);
        let it = report.statistics;
        assert_eq!((it.stored, it.transitions(), it.depth), (stored, transitions, depth), "{name}");
        assert_eq!(report.errors > 0, errors > 0, "{name}");
        assert_eq!(report.stopped, None, "{name}");
    }
}

#[test]
fn breadth_first_search_finds_the_same_states() {
    for (name, stored, transitions, _, errors) in truth() {
        let model = compile(&name);
        let report = search(&model, Order::BreadthFirst, true);
        let it = report.statistics;
        assert_eq!((it.stored, it.transitions()), (stored, transitions), "{name}");
        assert_eq!(report.errors > 0, errors > 0, "{name}");
    }
}

#[test]
fn counts_do_not_depend_on_threads_and_stores() {
    for (name, stored, transitions, depth, errors) in truth() {
        let model = compile(&name);
        if model.uses.reads_hidden {
            continue;
        }
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let alone = search(&model, order, true);
            for plan in variants(order, true).into_iter().chain(encoded(order)) {
                let report = run(&model, &plan);
                let it = report.statistics;
                assert_eq!((it.stored, it.transitions()), (stored, transitions), "{name}, {plan:?}");
                assert_eq!((report.errors, &report.unreached), (alone.errors, &alone.unreached), "{name}, {plan:?}");
                assert_eq!(report.errors > 0, errors > 0, "{name}");
                if order == Order::BreadthFirst {
                    assert_eq!(it.depth, alone.statistics.depth, "{name}, {plan:?}");
                } else if plan.threads == 1 {
                    assert_eq!(it.depth, depth, "{name}");
                }
            }
        }
    }
}

/// Many states with long vectors of which a step changes little.
const LARGE: &str = "
    int a[100]; int c; byte x, y, z;
    init {
        do :: c < 100 -> if :: a[c] = c * 1000 :: c == 0 -> a[c] = 5 fi; c++ :: else -> break od;
        run P(); run Q(); run R()
    }
    proctype P() { do :: x < 9 -> x++ :: x > 0 -> x-- od }
    proctype Q() { do :: y < 9 -> y++ :: y > 0 -> y-- od }
    proctype R() { do :: z < 9 -> z++ :: z > 0 -> z-- od }";

/// Keeps what it is told.
#[derive(Default)]
struct Notes(Vec<String>);

impl Observer for Notes {
    fn observe(&mut self, _: &Progress) -> bool {
        true
    }

    fn note(&mut self, text: &str) {
        self.0.push(text.into());
    }
}

#[test]
fn states_that_do_not_fit_move_to_a_tree() {
    let model = support::compile_text(LARGE);
    let whole = run(&model, &Plan::default());
    assert_eq!((whole.store, whole.notes.len()), (StoreKind::Exact, 0));
    for threads in [1, 2] {
        let max_memory = Some(whole.statistics.total_bytes * 3 / 4);
        let plan = Plan { threads, max_memory, ..Plan::default() };
        let mut notes = Notes::default();
        let report = check(Packed::new(&model, Packing::default()), None, &model, &plan, &mut notes);
        assert_eq!((report.stopped, report.store), (None, StoreKind::Tree), "{report:?}");
        assert_eq!((&report.notes, report.notes.len()), (&notes.0, 1));
        let counts = |it: &Report| (it.statistics.stored, it.statistics.matched);
        assert_eq!(counts(&report), counts(&whole));
        assert_eq!(report.verdict(), Verdict::Holds);
    }
}

#[test]
fn what_does_not_fit_at_all_is_undecided() {
    let model = support::compile_text(LARGE);
    for store in [StoreKind::Exact, StoreKind::Tree, StoreKind::Collapse, StoreKind::HashCompact] {
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            let report = run(&model, &Plan { store, order, max_memory: Some(1 << 18), ..Plan::default() });
            assert_eq!(report.stopped, Some(StopReason::Memory), "{store:?}");
            assert_eq!(report.verdict(), Verdict::Undecided);
            assert!(report.statistics.stored > 100, "{report:?}");
        }
    }
}

#[test]
fn lossy_stores_never_count_more_and_never_promise() {
    for (name, stored, _, _, errors) in truth() {
        let model = compile(&name);
        if model.uses.reads_hidden {
            continue;
        }
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            for (store, bitstate_bytes) in [(StoreKind::HashCompact, 0), (StoreKind::Bitstate, 1 << 20)] {
                let plan = Plan { store, order, bitstate_bytes, keep_going: true, log_limit: 0, ..Plan::default() };
                let report = run(&model, &plan);
                assert!(report.statistics.stored <= stored, "{name}");
                assert_ne!(report.verdict(), Verdict::Holds, "{name}");
                assert_ne!(report.guarantee(), Guarantee::Exact, "{name}");
                if store == StoreKind::HashCompact {
                    assert_eq!((report.statistics.stored, report.errors > 0), (stored, errors > 0), "{name}");
                }
                assert_eq!(report.errors > 0, !report.violations.is_empty(), "{name}");
                for violation in &report.violations {
                    confirm(&mut Interpreter::new(&model), violation).unwrap_or_else(|it| panic!("{name}: {it}"));
                }
            }
        }
    }
}

#[test]
fn a_swarm_ends_at_the_first_violation() {
    let plan = Plan { store: StoreKind::Bitstate, bitstate_bytes: 1 << 12, swarm: 3, ..Plan::default() };
    let report = run(&support::compile_text(LARGE), &plan);
    assert_eq!((report.runs.len(), report.errors), (3, 0));
    let most = report.runs.iter().map(|run| run.statistics.stored).max();
    assert_eq!(Some(report.statistics.stored), most, "{report:?}");
    assert_eq!(report.omission_chance(), 1.0, "{report:?}");
    let fails = support::compile_text("byte x; active proctype P() { x = 1; assert(x == 0) }");
    let report = run(&fails, &plan);
    assert_eq!((report.runs.len(), report.errors), (1, 1));
}

/// With states left out, every search says the same, and its trails have all moves.
#[test]
fn simplified_searches_find_the_same() {
    let all = Simplify { merge: true, dead: true };
    for (name, stored, ..) in truth() {
        let model = compile(&name);
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            let full = search(&model, order, true);
            for plan in variants(order, true).into_iter().filter(|plan| suits(&model, plan)) {
                let engine = Packed::simplified(&model, Packing::default(), all);
                let report = check(engine.fork(), None, &model, &plan, &mut Quiet);
                let cells = check(Cells::new(engine.fork(), engine.shapes().clone()), None, &model, &plan, &mut Quiet);
                assert!(report.statistics.stored <= stored, "{name}");
                assert_eq!(report.statistics.stored, cells.statistics.stored, "{name}");
                assert_eq!(report.verdict(), full.verdict(), "{name}");
                assert_eq!(report.unreached, full.unreached, "{name}");
                let kinds = |report: &Report| report.kinds.iter().map(|(kind, _)| *kind).collect::<Vec<_>>();
                assert!(kinds(&report).iter().all(|kind| kinds(&full).contains(kind)), "{name}");
                assert_eq!(kinds(&report).len(), kinds(&full).len(), "{name}");
                for violation in &report.violations {
                    confirm(&mut Interpreter::new(&model), violation).unwrap_or_else(|it| panic!("{name}: {it}"));
                }
            }
        }
    }
}

#[test]
fn every_violation_replays() {
    let mut replayed = 0;
    for (name, ..) in truth() {
        let model = compile(&name);
        for order in [Order::DepthFirst, Order::BreadthFirst] {
            for keep_going in [false, true] {
                for plan in variants(order, keep_going) {
                    if !suits(&model, &plan) {
                        continue;
                    }
                    let report = run(&model, &plan);
                    for violation in &report.violations {
                        confirm(&mut Interpreter::new(&model), violation)
                            .unwrap_or_else(|error| panic!("{name}: {error}"));
                        replayed += 1;
                    }
                    assert_eq!(report.verdict() == Verdict::Violated, !report.violations.is_empty(), "{name}");
                }
            }
        }
    }
    assert!(replayed > 100, "only {replayed}");
}

/// The naive twin of breadth-first search: single moves, one level each.
fn shortest_violation(model: &Model) -> Option<usize> {
    let mut interpreter = Interpreter::new(model);
    let first = (interpreter.initial().expect("a first state"), None);
    let mut lengths = HashMap::from([(first.clone(), 0)]);
    let mut levels: Vec<VecDeque<(Vec<u8>, Option<u8>)>> = vec![VecDeque::from([first])];
    let mut best: Option<usize> = None;
    let mut depth = 0;
    while depth < levels.len() {
        while let Some(state) = levels[depth].pop_front() {
            if lengths[&state] != depth {
                continue;
            }
            let mut out = Expansion::default();
            interpreter.steps(&state.0, state.1, &mut out);
            for finding in &out.findings {
                let length = depth + finding.moves.len();
                best = Some(best.map_or(length, |known| known.min(length)));
            }
            if out.ended() == Ended::Stuck && !interpreter.is_valid_end(&state.0) {
                best = Some(best.map_or(depth, |known| known.min(depth)));
            }
            for successor in &out.successors {
                let length = depth + successor.moves.len();
                let next = (out.vector(successor).to_vec(), successor.holder);
                let known = lengths.get(&next).copied().unwrap_or(usize::MAX);
                if length < known {
                    lengths.insert(next.clone(), length);
                    levels.resize_with(levels.len().max(length + 1), VecDeque::new);
                    levels[length].push_back(next);
                }
            }
        }
        depth += 1;
    }
    best
}

#[test]
fn breadth_first_counterexamples_are_shortest() {
    let mut compared = 0;
    for (name, stored, ..) in truth() {
        if stored > 5_000 {
            continue;
        }
        let model = compile(&name);
        let shortest = shortest_violation(&model);
        for plan in variants(Order::BreadthFirst, false).into_iter().filter(|plan| suits(&model, plan)) {
            let report = run(&model, &plan);
            let length = report.violations.first().map(|violation| violation.moves.len());
            assert_eq!(length, shortest, "{name}");
        }
        compared += usize::from(shortest.is_some());
    }
    assert!(compared > 10, "only {compared}");
}

/// The naive twin of expansion: single steps, followed while a process holds on to its turn.
fn naive_successors(interpreter: &mut Interpreter<'_>, vector: &[u8]) -> Vec<(Vec<u8>, Vec<Move>)> {
    let mut successors = Vec::new();
    let mut stack: Vec<(Vec<u8>, Option<u8>, Vec<Move>)> = vec![(vector.to_vec(), None, Vec::new())];
    while let Some((state, holder, path)) = stack.pop() {
        if holder.is_none() && !path.is_empty() {
            successors.push((state, path));
            continue;
        }
        let mut out = Expansion::default();
        interpreter.steps(&state, holder, &mut out);
        if holder.is_some() && !out.held {
            successors.push((state, path));
            continue;
        }
        for successor in out.successors.iter().rev() {
            let mut path = path.clone();
            path.extend_from_slice(out.path(&successor.moves));
            stack.push((out.vector(successor).to_vec(), successor.holder, path));
        }
    }
    successors
}

#[test]
fn expansion_agrees_with_single_steps() {
    for (name, stored, ..) in truth() {
        if stored > 2_000 {
            continue;
        }
        let model = compile(&name);
        let mut interpreter = Interpreter::new(&model);
        let first = interpreter.initial().expect("a first state");
        let mut seen = HashSet::from([first.clone()]);
        let mut todo = vec![first];
        while let Some(vector) = todo.pop() {
            let mut out = Expansion::default();
            interpreter.expand(&vector, &mut out);
            let found: Vec<(Vec<u8>, Vec<Move>)> =
                out.successors.iter().map(|it| (out.vector(it).to_vec(), out.path(&it.moves).to_vec())).collect();
            assert_eq!(found, naive_successors(&mut interpreter, &vector), "{name}");
            todo.extend(found.into_iter().map(|(state, _)| state).filter(|state| seen.insert(state.clone())));
        }
    }
}

/// Models on which SPIN itself is at fault: what it counts is in the table beside what is right.
#[test]
fn spin_faults_are_not_shared() {
    let table = support::text("tests/spin_faults/truth.tsv");
    for line in table.lines().skip(1) {
        let fields: Vec<&str> = line.split('\t').collect();
        let model = support::compile(&support::place("tests/spin_faults").join(fields[0]));
        let report = search(&model, Order::DepthFirst, true);
        let it = report.statistics;
        let counts = [it.stored.to_string(), it.transitions().to_string(), it.depth.to_string()];
        let found = if report.errors > 0 { "yes" } else { "no" };
        assert_eq!(counts, fields[4..7], "{}", fields[0]);
        assert_eq!(found, fields[7], "{}", fields[0]);
        let is_the_same = counts[..2] == fields[1..3] && found == fields[3];
        assert!(!is_the_same, "{}: SPIN is not at fault", fields[0]);
    }
}

/// SPIN's verifier takes a send for an event even where nobody receives, and reports a `notrace` that is not matched
/// where the system stops.
#[test]
fn false_alarms_about_traces() {
    let untaken = "chan q = [0] of { byte }; chan r = [1] of { byte };
        active proctype P() { q!1; q!2; q!1 }
        active proctype Q() { byte v; end: do :: q?v -> r!v od }
        active proctype R() { end: do :: r?_ od }
        trace { end: do :: q!1; q?1; r!1 :: q!2; q?2; r!2 od }";
    let unmatched = "chan q = [1] of { byte };
        active proctype P() { q!1 }
        active proctype Q() { end: do :: q?_ od }
        notrace { q!1; q!2 }";
    for text in [untaken, unmatched] {
        assert_eq!(search(&support::compile_text(text), Order::DepthFirst, true).verdict(), Verdict::Holds);
    }
}
