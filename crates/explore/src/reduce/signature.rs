//! What decides about stubborn sets: where processes stand, how many steps each has, and which conditions hold.
//! States that agree in this have the same sets, and there are far fewer of these *signatures* than of states.

use super::View;
use super::predicate::Predicate;
use spinor_exec::Bits;
use std::ops::Range;

/// With more conditions than these it is not worth looking at all of them in every state.
const MOST: usize = 512;

/// Fields of more bits are not looked at value by value.
const MOST_BITS: u8 = 8;

/// The conditions of a shape.
#[derive(Debug)]
pub(super) struct Signature {
    /// Conditions that matter wherever processes stand.
    shared: Tests,
    /// For each process and location those that matter there only.
    own: Vec<Vec<Tests>>,
    /// Words of what holds, of locations and of numbers of steps.
    truths: usize,
    locations: usize,
    steps: usize,
}

/// Conditions, each with a bit of its own.
#[derive(Debug, Default)]
struct Tests {
    /// Those about one small field.
    fields: Vec<Field>,
    /// Others.
    others: Vec<(Predicate, u32)>,
}

/// A field, and for each of its values what holds: some words from a certain one on.
#[derive(Debug)]
struct Field {
    place: Bits,
    words: Range<usize>,
    truths: Vec<u64>,
}

/// What a condition is asked for: whether it holds; by a process at one location, if it is given.
pub(super) type Asked = (Predicate, Option<(usize, usize)>);

impl Signature {
    /// The signature by some conditions of processes with so many locations each; none if there is too much to it.
    pub(super) fn new(asked: impl Iterator<Item = Asked>, locations: &[usize]) -> Option<Signature> {
        let mut shared = Vec::new();
        let mut own: Vec<Vec<Vec<Predicate>>> = locations.iter().map(|&count| vec![Vec::new(); count]).collect();
        for (test, place) in asked.filter(|(test, _)| !test.is_of_locations()) {
            let list = place.map_or(&mut shared, |(slot, at)| &mut own[slot][at]);
            if !list.contains(&test) {
                list.push(test);
            }
            if list.len() > MOST {
                return None;
            }
        }
        let mut next = shared.len() as u32;
        let shared = Tests::new(shared, 0);
        let own = own.into_iter().map(|of_slot| {
            let first = next;
            next += of_slot.iter().map(Vec::len).max().unwrap_or(0) as u32;
            of_slot.into_iter().map(|tests| Tests::new(tests, first)).collect()
        });
        let own = own.collect();
        let (truths, slots) = (next.div_ceil(64) as usize, locations.len());
        Some(Signature { shared, own, truths, locations: slots.div_ceil(4), steps: slots.div_ceil(8) })
    }

    /// How many words it has.
    pub(super) fn words(&self) -> usize {
        self.truths + self.locations + self.steps
    }

    /// The signature of a state; `false` if it has none.
    pub(super) fn of(&self, view: &mut View<'_>, out: &mut Vec<u64>) -> bool {
        out.clear();
        out.resize(self.words(), 0);
        let (truths, rest) = out.split_at_mut(self.truths);
        let (locations, steps) = rest.split_at_mut(self.locations);
        self.shared.add(view.state, truths);
        for (slot, own) in self.own.iter().enumerate() {
            let location = view.table.location(view.state, slot);
            own[location].add(view.state, truths);
            locations[slot / 4] |= (location as u64) << (16 * (slot % 4));
            let count = view.steps(slot);
            steps[slot / 8] |= (count as u64 & 0xff) << (8 * (slot % 8));
            if count > 0xff {
                return false;
            }
        }
        true
    }
}

impl Tests {
    /// Conditions with bits from `first` on.
    fn new(tests: Vec<Predicate>, first: u32) -> Tests {
        let mut by_field: Vec<(Bits, Vec<(Predicate, u32)>)> = Vec::new();
        let mut others = Vec::new();
        for (test, bit) in tests.into_iter().zip(first..) {
            match test.only_field().filter(|place| place.width <= MOST_BITS) {
                None => others.push((test, bit)),
                Some(place) => match by_field.iter_mut().find(|it| it.0 == place) {
                    Some((_, tests)) => tests.push((test, bit)),
                    None => by_field.push((place, vec![(test, bit)])),
                },
            }
        }
        Tests { fields: by_field.into_iter().map(|(place, tests)| Field::new(place, &tests)).collect(), others }
    }

    fn add(&self, state: &[u64], truths: &mut [u64]) {
        for Field { place, words, truths: of_field } in &self.fields {
            let value = place.get(state) as usize;
            let of_value = &of_field[value * words.len()..];
            truths[words.clone()].iter_mut().zip(of_value).for_each(|(all, more)| *all |= more);
        }
        for (test, bit) in &self.others {
            truths[*bit as usize / 64] |= u64::from(test.holds(state)) << (bit % 64);
        }
    }
}

impl Field {
    fn new(place: Bits, tests: &[(Predicate, u32)]) -> Field {
        let in_words = || tests.iter().map(|(_, bit)| *bit as usize / 64);
        let words = in_words().min().unwrap_or(0)..in_words().max().map_or(0, |last| last + 1);
        let mut truths = vec![0; words.len() << place.width];
        let mut state = vec![0; place.word as usize + 1];
        for value in 0..1_usize << place.width {
            place.clear(&mut state);
            place.fill(&mut state, value as u64);
            for (test, bit) in tests {
                let word = value * words.len() + *bit as usize / 64 - words.start;
                truths[word] |= u64::from(test.holds(&state)) << (bit % 64);
            }
        }
        Field { place, words, truths }
    }
}
