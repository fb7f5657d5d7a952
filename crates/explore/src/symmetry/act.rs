//! Numbers, and what becomes of them under a permutation.

use spinor_model::eval;
use spinor_model::expr::{BinaryOp, UnaryOp};
use spinor_model::ranges::{Interval, Values};
use std::collections::{BTreeMap, BTreeSet};

/// More pairs of numbers than this are not gone through one by one.
const PATIENCE: u64 = 1 << 16;

/// A permutation of numbers that moves few of them: what becomes of names of one sort.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Act {
    moved: BTreeMap<i32, i32>,
}

impl Act {
    /// The permutation that takes the first of each pair to the second; none if it is no permutation.
    pub(super) fn new(pairs: impl IntoIterator<Item = (i32, i32)>) -> Option<Act> {
        let moved: BTreeMap<i32, i32> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        let to: BTreeSet<i32> = moved.values().copied().collect();
        (to.len() == moved.len() && to.iter().eq(moved.keys())).then_some(Act { moved })
    }

    /// What becomes of a number.
    pub(super) fn of(&self, number: i32) -> i32 {
        *self.moved.get(&number).unwrap_or(&number)
    }

    /// The same with numbers that are so much more.
    pub(super) fn shifted(&self, more: i32) -> Act {
        let pairs = self.moved.iter().map(|(from, to)| (from.wrapping_add(more), to.wrapping_add(more)));
        Act { moved: pairs.collect() }
    }

    /// The first number that is in a set, and goes out of it or the other way round.
    pub(super) fn leaves(&self, set: impl Fn(i32) -> bool) -> Option<i32> {
        self.moved.iter().find(|(from, to)| set(**from) != set(**to)).map(|it| *it.0)
    }

    /// The first number of a set that is moved.
    pub(super) fn moves(&self, values: &Values) -> Option<i32> {
        self.moved.keys().copied().find(|&number| values.contains(number))
    }
}

/// What an expression can be in some state, and what it is in the image of that state.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// All that it can be.
    pub(super) domain: Values,
    /// What it is then in the image, where that differs.
    moved: BTreeMap<i32, i32>,
}

impl Value {
    /// The same in both.
    pub(super) fn plain(domain: impl Into<Values>) -> Value {
        Value { domain: domain.into(), moved: BTreeMap::new() }
    }

    /// One number here, and one there.
    pub(super) fn one(here: i32, there: i32) -> Value {
        let moved = (here != there).then_some((here, there));
        Value { domain: Values::single(here), moved: moved.into_iter().collect() }
    }

    /// Something that is renamed.
    pub(super) fn renamed(domain: Values, act: &Act) -> Value {
        let moved =
            act.moved.iter().filter(|(from, _)| domain.contains(**from)).map(|(&from, &to)| (from, to)).collect();
        Value { domain, moved }
    }

    /// What it is in the image.
    pub(super) fn of(&self, number: i32) -> i32 {
        *self.moved.get(&number).unwrap_or(&number)
    }

    /// Whether it is always the same in both.
    pub(super) fn is_plain(&self) -> bool {
        self.moved.is_empty()
    }

    /// The only number that it can be, and that in the image.
    pub(super) fn only(&self) -> Option<(i32, i32)> {
        match &self.domain {
            Values::Few(few) => few.first().filter(|_| few.len() == 1).map(|&one| (one, self.of(one))),
            Values::Many(_) => None,
        }
    }

    /// Whether it is renamed as a permutation does it.
    pub(super) fn agrees(&self, act: &Act) -> bool {
        let mut numbers = self.moved.keys().chain(act.moved.keys()).filter(|number| self.domain.contains(**number));
        numbers.all(|&number| self.of(number) == act.of(number))
    }

    /// Whether it is 0 in the image just when it is 0.
    pub(super) fn keeps_truth(&self) -> bool {
        self.moved.iter().all(|(&here, &there)| (here == 0) == (there == 0))
    }

    /// Whether it equals another in the image just when it equals it.
    pub(super) fn keeps_equality(&self, other: &Value) -> bool {
        self.is_equal_where_moved(other) && other.is_equal_where_moved(self)
    }

    /// The same for the numbers of this one that are moved.
    fn is_equal_where_moved(&self, other: &Value) -> bool {
        self.moved.iter().all(|(&here, &there)| {
            // Of all that the other can be, only the same number may go to the same place.
            let stays = other.domain.contains(here) && other.of(here) != there;
            let comes = other.moved.iter().any(|(&from, &to)| to == there && from != here);
            let is_there = there != here && other.domain.contains(there) && other.of(there) == there;
            !stays && !comes && !is_there
        })
    }

    /// One or the other; none if a number would become two.
    pub(super) fn or(mut self, other: Value) -> Option<Value> {
        let differs = |one: &Value, two: &Value| {
            one.moved.iter().any(|(&here, &there)| two.domain.contains(here) && two.of(here) != there)
        };
        if differs(&self, &other) || differs(&other, &self) {
            return None;
        }
        self.moved.extend(other.moved);
        self.domain = union(&self.domain, &other.domain);
        Some(self)
    }

    /// What a unary operation makes of it; none if that is not a function of the number.
    pub(super) fn unary(&self, op: UnaryOp) -> Option<Value> {
        let image = |number: i32| (eval::unary(op, number), eval::unary(op, self.of(number)));
        collected(numbers(&self.domain)?.map(image))
    }

