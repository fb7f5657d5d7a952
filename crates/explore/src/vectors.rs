//! States that wait.

use spinor_store::{Batch, Handle, Item, Memo, words_of};
use std::ops::Range;
use std::slice::ChunksExact;

/// A packed vector with its lengths in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vector<'a> {
    pub(crate) words: &'a [u64],
    pub(crate) bytes: u32,
    /// How many of the bytes count in comparisons.
    pub(crate) key: u32,
}

impl<'a> Vector<'a> {
    /// An item of a batch.
    #[inline(always)]
    pub(crate) fn of(batch: &Batch<'a>, item: &Item) -> Vector<'a> {
        Vector { words: batch.vector(item), bytes: item.bytes, key: item.key }
    }

    pub(crate) fn to_state(self) -> State {
        State { words: self.words.to_vec(), bytes: self.bytes, key: self.key }
    }
}

/// A packed vector that somebody owns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) words: Vec<u64>,
    pub(crate) bytes: u32,
    pub(crate) key: u32,
}

impl State {
    pub(crate) fn vector(&self) -> Vector<'_> {
        Vector { words: &self.words, bytes: self.bytes, key: self.key }
    }
}

/// A list of states, each [remembered](Memo) as its store wishes: by its handle, as its vector, or
/// both. States in a row that have the same form are a run, described once.
#[derive(Debug, Default)]
pub(crate) struct States {
    words: Vec<u64>,
    runs: Vec<Run>,
    len: usize,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    /// The number of its first state.
    first: usize,
    /// Where that begins.
    at: usize,
    form: Form,
}

/// The lengths of a state, and how it is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    pub(crate) bytes: u32,
    pub(crate) key: u32,
    pub(crate) memo: Memo,
}

impl Form {
    /// Words of a state.
    #[inline]
    fn words(&self) -> usize {
        usize::from(self.memo.handle) + if self.memo.vector { words_of(self.bytes) } else { 0 }
    }

    #[inline(always)]
    fn read(self, words: &[u64]) -> Remembered<'_> {
        let (handle, words) = words.split_at(usize::from(self.memo.handle));
        let vector = Vector { words, bytes: self.bytes, key: self.key };
        Remembered { handle: handle.first().map(|&word| Handle(word)), vector: self.memo.vector.then_some(vector) }
    }
}

/// Appends words. They are few as a rule: a loop is faster than a call to copy memory.
#[inline(always)]
pub(crate) fn append(to: &mut Vec<u64>, words: &[u64]) {
    to.reserve(words.len());
    for &word in words {
        to.push(word);
    }
}

/// A state of a list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Remembered<'a> {
    pub(crate) handle: Option<Handle>,
    /// Without it, the store gives it back.
    pub(crate) vector: Option<Vector<'a>>,
}

/// States of one form that lie one behind another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row<'a> {
    pub(crate) form: Form,
    words: &'a [u64],
}

impl<'a> Row<'a> {
    #[inline(always)]
    pub(crate) fn states(self) -> impl Iterator<Item = Remembered<'a>> {
        self.words.chunks_exact(self.form.words()).map(move |words| self.form.read(words))
    }

    /// Their vectors, if there is nothing else to them.
    pub(crate) fn vectors(self) -> Option<ChunksExact<'a, u64>> {
        (self.form.memo == Memo::VECTOR).then(|| self.words.chunks_exact(self.form.words()))
    }
}

impl States {
    #[inline(always)]
    pub(crate) fn push(&mut self, memo: Memo, handle: Handle, vector: Vector<'_>) {
        let form = Form { bytes: vector.bytes, key: vector.key, memo };
        self.open(form);
        self.push_like(form, handle, vector.words);
    }

    /// The states that follow have this form.
    #[inline(always)]
    pub(crate) fn open(&mut self, form: Form) {
        debug_assert!(form.words() > 0, "there is something to remember");
        if self.runs.last().is_none_or(|run| run.form != form) {
            self.runs.push(Run { first: self.len, at: self.words.len(), form });
        }
    }

