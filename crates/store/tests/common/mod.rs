//! Random vectors, and the naive twin of a store.
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::HashMap;

use spinor_store::{Batch, Fresh, Handle, Item, Source, Store, words_of};

/// A vector: its words and how many bytes it has.
pub(crate) type Vector = (Vec<u64>, u32);

/// Random numbers (xorshift).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

/// Sizes of tests: Miri is slow.
pub(crate) fn size(normal: usize) -> usize {
    if cfg!(miri) { normal.div_ceil(200) } else { normal }
}

/// Sets a byte.
pub(crate) fn poke(vector: &mut Vector, byte: u32, value: u8) {
    let (word, bit) = (byte as usize / 8, byte % 8 * 8);
    vector.0[word] = vector.0[word] & !(0xff << bit) | u64::from(value) << bit;
}

/// A vector like another one: some bytes differ, sometimes the length.
pub(crate) fn successor(random: &mut Random, vector: &Vector, lengths: &[u32]) -> Vector {
    let mut next = vector.clone();
    if random.below(8) == 0 {
        let bytes = lengths[random.below(lengths.len() as u64) as usize];
        next.0.resize(words_of(bytes), 0);
        next.1 = bytes;
        if !bytes.is_multiple_of(8) {
            *next.0.last_mut().expect("it is not empty") &= !0 >> (64 - bytes % 8 * 8);
        }
    }
    for _ in 0..random.below(3) + 1 {
        if next.1 > 0 {
            let (byte, value) = (random.below(u64::from(next.1)) as u32, random.below(7) as u8);
            poke(&mut next, byte, value);
        }
    }
    next
}

/// Walks at random, in batches, as a search would; compares each answer with that of a hash map, and
/// loads what was stored. Returns all vectors with their handles.
pub(crate) fn walk<S: Store>(store: &S, lengths: &[u32], batches: usize, seed: u64) -> HashMap<Vector, Handle> {
    let mut random = Random(seed);
    let mut session = store.session();
    let mut twin: HashMap<Vector, Handle> = HashMap::new();
    let mut list: Vec<Vector> = Vec::new();
    for round in 0..batches {
        let mut batch = Buffers::default();
        let sources = if list.is_empty() { 0 } else { random.below(9) };
        for _ in 0..sources {
            let recent = random.below(list.len() as u64).max(random.below(list.len() as u64));
            let vector = list[recent as usize].clone();
            // Where it is stored is not always known.
            batch.source(&vector, Some(twin[&vector]).filter(|_| random.below(4) > 0));
            for _ in 0..random.below(12) {
                let next = successor(&mut random, &vector, lengths);
                batch.item(&next);
            }
        }
        if sources == 0 {
            let bytes = lengths[random.below(lengths.len() as u64) as usize];
            batch.item(&(vec![0; words_of(bytes)], bytes));
        }
        if round % 4 == 0 {
            let mut answers = Vec::new();
            store.lookup(&mut session, &batch.batch(), &mut answers);
            let expected: Vec<bool> = batch.vectors.iter().map(|vector| twin.contains_key(vector)).collect();
            assert_eq!(answers, expected, "seed {seed}, round {round}");
        }
        for (vector, fresh) in batch.vectors.iter().zip(insert(store, &mut session, &batch.batch())) {
            match fresh.map(|it| it.handle) {
                Some(Some(handle)) => {
                    let is_new = twin.insert(vector.clone(), handle).is_none();
                    assert!(is_new, "twice: {vector:x?}, seed {seed}, round {round}");
                    list.push(vector.clone());
                }
                None => assert!(twin.contains_key(vector), "never seen: {vector:x?}, seed {seed}, round {round}"),
                Some(None) => panic!("there is no limit"),
            }
        }
    }
    assert_eq!(store.len(), twin.len() as u64);
    check_loads(store, &twin);
    twin
}

/// Inserts a batch; what is fresh of each item. Places come in order, each once.
pub(crate) fn insert<S: Store>(store: &S, session: &mut S::Session, batch: &Batch<'_>) -> Vec<Option<Fresh>> {
    let mut fresh = Vec::new();
    store.insert(session, batch, &mut fresh);
    assert!(fresh.is_sorted_by(|a, b| a.place < b.place), "{fresh:?}");
    let mut answers = vec![None; batch.items.len()];
    fresh.into_iter().for_each(|it| answers[it.place as usize] = Some(it));
    answers
}

