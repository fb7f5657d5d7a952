//! Intervals and their arithmetic.

use crate::expr::{BinaryOp, UnaryOp};
use crate::types::Scalar;

/// Smallest and greatest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest value.
    pub low: i32,
    /// The greatest value.
    pub high: i32,
}

impl Interval {
    /// All numbers.
    pub const FULL: Interval = Interval { low: i32::MIN, high: i32::MAX };
    /// No number.
    pub const EMPTY: Interval = Interval { low: i32::MAX, high: i32::MIN };
    /// A truth value.
    pub const BOOL: Interval = Interval { low: 0, high: 1 };

    /// All values between two.
    #[must_use]
    pub fn new(low: i32, high: i32) -> Interval {
        Interval { low, high }
    }

    /// One value.
    #[must_use]
    pub fn single(value: i32) -> Interval {
        Interval { low: value, high: value }
    }

    /// All values of a type.
    #[must_use]
    pub fn of_type(ty: &Scalar) -> Interval {
        let (low, high) = ty.bounds();
        Interval { low, high }
    }

    /// Whether there is no value.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.low > self.high
    }

    /// The value, if there is only one.
    #[must_use]
    pub fn constant(self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// Whether a value is in it.
    #[must_use]
    pub fn contains(self, value: i32) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all its values are in another.
    #[must_use]
    pub fn is_within(self, other: Interval) -> bool {
        self.is_empty() || (other.low <= self.low && self.high <= other.high)
    }

    /// The smallest interval around both.
    #[must_use]
    pub fn join(self, other: Interval) -> Interval {
        Interval { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What both have.
    #[must_use]
    pub fn meet(self, other: Interval) -> Interval {
        let met = Interval { low: self.low.max(other.low), high: self.high.min(other.high) };
        if met.is_empty() { Interval::EMPTY } else { met }
    }

    /// How many bits tell its values apart.
    #[must_use]
    pub fn bits(self) -> u32 {
        if self.is_empty() {
            return 0;
        }
        64 - ((i64::from(self.high) - i64::from(self.low)) as u64).leading_zeros()
    }
}

/// Arithmetic. A result that might wrap around is [`Interval::FULL`].
impl Interval {
    /// The values of `op a`.
    #[must_use]
    pub fn unary(op: UnaryOp, a: Interval) -> Interval {
        if a.is_empty() {
            return a;
        }
        match op {
            UnaryOp::Not => truth(!a.contains(0), a.constant() == Some(0)).complement(),
            UnaryOp::Negate => fitting(-i64::from(a.high), -i64::from(a.low)),
            UnaryOp::Complement => Interval { low: !a.high, high: !a.low },
        }
    }

    /// The values of `a op b`.
    #[must_use]
    pub fn binary(op: BinaryOp, a: Interval, b: Interval) -> Interval {
        if a.is_empty() || b.is_empty() {
            return Interval::EMPTY;
        }
        match op {
            BinaryOp::Add => corners(a, b, |a, b| a + b),
            BinaryOp::Subtract => corners(a, b, |a, b| a - b),
            BinaryOp::Multiply => corners(a, b, |a, b| a * b),
            BinaryOp::Divide => divide(a, b),
            BinaryOp::Remainder => remainder(a, b),
            BinaryOp::BitAnd => bit_and(a, b),
            BinaryOp::BitOr => bit_or(a, b, a.low.max(b.low)),
            BinaryOp::BitXor => bit_or(a, b, 0),
            BinaryOp::ShiftLeft if b.low >= 0 && b.high < 32 => corners(a, b, |a, b| a << b),
            BinaryOp::ShiftRight if b.low >= 0 && b.high < 32 => corners(a, b, |a, b| a >> b),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => Interval::FULL,
            BinaryOp::Less => truth(a.high < b.low, a.low >= b.high),
            BinaryOp::LessEqual => truth(a.high <= b.low, a.low > b.high),
            BinaryOp::Greater => truth(a.low > b.high, a.high <= b.low),
            BinaryOp::GreaterEqual => truth(a.low >= b.high, a.high < b.low),
            BinaryOp::Equal => truth(same(a, b), a.meet(b).is_empty()),
            BinaryOp::NotEqual => truth(a.meet(b).is_empty(), same(a, b)),
            BinaryOp::And => {
                truth(!a.contains(0) && !b.contains(0), a.constant() == Some(0) || b.constant() == Some(0))
            }
            BinaryOp::Or => truth(!a.contains(0) || !b.contains(0), a.constant() == Some(0) && b.constant() == Some(0)),
        }
    }

    /// The truth values that are left when each is turned around.
    fn complement(self) -> Interval {
        Interval { low: 1 - self.high, high: 1 - self.low }
    }
}

fn same(a: Interval, b: Interval) -> bool {
    a == b && a.constant().is_some()
}

fn truth(always: bool, never: bool) -> Interval {
    Interval { low: i32::from(always), high: i32::from(!never) }
}

fn fitting(low: i64, high: i64) -> Interval {
    match (i32::try_from(low), i32::try_from(high)) {
        (Ok(low), Ok(high)) => Interval { low, high },
        _ => Interval::FULL,
    }
}

/// The results of an operation that is monotone in each operand.
fn corners(a: Interval, b: Interval, op: impl Fn(i64, i64) -> i64) -> Interval {
    let results = [a.low, a.high].map(|a| [b.low, b.high].map(|b| op(i64::from(a), i64::from(b)))).concat();
    let (low, high) = (results.iter().min(), results.iter().max());
    fitting(*low.expect("four results"), *high.expect("four results"))
}

/// A division by 0 is a fault and has no value.
fn divide(a: Interval, b: Interval) -> Interval {
    let negative = b.meet(Interval { low: i32::MIN, high: -1 });
    let positive = b.meet(Interval { low: 1, high: i32::MAX });
    let parts = [negative, positive].into_iter().filter(|part| !part.is_empty());
    parts.map(|b| corners(a, b, |a, b| a / b)).fold(Interval::EMPTY, Interval::join)
}

/// The result has the sign of `a` and is smaller than `b`.
fn remainder(a: Interval, b: Interval) -> Interval {
    if b.constant() == Some(0) {
        return Interval::EMPTY;
    }
    if a.low >= 0 && a.high < b.low {
        return a;
    }
    let most = b.low.unsigned_abs().max(b.high.unsigned_abs()) - 1;
    let most = i32::try_from(most).unwrap_or(i32::MAX);
    Interval { low: a.low.max(-most).min(0), high: a.high.min(most).max(0) }
}

fn bit_and(a: Interval, b: Interval) -> Interval {
    match (a.low >= 0, b.low >= 0) {
        (true, true) => Interval { low: 0, high: a.high.min(b.high) },
        (true, false) => Interval { low: 0, high: a.high },
        (false, true) => Interval { low: 0, high: b.high },
        (false, false) => Interval::FULL,
    }
}

/// `a | b` and `a ^ b`: no bit above the highest of both.
fn bit_or(a: Interval, b: Interval, low: i32) -> Interval {
    if a.low < 0 || b.low < 0 {
        return Interval::FULL;
    }
    let width = u32::BITS - a.high.max(b.high).leading_zeros();
    Interval { low, high: ((1_u64 << width) - 1) as i32 }
}
