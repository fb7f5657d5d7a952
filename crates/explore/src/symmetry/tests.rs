//! The search for automorphisms beside all permutations, on random diagrams.

use super::canonical::Scratch;
use super::frame::Frame;
use super::names::Names;
use super::orders::elements;
use super::verify::verify;
use super::{Strategy, Symmetries, Trial, group};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};
use spinor_exec::{Packed, Packing, Semantics as _, Shape, Successors};
use spinor_model::symmetry::Scalarsets;
use std::collections::BTreeSet;

/// More indexes than this are not permuted one by one.
const FEW: usize = 7;

/// Processes that are given channels at random, and sometimes a number.
fn random(rng: &mut SmallRng) -> String {
    let (processes, channels) = (rng.random_range(2..=4), rng.random_range(1..=4));
    let types = rng.random_range(1..=2);
    let has_data = rng.random_bool(0.2);
    let mut text = format!("byte g; chan c[{channels}] = [1] of {{ byte }};\n");
    for n in 0..types {
        text += &format!("proctype P{n}(chan in, out; byte d) {{ byte x; do :: in?x; out!x :: g == d -> g++ od }}\n");
    }
    let run = |_| {
        let end = |rng: &mut SmallRng| rng.random_range(0..channels);
        let d = if has_data { rng.random_range(0..2) } else { 0 };
        format!("run P{}(c[{}], c[{}], {d})", rng.random_range(0..types), end(rng), end(rng))
    };
    let runs: Vec<String> = (0..processes).map(run).collect();
    text + &format!("init {{ atomic {{ {} }} }}\n", runs.join("; "))
}

fn first_at_rest(symmetries: &Symmetries<'_>, engine: &mut Packed<'_>) -> Option<Vec<u64>> {
    symmetries.rests(engine, &Trial::default()).states.first().cloned()
}

/// All permutations of so many.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |it: &Vec<usize>| {
            let free = (0..count).filter(|next| !it.contains(next)).collect::<Vec<_>>();
            free.into_iter().map(|next| [&it[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

#[test]
fn all_automorphisms_are_found() {
    let mut rng = SmallRng::seed_from_u64(6);
    let (mut compared, mut symmetric) = (0, 0);
    for _ in 0..400 {
        let text = random(&mut rng);
        let (model, _) = spinor_model::compile("m.pml", &text, &[], &spinor_syntax::source::NoIncludes);
        let engine = Packed::new(&model, Packing::Bits);
        let shapes = engine.shapes().clone();
        let sets = Scalarsets::new(&model, shapes.ranges(), &[]);
        let symmetries = Symmetries::new(shapes.clone(), sets, Strategy::Auto);
        let Some(state) = first_at_rest(&symmetries, &mut Packed::with(shapes.clone())) else { continue };
        let shape = shapes.get(Shape::id_of(state[0]));
        let given = symmetries.orbits(shape.id).given_in(&state);
        let names = Names::new(&symmetries.sets, &shapes, &shape, &given);
        if names.len() > FEW {
            continue;
        }
        let frame = Frame { sets: &symmetries.sets, shapes: &shapes, shape: &shape, names: &names, given: &given };
        let pids = 0..shape.processes.len();
        let moved = |image: &Vec<usize>| pids.clone().map(|pid| frame.pid_after(pid, image) as u8).collect();
        let permitted = permutations(names.len()).into_iter().filter(|image| verify(&frame, image).is_ok());
        let naive: BTreeSet<Vec<u8>> = permitted.map(|image| moved(&image)).collect();
        let group = group::find(&symmetries.sets, &shapes, &shape, &given).group;
        let turns: Vec<Vec<Vec<u8>>> = group.turns.iter().map(|it| it.elements.clone()).collect();
        let all = elements(&group.blocks, &turns, group.labels());
        let found: BTreeSet<Vec<u8>> =
            all.iter().map(|image| pids.clone().map(|pid| group.pid(pid as u8, image)).collect()).collect();
        assert_eq!(found, naive, "{text}");
        compared += 1;
        symmetric += usize::from(naive.len() > 1);
    }
    assert!(compared > 200 && symmetric > 50, "{symmetric} of {compared}");
}

/// Keys that are carried over from the state before lead to the same as keys from the beginning.
#[test]
fn a_representative_does_not_depend_on_the_state_before() {
    let text = "byte a[3]; byte who = 255; chan q = [2] of { byte }; chan c[3] = [1] of { byte };
        proctype P(byte id) { byte x; byte peer = 255;
            do :: x = 1 - x :: q!id :: q?peer :: a[id] = x :: who = id :: atomic { peer != 255 -> c[peer]!x } :: c[id]?x od }
        init { atomic { run P(0); run P(1); run P(2) } }";
    let (model, _) = spinor_model::compile("m.pml", text, &[], &spinor_syntax::source::NoIncludes);
    let mut engine = Packed::new(&model, Packing::Bits);
    let shapes = engine.shapes().clone();
    let sets = Scalarsets::new(&model, shapes.ranges(), &[]);
    let symmetries = Symmetries::new(shapes, sets, Strategy::Auto);
    let first = first_at_rest(&symmetries, &mut engine).expect("it comes to rest");
    let mut state = first.clone();
    let mut rng = SmallRng::seed_from_u64(1);
    let (mut scratch, mut parent, mut out) =
        (Scratch::default(), super::canonical::Parent::default(), Successors::default());
    for _ in 0..2_000 {
        let group = symmetries.group(&symmetries.orbits(Shape::id_of(state[0])), &state);
        group.prepare(&state, &mut parent);
        out.clear();
        engine.expand(&state, &mut out);
        for next in &out.list {
            let (mut one, mut other) = (out.vector(next).to_vec(), out.vector(next).to_vec());
            group.represent(Strategy::Auto, &mut one, Some(&parent), &mut scratch);
            group.represent(Strategy::Auto, &mut other, None, &mut scratch);
            assert_eq!(one, other);
        }
        // Where nobody can move, it begins anew.
        let next = (!out.list.is_empty()).then(|| rng.random_range(0..out.list.len()));
        state = next.map_or(first.clone(), |next| out.vector(&out.list[next]).to_vec());
    }
}
