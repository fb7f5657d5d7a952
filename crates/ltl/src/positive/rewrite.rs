//! Operators that simplify: the rules of Somenzi and Bloem (CAV 2000), Etessami and Holzmann
//! (CONCUR 2000), and Babiak, Křetínský, Řehák and Strejček (TACAS 2012).
//!
//! Only `||`, `X` and `U` are written out. `&&` and `V` are their duals, so each rule is stated once.

use super::{FALSE, Id, Pool, Positive, TRUE};

impl Pool {
    pub(crate) fn and(&mut self, parts: Vec<Id>) -> Id {
        let negations = self.not_each(&parts);
        let sum = self.sum(negations, true);
        self.not(sum)
    }

    pub(crate) fn or(&mut self, parts: Vec<Id>) -> Id {
        self.sum(parts, false)
    }

    pub(crate) fn release(&mut self, f: Id, g: Id) -> Id {
        let (f, g) = (self.not(f), self.not(g));
        let until = self.until(f, g);
        self.not(until)
    }

    /// A disjunction; `dual` if its negation, a conjunction, is what is wanted.
    fn sum(&mut self, parts: Vec<Id>, dual: bool) -> Id {
        let parts = self.flatten(parts);
        if parts.contains(&TRUE) || self.is_exhaustive(&parts) {
            return TRUE;
        }
        let mut parts = self.largest(parts, dual);
        // A merged formula has other promises than its parts: only before the tableau.
        if !self.in_tableau
            && let Some((i, j, merged)) = self.mergeable(&parts)
        {
            parts.swap_remove(j);
            parts.swap_remove(i);
            parts.push(merged);
            return self.sum(parts, dual);
        }
        match parts.as_slice() {
            [] => FALSE,
            [one] => *one,
            _ => self.intern(Positive::Or(parts)),
        }
    }

