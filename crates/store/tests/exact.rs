//! The exact store.

mod common;

use std::collections::HashMap;

use common::{Buffers, fill_up, size, stress, walk};
use spinor_store::{Config, ExactStore, Handle, Seen, Store};

const LENGTHS: &[u32] = &[0, 1, 3, 4, 7, 8, 9, 13, 16, 22, 24, 31, 40, 65, 130];

#[test]
fn agrees_with_a_hash_map() {
    for seed in 1..4 {
        let twin = walk(&ExactStore::new(&Config::default()), LENGTHS, size(30_000), seed);
        assert!(twin.len() > size(100_000), "{}", twin.len());
    }
}

#[test]
fn agrees_when_all_lengths_are_equal() {
    let store = ExactStore::new(&Config::default());
    walk(&store, &[20], size(60_000), 5);
    assert!(store.fill() > 0.3, "{}", store.fill());
}

#[test]
fn a_drain_gives_everything_in_order() {
    let store = ExactStore::new(&Config::default());
    let twin = walk(&store, LENGTHS, size(10_000), 7);
    let mut drain = store.drain();
    let mut drained = HashMap::new();
    let mut last = Handle(0);
    while let Some((handle, words, bytes)) = drain.next() {
        assert!(handle > last);
        last = handle;
        drained.insert((words.to_vec(), bytes), handle);
    }
    assert_eq!(drained, twin);
}

#[test]
fn bytes_behind_the_key_do_not_count() {
    let store = ExactStore::new(&Config::default());
    let mut session = store.session();
    let mut batch = Buffers::default();
    for (n, vector) in [[1, 0x77_0005], [1, 0x88_0005], [1, 0x77_0006]].into_iter().enumerate() {
        batch.item(&(vector.to_vec(), 11), u32::MAX);
        batch.items[n].key = 10;
    }
    let mut seen = Vec::new();
    store.insert(&mut session, &batch.batch(), &mut seen);
    assert!(matches!(seen[..], [Seen::New(_), Seen::Old, Seen::New(_)]), "{seen:?}");
    let Seen::New(first) = seen[0] else { unreachable!() };
    let mut words = Vec::new();
    assert_eq!(store.load(&mut session, first, &mut words), 11);
    assert_eq!(words, [1, 0x77_0005], "the first one stays");
}

#[test]
fn a_limit_is_kept() {
    for max in [20_000, 300_000, 10_000_000, 40_000_000] {
        let max = size(max).max(20_000);
        let store = ExactStore::new(&Config { max_bytes: Some(max), ..Config::default() });
        let stored = fill_up(&store, 20, max);
        assert!(stored as usize * 80 > max, "{stored} vectors in {max} bytes");
    }
}

#[test]
fn a_new_store_is_small() {
    assert!(ExactStore::new(&Config::default()).memory() < 4096);
}

#[test]
#[should_panic(expected = "another store")]
fn a_session_belongs_to_its_store() {
    let (one, other) = (ExactStore::new(&Config::default()), ExactStore::new(&Config::default()));
    one.insert(&mut other.session(), &Buffers::default().batch(), &mut Vec::new());
}

#[test]
fn threads_agree() {
    for round in 0..size(5) as u64 {
        let store = ExactStore::new(&Config::default());
        stress(&store, size(400_000) as u64 + round * 12_345, 2, &[4, 12, 24, 33]);
    }
    let store = ExactStore::new(&Config::default());
    stress(&store, size(400_000) as u64, 4, &[20]);
}
