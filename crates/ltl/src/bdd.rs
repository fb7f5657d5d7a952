//! Binary decision diagrams (Bryant 1986): one shape for each Boolean function.

use crate::label::{Cube, Label};
use crate::limits::TooLarge;
use rustc_hash::FxHashMap;

/// A function, by its node in a [`Bdd`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Function(u32);

pub(crate) const FALSE: Function = Function(0);
pub(crate) const TRUE: Function = Function(1);

/// Functions with more nodes are not made.
const MAX_NODES: usize = 300_000;

/// Nor are sums with more cubes.
const MAX_CUBES: usize = 2000;

/// What was made, unless it became too large.
pub(crate) type Made<T> = Result<T, TooLarge>;

/// A cube: variables with their signs.
pub(crate) type Literals = Vec<(u32, bool)>;

/// The variable of the two constants: behind all others.
pub(crate) const NO_VARIABLE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Decision {
    variable: u32,
    low: Function,
    high: Function,
}

/// All functions over one order of variables.
#[derive(Debug)]
pub(crate) struct Bdd {
    nodes: Vec<Decision>,
    unique: FxHashMap<Decision, Function>,
    conjunctions: FxHashMap<(Function, Function), Function>,
    negations: FxHashMap<Function, Function>,
}

impl Bdd {
    pub(crate) fn new() -> Bdd {
        let constant = |it| Decision { variable: NO_VARIABLE, low: it, high: it };
        Bdd {
            nodes: vec![constant(FALSE), constant(TRUE)],
            unique: FxHashMap::default(),
            conjunctions: FxHashMap::default(),
            negations: FxHashMap::default(),
        }
    }

    fn node(&mut self, variable: u32, low: Function, high: Function) -> Made<Function> {
        if low == high {
            return Ok(low);
        }
        let decision = Decision { variable, low, high };
        if let Some(&known) = self.unique.get(&decision) {
            return Ok(known);
        }
        if self.nodes.len() >= MAX_NODES {
            return Err(TooLarge::Function);
        }
        let next = Function(self.nodes.len() as u32);
        self.unique.insert(decision, next);
        self.nodes.push(decision);
        Ok(next)
    }

    /// The variable decided first; larger than all others for a constant.
    pub(crate) fn top(&self, f: Function) -> u32 {
        self.nodes[f.0 as usize].variable
    }

    /// What remains when the first variable is false, and when it is true.
    pub(crate) fn branches(&self, f: Function) -> (Function, Function) {
        let node = self.nodes[f.0 as usize];
        (node.low, node.high)
    }

    /// The same for a variable that may come before the first.
    pub(crate) fn cofactors(&self, f: Function, variable: u32) -> (Function, Function) {
        if self.top(f) == variable { self.branches(f) } else { (f, f) }
    }

    pub(crate) fn literal(&mut self, variable: u32, positive: bool) -> Made<Function> {
        if positive { self.node(variable, FALSE, TRUE) } else { self.node(variable, TRUE, FALSE) }
    }

    pub(crate) fn not(&mut self, f: Function) -> Made<Function> {
        if f == FALSE || f == TRUE {
            return Ok(if f == FALSE { TRUE } else { FALSE });
        }
        if let Some(&known) = self.negations.get(&f) {
            return Ok(known);
        }
        let (low, high) = self.branches(f);
        let (low, high) = (self.not(low)?, self.not(high)?);
        let negation = self.node(self.top(f), low, high)?;
        self.negations.insert(f, negation);
        Ok(negation)
    }

    pub(crate) fn and(&mut self, f: Function, g: Function) -> Made<Function> {
        if f == g || g == TRUE || f == FALSE {
            return Ok(f);
        }
        if f == TRUE || g == FALSE {
            return Ok(g);
        }
        let key = (f.min(g), f.max(g));
        if let Some(&known) = self.conjunctions.get(&key) {
            return Ok(known);
        }
        let variable = self.top(f).min(self.top(g));
        let ((f0, f1), (g0, g1)) = (self.cofactors(f, variable), self.cofactors(g, variable));
        let (low, high) = (self.and(f0, g0)?, self.and(f1, g1)?);
        let both = self.node(variable, low, high)?;
        self.conjunctions.insert(key, both);
        Ok(both)
    }

    pub(crate) fn or(&mut self, f: Function, g: Function) -> Made<Function> {
        let (f, g) = (self.not(f)?, self.not(g)?);
        let neither = self.and(f, g)?;
        self.not(neither)
    }

    pub(crate) fn minus(&mut self, f: Function, g: Function) -> Made<Function> {
        let g = self.not(g)?;
        self.and(f, g)
    }

