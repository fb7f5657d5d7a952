//! Which formulas imply which, as far as their shape shows it (Somenzi, Bloem 2000).

use super::{FALSE, Id, Pool, Positive, TRUE};

/// Each answer is kept; when there are this many, no more are sought.
pub(super) const MAX_ANSWERS: usize = 500_000;

impl Pool {
    /// Whether `f` implies `g`; `false` means that this is not known.
    pub(crate) fn entails(&mut self, f: Id, g: Id) -> bool {
        if f == g || f == FALSE || g == TRUE {
            return true;
        }
        if f == TRUE || g == FALSE {
            return false;
        }
        if let Some(&known) = self.implications.get(&(f, g)) {
            return known;
        }
        if self.implications.len() > MAX_ANSWERS {
            return false;
        }
        let (left, right) = (self.node(f).clone(), self.node(g).clone());
        let answer = self.entails_by_left(&left, g)
            || self.entails_by_right(f, &right)
            || self.entails_by_both(&left, &right)
            || self.entails_by_kind(f, &left, g, &right);
        self.implications.insert((f, g), answer);
        answer
    }

    fn entails_by_left(&mut self, left: &Positive, g: Id) -> bool {
        match left {
            Positive::Or(parts) => parts.iter().all(|&part| self.entails(part, g)),
            Positive::And(parts) => parts.iter().any(|&part| self.entails(part, g)),
            Positive::Until(a, b) => self.entails(*a, g) && self.entails(*b, g),
            Positive::Release(_, b) => self.entails(*b, g),
            _ => false,
        }
    }

    fn entails_by_right(&mut self, f: Id, right: &Positive) -> bool {
        match right {
            Positive::And(parts) => parts.iter().all(|&part| self.entails(f, part)),
            Positive::Or(parts) => parts.iter().any(|&part| self.entails(f, part)),
            Positive::Until(_, b) => self.entails(f, *b),
            Positive::Release(a, b) => self.entails(f, *a) && self.entails(f, *b),
            _ => false,
        }
    }

    fn entails_by_both(&mut self, left: &Positive, right: &Positive) -> bool {
        match (left, right) {
            (Positive::Next(a), Positive::Next(b)) => self.entails(*a, *b),
            (Positive::Until(a, b), Positive::Until(c, d)) | (Positive::Release(a, b), Positive::Release(c, d)) => {
                self.entails(*a, *c) && self.entails(*b, *d)
            }
            _ => false,
        }
    }

    /// What is universal holds later too; what is eventual holds before as well.
    fn entails_by_kind(&mut self, f: Id, left: &Positive, g: Id, right: &Positive) -> bool {
        let universal = self.is_universal(f);
        let eventual = self.is_eventual(g);
        match right {
            Positive::Next(b) | Positive::Release(FALSE, b) if universal && self.entails(f, *b) => return true,
            _ => {}
        }
        match left {
            Positive::Next(a) | Positive::Until(TRUE, a) => eventual && self.entails(*a, g),
            _ => false,
        }
    }
}
