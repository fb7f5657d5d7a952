//! The tree store.

mod common;

use common::{Buffers, fill_up, size, stress, walk};
use spinor_store::{Config, Store, TreeStore};

const LENGTHS: &[u32] = &[0, 1, 3, 4, 7, 8, 9, 13, 16, 22, 24, 31, 40, 65, 130];

#[test]
fn agrees_with_a_hash_map() {
    for seed in 1..4 {
        let twin = walk(&TreeStore::new(&Config::default()), LENGTHS, size(30_000), seed);
        assert!(twin.len() > size(100_000), "{}", twin.len());
    }
}

#[test]
fn agrees_when_all_lengths_are_equal() {
    for bytes in [7, 12, 20, 40] {
        let store = TreeStore::new(&Config::default());
        walk(&store, &[bytes], size(20_000), 5);
        assert!(store.fill() > 0.5, "{}", store.fill());
    }
}

#[test]
fn a_limit_is_kept() {
    for max in [30_000, 300_000, 10_000_000, 40_000_000] {
        let max = size(max).max(20_000);
        let store = TreeStore::new(&Config { max_bytes: Some(max), ..Config::default() });
        let stored = fill_up(&store, 20, max);
        assert!(stored as usize * 150 > max, "{stored} vectors in {max} bytes");
    }
}

#[test]
fn a_new_store_is_small() {
    assert!(TreeStore::new(&Config::default()).memory() < 8192);
}

#[test]
#[should_panic(expected = "another store")]
fn a_session_belongs_to_its_store() {
    let (one, other) = (TreeStore::new(&Config::default()), TreeStore::new(&Config::default()));
    one.insert(&mut other.session(), &Buffers::default().batch(), &mut Vec::new());
}

#[test]
fn threads_agree() {
    for round in 0..size(5) as u64 {
        let store = TreeStore::new(&Config::default());
        stress(&store, size(300_000) as u64 + round * 12_345, 2, &[4, 12, 24, 33]);
    }
    let store = TreeStore::new(&Config::default());
    stress(&store, size(300_000) as u64, 4, &[20]);
}