    /// Pushes a state of the form that was [opened](States::open) last.
    #[inline(always)]
    pub(crate) fn push_like(&mut self, form: Form, handle: Handle, words: &[u64]) {
        debug_assert!(self.runs.last().is_some_and(|run| run.form == form), "it is of another form");
        self.len += 1;
        if form.memo.handle {
            self.words.push(handle.0);
        }
        if form.memo.vector {
            append(&mut self.words, words);
        }
    }

    /// Keeps a vector that is not stored.
    #[inline]
    pub(crate) fn push_vector(&mut self, vector: Vector<'_>) {
        self.push(Memo::VECTOR, Handle(0), vector);
    }

    pub(crate) fn get(&self, index: usize) -> Remembered<'_> {
        self.iter(index..index + 1).next().expect("it is in the list")
    }

    /// Some of the states, in order; those of one form together.
    pub(crate) fn rows(&self, range: Range<usize>) -> impl Iterator<Item = Row<'_>> {
        let first = self.runs.partition_point(|run| run.first <= range.start).saturating_sub(1);
        let ends = self.runs.iter().skip(first + 1).map(|run| run.first).chain([self.len]);
        let runs = self.runs[first..].iter().zip(ends).take_while(move |(run, _)| run.first < range.end);
        runs.map(move |(&Run { first, at, form }, end)| {
            let part = range.start.max(first) - first..range.end.min(end) - first;
            let size = form.words();
            Row { form, words: &self.words[at + part.start * size..at + part.end * size] }
        })
    }

    /// The same, one by one.
    pub(crate) fn iter(&self, range: Range<usize>) -> impl Iterator<Item = Remembered<'_>> {
        self.rows(range).flat_map(Row::states)
    }

    /// Shows all handles.
    pub(crate) fn handles(&mut self, visit: &mut dyn FnMut(&mut Handle)) {
        let ends = self.runs.iter().skip(1).map(|run| run.at).chain([self.words.len()]);
        for (run, end) in self.runs.iter().zip(ends).filter(|(run, _)| run.form.memo.handle) {
            for word in self.words[run.at..end].iter_mut().step_by(run.form.words()) {
                let mut handle = Handle(*word);
                visit(&mut handle);
                *word = handle.0;
            }
        }
    }

    /// Forgets all, and keeps the memory.
    pub(crate) fn clear(&mut self) {
        self.words.clear();
        self.runs.clear();
        self.len = 0;
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    pub(crate) fn memory(&self) -> usize {
        self.words.capacity() * 8 + self.runs.capacity() * size_of::<Run>()
    }
}

#[cfg(test)]
mod tests {
    use super::{States, Vector};
    use spinor_store::{Handle, Memo};

    #[test]
    fn states_come_back_as_they_were_remembered() {
        let memos = [Memo::HANDLE, Memo::VECTOR, Memo::BOTH];
        let lengths = [(8, 8), (9, 9), (9, 8), (24, 24), (1, 1)];
        let mut states = States::default();
        // Some runs are long, others a single state.
        let form = |n: usize| (memos[n / 7 % 3], lengths[n / 20 % 5]);
        for n in 0..1000 {
            let (memo, (bytes, key)) = form(n);
            let words = vec![n as u64; (bytes as usize).div_ceil(8)];
            states.push(memo, Handle(n as u64), Vector { words: &words, bytes, key });
        }
        states.handles(&mut |handle| handle.0 += 1);
        assert_eq!(states.len(), 1000);
        for (n, it) in states.iter(0..1000).enumerate().chain((0..1000).rev().map(|n| (n, states.get(n)))) {
            let (memo, (bytes, key)) = form(n);
            assert_eq!(it.handle, memo.handle.then_some(Handle(n as u64 + 1)));
            assert_eq!(it.vector.is_some(), memo.vector);
            if let Some(vector) = it.vector {
                assert_eq!((vector.bytes, vector.key), (bytes, key));
                assert_eq!(vector.words, vec![n as u64; (bytes as usize).div_ceil(8)]);
            }
        }
        assert_eq!(states.iter(37..512).count(), 475);
    }
}
