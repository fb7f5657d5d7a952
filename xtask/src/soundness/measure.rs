//! How long selectors take, and how much they would save, state by state.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::time::Instant;

use spinor_exec::{Packed, Packing, Semantics, Successors};
use spinor_explore::reduce::{Method, Preserve, Tables, View};
use spinor_syntax::Define;

use super::NoFiles;

/// States of the model that are looked at.
const STATES: usize = 20_000;

/// Prints, for each selector, the time for a state, and in how many states it proposes something.
pub(crate) fn run(path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let defines: [Define; 0] = [];
    let text = String::from_utf8_lossy(&bytes);
    let (model, diagnostics) = spinor_model::compile(&path.to_string_lossy(), &text, &defines, &NoFiles);
    if spinor_syntax::diagnostic::has_errors(&diagnostics) {
        return Err(format!("{} has errors", path.display()));
    }
    let mut engine = Packed::new(&model, Packing::Bits);
    let states = gather(&mut engine)?;
    let start = Instant::now();
    let tables = Tables::new(engine.shapes().clone(), Preserve::Assertions);
    states.iter().for_each(|(state, _)| drop(tables.of(state)));
    println!("{} states, tables in {:.1} ms", states.len(), start.elapsed().as_secs_f64() * 1e3);
    for method in Method::ALL {
        let mut selector = method.selector();
        let (mut sets, mut proposed, mut kept, mut all) = (Vec::new(), 0, 0, 0);
        let mut time = 0;
        for (state, steps) in &states {
            let table = tables.of(state);
            sets.clear();
            let mut count = |pid: usize| steps[pid];
            let before = Instant::now();
            selector.propose(&mut View::new(&table, state, &mut count), &mut sets);
            time += before.elapsed().as_nanos();
            let total: usize = steps.iter().sum();
            all += total;
            kept += sets.first().map_or(total, |set| set.iter().map(|pid| steps[pid]).sum());
            proposed += usize::from(!sets.is_empty());
        }
        let each = time / states.len().max(1) as u128;
        println!("{method:<20} {each:>7} ns a state, proposes in {proposed:>6}, {kept} of {all} steps");
    }
    Ok(())
}

/// States in breadth-first order, each with the number of steps of each process.
fn gather(engine: &mut Packed<'_>) -> Result<Vec<(Vec<u64>, Vec<usize>)>, String> {
    let mut out = Successors::default();
    engine.initial(&mut out).map_err(|fault| format!("{fault:?}"))?;
    let first = out.vector(&out.list[0]).to_vec();
    let mut seen = HashSet::from([first.clone()]);
    let mut states = vec![(first, Vec::new())];
    let mut next = 0;
    while next < states.len() {
        let state = states[next].0.clone();
        for pid in 0..engine.processes(&state) {
            out.clear();
            engine.expand_process(&state, pid, &mut out);
            states[next].1.push(out.list.len());
            for successor in &out.list {
                let vector = out.vector(successor);
                if states.len() < STATES && seen.insert(vector.to_vec()) {
                    states.push((vector.to_vec(), Vec::new()));
                }
            }
        }
        next += 1;
    }
    Ok(states)
}
