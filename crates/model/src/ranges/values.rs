//! Sets of values: one by one as long as they are few, otherwise an interval.
//!
//! Models mark "nobody" with 255 beside small numbers: an interval alone would take eight bits.

use super::Interval;
use crate::eval;
use crate::expr::{BinaryOp, UnaryOp};
use crate::types::Scalar;

/// More values than this are kept as an interval.
const FEW: usize = 32;

/// The values that something can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Values {
    /// These, in ascending order.
    Few(Vec<i32>),
    /// All between two; more than a few.
    Many(Interval),
}

impl Values {
    /// No value.
    #[must_use]
    pub fn empty() -> Values {
        Values::Few(Vec::new())
    }

    /// One value.
    #[must_use]
    pub fn single(value: i32) -> Values {
        Values::Few(vec![value])
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        matches!(self, Values::Few(few) if few.is_empty())
    }

    /// The smallest interval around all.
    #[must_use]
    pub fn range(&self) -> Interval {
        match self {
            Values::Many(range) => *range,
            Values::Few(few) => match (few.first(), few.last()) {
                (Some(&low), Some(&high)) => Interval { low, high },
                _ => Interval::EMPTY,
            },
        }
    }

    /// How many bits tell them apart, when each has a number.
    #[must_use]
    pub fn bits(&self) -> u32 {
        match self {
            Values::Many(range) => range.bits(),
            Values::Few(few) => usize::BITS - few.len().saturating_sub(1).leading_zeros(),
        }
    }

    /// Whether a value is among them.
    #[must_use]
    pub fn contains(&self, value: i32) -> bool {
        match self {
            Values::Many(range) => range.contains(value),
            Values::Few(few) => few.binary_search(&value).is_ok(),
        }
    }

    /// Whether all are among others.
    #[must_use]
    pub fn is_within(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Few(few), _) => few.iter().all(|&value| other.contains(value)),
            (Values::Many(mine), Values::Many(range)) => mine.is_within(*range),
            (Values::Many(_), Values::Few(_)) => false,
        }
    }

    /// Both together.
    #[must_use]
    pub fn join(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Few(mine), Values::Few(more)) => mine.iter().chain(more).copied().collect(),
            _ => self.range().join(other.range()).into(),
        }
    }

    /// Adds others; once they are many, the ends that grow go to the next threshold.
    #[must_use]
    pub fn widen(&self, other: &Values, thresholds: &[i32], bounds: Interval) -> Values {
        let joined = self.join(other);
        let Values::Many(range) = joined else { return joined };
        let old = self.range();
        let below = thresholds.iter().rev().find(|&&it| it <= range.low).map_or(bounds.low, |&it| it.max(bounds.low));
        let above = thresholds.iter().find(|&&it| it >= range.high).map_or(bounds.high, |&it| it.min(bounds.high));
        let low = if range.low < old.low { below.min(range.low) } else { range.low };
        let high = if range.high > old.high { above.max(range.high) } else { range.high };
        Values::Many(Interval { low, high })
    }

    /// Those in an interval.
    #[must_use]
    pub fn within(&self, range: Interval) -> Values {
        match self {
            Values::Few(few) => Values::Few(few.iter().copied().filter(|&value| range.contains(value)).collect()),
            Values::Many(mine) => mine.meet(range).into(),
        }
    }

    /// Those that others have as well.
    #[must_use]
    pub fn meet(&self, other: &Values) -> Values {
        match (self, other) {
            (Values::Few(few), _) => few.iter().copied().filter(|&value| other.contains(value)).collect(),
            (_, Values::Few(few)) => few.iter().copied().filter(|&value| self.contains(value)).collect(),
            (Values::Many(mine), Values::Many(more)) => mine.meet(*more).into(),
        }
    }

    /// All but one.
    #[must_use]
    pub fn without(&self, value: i32) -> Values {
        match self {
            Values::Few(few) => Values::Few(few.iter().copied().filter(|&it| it != value).collect()),
            Values::Many(range) if range.low == value => Interval { low: value + 1, ..*range }.into(),
            Values::Many(range) if range.high == value => Interval { high: value - 1, ..*range }.into(),
            Values::Many(_) => self.clone(),
        }
    }

    /// The values of `op a`.
    #[must_use]
    pub fn unary(op: UnaryOp, a: &Values) -> Values {
        match a {
            Values::Few(few) => few.iter().map(|&a| eval::unary(op, a)).collect(),
            Values::Many(range) => Interval::unary(op, *range).into(),
        }
    }

    /// The values of `a op b`.
    #[must_use]
    pub fn binary(op: BinaryOp, a: &Values, b: &Values) -> Values {
        match (a, b) {
            (Values::Few(left), Values::Few(right)) => {
                left.iter().flat_map(|&a| right.iter().filter_map(move |&b| eval::binary(op, a, b))).collect()
            }
            _ => Interval::binary(op, a.range(), b.range()).into(),
        }
    }

    /// What is left of them in a variable of a type. Values outside of a declared range are a fault.
    #[must_use]
    pub fn convert(&self, ty: &Scalar) -> Values {
        match self {
            Values::Few(few) => few.iter().filter_map(|&value| ty.convert(value).ok()).collect(),
            Values::Many(range) if range.is_within(Interval::of_type(ty)) => self.clone(),
            Values::Many(range) => match ty {
                Scalar::Range { .. } => range.meet(Interval::of_type(ty)).into(),
                Scalar::Bit | Scalar::WideBit | Scalar::Byte | Scalar::Pid | Scalar::Mtype(_) | Scalar::Chan => {
                    Interval::of_type(ty).into()
                }
                Scalar::Short | Scalar::Int | Scalar::Unsigned(_) => Interval::of_type(ty).into(),
            },
        }
    }
}

impl From<Interval> for Values {
    fn from(range: Interval) -> Values {
        if i64::from(range.high) - i64::from(range.low) < FEW as i64 {
            return Values::Few((range.low..=range.high).collect());
        }
        Values::Many(range)
    }
}

impl FromIterator<i32> for Values {
    fn from_iter<T: IntoIterator<Item = i32>>(values: T) -> Values {
        let mut all: Vec<i32> = values.into_iter().collect();
        all.sort_unstable();
        all.dedup();
        match (all.first(), all.last()) {
            (Some(&low), Some(&high)) if all.len() > FEW => Values::Many(Interval { low, high }),
            _ => Values::Few(all),
        }
    }
}
