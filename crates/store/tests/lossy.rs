//! The stores that may lose vectors.

mod common;

use common::{Buffers, insert, nth, size};
use spinor_store::{BitstateConfig, BitstateStore, Config, Guarantee, HashCompactStore, Store};

/// Puts different vectors in, each twice; returns how many were called new.
fn insert_all<S: Store>(store: &S, count: u64, threads: u64) -> u64 {
    let run = |thread: u64| {
        let (mut session, mut batch) = (store.session(), Buffers::default());
        let mut new = 0;
        for start in (0..count).step_by(200) {
            batch.clear();
            for n in start..(start + 200).min(count) {
                batch.item(&nth(n * threads + thread, [12, 20, 33][n as usize % 3]));
            }
            let answers = insert(store, &mut session, &batch.batch());
            new += answers.iter().flatten().count() as u64;
            let again = insert(store, &mut session, &batch.batch());
            assert!(again.iter().all(Option::is_none), "what is there stays");
            let mut known = Vec::new();
            store.lookup(&mut session, &batch.batch(), &mut known);
            assert!(known.iter().all(|&known| known));
        }
        new
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
    })
}

#[test]
fn hash_compaction_loses_nothing_among_a_million() {
    for threads in [1, 2] {
        let count = size(1_000_000 / threads as usize) as u64;
        let store = HashCompactStore::new(&Config { seed: 17, ..Config::default() });
        assert_eq!(insert_all(&store, count, threads), count * threads);
        assert_eq!(store.len(), count * threads);
        assert!(store.guarantee().expected_omissions() < 1e-6);
        assert!(store.fill() > 0.3 && store.fill() < 0.9, "{}", store.fill());
    }
}

#[test]
fn hash_compaction_keeps_its_limit() {
    for max in [5_000, 100_000, 20_000_000] {
        let max = size(max).max(5_000);
        let store = HashCompactStore::new(&Config { max_bytes: Some(max), ..Config::default() });
        let stored = common::fill_up(&store, 20, max);
        assert!(stored as usize * 34 > max, "{stored} in {max}");
    }
}

#[test]
fn bitstate_loses_as_many_as_it_says() {
    for (probes, factor) in [(1, 10), (2, 10), (3, 6), (3, 20), (4, 10)] {
        for seed in 0..3 {
            let count = size(200_000) as u64;
            let config = BitstateConfig { bytes: (count * factor / 8) as usize, probes, seed, has_core: false };
            let store = BitstateStore::new(&config).expect("there is memory");
            let new = insert_all(&store, count, 1);
            let Guarantee::Bitstate { coverage, hash_factor, expected_omissions } = store.guarantee() else {
                panic!("a bitstate store says so")
            };
            let omitted = (count - new) as f64;
            let off = (omitted - expected_omissions).abs() / expected_omissions.sqrt().max(1.0);
            assert!(off < 4.0, "{omitted} of {expected_omissions} with {probes} probes, seed {seed}");
            assert!((coverage - new as f64 / count as f64).abs() < 0.01);
            assert!((hash_factor - factor as f64).abs() < 0.5, "{hash_factor}");
        }
    }
}

#[test]
fn bitstate_keeps_hashes_while_they_fit() {
    let bytes = size(1 << 23);
    let store = BitstateStore::new(&BitstateConfig { bytes, ..BitstateConfig::default() }).expect("there is memory");
    // Half of what would fit: nothing is lost, and no memory is taken for what is not there.
    let count = bytes as u64 / 16;
    assert_eq!(insert_all(&store, count / 2, 2), count / 2 * 2);
    assert!(store.guarantee().expected_omissions() < 1e-6);
    assert!(store.memory() < bytes * 21 / 20, "{} of {bytes}", store.memory());
    let small = BitstateStore::new(&BitstateConfig::default()).expect("there is memory");
    insert_all(&small, 1_000, 1);
    assert!(small.memory() < 1 << 16, "{}", small.memory());
}

#[test]
fn bitstate_serves_two_threads() {
    // With hashes all the time, and with bits from some time on.
    for bytes in [4_000_000, 400_000] {
        let bytes = size(bytes);
        let store = BitstateStore::new(&BitstateConfig { bytes, ..BitstateConfig::default() });
        let store = store.expect("there is memory");
        let new = insert_all(&store, size(100_000) as u64, 2);
        assert!(new <= size(100_000) as u64 * 2 && new > size(100_000) as u64 * 19 / 10, "{bytes}: {new}");
        assert_eq!(store.memory() > bytes, bytes < size(4_000_000), "{bytes}: {}", store.memory());
    }
}
