//! The collapse store.

mod common;

use common::{fill_up, size, stress, walk};
use spinor_store::{CollapseStore, Config, Cut, Store};

const LENGTHS: &[u32] = &[0, 1, 3, 4, 7, 8, 9, 13, 16, 22, 24, 31, 40, 65, 130];

/// Components of lengths that depend on the vector.
fn odd(words: &[u64], bytes: u32, lengths: &mut Vec<u32>) {
    let mut left = bytes;
    while left > 3 {
        let length = (words[0] as u32 % 5 + lengths.len() as u32 + 1).min(left);
        lengths.push(length);
        left -= length;
    }
}

#[test]
fn agrees_with_a_hash_map() {
    for cut in [Cut::default(), Cut::Pieces(5), Cut::Pieces(24), Cut::By(odd)] {
        let store = CollapseStore::new(&Config::default(), cut);
        let twin = walk(&store, LENGTHS, size(10_000), 3);
        assert!(twin.len() > size(30_000), "{}", twin.len());
    }
}

#[test]
fn a_limit_is_kept() {
    for max in [30_000, 300_000, 10_000_000] {
        let max = size(max).max(20_000);
        let store = CollapseStore::new(&Config { max_bytes: Some(max), ..Config::default() }, Cut::default());
        let stored = fill_up(&store, 20, max);
        assert!(stored as usize * 150 > max, "{stored} vectors in {max} bytes");
    }
}

#[test]
fn a_new_store_is_small() {
    assert!(CollapseStore::new(&Config::default(), Cut::default()).memory() < 8192);
}

#[test]
fn threads_agree() {
    let store = CollapseStore::new(&Config::default(), Cut::Pieces(6));
    stress(&store, size(300_000) as u64, 2, &[4, 12, 24, 33]);
}
