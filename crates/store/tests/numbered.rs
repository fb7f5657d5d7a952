//! Stores that tell where a vector is.

mod common;

use common::{Buffers, size};
use spinor_store::{CollapseStore, Config, Cut, ExactStore, Handle, Located, Numbered, TreeStore};
use std::collections::HashMap;

/// Vectors of few different words, so that many come again.
fn vectors(count: usize, shortest: u32) -> Vec<(Vec<u64>, u32)> {
    let mut seed = 0x1234_5678_9abc_def1_u64;
    let mut random = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    (0..count)
        .map(|_| {
            let bytes = shortest.max([3, 8, 20, 40][random(4) as usize]);
            let mut words: Vec<u64> = (0..bytes.div_ceil(8)).map(|_| random(12)).collect();
            if !bytes.is_multiple_of(8)
                && let Some(last) = words.last_mut()
            {
                *last &= (1 << (bytes % 8 * 8)) - 1;
            }
            (words, bytes)
        })
        .collect()
}

fn check<T: Numbered>(store: &T) {
    let mut session = store.session();
    let mut known: HashMap<(Vec<u64>, u32), Handle> = HashMap::new();
    let all = vectors(size(20_000), T::SHORTEST);
    for part in all.chunks(17) {
        let mut batch = Buffers::default();
        part.iter().for_each(|vector| batch.item(vector));
        let mut located = Vec::new();
        store.locate(&mut session, &batch.batch(), &mut located);
        assert_eq!(located.len(), part.len());
        for (vector, at) in part.iter().zip(located) {
            match (at, known.get(vector)) {
                (Located::Old(handle), Some(before)) => assert_eq!(handle, *before),
                (Located::New(handle), None) => {
                    known.insert(vector.clone(), handle);
                }
                other => panic!("{other:?}"),
            }
        }
    }
    assert_eq!(store.len(), known.len() as u64);
    let mut handles: Vec<Handle> = known.values().copied().collect();
    handles.sort_unstable();
    handles.dedup();
    assert_eq!(handles.len(), known.len(), "each has a handle of its own");
    for ((words, bytes), handle) in &known {
        let mut loaded = Vec::new();
        assert_eq!(store.load(&mut session, *handle, &mut loaded), *bytes);
        assert_eq!(&loaded, words);
    }
}

#[test]
fn each_vector_has_a_handle_and_keeps_it() {
    check(&ExactStore::new(&Config::default()));
    check(&TreeStore::new(&Config::default()));
    check(&CollapseStore::new(&Config::default(), Cut::default()));
}
