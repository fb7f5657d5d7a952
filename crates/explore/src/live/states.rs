//! The states of the system, numbered, in any exact store.

use rustc_hash::FxHashMap;
use spinor_exec::{Next, Successors};
use spinor_store::{Batch, Handle, Item, Located, Numbered, words_of};

/// States in a store, each with a number below 2^32.
pub(super) struct States<'t, T: Numbered> {
    store: &'t T,
    session: T::Session,
    items: Vec<Item>,
    located: Vec<Located>,
    padded: Vec<u64>,
    /// The numbers of states whose handles are not numbers themselves.
    numbers: FxHashMap<u64, u32>,
    handles: Vec<Handle>,
    /// Bytes of the vectors.
    pub(super) bytes: u64,
}

impl<'t, T: Numbered> States<'t, T> {
    pub(super) fn new(store: &'t T) -> States<'t, T> {
        States {
            store,
            session: store.session(),
            items: Vec::new(),
            located: Vec::new(),
            padded: Vec::new(),
            numbers: FxHashMap::default(),
            handles: Vec::new(),
            bytes: 0,
        }
    }

    pub(super) fn store(&self) -> &'t T {
        self.store
    }

    /// Bytes besides the store.
    pub(super) fn memory(&self) -> usize {
        self.numbers.capacity() * 16 + self.handles.capacity() * size_of::<Handle>()
    }

    /// Puts in those successors that are wanted, and appends their numbers; `false` if there is no room.
    pub(super) fn enter(
        &mut self,
        out: &Successors,
        is_wanted: Option<impl Fn(usize) -> bool>,
        numbers: &mut Vec<u32>,
    ) -> bool {
        self.items.clear();
        self.located.clear();
        self.padded.clear();
        let is_wanted = |index: usize| is_wanted.as_ref().is_none_or(|is_wanted| is_wanted(index));
        let wanted = || out.list.iter().enumerate().filter(|(index, _)| is_wanted(*index)).map(|(_, next)| next);
        let words = if T::SHORTEST <= 1 || out.list.iter().all(|next| next.bytes >= T::SHORTEST) {
            self.items.extend(wanted().map(|next| Item { at: next.at, bytes: next.bytes, key: next.key, note: 0 }));
            &out.words
        } else {
            wanted().for_each(|next| pad::<T>(out, next, &mut self.padded, &mut self.items));
            &self.padded
        };
        let batch = Batch { words, items: &self.items, source_words: &[], sources: &[] };
        self.store.locate(&mut self.session, &batch, &mut self.located);
        for place in 0..self.located.len() {
            let Some(number) = self.number(self.located[place], self.items[place].bytes) else { return false };
            numbers.push(number);
        }
        true
    }

    fn number(&mut self, located: Located, bytes: u32) -> Option<u32> {
        let (handle, is_new) = match located {
            Located::Old(handle) => (handle, false),
            Located::New(handle) => (handle, true),
            Located::Nowhere => return None,
        };
        self.bytes += if is_new { u64::from(bytes) } else { 0 };
        if T::DENSE {
            return u32::try_from(handle.0).ok();
        }
        let next = u32::try_from(self.handles.len()).ok()?;
        let number = *self.numbers.entry(handle.0).or_insert(next);
        if number == next {
            self.handles.push(handle);
        }
        Some(number)
    }

    /// The words of a state.
    pub(super) fn load(&mut self, number: u32, words: &mut Vec<u64>) {
        words.clear();
        let handle = if T::DENSE { Handle(u64::from(number)) } else { self.handles[number as usize] };
        self.store.load(&mut self.session, handle, words);
    }
}

/// Short vectors are made longer, all of them.
fn pad<T: Numbered>(out: &Successors, next: &Next, words: &mut Vec<u64>, items: &mut Vec<Item>) {
    let (at, bytes) = (words.len() as u32, next.bytes.max(T::SHORTEST));
    words.extend_from_slice(out.vector(next));
    words.resize(at as usize + words_of(bytes), 0);
    items.push(Item::new(at, bytes));
}
