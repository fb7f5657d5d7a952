//! What a transition costs, without storing anything: native code and the interpreter on the same
//! states. `cargo bench -p spinor-jit -- MODEL...`

use spinor_exec::{Packed, Packing, Semantics, Successors};
use spinor_jit::Native;
use spinor_syntax::{Loader, diagnostic::has_errors};
use std::collections::HashSet;
use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

/// States that are gathered before the measurement.
const STATES: usize = 100_000;
/// How often they are expanded.
const ROUNDS: usize = 20;

struct NoFiles;

impl Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

fn gather(engine: &mut impl Semantics) -> Vec<Vec<u64>> {
    let mut out = Successors::default();
    if engine.initial(&mut out).is_err() {
        return Vec::new();
    }
    let first = out.vector(&out.list[0]).to_vec();
    let mut seen = HashSet::from([first.clone()]);
    let mut states = vec![first];
    let mut next = 0;
    while next < states.len() && states.len() < STATES {
        out.clear();
        engine.expand(&states[next], &mut out);
        for successor in &out.list {
            let vector = out.vector(successor).to_vec();
            if seen.insert(vector.clone()) {
                states.push(vector);
            }
        }
        next += 1;
    }
    states
}

/// Nanoseconds a transition in the best of some rounds, and transitions.
fn measure(engine: &mut impl Semantics, states: &[Vec<u64>], rounds: usize) -> (f64, usize) {
    let mut out = Successors::default();
    let (mut best, mut transitions) = (f64::INFINITY, 0);
    for _ in 0..rounds {
        let begun = Instant::now();
        transitions = 0;
        for chunk in states.chunks(64) {
            out.clear();
            chunk.iter().for_each(|state| {
                engine.expand(state, &mut out);
            });
            transitions += out.list.len();
        }
        best = best.min(begun.elapsed().as_secs_f64());
    }
    (best * 1e9 / transitions.max(1) as f64, transitions)
}

fn main() {
    let mut console = std::io::stdout().lock();
    for name in std::env::args().skip(1).filter(|name| !name.starts_with('-')) {
        let Ok(text) = std::fs::read_to_string(&name) else { continue };
        let (model, diagnostics) = spinor_model::compile(&name, &text, &[], &NoFiles);
        if has_errors(&diagnostics) {
            continue;
        }
        let mut native = Native::with_patience(Packed::new(&model, Packing::Bits), 0);
        let states = gather(&mut native);
        let mut interpreter = Packed::with(native.interpreter().shapes().clone());
        let before = native.deferred();
        let (ours, transitions) = measure(&mut native, &states, ROUNDS);
        let deferred = (native.deferred() - before) / ROUNDS as u64;
        let (theirs, _) = measure(&mut interpreter, &states, 1);
        let begun = Instant::now();
        let mut fresh = Native::with_patience(Packed::new(&model, Packing::Bits), 0);
        let mut out = Successors::default();
        if fresh.initial(&mut out).is_ok() {
            states.last().iter().for_each(|state| {
                fresh.expand(&native.interpreter().repacked(state, fresh.interpreter()), &mut out);
            });
        }
        let compile = begun.elapsed().as_secs_f64() * 1e3;
        let bytes = states.last().map_or(0, |state| state.len() * 8);
        let _ = writeln!(
            console,
            "{:<24} {:>8} states {transitions:>9} transitions, {bytes:>3} bytes: native {ours:>7.1} ns, interpreter {theirs:>7.1} ns, {deferred} deferred, compiled in {compile:.1} ms",
            Path::new(&name).file_stem().unwrap_or_default().to_string_lossy(),
            states.len(),
        );
    }
}
