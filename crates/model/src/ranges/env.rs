//! What is known of variables at one location.

use super::Values;
use super::interval::Interval;
use crate::expr::Access;

/// More facts than this are not worth their cost.
const MOST_FACTS: usize = 24;

/// What is known at one location of one proctype.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Env<'m> {
    /// The values of the numbers that no other process writes and that every store names exactly.
    pub(super) slots: Vec<Values>,
    /// What is known of other numbers, by the way they are written in the text: after `a[i] < 3`
    /// it is known of `a[i]`.
    pub(super) facts: Vec<(&'m Access, Values)>,
}

impl<'m> Env<'m> {
    pub(super) fn fact(&self, access: &Access) -> Option<&Values> {
        self.facts.iter().find(|(known, _)| is_same(known, access)).map(|(_, values)| values)
    }

    pub(super) fn set_fact(&mut self, access: &'m Access, values: Values) {
        if let Some(fact) = self.facts.iter_mut().find(|(known, _)| is_same(known, access)) {
            fact.1 = values;
            return;
        }
        if self.facts.len() == MOST_FACTS {
            self.facts.remove(0);
        }
        self.facts.push((access, values));
    }

    /// What holds in either. Returns whether it is less than what was known here.
    pub(super) fn join(&mut self, other: &Env<'m>, widening: Option<&Widening<'_>>) -> bool {
        let mut changed = false;
        for (index, (mine, more)) in self.slots.iter_mut().zip(&other.slots).enumerate() {
            if !more.is_within(mine) {
                *mine = widening.map_or_else(|| mine.join(more), |it| it.apply(mine, more, it.bounds[index]));
                changed = true;
            }
        }
        let before = self.facts.len();
        self.facts.retain(|(access, _)| other.fact(access).is_some());
        changed |= self.facts.len() < before;
        for (access, mine) in &mut self.facts {
            let more = other.fact(access).expect("kept above");
            if !more.is_within(mine) {
                let bounds = Interval::of_type(&access.ty);
                *mine = widening.map_or_else(|| mine.join(more), |it| it.apply(mine, more, bounds));
                changed = true;
            }
        }
        changed
    }

    /// Whether all that holds in `other` is allowed here.
    pub(super) fn covers(&self, other: &Env<'m>) -> bool {
        other.slots.iter().zip(&self.slots).all(|(theirs, mine)| theirs.is_within(mine))
            && self.facts.iter().all(|(access, mine)| other.fact(access).is_some_and(|theirs| theirs.is_within(mine)))
    }
}

/// How values grow while the solution is sought.
pub(super) struct Widening<'a> {
    pub(super) thresholds: &'a [i32],
    /// The bounds of each slot.
    pub(super) bounds: &'a [Interval],
}

impl Widening<'_> {
    fn apply(&self, old: &Values, more: &Values, bounds: Interval) -> Values {
        old.widen(more, self.thresholds, bounds)
    }
}

/// Whether two accesses are written the same way.
fn is_same(a: &Access, b: &Access) -> bool {
    std::ptr::eq(a, b) || (a.base == b.base && a.offset == b.offset && a.indexes == b.indexes)
}
