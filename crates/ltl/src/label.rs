//! What edges say of a letter.

use crate::formula::Atom;

/// A conjunction of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Cube {
    /// The atoms that must hold, as bits.
    pub positive: u64,
    /// The atoms that must not, as bits.
    pub negative: u64,
}

/// A disjunction of cubes. The translation makes them irredundant, and equal for equal functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Label {
    cubes: Vec<Cube>,
}

impl Cube {
    /// Whether the cube holds of a letter: the set of true atoms, as bits.
    #[must_use]
    pub fn holds(self, letter: u64) -> bool {
        letter & self.positive == self.positive && letter & self.negative == 0
    }

    /// Whether the cube holds of a letter of which some atoms have no value: nothing if that depends on them.
    #[must_use]
    pub fn truth(self, letter: u64, without_value: u64) -> Option<bool> {
        let wrong = (self.positive & !letter | self.negative & letter) & !without_value;
        let asks = (self.positive | self.negative) & without_value != 0;
        if wrong != 0 { Some(false) } else { (!asks).then_some(true) }
    }

    /// Its literals: an atom, and whether it must hold.
    pub fn literals(self) -> impl Iterator<Item = (Atom, bool)> {
        let atoms = (0..64).filter(move |atom| (self.positive | self.negative) >> atom & 1 == 1);
        atoms.map(move |atom| (Atom(atom), self.positive >> atom & 1 == 1))
    }
}

impl Label {
    /// The disjunction of some cubes. A cube that asks for an atom and its negation is left out.
    #[must_use]
    pub fn new(mut cubes: Vec<Cube>) -> Label {
        cubes.retain(|cube| cube.positive & cube.negative == 0);
        cubes.sort_unstable();
        cubes.dedup();
        Label { cubes }
    }

    /// The label that each letter has.
    #[must_use]
    pub fn always() -> Label {
        Label { cubes: vec![Cube::default()] }
    }

    /// Whether it holds of a letter: the set of true atoms, as bits.
    #[must_use]
    pub fn holds(&self, letter: u64) -> bool {
        self.cubes.iter().any(|cube| cube.holds(letter))
    }

    /// Whether it holds of a letter of which some atoms have no value (Kleene's strong logic): it does if a cube does, and
    /// does not if none can; else nothing is known.
    #[must_use]
    pub fn truth(&self, letter: u64, without_value: u64) -> Option<bool> {
        let truths = || self.cubes.iter().map(|cube| cube.truth(letter, without_value));
        if truths().any(|truth| truth == Some(true)) {
            return Some(true);
        }
        truths().all(|truth| truth == Some(false)).then_some(false)
    }

    /// The atoms that it asks for, as bits.
    #[must_use]
    pub fn atoms(&self) -> u64 {
        self.cubes.iter().fold(0, |all, it| all | it.positive | it.negative)
    }

    /// Whether it is written as `true`.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.cubes.contains(&Cube::default())
    }

    /// The cubes.
    #[must_use]
    pub fn cubes(&self) -> &[Cube] {
        &self.cubes
    }

    /// Whether some letter has both labels.
    #[must_use]
    pub fn intersects(&self, other: &Label) -> bool {
        let meet = |a: &Cube, b: &Cube| a.positive & b.negative == 0 && a.negative & b.positive == 0;
        self.cubes.iter().any(|a| other.cubes.iter().any(|b| meet(a, b)))
    }
}
