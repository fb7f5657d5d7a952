//! The vectors of a cache: slots of one width, and a place apart for longer ones.

use std::collections::HashMap;

use crate::store::words_of;

#[derive(Debug)]
pub(super) struct Vectors {
    /// How many slots there can be.
    limit: usize,
    /// Words of a slot.
    width: usize,
    words: Vec<u64>,
    /// Bytes of each vector.
    lengths: Vec<u32>,
    /// Vectors that do not fit into their slots.
    long: HashMap<u32, Box<[u64]>>,
    long_words: usize,
}

impl Vectors {
    pub(super) fn new(limit: u32) -> Vectors {
        Vectors {
            limit: limit as usize,
            width: 1,
            words: Vec::new(),
            lengths: Vec::new(),
            long: HashMap::new(),
            long_words: 0,
        }
    }

    /// Writes a vector to a slot: one that was written before, or the next.
    pub(super) fn set(&mut self, slot: u32, words: &[u64], bytes: u32) {
        let at = slot as usize;
        if at == self.lengths.len() {
            reserve(&mut self.lengths, self.limit);
            self.lengths.push(0);
            self.resize();
        }
        if words_of(self.lengths[at]) > self.width
            && let Some(old) = self.long.remove(&slot)
        {
            self.long_words -= old.len();
        }
        self.lengths[at] = bytes;
        let words = &words[..words_of(bytes)];
        if words.len() > self.width {
            self.long.insert(slot, words.into());
            self.long_words += words.len();
            self.widen();
        } else {
            self.words[at * self.width..][..words.len()].copy_from_slice(words);
        }
    }

    #[inline]
    pub(super) fn get(&self, slot: u32) -> (&[u64], u32) {
        let bytes = self.lengths[slot as usize];
        let count = words_of(bytes);
        let words =
            if count > self.width { &self.long[&slot] } else { &self.words[slot as usize * self.width..][..count] };
        (words, bytes)
    }

    /// Whether a slot holds this vector.
    #[inline]
    pub(super) fn is(&self, slot: u32, words: &[u64], bytes: u32) -> bool {
        self.lengths[slot as usize] == bytes && self.get(slot).0 == &words[..words_of(bytes)]
    }

    pub(super) fn memory(&self) -> usize {
        self.words.capacity() * size_of::<u64>()
            + self.lengths.capacity() * size_of::<u32>()
            + self.long.capacity() * size_of::<(u32, Box<[u64]>)>()
            + self.long_words * size_of::<u64>()
    }

    /// Makes the slots wider when most vectors do not fit: the first states of a search are shorter than
    /// the others as a rule, since its processes do not exist yet.
    fn widen(&mut self) {
        if self.long.len() * 2 <= self.lengths.len() {
            return;
        }
        let old = std::mem::take(&mut self.words);
        let old_width = self.width;
        self.width = self.long.values().map(|words| words.len()).max().unwrap_or(old_width);
        self.resize();
        for slot in 0..self.lengths.len() {
            let long = self.long.get(&(slot as u32));
            let count = words_of(self.lengths[slot]);
            let words = long.map_or_else(|| &old[slot * old_width..][..count], |words| &words[..]);
            self.words[slot * self.width..][..count].copy_from_slice(words);
        }
        self.long = HashMap::new();
        self.long_words = 0;
    }

    /// As many words as the slots need.
    fn resize(&mut self) {
        let needed = self.lengths.len() * self.width;
        if needed > self.words.capacity() {
            let capacity = self.lengths.capacity() * self.width;
            self.words.reserve_exact(capacity - self.words.len());
        }
        self.words.resize(needed, 0);
    }
}

/// Room for one more: twice as much as before, but not for more than can come.
pub(super) fn reserve<T>(list: &mut Vec<T>, limit: usize) {
    let len = list.len();
    if len == list.capacity() {
        list.reserve_exact(len.max(16).min(limit.saturating_sub(len)).max(1));
    }
}
