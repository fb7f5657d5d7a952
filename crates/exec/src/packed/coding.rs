//! Values as small numbers.

use spinor_model::ranges::Values;

/// Which number stands for which value: the values from a smallest one on, in order, and at most
/// one that is far away. Models mark "nobody" with 255 beside small numbers, which would take
/// eight bits otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Coding {
    /// The value of number 0.
    pub low: i32,
    /// The greatest number.
    pub highest: u64,
    /// The value of the greatest number, if it is not the next in order.
    pub outlier: Option<i32>,
}

impl Coding {
    /// Numbers that are values themselves.
    #[must_use]
    pub fn plain(highest: u64) -> Coding {
        Coding { low: 0, highest, outlier: None }
    }

    /// The best coding of some values; what is never stored is 0.
    pub(super) fn of(values: &Values) -> Coding {
        let range = values.range();
        if range.low > range.high {
            return Coding::plain(0);
        }
        let distance = |high: i32| u64::from(high.wrapping_sub(range.low) as u32);
        let plain = Coding { low: range.low, highest: distance(range.high), outlier: None };
        if let Values::Few(few) = values
            && let [.., before, last] = few[..]
        {
            let apart = Coding { highest: distance(before) + 1, outlier: Some(last), ..plain };
            if super::place::width_of(apart.highest) < super::place::width_of(plain.highest) {
                return apart;
            }
        }
        plain
    }

    /// The number of a value, if it has one.
    #[must_use]
    pub fn number(self, value: i32) -> Option<u64> {
        if self.outlier == Some(value) {
            return Some(self.highest);
        }
        let number = u64::from(value.wrapping_sub(self.low) as u32);
        let past = self.highest + u64::from(self.outlier.is_none());
        (number < past).then_some(number)
    }

    /// The value of a number.
    #[must_use]
    pub fn value(self, number: u64) -> i32 {
        match self.outlier {
            Some(outlier) if number == self.highest => outlier,
            _ => (number as u32 as i32).wrapping_add(self.low),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Coding;
    use spinor_model::ranges::{Interval, Values};

    #[test]
    fn numbers_and_back() {
        let sets = [
            Values::Few(vec![0, 1, 2, 255]),
            Values::Few(vec![3]),
            Values::Few(vec![-2, 0, 1]),
            Values::Few(vec![0, 255]),
            Values::Many(Interval { low: i32::MIN, high: i32::MAX }),
            Values::empty(),
        ];
        let widths = [2, 0, 2, 1, 32, 0];
        for (values, width) in sets.iter().zip(widths) {
            let coding = Coding::of(values);
            assert_eq!(64 - coding.highest.leading_zeros(), width, "{values:?}");
            for value in [-3, -2, -1, 0, 1, 2, 3, 4, 254, 255, i32::MIN, i32::MAX] {
                match coding.number(value) {
                    Some(number) => assert_eq!(coding.value(number), value, "{values:?}"),
                    None => assert!(!values.contains(value), "{values:?} {value}"),
                }
            }
        }
    }
}
