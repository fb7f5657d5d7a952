//! Medians, ratios and means.

/// A figure, and how far the rounds were apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figure {
    /// The value of the medians.
    pub(crate) value: f64,
    /// The least and the greatest of the rounds, where they are compared round by round.
    pub(crate) spread: Option<(f64, f64)>,
}

impl From<f64> for Figure {
    fn from(value: f64) -> Self {
        Self { value, spread: None }
    }
}

/// The value in the middle; of an even number, the mean of the two.
pub(crate) fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    let upper = *sorted.get(middle)?;
    Some(if sorted.len().is_multiple_of(2) { f64::midpoint(sorted[middle - 1], upper) } else { upper })
}

/// The ratio of the medians, with the spread of the ratios of the rounds.
///
/// The sides are run in turn, so that a round compares what ran under the same conditions.
pub(crate) fn ratio(above: &[f64], below: &[f64]) -> Option<Figure> {
    let value = median(above)? / median(below)?;
    let rounds = above.iter().zip(below).map(|(above, below)| above / below);
    let (least, greatest) = rounds.fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(it), high.max(it)));
    Some(Figure { value, spread: Some((least, greatest)) })
}

/// The geometric mean, which ratios need; nothing if a value is not above zero.
pub(crate) fn geometric_mean(values: &[f64]) -> Option<f64> {
    if values.is_empty() || values.iter().any(|&value| value <= 0.0) {
        return None;
    }
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    Some((logarithms / values.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::{geometric_mean, median, ratio};

    #[test]
    fn medians_are_in_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_ratio_has_the_spread_of_its_rounds() {
        let figure = ratio(&[2.0, 6.0, 4.0], &[1.0, 2.0, 4.0]).expect("rounds");
        assert_eq!(figure.value, 2.0);
        assert_eq!(figure.spread, Some((1.0, 3.0)));
    }

    #[test]
    fn a_mean_of_ratios_is_geometric() {
        assert_eq!(geometric_mean(&[0.5, 2.0]), Some(1.0));
        assert_eq!(geometric_mean(&[0.0, 2.0]), None);
        assert_eq!(geometric_mean(&[]), None);
    }
}
