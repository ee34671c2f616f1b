//! The first pass: counts, sums, minimum and maximum.

use bloscpack_format::numpy::Value;

use super::histogram::Histogram;

/// Statistics of numbers. Integers, booleans and times are exact. Times are counted in steps of their unit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Numbers {
    /// Number of values, including not-a-numbers.
    pub count: u64,
    /// Not-a-numbers, or not-a-times. They are excluded from all other statistics.
    pub nans: u64,
    /// Positive and negative infinities. They are left out of `sum`, `mean`, `std` and `histogram`.
    pub infinities: (u64, u64),
    /// Numbers that equal zero.
    pub zeros: u64,
    /// The minimum and the maximum; `None` if there is no number.
    pub range: Option<(Value, Value)>,
    /// The sum of the finite numbers; `None` if it overflows `f64`.
    pub sum: Option<Value>,
    /// The mean of the finite numbers, rounded; `None` if there is none.
    pub mean: Option<f64>,
    /// The standard deviation of the finite numbers, without sample correction, like NumPy's default.
    pub std: Option<f64>,
    /// The distribution of the finite numbers.
    pub histogram: Option<Histogram>,
}

impl Numbers {
    /// Returns the number of finite numbers.
    #[must_use]
    pub fn finite(&self) -> u64 {
        self.count - self.nans - self.infinities.0 - self.infinities.1
    }
}

/// Sums and extremes of one kind of numbers.
#[derive(Debug, Clone)]
pub(super) enum Totals {
    Ints { count: u64, nats: u64, zeros: u64, range: Option<(i128, i128)>, sum: i128 },
    Floats(Box<Floats>),
}

#[derive(Debug, Clone, Default)]
pub(super) struct Floats {
    count: u64,
    nans: u64,
    infinities: (u64, u64),
    zeros: u64,
    range: Option<(f64, f64)>,
    pub(super) finite: Option<(f64, f64)>,
    sum: Sum,
    /// The sum of the numbers times [`SMALL`], which does not overflow.
    small: Sum,
}

/// A factor so small that the sum of 2⁶³ of the largest floats does not overflow.
const SMALL: f64 = 1.0 / (1u128 << 64) as f64;

/// A sum with compensation for rounding errors (Neumaier).
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    sum: f64,
    lost: f64,
}

impl Sum {
    pub(super) fn add(&mut self, value: f64) {
        let sum = self.sum + value;
        let lost = if self.sum.abs() >= value.abs() { (self.sum - sum) + value } else { (value - sum) + self.sum };
        (self.sum, self.lost) = (sum, self.lost + lost);
    }

    pub(super) fn total(self) -> f64 {
        // After an overflow the compensation is meaningless.
        if self.sum.is_finite() { self.sum + self.lost } else { self.sum }
    }
}

impl Totals {
    pub(super) fn ints() -> Totals {
        Totals::Ints { count: 0, nats: 0, zeros: 0, range: None, sum: 0 }
    }

    pub(super) fn floats() -> Totals {
        Totals::Floats(Box::default())
    }

    pub(super) fn add(&mut self, value: Value) {
        match (self, value) {
            (Totals::Ints { count, zeros, range, sum, .. }, Value::Int(value)) => {
                *count += 1;
                *zeros += u64::from(value == 0);
                *range = Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
                // Fewer than 2⁶³ numbers of less than 2⁶⁴ do not overflow.
                *sum += value;
            }
            (Totals::Ints { count, nats, .. }, Value::NotATime) => (*count, *nats) = (*count + 1, *nats + 1),
            (Totals::Floats(floats), Value::Float(value)) => floats.add(value),
            _ => {}
        }
    }

    /// Returns the mean, for computing deviations.
    pub(super) fn mean(&self) -> Option<f64> {
        match self {
            Totals::Ints { count, nats, sum, .. } => ratio(*sum, count - nats),
            Totals::Floats(floats) => floats.mean(),
        }
    }

    pub(super) fn numbers(&self, std: Option<f64>, histogram: Option<Histogram>) -> Numbers {
        let mean = self.mean();
        match self {
            Totals::Ints { count, nats, zeros, range, sum } => Numbers {
                count: *count,
                nans: *nats,
                infinities: (0, 0),
                zeros: *zeros,
                range: range.map(|(low, high)| (Value::Int(low), Value::Int(high))),
                sum: Some(Value::Int(*sum)),
                mean,
                std,
                histogram,
            },
            Totals::Floats(floats) => Numbers {
                count: floats.count,
                nans: floats.nans,
                infinities: floats.infinities,
                zeros: floats.zeros,
                range: floats.range.map(|(low, high)| (Value::Float(low), Value::Float(high))),
                sum: Some(floats.sum.total()).filter(|sum| sum.is_finite()).map(Value::Float),
                mean,
                std,
                histogram,
            },
        }
    }
}

impl Floats {
    fn add(&mut self, value: f64) {
        self.count += 1;
        if value.is_nan() {
            self.nans += 1;
            return;
        }
        let wider = |range: Option<(f64, f64)>| {
            Some(range.map_or((value, value), |(low, high)| {
                (if value < low { value } else { low }, if value > high { value } else { high })
            }))
        };
        self.range = wider(self.range);
        match value {
            f64::INFINITY => self.infinities.0 += 1,
            f64::NEG_INFINITY => self.infinities.1 += 1,
            _ => {
                self.zeros += u64::from(value == 0.0);
                self.finite = wider(self.finite);
                self.sum.add(value);
                self.small.add(value * SMALL);
            }
        }
    }

    fn mean(&self) -> Option<f64> {
        let finite = self.count - self.nans - self.infinities.0 - self.infinities.1;
        let count = (finite > 0).then_some(finite as f64)?;
        let sum = self.sum.total();
        Some(if sum.is_finite() { sum / count } else { self.small.total() / count / SMALL })
    }
}

/// Returns the quotient as the nearest float, or a neighbour of it.
fn ratio(sum: i128, count: u64) -> Option<f64> {
    let count = (count > 0).then_some(i128::from(count))?;
    // An integer that fits and a fraction below one: both are exact to their last bit.
    Some((sum.div_euclid(count)) as f64 + sum.rem_euclid(count) as f64 / count as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_lose_nothing() {
        let mut sum = Sum::default();
        [1.0, 1e100, 1.0, -1e100].into_iter().for_each(|value| sum.add(value));
        assert_eq!(sum.total(), 2.0);
        let mut totals = Totals::floats();
        [f64::MAX, f64::MAX, f64::NAN, f64::INFINITY].into_iter().for_each(|value| totals.add(Value::Float(value)));
        let numbers = totals.numbers(None, None);
        assert_eq!((numbers.mean, numbers.sum, numbers.nans, numbers.finite()), (Some(f64::MAX), None, 1, 2));
        let mut totals = Totals::ints();
        (0..3).for_each(|_| totals.add(Value::Int(u64::MAX.into())));
        assert_eq!(totals.numbers(None, None).sum, Some(Value::Int(3 * i128::from(u64::MAX))));
    }
}
