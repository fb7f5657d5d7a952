//! How many orbits there are, by brute force: all states without symmetry, each replaced by the least of its images. What an
//! image is, is written down here for each model, and shares nothing with the code that finds symmetries.

use spinor_exec::{Packed, Packing, Place, Semantics, Shape, Shapes, Successors};
use spinor_explore::symmetry::{Quotient, Strategy, Symmetries};
use spinor_model::Model;
use spinor_model::ranges::Leaf;
use spinor_model::symmetry::Scalarsets;
use std::collections::{BTreeSet, HashSet, VecDeque};
use std::sync::Arc;

/// A model whose processes of type `P` change places.
struct Case {
    name: &'static str,
    text: &'static str,
    /// The pid of the first of them, how many there are, and what their names are more than their number.
    first: usize,
    count: usize,
    base: i32,
    /// Variables and channels that hold names: all of their numbers, or the field of this number.
    names: &'static [&'static str],
    /// Arrays by name, of numbers or of channels.
    arrays: &'static [&'static str],
    /// Whether only rotations are automorphisms.
    turns: bool,
}

const CASES: [Case; 7] = [
    Case {
        name: "an owner",
        text: "byte owner = 255; bit f[3];
            active [3] proctype P() {
            end: do :: owner == 255 -> owner = _pid; f[_pid] = 1 - f[_pid]; atomic { owner == _pid -> owner = 255 } od }",
        first: 0,
        count: 3,
        base: 0,
        names: &["owner"],
        arrays: &["f"],
        turns: false,
    },
    Case {
        name: "a queue",
        text: "chan line = [3] of { byte }; byte in;
            proctype P(byte id) { do :: line!id; line?[id]; (in == 0); line??eval(id); in = 1; in = 0 od }
            init { atomic { run P(0); run P(1); run P(2) } }",
        first: 1,
        count: 3,
        base: 0,
        names: &["line"],
        arrays: &[],
        turns: false,
    },
    Case {
        name: "a server with a channel for each",
        text: "chan ask = [2] of { byte }; chan answer[3] = [1] of { bit }; bit seen[3];
            active [3] proctype P() { do :: ask!_pid; answer[_pid]?seen[_pid] od }
            active proctype S() { byte who = 255; do :: ask?who; answer[who]!1; who = 255 od }",
        first: 0,
        count: 3,
        base: 0,
        names: &["ask", "S.who"],
        arrays: &["answer", "seen"],
        turns: false,
    },
    Case {
        name: "pids from 1 on, and whom each follows",
        text: "byte next[3] = 255; byte last = 255;
            proctype P() { byte peer = 255; do
                :: last != _pid -> peer = last; last = _pid
                :: peer != 255 -> next[_pid - 1] = peer; peer = 255 od }
            init { atomic { run P(); run P(); run P() } }",
        first: 1,
        count: 3,
        base: 1,
        names: &["last", "next", "P.peer"],
        arrays: &["next"],
        turns: false,
    },
    Case {
        name: "a ring",
        text: "bit token[4]; bit busy[4];
            active [4] proctype P() { do
                :: token[_pid] == 1 -> token[_pid] = 0; busy[_pid] = 1 - busy[_pid]; token[(_pid + 1) % 4] = 1
                :: token[_pid] == 0 && busy[(_pid + 1) % 4] == 0 -> token[_pid] = 1 od }",
        first: 0,
        count: 4,
        base: 0,
        names: &[],
        arrays: &["token", "busy"],
        turns: true,
    },
    Case {
        name: "somebody picks one",
        text: "byte turn = 9; bit f[3];
            active [3] proctype P() { do :: turn == _pid -> f[_pid] = 1 - f[_pid]; turn = 9 od }
            active proctype S() { byte i = 9; do :: turn == 9; select(i : 0 .. 2); turn = i; i = 9 od }",
        first: 0,
        count: 3,
        base: 0,
        names: &["turn", "S.i"],
        arrays: &["f"],
        turns: false,
    },
    Case {
        name: "somebody picks one by a loop",
        text: "byte turn = 9; bit f[3];
            active [3] proctype P() { do :: turn == _pid -> f[_pid] = 1 - f[_pid]; turn = 9 od }
            active proctype S() { byte i = 9; do :: atomic { turn == 9; select(i : 0 .. 3 - 1); turn = i }; i = 9 od }",
        first: 0,
        count: 3,
        base: 0,
        names: &["turn", "S.i"],
        arrays: &["f"],
        turns: false,
    },
];

/// Variables by their names.
type Variables = Vec<(String, Vec<i32>)>;

/// A state, with names where they belong: variables by their names, and messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct State {
    globals: Variables,
    processes: Vec<(u64, Variables)>,
    /// The name of the array, and the messages of each of its channels.
    channels: Vec<(String, Vec<Vec<i32>>)>,
}

fn values(place: &Place, words: &[u64]) -> Vec<i32> {
    match place {
        Place::Known(values) => values.clone(),
        Place::Stored { coding, series } => {
            (0..series.length).map(|n| coding.value(series.element(n).get(words))).collect()
        }
    }
}

