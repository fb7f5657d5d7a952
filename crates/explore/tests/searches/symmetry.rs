//! Symmetry: the models of the project with and without it, and what goes wrong if representatives are not used
//! everywhere.

use crate::support;
use spinor_exec::{Interpreter, Packed, Packing, Shapes, Simplify};
use spinor_explore::live::{Claim, CycleSearch, Manner, confirm_claim, judge};
use spinor_explore::reduce::Tables;
use spinor_explore::reduce::sound::{self, Property, Setting, Wanted};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries, SymmetryReport};
use spinor_explore::{Order, Plan, Quiet, Reduction, Report, StoreKind, check, confirm};
use spinor_model::Model;
use spinor_model::symmetry::{Observer, Scalarsets};
use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::Arc;

fn symmetries(shapes: &Arc<Shapes<'static>>, strategy: Strategy) -> Symmetries<'static> {
    let sets = Scalarsets::new(shapes.model(), shapes.ranges(), &[]);
    Symmetries::new(shapes.clone(), sets, strategy)
}

fn model(path: &Path) -> &'static Model {
    Box::leak(Box::new(support::compile(path)))
}

fn named(name: &str) -> &'static Model {
    model(&support::place("tests").join(name))
}

fn found(text: &str) -> SymmetryReport {
    let (model, _) = spinor_model::compile("m.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let model: &'static Model = Box::leak(Box::new(model));
    let engine = Packed::new(model, Packing::Bits);
    symmetries(engine.shapes(), Strategy::Auto).report(&mut Packed::with(engine.shapes().clone()))
}

/// A search whose counterexamples all replay.
fn search(model: &'static Model, names: &str, order: Order, threads: usize) -> Report {
    let wanted: Wanted = names.parse().unwrap_or_else(|error| panic!("{names}: {error}"));
    let setting = Setting { order, threads, store: StoreKind::Exact };
    let property = names.contains("local").then_some(Property::Statements);
    let sound = sound::resolve(wanted, property, None, (model, setting)).unwrap_or_else(|it| panic!("{names}: {it}"));
    let simplify: Simplify = sound.parts.simplify;
    let shapes = Arc::new(Shapes::new(model, Packing::Bits, simplify));
    let tables = Arc::new(Tables::new(shapes.clone(), sound.preserve.clone()));
    let reduction = sound.parts.asks_for_dependence().then_some(Reduction { parts: sound.parts, tables, kinds: false });
    let symmetries = sound.parts.symmetry.then(|| Arc::new(symmetries(&shapes, Strategy::Auto)));
    let plan = Plan { order, threads, proviso: sound.proviso, keep_going: true, small_level: 0, ..Plan::default() };
    let engine = Quotient::new(Packed::with(shapes), symmetries);
    let report = check(engine, reduction, model, &plan, &mut Quiet);
    for violation in &report.violations {
        confirm(&mut Interpreter::new(model), violation).unwrap_or_else(|error| panic!("{names}: {error}"));
    }
    report
}

#[test]
fn the_models_of_the_project_profit() {
    for path in support::models("tests/symmetry") {
        let model = model(&path);
        let whole = search(model, "none", Order::BreadthFirst, 1);
        for order in [Order::BreadthFirst, Order::DepthFirst] {
            for names in ["symmetry", "merge+dead+symmetry", "stubborn+merge+dead+symmetry", "local+symmetry"] {
                let reduced = search(model, names, order, 2);
                let name = path.display();
                assert!(2 * reduced.statistics.stored <= whole.statistics.stored, "{name}: {names}");
                assert_eq!(reduced.verdict(), whole.verdict(), "{name}: {names}");
            }
        }
    }
}

#[test]
fn a_proviso_looks_for_representatives() {
    let model = named("counterexamples/raw_stack.pml");
    for order in [Order::BreadthFirst, Order::DepthFirst] {
        let report = search(model, "local+symmetry", order, 1);
        assert!(report.errors > 0, "{order:?}");
    }
    assert!(raw_stack(false).contains(&3));
    assert!(!raw_stack(true).contains(&3), "the trap");
}

/// Values of `g` that a depth-first search of `raw_stack.pml` sees: one process at a time goes round its loop alone, if
/// it does not come back to the stack.
fn raw_stack(is_raw: bool) -> BTreeSet<u8> {
    type State = (u8, [u8; 3]);
    fn step(state: State, process: usize) -> State {
        let (mut g, mut at) = state;
        g += u8::from(at[process] == 0);
        at[process] = if at[process] == 1 { 2 } else { 1 };
        (g, at)
    }
    let representative = |(g, mut at): State| {
        at.sort_unstable();
        (g, at)
    };
    let on_stack = |state: State| if is_raw { state } else { representative(state) };
    fn visit(
        state: State,
        seen: &mut HashSet<State>,
        stack: &mut Vec<State>,
        (representative, on_stack): (&dyn Fn(State) -> State, &dyn Fn(State) -> State),
    ) {
        if !seen.insert(representative(state)) {
            return;
        }
        stack.push(on_stack(state));
        let alone = (0..3).find(|&it| state.1[it] != 0 && !stack.contains(&on_stack(step(state, it))));
        for process in alone.map_or(0..3, |it| it..it + 1) {
            visit(step(state, process), seen, stack, (representative, on_stack));
        }
        stack.pop();
    }
    let mut seen = HashSet::new();
    visit((0, [0; 3]), &mut seen, &mut Vec::new(), (&representative, &on_stack));
    seen.into_iter().map(|it| it.0).collect()
}

/// Two processes: `g = (g + 1) % 3`, then for ever `l = 1 - l` and `skip`.
type Pair = (u8, [(u8, u8); 2]);

fn step_of_pair((g, mut at): Pair, process: usize) -> Pair {
    let (location, l) = at[process];
    at[process] = match location {
        0 => (1, l),
        1 => (2, 1 - l),
        _ => (1, l),
    };
    (if location == 0 { (g + 1) % 3 } else { g }, at)
}

fn sorted((g, mut at): Pair) -> Pair {
    at.sort_unstable();
    (g, at)
}

/// What two workers of a distributed depth-first search see together (paper 001, section 3): each visits the states that
/// it owns. As printed, states are sent by what they are and provisos ask for the owner of representatives.
fn distributed(seed: u64, is_as_printed: bool) -> BTreeSet<Pair> {
    let hash = |state: Pair| {
        let bytes = [state.0, state.1[0].0, state.1[0].1, state.1[1].0, state.1[1].1];
        let mixed = bytes.iter().fold(seed, |all, &byte| {
            let all = (all ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            all ^ all >> 31
        });
        (mixed >> 17 & 1) as usize
    };
    let owner = |state: Pair| hash(if is_as_printed { state } else { sorted(state) });
    let asked = |state: Pair| hash(sorted(state));
    let mut seen: [BTreeSet<Pair>; 2] = Default::default();
    let mut inbox: VecDeque<Pair> = VecDeque::from([(0, [(0, 0); 2])]);
    while let Some(first) = inbox.pop_front() {
        let worker = owner(first);
        let mut stack: Vec<(Pair, Vec<Pair>)> = Vec::new();
        let mut next = Some(first);
        loop {
            if let Some(state) = next.take().filter(|&it| seen[worker].insert(sorted(it))) {
                let on_stack =
                    |it: Pair| sorted(it) == sorted(state) || stack.iter().any(|(on, _)| sorted(*on) == sorted(it));
                let accepts = |&process: &usize| {
                    let to = step_of_pair(state, process);
                    let is_back = if asked(to) == worker { on_stack(to) } else { asked(to) < worker };
                    state.1[process].0 != 0 && !is_back
                };
                let alone = (0..2).find(accepts);
                let steps = alone.map_or(0..2, |it| it..it + 1).map(|process| step_of_pair(state, process)).collect();
                stack.push((state, steps));
            }
            let Some((_, steps)) = stack.last_mut() else { break };
            match steps.pop() {
                Some(to) if owner(to) == worker => next = Some(to),
                Some(to) => inbox.push_back(to),
                None => drop(stack.pop()),
            }
        }
    }
    seen.into_iter().flatten().collect()
}

#[test]
fn owners_are_those_of_representatives() {
    let summary = |states: &BTreeSet<Pair>| -> (BTreeSet<u8>, BTreeSet<(u8, u8)>) {
        (states.iter().map(|it| it.0).collect(), states.iter().flat_map(|it| it.1).collect())
    };
    let mut all = BTreeSet::from([(0, [(0, 0); 2])]);
    let mut waiting: Vec<Pair> = all.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        waiting.extend((0..2).map(|process| step_of_pair(state, process)).filter(|&it| all.insert(it)));
    }
    let lost = |is_as_printed| {
        let is_lost = |seed: &u64| {
            summary(&distributed(seed.wrapping_mul(0x5851_f42d_4c95_7f2d), is_as_printed)) != summary(&all)
        };
        (1..2_000).filter(is_lost).count()
    };
    assert!(lost(true) > 0, "paper 001, theorem 3.2 as printed");
    assert_eq!(lost(false), 0);
}

/// What is refused, and on which line.
#[test]
fn what_breaks_the_symmetry_is_named() {
    let cases = [
        ("byte x; active [2] proctype P() { x = _pid + x }", "computed"),
        ("byte x; active [2] proctype P() { _pid > 0 -> x = 1 }", "compared by size"),
        ("byte a[3]; active [2] proctype P() { a[1] = 1; a[_pid] = 2 }", "spelled out"),
        ("byte a[1]; active [2] proctype P() { a[_pid] = 2 }", "has no element"),
        ("chan c = [2] of { byte }; active [2] proctype P() { do :: c!!_pid :: c?_ od }", "sorted"),
        ("byte x; active [2] proctype P() { x = 1 } active proctype Q() { _nr_pr == 1 }", "counted"),
        ("active [2] proctype P() { l: skip } active proctype Q() { P@l }", "first of its processes"),
        ("byte x; active [2] proctype P() { if :: set_priority(_pid, 2) fi }", "priorities"),
        ("active [3] proctype P() { bit x; x = _pid }", "cut"),
    ];
    for (text, why) in cases {
        let report = found(text);
        assert_eq!(report.order, 1, "{text}: {report:?}");
        assert!(report.refused.iter().any(|it| it.contains(why) && it.contains("m.pml:1")), "{text}: {report:?}");
    }
}

/// The first process of a line goes to its end: up to renaming that is one state, and really there are three.
#[test]
fn cycles_up_to_a_permutation_are_unrolled() {
    let text = "chan q = [3] of { byte }; byte x; proctype P(byte id) { do :: d_step { q?eval(id); q!id } od } \
                init { atomic { q!0; run P(0); q!1; run P(1); q!2; run P(2) } } ltl { [] <> (x == 1) }";
    let (model, _) = spinor_model::compile("m.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let model: &'static Model = Box::leak(Box::new(model));
    let engine = Packed::new(model, Packing::Bits);
    let shapes = engine.shapes().clone();
    let block = &model.ltl[0];
    let observers: Vec<Observer<'_>> = block.atoms.iter().map(|expr| Observer { expr, place: block.place }).collect();
    let sets = Scalarsets::new(model, shapes.ranges(), &observers);
    let symmetries = Some(Arc::new(Symmetries::new(shapes.clone(), sets, Strategy::Auto)));
    let plan = Plan::default();
    for search in [CycleSearch::Components, CycleSearch::Nested] {
        let claim = Claim::of_formula(block, search.wanted()).unwrap();
        let manner = Manner { search, fair: false, reduce: None };
        let run = |symmetries: Option<Arc<Symmetries<'static>>>| {
            let quotient = Quotient::new(Packed::with(shapes.clone()), symmetries);
            let judgement = judge((quotient, shapes.clone()), &claim, manner, &plan, &mut Quiet).unwrap();
            let violation = judgement.violation.expect("the formula does not hold");
            confirm_claim(model, &claim, &violation, false).unwrap_or_else(|error| panic!("{error}"));
            let lasso = violation.lasso.unwrap();
            (judgement.statistics.stored, lasso.steps.len() - lasso.cycle.unwrap())
        };
        let (whole, around) = run(None);
        let (orbits, unrolled) = run(symmetries.clone());
        assert!(orbits < whole, "{orbits} of {whole}");
        assert_eq!((around, unrolled), (3, 3));
    }
}

/// What can change places, and in how many ways.
#[test]
fn classes_are_found() {
    let cases: HashMap<&str, u64> = HashMap::from([
        ("byte x; active [3] proctype P() { do :: x = 1 - x od }", 6),
        ("byte a[4]; active [3] proctype P() { do :: a[_pid] = 1 od }", 6),
        ("byte a[3]; proctype P() { do :: a[_pid - 1] = 1 od } init { atomic { run P(); run P(); run P() } }", 6),
        ("byte a[3]; proctype P(byte i) { do :: a[i] = 1 od } init { atomic { run P(0); run P(1); run P(2) } }", 6),
        // One of three is named.
        ("byte a[3]; active [3] proctype P() { do :: a[_pid] = 1; a[0] = 0 od }", 2),
        // A ring.
        ("byte a[4]; active [4] proctype P() { do :: a[(_pid + 1) % 4] = 1; a[_pid] = 0 od }", 4),
        // Pairs go together.
        (
            "byte a[2]; proctype P(byte i) { do :: a[i] = 1 od } proctype Q(byte i) { do :: a[i] = 0 od } \
             init { atomic { run P(0); run Q(0); run P(1); run Q(1) } }",
            2,
        ),
        // Two kinds, each by itself.
        ("byte x; active [3] proctype P() { do :: x = 1 od } active [2] proctype Q() { do :: x = 0 od }", 12),
        // A ring of channels.
        (
            "chan c[3] = [1] of { bit }; proctype P(chan in, out) { do :: in?1; out!1 od } \
             init { atomic { run P(c[0], c[1]); run P(c[1], c[2]); run P(c[2], c[0]); c[0]!1 } }",
            3,
        ),
        // The same, and each channel has a name of its own.
        (
            "chan a = [1] of { bit }; chan b = [1] of { bit }; chan d = [1] of { bit }; \
             proctype P(chan in, out) { do :: in?1; out!1 od } \
             init { atomic { run P(a, b); run P(b, d); run P(d, a); a!1 } }",
            3,
        ),
        // Somebody knows one of them.
        (
            "chan a = [1] of { bit }; chan b = [1] of { bit }; proctype P(chan in, out) { do :: in?1; out!1 od } \
             active proctype Q() { do :: a!1 od } init { atomic { run P(a, b); run P(b, a) } }",
            1,
        ),
    ]);
    for (text, order) in cases {
        let report = found(text);
        assert_eq!(report.order, order, "{text}: {report:?}");
    }
}

/// Processes that were given channels, and how many automorphisms their diagram has.
#[test]
fn topologies_have_their_automorphisms() {
    let joined = |parameters: &str, channels: usize, ends: &[Vec<usize>]| {
        let uses: Vec<String> = parameters.split(", ").map(|it| format!(":: {it}!1 :: {it}?1")).collect();
        let run = |ends: &Vec<usize>| {
            let ends: Vec<String> = ends.iter().map(|end| format!("c[{end}]")).collect();
            format!("run P({})", ends.join(", "))
        };
        let runs: Vec<String> = ends.iter().map(run).collect();
        format!(
            "chan c[{channels}] = [1] of {{ bit }}; proctype P(chan {parameters}) {{ do {} od }} \
             init {{ atomic {{ {} }} }}",
            uses.join(" "),
            runs.join("; ")
        )
    };
    let side = |n: usize, by: usize| n / 3 * 3 + (n + by) % 3;
    let below = |n: usize, by: usize| (n + 3 * by) % 9;
    let torus: Vec<Vec<usize>> = (0..9).map(|n| vec![n, side(n, 1), 9 + n, 9 + below(n, 1)]).collect();
    // The channel of an edge is that of its lower end.
    let edge = |n: usize, bit: usize| bit * 8 + (n & !(1 << bit));
    let cube: Vec<Vec<usize>> = (0..8).map(|n| vec![edge(n, 0), edge(n, 1), edge(n, 2)]).collect();
    let heap: Vec<Vec<usize>> = (0..15).map(|n: usize| vec![n, if n == 0 { 0 } else { (n - 1) / 2 }]).collect();
    let ordered = |n: usize| (0..n * n).filter(move |it| it / n != it % n).map(move |it| vec![it / n, it % n]);
    let star: Vec<Vec<usize>> = (1..6).map(|n| vec![0, n]).collect();
    let cases = [
        ("a torus", joined("a, b, d, e", 18, &torus), 9),
        ("a hypercube, whose edges belong to two nodes", joined("a, b, d", 24, &cube), 8),
        ("a binary tree", joined("a, b", 15, &heap), 128),
        ("a complete graph, a process for each of its edges", joined("a, b", 4, &ordered(4).collect::<Vec<_>>()), 24),
        ("a star", joined("a, b", 6, &star), 120),
        ("two rings", joined("a, b", 6, &[0, 1, 2, 3, 4, 5].map(|n| vec![n, n / 3 * 3 + (n + 1) % 3])), 18),
    ];
    for (name, text, order) in cases {
        let report = found(&text);
        assert_eq!(report.order, order, "{name}: {report:?}");
    }
}

/// A comment may promise that processes are symmetric; SPIN does not see it.
#[test]
fn promises_are_checked() {
    let cases = [
        ("/*@ symmetric P */ byte x; active [3] proctype P() { do :: x = 1 - x od }", None),
        ("//@ symmetric P\nbyte x; active [3] proctype P() { do :: x = 1 - x od }", None),
        ("/*@ symmetric P */ byte x; active proctype P() { do :: x = 1 - x od }", None),
        (
            "byte x;\n/*@ symmetric P */\nactive [2] proctype P() {\n x = _pid + x }",
            Some("m.pml:4: it is computed with"),
        ),
        (
            "/*@ symmetric P */ byte a[4]; active [4] proctype P() {\n do :: a[(_pid + 1) % 4] = 1; a[_pid] = 0 od }",
            Some("m.pml:2: the next one is computed"),
        ),
        ("#if 0\n/*@ symmetric P */\n#endif\nbyte x; active [2] proctype P() { x = _pid + x }", None),
    ];
    for (text, why) in cases {
        let report = found(text);
        let broken: Vec<String> = report.broken().collect();
        match why {
            None => assert!(broken.is_empty(), "{text}: {broken:?}"),
            Some(why) => assert!(broken.len() == 1 && broken[0].contains(why), "{text}: {broken:?}"),
        }
    }
}
