//! All states of one store move to another.

use crate::stores::Search;
use spinor_store::{Batch, ExactStore, Fresh, Handle, Item, Store};

/// Vectors that move together.
const BATCH: usize = 512;

/// Moves all states, which frees the memory of the one store while that of the other grows, and
/// tells the search where they are now. `false` if the other store is full before all are there:
/// then the search cannot go on.
pub(crate) fn drain_into<T: Store>(from: ExactStore, to: &T, search: &mut impl Search) -> bool {
    let mut wanted = Vec::new();
    search.handles(&mut |handle| wanted.push(*handle));
    wanted.sort_unstable();
    wanted.dedup();
    let mut mover =
        Mover { session: to.session(), to, moved: Vec::with_capacity(wanted.len()), wanted, load: Load::default() };
    let mut drain = from.drain();
    while let Some((handle, words, bytes)) = drain.next() {
        mover.load.push(handle, words, bytes);
        if mover.load.items.len() == BATCH && !mover.deliver() {
            return false;
        }
    }
    if !mover.deliver() {
        return false;
    }
    let Mover { wanted, moved, .. } = mover;
    search.handles(&mut |handle| {
        if let Ok(index) = wanted.binary_search(handle) {
            *handle = moved[index];
        }
    });
    true
}

/// Vectors under way.
#[derive(Default)]
struct Load {
    handles: Vec<Option<Handle>>,
    words: Vec<u64>,
    items: Vec<Item>,
}

impl Load {
    fn push(&mut self, handle: Option<Handle>, words: &[u64], bytes: u32) {
        self.handles.push(handle);
        self.items.push(Item::new(self.words.len() as u32, bytes));
        self.words.extend_from_slice(words);
    }
}

struct Mover<'a, T: Store> {
    to: &'a T,
    session: T::Session,
    /// The handles that the search needs, in order.
    wanted: Vec<Handle>,
    /// What became of these. The states come in the order of their handles.
    moved: Vec<Handle>,
    load: Load,
}

impl<T: Store> Mover<'_, T> {
    fn deliver(&mut self) -> bool {
        let Load { handles, words, items } = &mut self.load;
        let mut fresh = Vec::with_capacity(items.len());
        self.to.insert(&mut self.session, &Batch { words, items, source_words: &[], sources: &[] }, &mut fresh);
        if fresh.len() < items.len() {
            return false;
        }
        for (old, Fresh { handle, .. }) in handles.iter().zip(fresh) {
            let Some(new) = handle else { return false };
            if old.is_some() && self.wanted.get(self.moved.len()) == old.as_ref() {
                self.moved.push(new);
            }
        }
        handles.clear();
        words.clear();
        items.clear();
        true
    }
}