    /// The parts of a disjunction without repetition, sorted.
    fn flatten(&self, parts: Vec<Id>) -> Vec<Id> {
        let mut flat = Vec::new();
        for part in parts {
            match self.node(part) {
                Positive::Or(inner) => flat.extend(inner),
                _ => flat.push(part),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        flat
    }

    /// `f || g` is true if `!f` implies `g`.
    fn is_exhaustive(&mut self, parts: &[Id]) -> bool {
        let negations: Vec<Id> = parts.iter().map(|&part| self.not(part)).collect();
        negations.iter().any(|&not_f| parts.iter().any(|&g| self.entails(not_f, g)))
    }

    /// `f || g` is `g` if `f` implies `g`.
    fn largest(&mut self, mut parts: Vec<Id>, dual: bool) -> Vec<Id> {
        let mut index = 0;
        while index < parts.len() {
            let part = parts[index];
            let absorbed = (0..parts.len()).any(|other| other != index && self.is_absorbed(part, parts[other], dual));
            if absorbed {
                parts.remove(index);
            } else {
                index += 1;
            }
        }
        parts
    }

    fn is_absorbed(&mut self, f: Id, by: Id, dual: bool) -> bool {
        match (self.in_tableau, dual) {
            (false, _) => self.entails(f, by),
            (true, false) => self.simulates(f, by),
            (true, true) => {
                let (f, by) = (self.not(f), self.not(by));
                self.simulates(by, f)
            }
        }
    }

    /// Two parts `i < j` of a disjunction that are one formula.
    fn mergeable(&mut self, parts: &[Id]) -> Option<(usize, usize, Id)> {
        for j in 1..parts.len() {
            for i in 0..j {
                if let Some(merged) = self.merge(parts[i], parts[j]) {
                    return Some((i, j, merged));
                }
            }
        }
        None
    }

    fn merge(&mut self, f: Id, g: Id) -> Option<Id> {
        match (self.node(f).clone(), self.node(g).clone()) {
            // X a || X b = X (a || b)
            (Positive::Next(a), Positive::Next(b)) => {
                let either = self.or(vec![a, b]);
                Some(self.next(either))
            }
            // a U b || a U c = a U (b || c). What is universal stays apart: <>[] is its own case.
            (Positive::Until(a, b), Positive::Until(c, d))
                if a == c && !self.is_universal(b) && !self.is_universal(d) =>
            {
                let either = self.or(vec![b, d]);
                Some(self.until(a, either))
            }
            // []<> a || []<> b = []<> (a || b)
            (Positive::Release(FALSE, b), Positive::Release(FALSE, d)) => {
                let (b, d) = (self.promised(b)?, self.promised(d)?);
                let either = self.or(vec![b, d]);
                let eventually = self.until(TRUE, either);
                Some(self.release(FALSE, eventually))
            }
            // a V c || b V c = (a || b) V c
            (Positive::Release(a, b), Positive::Release(c, d)) if b == d => {
                let either = self.or(vec![a, c]);
                Some(self.release(either, b))
            }
            // [] a || a U b = a W b
            (Positive::Release(FALSE, a), Positive::Until(b, c))
            | (Positive::Until(b, c), Positive::Release(FALSE, a))
                if a == b =>
            {
                let either = self.or(vec![a, c]);
                Some(self.release(c, either))
            }
            (Positive::Release(a, b), Positive::Until(c, d)) | (Positive::Until(c, d), Positive::Release(a, b)) => {
                self.decide((a, b), (c, d))
            }
            _ => None,
        }
    }

    /// What `<> f` promises.
    pub(crate) fn promised(&self, id: Id) -> Option<Id> {
        match *self.node(id) {
            Positive::Until(TRUE, f) => Some(f),
            _ => None,
        }
    }

    /// Whether a disjunction is an eventuality as a whole, with a `<>` among its parts.
    pub(crate) fn is_eventuality(&self, parts: &[Id]) -> bool {
        let all_eventual = parts.iter().all(|&part| self.is_eventual(part));
        all_eventual && parts.iter().any(|&part| self.promised(part).is_some())
    }

    /// a V b || c U (!b && e), where c is !a and e is eventual: while b holds and a does not, nothing
    /// is decided, and then all is. So it is (a && b || !b && e) V (b || e), which is deterministic.
    /// With a = false: [] b || <> (!b && e), or [] b || b U (!b && e).
    fn decide(&mut self, (a, b): (Id, Id), (c, d): (Id, Id)) -> Option<Id> {
        let Positive::And(parts) = self.node(d).clone() else { return None };
        let (not_a, not_b) = (self.not(a), self.not(b));
        let rest: Vec<Id> = parts.iter().copied().filter(|&part| part != not_b).collect();
        let waits = c == not_a || (a == FALSE && c == b);
        if !waits || rest.len() == parts.len() || !rest.iter().all(|&part| self.is_eventual(part)) {
            return None;
        }
        let rest = self.and(rest);
        let release = self.and(vec![a, b]);
        let end = self.or(vec![release, d]);
        let hold = self.or(vec![b, rest]);
        Some(self.release(end, hold))
    }

    pub(crate) fn next(&mut self, f: Id) -> Id {
        if self.is_suspendable(f) {
            return f;
        }
        match self.node(f).clone() {
            Positive::Or(parts) => self.next_without_suspendable(parts, Pool::or),
            Positive::And(parts) => self.next_without_suspendable(parts, Pool::and),
            _ => self.intern(Positive::Next(f)),
        }
    }

    /// X (f || s) = X f || s where s is the same at all positions.
    fn next_without_suspendable(&mut self, parts: Vec<Id>, join: fn(&mut Pool, Vec<Id>) -> Id) -> Id {
        let (mut outside, inside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&it| self.is_suspendable(it));
        let inside = join(self, inside);
        let next = self.intern(Positive::Next(inside));
        outside.push(next);
        join(self, outside)
    }

    pub(crate) fn until(&mut self, f: Id, g: Id) -> Id {
        if self.is_eventual(g) || self.entails(f, g) {
            return g;
        }
        if f == TRUE {
            return self.eventually(g);
        }
        let not_g = self.not(g);
        if self.entails(not_g, f) {
            return self.eventually(g);
        }
        match (self.node(f).clone(), self.node(g).clone()) {
            (Positive::Next(a), Positive::Next(b)) => {
                let until = self.until(a, b);
                self.next(until)
            }
            // f U (a U b) is a U b if f implies a, and f U b if a implies f.
            (_, Positive::Until(a, _)) if self.entails(f, a) => g,
            (_, Positive::Until(a, b)) if self.entails(a, f) => self.until(f, b),
            (_, Positive::Or(parts)) if parts.iter().any(|&part| self.is_eventual(part)) => {
                self.until_or_eventual(f, parts)
            }
            (_, Positive::And(parts)) if parts.iter().any(|&part| self.is_suspendable(part)) => {
                self.until_and_suspendable(f, parts)
            }
            _ => self.intern(Positive::Until(f, g)),
        }
    }

    /// f U (g || e) = f U g || e where e is eventual.
    fn until_or_eventual(&mut self, f: Id, parts: Vec<Id>) -> Id {
        let (mut outside, inside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.is_eventual(part));
        let inside = self.or(inside);
        let until = self.until(f, inside);
        outside.push(until);
        self.or(outside)
    }

    /// f U (g && s) = f U g && s where s is the same at all positions.
    fn until_and_suspendable(&mut self, f: Id, parts: Vec<Id>) -> Id {
        let (mut outside, inside): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&it| self.is_suspendable(it));
        let inside = self.and(inside);
        let until = self.until(f, inside);
        outside.push(until);
        self.and(outside)
    }

    /// `true U g`, where g is not eventual.
    fn eventually(&mut self, g: Id) -> Id {
        match self.node(g).clone() {
            Positive::Next(a) => {
                let eventually = self.until(TRUE, a);
                self.next(eventually)
            }
            Positive::Until(_, b) => self.until(TRUE, b),
            Positive::Or(parts) if parts.iter().any(|&part| self.leaves_eventually(part)) => self.split(parts),
            Positive::And(parts) if parts.iter().any(|&part| self.is_suspendable(part)) => {
                self.until_and_suspendable(TRUE, parts)
            }
            Positive::Release(FALSE, a) => self.eventually_always(g, a),
            _ => self.intern(Positive::Until(TRUE, g)),
        }
    }

    /// Whether `<> f` is simpler than its operator and f.
    fn leaves_eventually(&self, f: Id) -> bool {
        let is_temporal = matches!(self.node(f), Positive::Next(_) | Positive::Until(..));
        is_temporal || self.is_eventual(f) || self.is_universal(f)
    }

    /// <> (f || g) = <> f || <> g, for those parts where it helps.
    fn split(&mut self, parts: Vec<Id>) -> Id {
        let (apart, together): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.leaves_eventually(part));
        let together = self.or(together);
        let mut sum = vec![self.until(TRUE, together)];
        for part in apart {
            sum.push(self.until(TRUE, part));
        }
        self.or(sum)
    }

    /// <>[] (f || u) = <>[] f || <> u where u is universal.
    fn eventually_always(&mut self, always: Id, inside: Id) -> Id {
        let Positive::Or(parts) = self.node(inside).clone() else {
            return self.intern(Positive::Until(TRUE, always));
        };
        let (universal, rest): (Vec<_>, Vec<_>) = parts.into_iter().partition(|&part| self.is_universal(part));
        if universal.is_empty() {
            return self.intern(Positive::Until(TRUE, always));
        }
        let rest = self.or(rest);
        let rest = self.release(FALSE, rest);
        let mut sum = vec![self.until(TRUE, rest)];
        for part in universal {
            sum.push(self.until(TRUE, part));
        }
        self.or(sum)
    }
}
