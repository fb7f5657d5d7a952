//! Codes of vectors, and stores of codes.

mod common;

use std::collections::HashMap;

use common::{Random, Vector, fill_up, size, stress, successor, walk};
use spinor_store::{
    Code, CollapseStore, Config, Cut, Encoded, ExactStore, Frequencies, Huffman, Memo, RunLength, Store, TreeStore,
};

const LENGTHS: &[u32] = &[0, 1, 3, 4, 7, 8, 9, 13, 16, 22, 24, 31, 40, 65, 130, 300];

/// Codes that fit the vectors of random walks, and some that do not.
fn codes() -> Vec<Code> {
    let huffman = |frequencies| Code::Huffman(Box::new(Huffman::new(frequencies)));
    let mut few = Frequencies::default();
    few.count(&[0x0100_0200_0000_0300; 500], 4_000);
    let mut steep = Frequencies::default();
    for value in 0..30_u64 {
        (0..1_u64 << (value / 2)).for_each(|_| steep.count(&[value], 1));
    }
    vec![Code::RunLength(RunLength), huffman(Frequencies::default()), huffman(few), huffman(steep)]
}

/// Vectors as they come in a search, and some of random bytes.
fn vectors(seed: u64) -> Vec<Vector> {
    let mut random = Random(seed);
    let mut vectors = vec![(vec![], 0)];
    for _ in 0..size(20_000) {
        let mut next = successor(&mut random, &vectors[vectors.len() - 1], LENGTHS);
        if random.below(4) == 0 {
            (0..next.1).for_each(|at| common::poke(&mut next, at, random.below(256) as u8));
        }
        vectors.push(next);
    }
    vectors
}

#[test]
fn what_is_encoded_is_decoded_and_no_code_is_shared() {
    for code in codes() {
        for seed in 1..4 {
            let mut known: HashMap<Vector, Vector> = HashMap::new();
            for vector in vectors(seed) {
                // Something may stand in front.
                let mut words = vec![7; vector.1 as usize % 3];
                let before = words.len();
                let bytes = code.encode(&vector.0, vector.1, &mut words);
                let encoded = (words.split_off(before), bytes);
                assert_eq!(encoded.0.len(), (bytes as usize).div_ceil(8), "seed {seed}: {vector:x?}");
                assert!(bytes >= code.shortest(vector.1), "seed {seed}: {vector:x?}");
                let mut decoded = vec![7];
                let length = code.decode(&encoded.0, bytes, &mut decoded);
                assert_eq!((&decoded[1..], length), (&vector.0[..], vector.1), "seed {seed}");
                let other = known.entry(encoded).or_insert_with(|| vector.clone());
                assert_eq!(*other, vector, "seed {seed}: two vectors have one code");
            }
            assert!(known.len() > size(5_000));
        }
    }
}

#[test]
fn bits_beyond_the_last_byte_are_zero() {
    for code in codes() {
        for (words, bytes) in vectors(9) {
            let mut out = Vec::new();
            let count = code.encode(&words, bytes, &mut out);
            if !count.is_multiple_of(8) {
                assert_eq!(out.last().map(|word| word >> (count % 8 * 8)), Some(0));
            }
        }
    }
}

#[test]
fn stores_of_codes_agree_with_a_hash_map() {
    for code in codes() {
        let store = Encoded::new(code.clone(), ExactStore::new(&Config::default()));
        let twin = walk(&store, LENGTHS, size(4_000), 3);
        assert!(twin.len() > size(10_000), "{}", twin.len());
        walk(
            &Encoded::new(code.clone(), CollapseStore::new(&Config::default(), Cut::default())),
            LENGTHS,
            size(2_000),
            4,
        );
        walk(&Encoded::new(code, TreeStore::new(&Config::default())), LENGTHS, size(2_000), 5);
    }
}

#[test]
fn a_vector_is_given_back_where_any_code_of_its_length_is() {
    let inner = || ExactStore::new(&Config::default());
    let store = Encoded::new(Code::Huffman(Box::new(Huffman::new(Frequencies::default()))), inner());
    assert_eq!((store.memo(16, 16), store.memo(17, 17)), (Memo::HANDLE, Memo::HANDLE));
    assert_eq!(store.memo(8, 8), Memo::VECTOR);
    let store = Encoded::new(Code::RunLength(RunLength), inner());
    assert_eq!((store.memo(200, 200), store.memo(3_000, 3_000)), (Memo::VECTOR, Memo::HANDLE));
}

#[test]
fn a_code_that_was_made_for_vectors_makes_them_smaller() {
    let whole = ExactStore::new(&Config::default());
    let mut frequencies = Frequencies::default();
    walk(&whole, &[100], size(3_000), 6).keys().for_each(|(words, bytes)| frequencies.count(words, *bytes));
    let code = Code::Huffman(Box::new(Huffman::new(frequencies)));
    let encoded = Encoded::new(code, ExactStore::new(&Config::default()));
    walk(&encoded, &[100], size(3_000), 6);
    assert_eq!(encoded.len(), whole.len());
    // Seven values: three bits and no more, of bytes of which there are a hundred. The index is as large as before.
    let saved = whole.memory().saturating_sub(encoded.memory());
    assert!(saved > whole.len() as usize * 50, "{} of {}", encoded.memory(), whole.memory());
}

#[test]
fn a_limit_is_kept() {
    for code in codes() {
        let config = Config { max_bytes: Some(300_000), ..Config::default() };
        let stored = fill_up(&Encoded::new(code, ExactStore::new(&config)), 20, 300_000);
        assert!(stored > 2_000, "{stored}");
    }
}

#[test]
fn threads_agree() {
    let code = codes().swap_remove(2);
    stress(&Encoded::new(code, ExactStore::new(&Config::default())), size(100_000) as u64, 2, &[4, 12, 24, 33]);
}
