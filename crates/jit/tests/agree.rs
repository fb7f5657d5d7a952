//! Native code and the interpreter agree on every successor of every state.

#[path = "../../../tests/support.rs"]
mod support;

use spinor_exec::{Packing, Simplify};
use spinor_jit::twin::compare;

struct NoFiles;

impl spinor_syntax::Loader for NoFiles {
    fn load(&self, path: &str, _from: &str) -> Result<(String, String), String> {
        Err(format!("no file {path}"))
    }
}

/// States of one model that are compared.
const MOST_STATES: usize = 4_000;

fn compare_all(folder: &str, packing: Packing, simplify: Simplify) {
    for path in support::models(folder) {
        let agreement = compare(&support::compile(&path), packing, simplify, MOST_STATES);
        assert!(agreement.is_ok(), "{}: {}", path.display(), agreement.err().unwrap_or_default());
    }
}

#[test]
fn on_small_models_in_bits() {
    compare_all("tests/micro", Packing::Bits, Simplify::default());
}

#[test]
fn on_small_models_in_bytes() {
    compare_all("tests/micro", Packing::Bytes, Simplify::default());
}

#[test]
fn on_examples() {
    compare_all("examples", Packing::Bits, Simplify::default());
}

#[test]
fn on_small_models_with_states_left_out() {
    compare_all("tests/micro", Packing::Bits, Simplify { merge: true, dead: false });
    compare_all("tests/micro", Packing::Bits, Simplify { merge: false, dead: true });
    compare_all("tests/micro", Packing::Bytes, Simplify { merge: true, dead: true });
}

/// More shapes than have a short number: fields move when a process comes or goes.
#[test]
fn on_many_shapes() {
    let text = "
        chan c = [2] of { byte, short };
        byte deep;
        proctype P(byte n) {
            chan own = [1] of { byte };
            byte x = n;
            own ! x;
            if
            :: n < 24 -> run P(n + 1)
            :: c ! x, 300 * n
            :: c ? x, _
            fi;
            _nr_pr == n + 2;
            deep = n;
            own ? x
        }
        init { run P(0); _nr_pr == 1; deep == 0; deep = 1 }";
    let (model, diagnostics) = spinor_model::compile("many", text, &[], &NoFiles);
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let all = Simplify { merge: true, dead: true };
    for (packing, simplify) in [
        (Packing::Bits, Simplify::default()),
        (Packing::Bytes, Simplify::default()),
        (Packing::Bits, all),
        (Packing::Bytes, all),
    ] {
        let agreement = compare(&model, packing, simplify, MOST_STATES);
        assert!(agreement.as_ref().is_ok_and(|it| it.states > 400 && it.deferred == 0), "{agreement:?}");
    }
}