/// What was stored comes back, and is known.
pub(crate) fn check_loads<S: Store>(store: &S, twin: &HashMap<Vector, Handle>) {
    let mut session = store.session();
    let mut batch = Buffers::default();
    for (vector, &handle) in twin {
        if store.memo(vector.1, vector.1).handle {
            let mut words = vec![7];
            let bytes = store.load(&mut session, handle, &mut words);
            assert_eq!((&words[1..], bytes), (&vector.0[..], vector.1));
        }
        batch.item(vector);
    }
    let mut known = Vec::new();
    store.lookup(&mut session, &batch.batch(), &mut known);
    assert!(known.iter().all(|&known| known));
}

/// What a batch is made of.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) words: Vec<u64>,
    pub(crate) items: Vec<Item>,
    pub(crate) source_words: Vec<u64>,
    pub(crate) sources: Vec<Source>,
    pub(crate) vectors: Vec<Vector>,
}

impl Buffers {
    /// An item, made from the last source if there is one.
    pub(crate) fn item(&mut self, vector: &Vector) {
        self.items.push(Item::new(self.words.len() as u32, vector.1));
        self.words.extend_from_slice(&vector.0);
        self.vectors.push(vector.clone());
        if let Some(source) = self.sources.last_mut() {
            source.end += 1;
        }
    }

    pub(crate) fn source(&mut self, vector: &Vector, handle: Option<Handle>) {
        let end = self.items.len() as u32;
        self.sources.push(Source { at: self.source_words.len() as u32, bytes: vector.1, end, handle });
        self.source_words.extend_from_slice(&vector.0);
    }

    pub(crate) fn batch(&self) -> Batch<'_> {
        Batch { words: &self.words, items: &self.items, source_words: &self.source_words, sources: &self.sources }
    }

    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.items.clear();
        self.source_words.clear();
        self.sources.clear();
        self.vectors.clear();
    }
}

/// The n-th of many different vectors of a length.
pub(crate) fn nth(n: u64, bytes: u32) -> Vector {
    let mut vector = (vec![0; words_of(bytes)], bytes);
    for byte in 0..bytes.min(8) {
        poke(&mut vector, byte, (n >> (8 * byte)) as u8);
    }
    for byte in 8..bytes {
        poke(&mut vector, byte, (n >> (byte % 5)) as u8 & 3);
    }
    vector
}

/// Fills a store until it says so; returns how many were put in. Checks memory all the way.
pub(crate) fn fill_up<S: Store>(store: &S, bytes: u32, max_bytes: usize) -> u64 {
    let mut session = store.session();
    let mut batch = Buffers::default();
    let (mut n, mut stored, mut peak) = (0, 0, 0);
    for _ in 0..1 << 16 {
        batch.clear();
        for _ in 0..512 {
            batch.item(&nth(n, bytes));
            n += 1;
        }
        let answers = insert(store, &mut session, &batch.batch());
        peak = peak.max(store.memory());
        assert!(!answers.contains(&None));
        let new = answers.iter().flatten().filter(|fresh| fresh.handle.is_some()).count() as u64;
        stored += new;
        if new == 0 {
            break;
        }
    }
    assert_eq!(store.len(), stored);
    assert!(peak <= max_bytes + max_bytes / 50, "{peak} of {max_bytes}");
    stored
}

/// Several threads put overlapping vectors in; each is new exactly once.
pub(crate) fn stress<S: Store>(store: &S, distinct: u64, threads: u64, lengths: &[u32]) {
    let handles: Vec<Vec<(Vector, Handle)>> = std::thread::scope(|scope| {
        let run = |thread: u64| {
            let mut session = store.session();
            let mut batch = Buffers::default();
            let mut new = Vec::new();
            let mut random = Random(thread + 99);
            for start in (0..distinct).step_by(64) {
                batch.clear();
                for _ in 0..64 {
                    // Both threads work near the same place, so that they meet often.
                    let n = (start + random.below(64)).min(distinct - 1);
                    batch.item(&nth(n, lengths[n as usize % lengths.len()]));
                }
                for n in start..(start + 64).min(distinct) {
                    batch.item(&nth(n, lengths[n as usize % lengths.len()]));
                }
                for (vector, fresh) in batch.vectors.iter().zip(insert(store, &mut session, &batch.batch())) {
                    if let Some(Fresh { handle, .. }) = fresh {
                        new.push((vector.clone(), handle.expect("there is no limit")));
                    }
                }
            }
            new
        };
        let threads: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    let total: usize = handles.iter().map(Vec::len).sum();
    let twin: HashMap<Vector, Handle> = handles.into_iter().flatten().collect();
    assert_eq!(total as u64, distinct, "each is new exactly once");
    assert_eq!(twin.len() as u64, distinct);
    assert_eq!(store.len(), distinct);
    check_loads(store, &twin);
}
