//! What proposing sets of processes costs in a state, and how many steps are left.
//! `cargo bench -p spinor-explore --bench selectors -- MODEL...`

use spinor_exec::{Packed, Packing, Semantics, Successors};
use spinor_explore::reduce::{Method, Preserve, Tables, View};
use spinor_syntax::{Loader, diagnostic::has_errors};
use std::collections::HashSet;
use std::hint::black_box;
use std::io::{StdoutLock, Write as _};
use std::time::Instant;

/// States that are gathered before the measurement.
const STATES: usize = 20_000;

/// A state, with the number of steps of each process.
type Known = (Vec<u64>, Vec<usize>);

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

fn gather(engine: &mut Packed<'_>) -> Vec<Known> {
    let mut out = Successors::default();
    if engine.initial(&mut out).is_err() {
        return Vec::new();
    }
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
    states
}

fn measure(tables: &Tables<'_>, states: &[Known], method: Method, console: &mut StdoutLock<'_>) {
    let mut selector = method.selector();
    let (mut sets, mut proposed, mut kept, mut all) = (Vec::new(), 0, 0, 0);
    let mut best = u128::MAX;
    for _ in 0..3 {
        (proposed, kept, all) = (0, 0, 0);
        let begun = Instant::now();
        for (state, steps) in states {
            let table = tables.of(state);
            sets.clear();
            selector.propose(&mut View::new(&table, state, &mut |pid| steps[pid]), &mut sets);
            let total: usize = steps.iter().sum();
            all += total;
            kept += black_box(&sets).first().map_or(total, |set| set.iter().map(|pid| steps[pid]).sum());
            proposed += usize::from(!sets.is_empty());
        }
        best = best.min(begun.elapsed().as_nanos());
    }
    let each = best / states.len().max(1) as u128;
    let share = kept as f64 / all.max(1) as f64;
    let _ = writeln!(
        console,
        "  {:<18} {each:>6} ns a state, sets in {proposed:>6} states, {share:.3} of the steps",
        method.to_string()
    );
}

fn main() {
    let mut console = std::io::stdout().lock();
    for name in std::env::args().skip(1).filter(|name| !name.starts_with('-')) {
        let Ok(text) = std::fs::read_to_string(&name) else { continue };
        let (model, diagnostics) = spinor_model::compile(&name, &text, &[], &NoFiles);
        if has_errors(&diagnostics) {
            continue;
        }
        let mut engine = Packed::new(&model, Packing::Bits);
        let states = gather(&mut engine);
        let begun = Instant::now();
        let tables = Tables::new(engine.shapes().clone(), Preserve::Assertions);
        states.iter().for_each(|(state, _)| drop(tables.of(state)));
        let made = begun.elapsed().as_secs_f64() * 1e3;
        let _ = writeln!(console, "{name}: {} states, tables in {made:.1} ms", states.len());
        Method::ALL.into_iter().for_each(|method| measure(&tables, &states, method, &mut console));
    }
}