    /// An irredundant sum of prime implicants (Minato 1992): for each cube the variables with
    /// their signs.
    pub(crate) fn cubes(&mut self, f: Function) -> Made<Vec<Literals>> {
        Ok(self.cubes_between(f, f)?.0)
    }

    /// Cubes of a function that lies between two others, and this function.
    fn cubes_between(&mut self, lower: Function, upper: Function) -> Made<(Vec<Literals>, Function)> {
        if lower == FALSE {
            return Ok((Vec::new(), FALSE));
        }
        if upper == TRUE {
            return Ok((vec![Vec::new()], TRUE));
        }
        let variable = self.top(lower).min(self.top(upper));
        let ((l0, l1), (u0, u1)) = (self.cofactors(lower, variable), self.cofactors(upper, variable));
        let (only0, only1) = (self.minus(l0, u1)?, self.minus(l1, u0)?);
        let (mut cubes, f0) = self.cubes_between(only0, u0)?;
        cubes.iter_mut().for_each(|cube| cube.push((variable, false)));
        let (mut cubes1, f1) = self.cubes_between(only1, u1)?;
        cubes1.iter_mut().for_each(|cube| cube.push((variable, true)));
        let (rest0, rest1) = (self.minus(l0, f0)?, self.minus(l1, f1)?);
        let (rest, both) = (self.or(rest0, rest1)?, self.and(u0, u1)?);
        let (free, f) = self.cubes_between(rest, both)?;
        cubes.append(&mut cubes1);
        cubes.extend(free);
        if cubes.len() > MAX_CUBES {
            return Err(TooLarge::Function);
        }
        let (low, high) = (self.or(f0, f)?, self.or(f1, f)?);
        Ok((cubes, self.node(variable, low, high)?))
    }

    /// A label as a function; atoms are the first variables.
    pub(crate) fn function(&mut self, label: &Label) -> Made<Function> {
        label.cubes().iter().try_fold(FALSE, |sum, cube| {
            let product = cube.literals().try_fold(TRUE, |product, (atom, positive)| {
                let literal = self.literal(atom.0.into(), positive)?;
                self.and(product, literal)
            })?;
            self.or(sum, product)
        })
    }

    /// A function over atoms as a label: the same one for the same function.
    pub(crate) fn label(&mut self, f: Function) -> Made<Label> {
        let cube = |literals: Literals| {
            literals.into_iter().fold(Cube::default(), |mut cube, (atom, positive)| {
                *(if positive { &mut cube.positive } else { &mut cube.negative }) |= 1 << atom;
                cube
            })
        };
        Ok(Label::new(self.cubes(f)?.into_iter().map(cube).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::{Bdd, FALSE, Made, TRUE};
    use crate::limits::TooLarge;

    #[test]
    fn equal_functions_are_one_node() -> Made<()> {
        let mut bdd = Bdd::new();
        let (a, b) = (bdd.literal(0, true)?, bdd.literal(1, true)?);
        let (both, either) = (bdd.and(a, b)?, bdd.or(a, b)?);
        let (not_a, not_b) = (bdd.not(a)?, bdd.not(b)?);
        let neither = bdd.and(not_a, not_b)?;
        assert_eq!(bdd.not(either), Ok(neither));
        assert_eq!(bdd.minus(both, a), Ok(FALSE));
        assert_eq!(bdd.or(a, not_a), Ok(TRUE));
        Ok(())
    }

    #[test]
    fn sums_are_irredundant() -> Made<()> {
        let mut bdd = Bdd::new();
        let (a, b, c) = (bdd.literal(0, true)?, bdd.literal(1, true)?, bdd.literal(2, true)?);
        let (ab, not_a) = (bdd.and(a, b)?, bdd.not(a)?);
        let not_a_c = bdd.and(not_a, c)?;
        let sum = bdd.or(ab, not_a_c)?;
        // The consensus `b c` is implied by the two others.
        assert_eq!(bdd.label(sum)?.cubes().len(), 2);
        let label = bdd.label(sum)?;
        assert_eq!(bdd.function(&label), Ok(sum));
        Ok(())
    }

    /// `(p0 || p1) && (p2 || p3) && ...`: a small function whose sum is large.
    #[test]
    fn what_is_too_large_is_not_made() -> Made<()> {
        let mut bdd = Bdd::new();
        let all = (0..24).step_by(2).try_fold(TRUE, |all, first| {
            let (one, other) = (bdd.literal(first, true)?, bdd.literal(first + 1, true)?);
            let either = bdd.or(one, other)?;
            bdd.and(all, either)
        })?;
        assert_eq!(bdd.label(all), Err(TooLarge::Function));
        Ok(())
    }
}
