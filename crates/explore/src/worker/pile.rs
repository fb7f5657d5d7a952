//! Successors in the order in which they are stored.

use spinor_exec::Next;
use spinor_store::{Item, Source};

/// Successors to be looked up together.
#[derive(Default)]
pub(super) struct Pile {
    pub(super) items: Vec<Item>,
    /// If they are not all, and somebody asks: for each, which it is.
    pub(super) places: Vec<u32>,
    /// If they are not all: where they come from.
    pub(super) sources: Vec<Source>,
}

impl Pile {
    pub(super) fn clear(&mut self) {
        self.items.clear();
        self.places.clear();
        self.sources.clear();
    }

    /// Takes successors in a row, all of them or those that nobody asks for the place of.
    #[inline]
    pub(super) fn take_all(&mut self, list: &[Next]) {
        self.items.extend(list.iter().map(item));
    }

    /// Room for so many, and for which they are.
    fn room(&mut self, count: usize) -> (&mut [Item], &mut [u32]) {
        self.items.resize(count, Item::new(0, 0));
        self.places.resize(count, 0);
        (&mut self.items, &mut self.places)
    }

    fn truncate(&mut self, count: usize) {
        self.items.truncate(count);
        self.places.truncate(count);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, place: u32, next: &Next) {
        self.items.push(item(next));
        self.places.push(place);
    }
}

/// Puts each successor on the pile that is wanted for it, by its number, if any is.
#[inline(always)]
pub(super) fn divide(
    list: &[Next],
    sources: &[Source],
    mut piles: [&mut Pile; 2],
    mut wanted: impl FnMut(u32, &Next) -> Option<usize>,
) {
    let mut begin = 0;
    for source in sources {
        for (place, next) in (begin..source.end).zip(&list[begin as usize..source.end as usize]) {
            if let Some(pile) = wanted(place, next) {
                piles[pile].push(place, next);
            }
        }
        begin = source.end;
        piles.iter_mut().for_each(|pile| pile.sources.push(Source { end: pile.items.len() as u32, ..*source }));
    }
}

/// Puts each successor on the second pile or, if it is not wanted there, on the first. Which it will be is hard to guess for
/// the processor, so each is written to both, and counts on one.
#[inline(always)]
pub(super) fn divide_all(list: &[Next], sources: &[Source], piles: [&mut Pile; 2], is_second: impl Fn(&Next) -> bool) {
    let [first, second] = piles;
    let (items, places) = first.room(list.len());
    let (other_items, other_places) = second.room(list.len());
    let (mut firsts, mut seconds) = (0, 0);
    for (place, next) in (0..).zip(list) {
        let to_second = usize::from(is_second(next));
        (items[firsts], places[firsts]) = (item(next), place);
        (other_items[seconds], other_places[seconds]) = (item(next), place);
        firsts += 1 - to_second;
        seconds += to_second;
    }
    first.truncate(firsts);
    second.truncate(seconds);
    let mut seconds = 0;
    for source in sources {
        while second.places.get(seconds as usize).is_some_and(|&place| place < source.end) {
            seconds += 1;
        }
        first.sources.push(Source { end: source.end - seconds, ..*source });
        second.sources.push(Source { end: seconds, ..*source });
    }
}

/// The item of a successor; its note is the distance, so that it is copied as a whole.
#[inline(always)]
fn item(next: &Next) -> Item {
    Item { at: next.at, bytes: next.bytes, key: next.key, note: next.distance }
}