    /// What a binary operation makes of two, by going through all that they can be; none if the image is not a function
    /// of the result, or at fault where the operation is not.
    pub(super) fn binary(&self, op: BinaryOp, other: &Value) -> Option<Value> {
        if size(&self.domain).saturating_mul(size(&other.domain)) > PATIENCE {
            return self.shifted(op, other);
        }
        let others: Vec<i32> = numbers(&other.domain)?.collect();
        let mut pairs = BTreeSet::new();
        for one in numbers(&self.domain)? {
            for &two in &others {
                match (eval::binary(op, one, two), eval::binary(op, self.of(one), other.of(two))) {
                    (Some(here), Some(there)) => drop(pairs.insert((here, there))),
                    (None, None) => {}
                    (Some(_), None) | (None, Some(_)) => return None,
                }
            }
        }
        collected(pairs.into_iter())
    }

    /// A constant added to one of many numbers.
    fn shifted(&self, op: BinaryOp, other: &Value) -> Option<Value> {
        let (all, more) = match (op, self.only(), other.only()) {
            (BinaryOp::Add, None, Some((here, there))) if here == there => (self, here),
            (BinaryOp::Add, Some((here, there)), None) if here == there => (other, here),
            (BinaryOp::Subtract, None, Some((here, there))) if here == there => (self, here.wrapping_neg()),
            (BinaryOp::Add | BinaryOp::Subtract, ..) => return None,
            (BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder | BinaryOp::BitAnd | BinaryOp::BitXor, ..) => {
                return None;
            }
            (
                BinaryOp::BitOr | BinaryOp::ShiftLeft | BinaryOp::ShiftRight | BinaryOp::Less | BinaryOp::LessEqual,
                ..,
            ) => {
                return None;
            }
            (BinaryOp::Greater | BinaryOp::GreaterEqual | BinaryOp::Equal | BinaryOp::NotEqual, ..) => return None,
            (BinaryOp::And | BinaryOp::Or, ..) => return None,
        };
        let moved = all.moved.iter().map(|(here, there)| (here.wrapping_add(more), there.wrapping_add(more)));
        Some(Value { domain: Values::Many(Interval::FULL), moved: moved.collect() })
    }
}

/// How many numbers there are in a set.
fn size(values: &Values) -> u64 {
    match values {
        Values::Few(few) => few.len() as u64,
        Values::Many(Interval { low, high }) => (i64::from(*high) - i64::from(*low) + 1).max(0) as u64,
    }
}

/// The numbers of a set, if they are not too many.
fn numbers(values: &Values) -> Option<Box<dyn Iterator<Item = i32> + '_>> {
    match values {
        _ if size(values) > PATIENCE => None,
        Values::Few(few) => Some(Box::new(few.iter().copied())),
        Values::Many(Interval { low, high }) => Some(Box::new(*low..=*high)),
    }
}

fn union(one: &Values, other: &Values) -> Values {
    match (one, other) {
        (Values::Few(one), Values::Few(other)) => one.iter().chain(other).copied().collect(),
        (Values::Many(_), _) | (_, Values::Many(_)) => Values::Many(one.range().join(other.range())),
    }
}

/// Numbers with their images; none if one has two.
fn collected(pairs: impl Iterator<Item = (i32, i32)>) -> Option<Value> {
    let mut all: BTreeMap<i32, i32> = BTreeMap::new();
    for (here, there) in pairs {
        if *all.entry(here).or_insert(there) != there {
            return None;
        }
    }
    let domain = all.keys().copied().collect();
    all.retain(|here, there| here != there);
    Some(Value { domain, moved: all })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swap(one: i32, other: i32) -> Act {
        Act::new([(one, other), (other, one)]).expect("a permutation")
    }

    fn few(numbers: &[i32]) -> Values {
        Values::Few(numbers.to_vec())
    }

    #[test]
    fn only_permutations_act() {
        assert!(Act::new([(1, 2), (2, 3), (3, 1), (5, 5)]).is_some());
        assert!(Act::new([(1, 2)]).is_none());
        assert!(Act::new([(1, 2), (2, 1), (3, 1)]).is_none());
        assert_eq!(swap(1, 2).shifted(-1), swap(0, 1));
        assert_eq!(swap(1, 2).leaves(|it| it < 2), Some(1));
        assert_eq!(swap(1, 2).leaves(|it| it < 3), None);
    }

    #[test]
    fn equality_is_kept_by_one_renaming_only() {
        let all = Value::renamed(few(&[0, 1, 2, 255]), &swap(0, 1));
        assert!(all.keeps_equality(&all.clone()));
        assert!(all.keeps_equality(&Value::one(2, 2)));
        assert!(!all.keeps_equality(&Value::one(1, 1)));
        assert!(all.keeps_equality(&Value::one(1, 0)));
        assert!(!all.keeps_equality(&Value::plain(few(&[1, 7]))));
        // Numbers that are never equal must not become it.
        assert!(!Value::one(1, 5).keeps_equality(&Value::one(2, 5)));
        assert!(!Value::one(1, 2).keeps_equality(&Value::one(2, 2)));
    }

    #[test]
    fn operations_are_gone_through() {
        let all =
            Value::renamed(Interval { low: 0, high: 3 }.into(), &Act::new([(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap());
        let next = all.binary(BinaryOp::Add, &Value::one(1, 1)).unwrap();
        let turned = next.binary(BinaryOp::Remainder, &Value::one(4, 4)).unwrap();
        assert!(turned.agrees(&Act::new([(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap()));
        assert!(all.binary(BinaryOp::Less, &Value::one(2, 2)).is_none());
        let swapped = Value::renamed(Interval { low: 0, high: 3 }.into(), &swap(0, 1));
        assert!(swapped.binary(BinaryOp::Less, &Value::one(2, 2)).unwrap().is_plain());
        // A fault here and none there.
        assert!(swapped.binary(BinaryOp::Divide, &swapped).is_none());
        assert!(!Value::one(0, 1).keeps_truth() && Value::one(1, 2).keeps_truth());
    }
}
