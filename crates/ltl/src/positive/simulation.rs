//! Which formulas can take the place of which while an automaton is built.
//!
//! There it is not enough that f implies g. `[] (p && X <> q)` implies `<> q`, but a state that leaves
//! out `<> q` for this reason leaves out its promise as well, in each step again, and nobody ever asks
//! whether q comes. So each way to go on with f must be a way to go on with g that promises no more:
//! f is simulated by g in the tableau.

use super::implication::MAX_ANSWERS;
use super::{FALSE, Id, Pool, Positive, TRUE};

impl Pool {
    /// Whether `f` can stand for `f && g`, and `g` for `f || g`, in a state of the tableau.
    pub(crate) fn simulates(&mut self, f: Id, g: Id) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(&known) = self.simulations.get(&(f, g)) {
            return known;
        }
        if self.simulations.len() > MAX_ANSWERS {
            return false;
        }
        let (left, right) = (self.node(f).clone(), self.node(g).clone());
        let answer = self.simulates_by_left(&left, g)
            || self.simulates_by_right(f, &right)
            || self.simulates_by_both(f, &left, &right);
        self.simulations.insert((f, g), answer);
        answer
    }

    fn simulates_by_left(&mut self, left: &Positive, g: Id) -> bool {
        match left {
            // It has a promise of its own: see the tableau.
            Positive::Or(parts) if self.is_eventuality(parts) => false,
            Positive::Or(parts) => parts.iter().all(|&part| self.simulates(part, g)),
            Positive::And(parts) => parts.iter().any(|&part| self.simulates(part, g)),
            Positive::Until(a, b) => self.simulates(*a, g) && self.simulates(*b, g),
            Positive::Release(_, b) => self.simulates(*b, g),
            _ => false,
        }
    }

    fn simulates_by_right(&mut self, f: Id, right: &Positive) -> bool {
        match right {
            Positive::And(parts) => parts.iter().all(|&part| self.simulates(f, part)),
            Positive::Or(parts) if self.is_eventuality(parts) => parts.iter().any(|&part| {
                let now = self.promised(part).unwrap_or(part);
                self.simulates(f, now)
            }),
            Positive::Or(parts) => parts.iter().any(|&part| self.simulates(f, part)),
            Positive::Until(_, b) => self.simulates(f, *b),
            Positive::Release(a, b) => self.simulates(f, *a) && self.simulates(f, *b),
            _ => false,
        }
    }

    fn simulates_by_both(&mut self, f: Id, left: &Positive, right: &Positive) -> bool {
        match (left, right) {
            (Positive::Next(a), Positive::Next(b)) => self.simulates(*a, *b),
            // The promise is the same.
            (Positive::Until(a, b), Positive::Until(c, d)) if b == d => self.simulates(*a, *c),
            (Positive::Release(FALSE, _), Positive::Release(FALSE, b) | Positive::Next(b)) => self.simulates(f, *b),
            (Positive::Release(a, b), Positive::Release(c, d)) => self.simulates(*a, *c) && self.simulates(*b, *d),
            _ => false,
        }
    }
}
