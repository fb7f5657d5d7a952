//! Random formulas and words.

use crate::{Formula, Node, Word};
use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

/// The number in an environment variable.
fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

/// How many formulas to try, if there is no other wish.
pub(super) fn formulas(default: u64) -> u64 {
    setting("SPINOR_LTL_FORMULAS", default)
}

/// A generator with its seed, which a failing test shows.
pub(super) fn generator() -> (SmallRng, u64) {
    let seed = setting("SPINOR_LTL_SEED", 1);
    (SmallRng::seed_from_u64(seed), seed)
}

/// A formula with a number of operators.
pub(super) fn formula(rng: &mut SmallRng, atoms: u8, operators: u32) -> Formula {
    if operators == 0 {
        return match rng.random_range(0..20) {
            0 => Node::True.into(),
            1 => Node::False.into(),
            _ => Formula::atom(rng.random_range(0..atoms)),
        };
    }
    let choice = rng.random_range(0..12);
    if choice < 5 {
        let operand = formula(rng, atoms, operators - 1);
        return match choice {
            0 => operand.not(),
            1 => Node::Next(operand).into(),
            2 | 3 => Node::Always(operand).into(),
            _ => Node::Eventually(operand).into(),
        };
    }
    let left = rng.random_range(0..operators);
    let (f, g) = (formula(rng, atoms, left), formula(rng, atoms, operators - 1 - left));
    Formula::from(match choice {
        5 => Node::And(vec![f, g]),
        6 => Node::Or(vec![f, g]),
        7 => Node::Implies(f, g),
        8 => Node::Equivalent(f, g),
        9 => Node::Until(f, g),
        10 => Node::WeakUntil(f, g),
        _ => Node::Release(f, g),
    })
}

/// A formula with other formulas in the place of its atoms.
pub(super) fn substitute(shape: &Formula, parts: &[Formula]) -> Formula {
    let all = |fs: &[Formula]| fs.iter().map(|f| substitute(f, parts)).collect();
    let of = |f: &Formula| substitute(f, parts);
    Formula::from(match shape.node() {
        Node::True | Node::False => return shape.clone(),
        Node::Atom(atom) => return parts[atom.0 as usize].clone(),
        Node::Not(f) => Node::Not(of(f)),
        Node::And(fs) => Node::And(all(fs)),
        Node::Or(fs) => Node::Or(all(fs)),
        Node::Implies(f, g) => Node::Implies(of(f), of(g)),
        Node::Equivalent(f, g) => Node::Equivalent(of(f), of(g)),
        Node::Next(f) => Node::Next(of(f)),
        Node::Until(f, g) => Node::Until(of(f), of(g)),
        Node::WeakUntil(f, g) => Node::WeakUntil(of(f), of(g)),
        Node::Release(f, g) => Node::Release(of(f), of(g)),
        Node::Always(f) => Node::Always(of(f)),
        Node::Eventually(f) => Node::Eventually(of(f)),
    })
}

/// A word with a short prefix and a short cycle.
pub(super) fn word(rng: &mut SmallRng, atoms: u8) -> Word {
    let (before, around) = (rng.random_range(0..4), rng.random_range(1..4));
    let mut letters = |count: usize| (0..count).map(|_| rng.random_range(0..1 << atoms)).collect();
    Word { prefix: letters(before), cycle: letters(around) }
}
