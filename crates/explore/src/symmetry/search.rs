//! Generators of the automorphisms of a diagram, by individualisation and refinement (McKay and Piperno 2014).
//!
//! Indexes are fixed one after the other until colours tell all apart. From the last one back it is then asked which others
//! can take its place while those before it stay: one generator for each orbit that is joined. So the generators are strong,
//! and the order of the group is the product of the lengths of orbits.

use super::diagram::Diagram;
use super::links::mix;

/// Colours are refined so often at most; what has been found until then generates a subgroup.
const PATIENCE: usize = 20_000;

/// A group of permutations of indexes.
#[derive(Debug, Default)]
pub(super) struct Generated {
    pub(super) generators: Vec<Vec<usize>>,
    /// Indexes that were fixed one after the other, and how long the orbit of each is while those before it stay.
    orbits: Vec<(usize, usize)>,
}

impl Generated {
    /// Generators that have to do with each other, all that they move, and how many permutations they generate (at most
    /// [`u64::MAX`]).
    pub(super) fn components(&self) -> Vec<Component> {
        let mut components: Vec<Component> = Vec::new();
        for generator in &self.generators {
            let mut joined = Component { generators: vec![generator.clone()], moved: moved(generator), order: 1 };
            let (touched, apart): (Vec<Component>, Vec<Component>) =
                components.into_iter().partition(|it| it.moved.iter().any(|index| joined.moved.contains(index)));
            for component in touched {
                joined.generators.extend(component.generators);
                joined.moved.extend(component.moved);
            }
            joined.moved.sort_unstable();
            joined.moved.dedup();
            components = apart;
            components.push(joined);
        }
        for component in &mut components {
            let orbits = self.orbits.iter().filter(|(base, _)| component.moved.contains(base));
            component.order = orbits.fold(1, |order, &(_, length)| order.saturating_mul(length as u64));
        }
        components
    }
}

/// A part of a group that is independent of the others.
#[derive(Clone, Debug)]
pub(super) struct Component {
    pub(super) generators: Vec<Vec<usize>>,
    pub(super) moved: Vec<usize>,
    pub(super) order: u64,
}

fn moved(image: &[usize]) -> Vec<usize> {
    image.iter().enumerate().filter(|(from, to)| from != *to).map(|it| it.0).collect()
}

/// The automorphisms of a diagram with some colours that are permitted.
pub(super) fn automorphisms(diagram: &Diagram, mut colours: Vec<u64>, permits: &dyn Fn(&[usize]) -> bool) -> Generated {
    let mut search = Search { diagram, permits, patience: PATIENCE };
    diagram.refine(&mut colours);
    let mut levels = Vec::new();
    while let Some(base) = first_of_many(&colours) {
        let fixed = search.individualised(&colours, base);
        levels.push((base, std::mem::replace(&mut colours, fixed)));
    }
    let mut found = Generated::default();
    for (base, colours) in levels.iter().rev() {
        let orbit = search.join_orbit(*base, colours, &mut found.generators);
        found.orbits.push((*base, orbit));
    }
    found
}

/// The first index that shares its colour.
fn first_of_many(colours: &[u64]) -> Option<usize> {
    colours.iter().enumerate().find(|(at, colour)| colours[at + 1..].contains(colour)).map(|it| it.0)
}

struct Search<'a> {
    diagram: &'a Diagram,
    permits: &'a dyn Fn(&[usize]) -> bool,
    patience: usize,
}

impl Search<'_> {
    fn individualised(&mut self, colours: &[u64], index: usize) -> Vec<u64> {
        self.patience = self.patience.saturating_sub(1);
        let mut colours = colours.to_vec();
        colours[index] = mix(colours[index], u64::MAX);
        self.diagram.refine(&mut colours);
        colours
    }

    /// Looks for permutations that keep colours and lead from an index to others; how many it can be led to.
    fn join_orbit(&mut self, base: usize, colours: &[u64], generators: &mut Vec<Vec<usize>>) -> usize {
        let mut refused: Vec<usize> = Vec::new();
        let mut orbit = orbit(base, generators);
        let alike = (0..colours.len()).filter(|&it| colours[it] == colours[base]);
        for other in alike.collect::<Vec<_>>() {
            if orbit.contains(&other) || refused.contains(&other) {
                continue;
            }
            let (left, right) = (self.individualised(colours, base), self.individualised(colours, other));
            match self.extend(&left, &right) {
                Some(image) => {
                    generators.push(image);
                    orbit = self::orbit(base, generators);
                }
                // Neither can those that this one can be led to.
                None => refused.extend(self::orbit(other, generators)),
            }
        }
        orbit.len()
    }

    /// A permutation that leads from the one colours to the others.
    fn extend(&mut self, left: &[u64], right: &[u64]) -> Option<Vec<usize>> {
        if self.patience == 0 || sorted(left) != sorted(right) {
            return None;
        }
        let Some(index) = first_of_many(left) else {
            let to = |colour: &u64| right.iter().position(|it| it == colour);
            let image: Vec<usize> = left.iter().map(to).collect::<Option<_>>()?;
            return (self.permits)(&image).then_some(image);
        };
        let fixed = self.individualised(left, index);
        // To stay is tried first: generators that move little are known to be independent.
        let alike = (0..right.len()).filter(|&it| it != index && right[it] == left[index]);
        let stays = (right[index] == left[index]).then_some(index);
        for other in stays.into_iter().chain(alike).collect::<Vec<_>>() {
            let turned = self.individualised(right, other);
            if let Some(image) = self.extend(&fixed, &turned) {
                return Some(image);
            }
        }
        None
    }
}

fn sorted(colours: &[u64]) -> Vec<u64> {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted
}

/// Where generators lead to from an index.
fn orbit(index: usize, generators: &[Vec<usize>]) -> Vec<usize> {
    let mut orbit = vec![index];
    let mut at = 0;
    while at < orbit.len() {
        for generator in generators {
            let to = generator[orbit[at]];
            if !orbit.contains(&to) {
                orbit.push(to);
            }
        }
        at += 1;
    }
    orbit
}
