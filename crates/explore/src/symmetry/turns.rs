//! Permutations that move labels only together with others: those of rings, tori, trees and other topologies.
//!
//! They take blocks to blocks and keep the order of labels within. Transpositions generate a normal subgroup, so every
//! automorphism is a permutation within blocks and then one of these; and what is sorted within blocks stays so.

use super::canonical::PATIENCE;
use std::cmp::Ordering;
use std::collections::HashSet;

/// A group of permutations.
#[derive(Debug)]
pub(super) struct Turns {
    /// All but the identity, or those that generate them if there are too many.
    pub(super) elements: Vec<Vec<u8>>,
    inverses: Vec<Vec<u8>>,
    /// The labels that they move.
    moved: Vec<u8>,
    pub(super) is_closed: bool,
    /// How many there are, with the identity.
    pub(super) order: u64,
}

/// What was found out about the order of keys.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Ordered {
    /// Whether some label is to move.
    pub(super) moves: bool,
    /// Whether other permutations lead to the same keys.
    pub(super) ties: bool,
}

impl Turns {
    /// The group that some permutations generate, and how large it is.
    pub(super) fn new(generators: Vec<Vec<u8>>, order: u64) -> Turns {
        let closure = closure(&generators, PATIENCE);
        let is_closed = closure.is_some();
        let elements = closure.unwrap_or(generators);
        let inverses = elements.iter().map(|it| inverse(it)).collect();
        let is_moved = |label: &u8| elements.iter().any(|element| element[usize::from(*label)] != *label);
        let labels = elements.first().map_or(0, Vec::len) as u8;
        let moved = (0..labels).filter(is_moved).collect();
        let order = if is_closed { elements.len() as u64 + 1 } else { order };
        Turns { elements, inverses, moved, is_closed, order }
    }

    /// Goes on with the permutation after which keys are least; they have been permuted as was found out before.
    pub(super) fn order_by(&self, keys: &[u64], step: &mut [u8], found: &mut Ordered) {
        if !self.is_closed {
            return self.climb_by(keys, step, found);
        }
        let (best, is_tied) = self.least(keys);
        found.ties |= is_tied;
        if let Some(best) = best {
            found.moves = true;
            follow(step, &self.elements[best]);
        }
    }

    /// The element after which keys are least, or none for the identity; whether another does the same.
    fn least(&self, keys: &[u64]) -> (Option<usize>, bool) {
        let (mut best, mut is_tied) = (None::<usize>, false);
        for (at, inverse) in self.inverses.iter().enumerate() {
            let after = |place: u8| keys[usize::from(inverse[usize::from(place)])];
            let least =
                |place: u8| keys[usize::from(best.map_or(place, |best| self.inverses[best][usize::from(place)]))];
            match self.moved.iter().map(|&it| after(it).cmp(&least(it))).find(|it| it.is_ne()) {
                Some(Ordering::Less) => (best, is_tied) = (Some(at), false),
                Some(_) => {}
                None => is_tied = true,
            }
        }
        (best, is_tied)
    }

    /// As long as some generator makes keys less, it is followed: hill climbing.
    fn climb_by(&self, keys: &[u64], step: &mut [u8], found: &mut Ordered) {
        let mut keys = keys.to_vec();
        let compare = |inverse: &Vec<u8>, keys: &[u64]| {
            let after = |place: u8| keys[usize::from(inverse[usize::from(place)])];
            let pairs = self.moved.iter().map(|&it| after(it).cmp(&keys[usize::from(it)]));
            pairs.fold(Ordering::Equal, Ordering::then)
        };
        while let Some(at) = self.inverses.iter().position(|it| compare(it, &keys).is_lt()) {
            found.moves = true;
            follow(step, &self.elements[at]);
            keys = self.inverses[at].iter().map(|&from| keys[usize::from(from)]).collect();
        }
        found.ties |= self.elements.iter().any(|element| is_stable(element, &keys));
    }

    /// The elements that leave all keys where they are.
    pub(super) fn stable<'t>(&'t self, keys: &'t [u64]) -> impl Iterator<Item = &'t Vec<u8>> {
        self.elements.iter().filter(|element| is_stable(element, keys))
    }

    /// Whether a label is moved.
    pub(super) fn moves(&self, label: u8) -> bool {
        self.moved.contains(&label)
    }
}

/// A permutation, and then another.
pub(super) fn follow(step: &mut [u8], then: &[u8]) {
    step.iter_mut().for_each(|to| *to = then[usize::from(*to)]);
}

/// Whether a permutation leaves all keys where they are.
fn is_stable(element: &[u8], keys: &[u64]) -> bool {
    element.iter().zip(keys).all(|(&to, &key)| keys[usize::from(to)] == key)
}

fn inverse(element: &[u8]) -> Vec<u8> {
    let mut inverse = element.to_vec();
    (0..).zip(element).for_each(|(from, &to)| inverse[usize::from(to)] = from);
    inverse
}

/// All products of some permutations but the identity, if they are not too many.
fn closure(generators: &[Vec<u8>], most: usize) -> Option<Vec<Vec<u8>>> {
    let labels = generators.first().map_or(0, Vec::len);
    let identity: Vec<u8> = (0..labels).map(|label| label as u8).collect();
    let mut known = HashSet::from([identity.clone()]);
    let mut all = vec![identity];
    let mut at = 0;
    while at < all.len() {
        for generator in generators {
            let mut next = all[at].clone();
            follow(&mut next, generator);
            if known.insert(next.clone()) {
                all.push(next);
            }
        }
        if all.len() > most {
            return None;
        }
        at += 1;
    }
    all.remove(0);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_and_a_reflection_generate_what_a_square_has() {
        let turns = Turns::new(vec![vec![1, 2, 3, 0], vec![0, 3, 2, 1]], 8);
        assert!(turns.is_closed);
        assert_eq!((turns.order, turns.elements.len()), (8, 7));
    }

    #[test]
    fn keys_become_least() {
        let turns = Turns::new(vec![vec![1, 2, 3, 0]], 4);
        let (mut step, mut found) = (vec![0, 1, 2, 3], Ordered::default());
        turns.order_by(&[5, 7, 3, 4], &mut step, &mut found);
        assert_eq!(step, [2, 3, 0, 1]);
        assert!(found.moves && !found.ties);
        let mut found = Ordered::default();
        turns.order_by(&[3, 4, 3, 4], &mut [0, 1, 2, 3], &mut found);
        assert!(!found.moves && found.ties);
    }

    #[test]
    fn a_large_group_is_climbed() {
        let swap = |at: u8| {
            (0..8).map(move |label| {
                if label == at {
                    at + 1
                } else if label == at + 1 {
                    at
                } else {
                    label
                }
            })
        };
        let turns = Turns::new((0..7).map(|at| swap(at).collect()).collect(), 40_320);
        assert!(!turns.is_closed);
        assert_eq!(turns.order, 40_320);
        let (mut step, mut found) = ((0..8).collect::<Vec<u8>>(), Ordered::default());
        turns.order_by(&[5, 7, 3, 4, 1, 8, 2, 6], &mut step, &mut found);
        assert_eq!(step, [4, 6, 2, 3, 0, 7, 1, 5]);
        assert!(found.moves && !found.ties);
    }
}
