//! Native code and the interpreter agree on every successor of every state.

#[path = "../../../tests/support.rs"]
mod support;

use spinor_exec::Packing;
use spinor_jit::twin::compare;

/// States of one model that are compared.
const MOST_STATES: usize = 4_000;

fn compare_all(folder: &str, packing: Packing) {
    for path in support::models(folder) {
        let agreement = compare(&support::compile(&path), packing, MOST_STATES);
        assert!(agreement.is_ok(), "{}: {}", path.display(), agreement.err().unwrap_or_default());
    }
}

#[test]
fn on_small_models_in_bits() {
    compare_all("tests/micro", Packing::Bits);
}

#[test]
fn on_small_models_in_bytes() {
    compare_all("tests/micro", Packing::Bytes);
}

#[test]
fn on_examples() {
    compare_all("examples", Packing::Bits);
}