fn state(shapes: &Shapes<'_>, words: &[u64]) -> State {
    let (shape, ranges) = (shapes.get(Shape::id_of(words[0])), shapes.ranges());
    let named = |prefix: &str, leaves: &[Leaf], places: &[Place]| -> Variables {
        let all = leaves.iter().zip(places).filter(|(leaf, _)| leaf.ty != spinor_model::Scalar::Chan);
        all.map(|(leaf, place)| (format!("{prefix}{}", leaf.name.replace("[]", "")), values(place, words))).collect()
    };
    let process = |it: &spinor_exec::ProcessPlace| {
        let prefix = format!("{}.", shapes.model().proctype(it.proctype).name);
        (it.location.get(words), named(&prefix, &ranges.locals[usize::from(it.proctype.0)], &it.leaves))
    };
    let mut channels: Vec<(String, Vec<Vec<i32>>)> = Vec::new();
    for channel in &shape.channels {
        let mut messages = Vec::new();
        for n in 0..channel.length.get(words) as u32 {
            for lane in &channel.lanes {
                let whole = lane.series.element(n);
                for field in &lane.fields {
                    let shift = whole.shift + field.shift;
                    let bits = spinor_exec::Bits { shift, width: field.width, ..whole };
                    messages.push(field.coding.value(bits.get(words)));
                }
            }
        }
        let name = &ranges.sites[channel.site].name.replace("[]", "");
        match channels.last_mut() {
            Some((last, all)) if last == name => all.push(messages),
            _ => channels.push((name.clone(), vec![messages])),
        }
    }
    State {
        globals: named("", &ranges.globals, &shape.globals),
        processes: shape.processes.iter().map(process).collect(),
        channels,
    }
}

/// What a permutation of processes makes of a state.
fn image(case: &Case, state: &State, to: &[usize]) -> State {
    let name = |number: i32| match usize::try_from(number - case.base) {
        Ok(at) if at < case.count => to[at] as i32 + case.base,
        _ => number,
    };
    let is = |list: &[&str], it: &str| list.contains(&it);
    let moved = |it: &str, values: &[i32]| -> Vec<i32> {
        let held = |number: i32| if is(case.names, it) { name(number) } else { number };
        let mut all: Vec<i32> = values.iter().map(|&number| held(number)).collect();
        if is(case.arrays, it) {
            values.iter().enumerate().for_each(|(at, &number)| all[to[at]] = held(number));
        }
        all
    };
    let variables = |all: &[(String, Vec<i32>)]| -> Variables {
        all.iter().map(|(it, values)| (it.clone(), moved(it, values))).collect()
    };
    let mut after = State {
        globals: variables(&state.globals),
        processes: state.processes.iter().map(|(at, locals)| (*at, variables(locals))).collect(),
        channels: state.channels.clone(),
    };
    let before = after.processes.clone();
    for at in 0..case.count {
        let (mut process, there) = (before[case.first + at].clone(), &before[case.first + to[at]]);
        // What a process was given belongs to its place.
        for (n, (it, _)) in there.1.iter().enumerate().filter(|(_, (it, _))| it == "P.id") {
            process.1[n] = (it.clone(), there.1[n].1.clone());
        }
        after.processes[case.first + to[at]] = process;
    }
    for ((it, all), (_, messages)) in after.channels.iter_mut().zip(&state.channels) {
        let renamed =
            |message: &Vec<i32>| message.iter().map(|&n| if is(case.names, it) { name(n) } else { n }).collect();
        for (at, message) in messages.iter().enumerate() {
            all[if is(case.arrays, it) { to[at] } else { at }] = renamed(message);
        }
    }
    after
}

fn permutations(case: &Case) -> Vec<Vec<usize>> {
    if case.turns {
        return (0..case.count).map(|by| (0..case.count).map(|at| (at + by) % case.count).collect()).collect();
    }
    let mut all = vec![Vec::new()];
    for _ in 0..case.count {
        let longer = |it: &Vec<usize>| {
            let free = (0..case.count).filter(|next| !it.contains(next)).collect::<Vec<_>>();
            free.into_iter().map(|next| [&it[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

fn reach<S: Semantics>(engine: &mut S) -> HashSet<Vec<u64>> {
    let mut out = Successors::default();
    engine.initial(&mut out).expect("a first state");
    let first = out.vector(&out.list[0]).to_vec();
    let mut seen = HashSet::from([first.clone()]);
    let mut waiting = VecDeque::from([first]);
    while let Some(state) = waiting.pop_front() {
        out.clear();
        engine.expand(&state, &mut out);
        for next in &out.list {
            let next = out.vector(next).to_vec();
            if seen.insert(next.clone()) {
                waiting.push_back(next);
            }
        }
    }
    seen
}

#[test]
fn there_are_as_many_representatives_as_orbits() {
    for case in &CASES {
        let (model, _) = spinor_model::compile("m.pml", case.text, &[], &spinor_syntax::source::NoIncludes);
        let model: &Model = &model;
        let engine = Packed::new(model, Packing::Bits);
        let shapes = engine.shapes().clone();
        let all = reach(&mut Packed::with(shapes.clone()));
        let permutations = permutations(case);
        let least = |words: &Vec<u64>| {
            let state = state(&shapes, words);
            if state.processes.len() < case.first + case.count {
                return state;
            }
            permutations.iter().map(|to| image(case, &state, to)).min().expect("the identity")
        };
        let orbits: BTreeSet<State> = all.iter().map(least).collect();
        for strategy in [Strategy::Auto, Strategy::Full, Strategy::Segmented] {
            let sets = Scalarsets::new(model, shapes.ranges(), &[]);
            let symmetries = Arc::new(Symmetries::new(shapes.clone(), sets, strategy));
            let found = reach(&mut Quotient::new(Packed::with(shapes.clone()), Some(symmetries)));
            let kept: BTreeSet<State> = found.iter().map(least).collect();
            assert_eq!(found.len(), orbits.len(), "{} {strategy}: of {} states", case.name, all.len());
            assert_eq!(kept, orbits, "{} {strategy}", case.name);
            assert!(2 * orbits.len() < all.len(), "{}: {} of {}", case.name, orbits.len(), all.len());
        }
    }
}
