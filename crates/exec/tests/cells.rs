//! Cells hold the same states as packed bits, in fewer bytes.

#[path = "../../../tests/support.rs"]
mod support;

use spinor_exec::{Cells, Packed, Packing, Semantics, Successors};
use std::collections::HashSet;

const MOST_STATES: usize = 2_000;

#[test]
fn cells_are_made_of_bits_and_back() {
    let (mut bits_bytes, mut cells_bytes) = (0, 0);
    for path in support::models("tests/micro").into_iter().chain(support::models("examples")) {
        let model = support::compile(&path);
        if model.uses.reads_hidden {
            continue;
        }
        let mut packed = Packed::new(&model, Packing::Bits);
        let shapes = packed.shapes().clone();
        let mut cells = Cells::new(packed.fork(), shapes);
        let (mut ours, mut theirs) = (Successors::default(), Successors::default());
        if packed.initial(&mut theirs).is_err() {
            assert!(cells.initial(&mut ours).is_err());
            continue;
        }
        cells.initial(&mut ours).expect("both have a first state");
        let mut waiting = vec![(ours.vector(&ours.list[0]).to_vec(), theirs.vector(&theirs.list[0]).to_vec())];
        let mut seen = HashSet::from([waiting[0].clone()]);
        let mut next = 0;
        while next < waiting.len().min(MOST_STATES) {
            let (cell, bits) = waiting[next].clone();
            next += 1;
            assert_eq!(cells.working_copy(&cell), bits, "{}", path.display());
            assert_eq!(cells.is_valid_end(&cell), packed.is_valid_end(&bits));
            ours.clear();
            theirs.clear();
            assert_eq!(cells.expand(&cell, &mut ours), packed.expand(&bits, &mut theirs));
            assert_eq!((ours.list.len(), ours.findings.len()), (theirs.list.len(), theirs.findings.len()));
            for (a, b) in ours.list.iter().zip(&theirs.list) {
                bits_bytes += b.bytes;
                cells_bytes += a.bytes;
                let pair = (ours.vector(a).to_vec(), theirs.vector(b).to_vec());
                if seen.insert(pair.clone()) {
                    waiting.push(pair);
                }
            }
        }
        // Equal bits mean equal cells, and the other way round.
        let cells_seen: HashSet<_> = waiting.iter().map(|(cell, _)| cell).collect();
        let bits_seen: HashSet<_> = waiting.iter().map(|(_, bits)| bits).collect();
        assert_eq!((cells_seen.len(), bits_seen.len()), (waiting.len(), waiting.len()), "{}", path.display());
    }
    assert!(cells_bytes < bits_bytes, "{cells_bytes} bytes in cells, {bits_bytes} in bits");
}
