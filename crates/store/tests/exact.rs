//! The exact store.

mod common;

use std::collections::{HashMap, HashSet};

use common::{Buffers, fill_up, insert, size, stress, walk};
use spinor_store::{Config, ExactStore, Handle, Store, words_of};

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
    for bytes in [3, 6, 7, 8, 9, 12, 15, 16] {
        walk(&ExactStore::new(&Config::default()), &[bytes], size(10_000), 5);
    }
}

#[test]
fn vectors_whose_keys_look_like_empty_slots_are_like_others() {
    const SCRAMBLE: u64 = 0x9e37_79b9_7f4a_7c15;
    let odd = [(vec![SCRAMBLE], 8), (vec![1, SCRAMBLE], 16), (vec![2, SCRAMBLE], 16)];
    let store = ExactStore::new(&Config::default());
    let mut session = store.session();
    let mut batch = Buffers::default();
    for vector in &odd {
        batch.item(vector);
        batch.item(&(vec![1; words_of(vector.1)], vector.1));
        batch.item(vector);
    }
    let answers = insert(&store, &mut session, &batch.batch());
    let is_fresh: Vec<bool> = answers.iter().map(Option::is_some).collect();
    assert_eq!(is_fresh, [true, true, false, true, true, false, true, false, false]);
    let mut known = Vec::new();
    store.lookup(&mut session, &batch.batch(), &mut known);
    assert_eq!(known, [true; 9]);
    assert_eq!(store.len(), 5);
    let mut drain = store.drain();
    let drained: HashSet<Vec<u64>> = std::iter::from_fn(|| drain.next().map(|it| it.1.to_vec())).collect();
    assert_eq!(drained.len(), 5);
    assert!(odd.iter().all(|(words, _)| drained.contains(words)));
}

#[test]
fn a_drain_gives_everything_in_order() {
    let store = ExactStore::new(&Config::default());
    let twin = walk(&store, LENGTHS, size(10_000), 7);
    let mut drain = store.drain();
    let mut drained = HashMap::new();
    let mut last = Handle(0);
    while let Some((handle, words, bytes)) = drain.next() {
        if let Some(handle) = handle {
            assert!(handle > last);
            last = handle;
        }
        drained.insert((words.to_vec(), bytes), handle.unwrap_or(Handle(0)));
    }
    assert_eq!(drained, twin);
}

#[test]
fn bytes_behind_the_key_do_not_count() {
    let store = ExactStore::new(&Config::default());
    let mut session = store.session();
    let mut batch = Buffers::default();
    for (n, vector) in [[1, 0x77_0005], [1, 0x88_0005], [1, 0x77_0006]].into_iter().enumerate() {
        batch.item(&(vector.to_vec(), 11));
        batch.items[n].key = 10;
    }
    let answers = insert(&store, &mut session, &batch.batch());
    assert!(matches!(answers[..], [Some(_), None, Some(_)]), "{answers:?}");
    let first = answers[0].and_then(|fresh| fresh.handle).expect("there is room");
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
        for bytes in [7, 12] {
            let store = ExactStore::new(&Config { max_bytes: Some(max), ..Config::default() });
            let stored = fill_up(&store, bytes, max);
            assert!(stored as usize * 70 > max, "{stored} vectors of {bytes} bytes in {max}");
        }
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
    let store = ExactStore::new(&Config::default());
    stress(&store, size(400_000) as u64, 4, &[12]);
}
