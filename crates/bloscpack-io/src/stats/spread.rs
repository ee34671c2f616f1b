//! The second pass: deviations from the mean, and the histogram.

use bloscpack_format::numpy::Value;

use super::histogram::{Edges, Histogram};
use super::totals::{Numbers, Sum, Totals};

/// Number of bins of a histogram, unless integers have fewer distinct values.
const BINS: usize = 16;

/// Running deviations and bins.
#[derive(Debug)]
pub(super) struct Spread {
    mean: f64,
    /// Half the largest deviation. Halved deviations are divided by it, so that their squares neither overflow nor
    /// vanish.
    scale: f64,
    /// The sum of the deviations, which differs from 0 only by the rounding of the mean, and the sum of their squares.
    deviations: Sum,
    squares: Sum,
    count: u64,
    bins: Bins,
    counts: Vec<u64>,
}

#[derive(Debug)]
enum Bins {
    None,
    Ints { low: i128, width: i128 },
    Floats { low: f64, high: f64 },
}

impl Spread {
    pub(super) fn new(totals: &Totals) -> Spread {
        let mean = totals.mean().unwrap_or(0.0);
        let (bins, number, low, high) = match totals {
            Totals::Ints { range: Some((low, high)), .. } => {
                // Values have 64 bits, so neither expression overflows.
                let values = high - low + 1;
                let width = (values + BINS as i128 - 1) / BINS as i128;
                let number = (values + width - 1) / width;
                (Bins::Ints { low: *low, width }, number as usize, *low as f64, *high as f64)
            }
            Totals::Floats(floats) => match floats.finite {
                Some((low, high)) => (Bins::Floats { low, high }, if low < high { BINS } else { 1 }, low, high),
                None => (Bins::None, 0, 0.0, 0.0),
            },
            Totals::Ints { .. } => (Bins::None, 0, 0.0, 0.0),
        };
        let scale = (high / 2.0 - mean / 2.0).max(mean / 2.0 - low / 2.0);
        let (deviations, squares) = Default::default();
        Spread { mean, scale, deviations, squares, count: 0, bins, counts: vec![0; number] }
    }

    pub(super) fn add(&mut self, value: Value) {
        let (number, bin) = match (value, &self.bins) {
            (Value::Int(value), Bins::Ints { low, width }) => (value as f64, ((value - low) / width) as usize),
            (Value::Float(value), Bins::Floats { low, high }) if value.is_finite() => {
                // Values are halved, because the difference of two floats may overflow.
                let share = (value / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0);
                (value, (share * self.counts.len() as f64) as usize)
            }
            _ => return,
        };
        let last = self.counts.len().saturating_sub(1);
        if let Some(count) = self.counts.get_mut(bin.min(last)) {
            *count += 1;
        }
        self.count += 1;
        if self.scale > 0.0 {
            let deviation = (number / 2.0 - self.mean / 2.0) / self.scale;
            self.deviations.add(deviation);
            self.squares.add(deviation * deviation);
        }
    }

    pub(super) fn finish(self, totals: Totals) -> Numbers {
        let (count, rest) = (self.count.max(1) as f64, self.deviations.total());
        let variance = ((self.squares.total() - rest * rest / count) / count).max(0.0);
        let std = (self.count > 0).then(|| variance.sqrt() * self.scale * 2.0);
        let number = self.counts.len();
        let edges = match self.bins {
            Bins::None => None,
            Bins::Ints { low, width } => Some(Edges::Ints((0..=number as i128).map(|bin| low + bin * width).collect())),
            Bins::Floats { low, high } => {
                let at = |bin: usize| {
                    let share = bin as f64 / number as f64;
                    if bin == number { high } else { low * (1.0 - share) + high * share }
                };
                Some(Edges::Floats((0..=number).map(at).collect()))
            }
        };
        let counts = self.counts;
        totals.numbers(std, edges.map(|edges| Histogram { edges, counts }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(mut totals: Totals, values: &[Value]) -> Numbers {
        values.iter().for_each(|value| totals.add(*value));
        let mut spread = Spread::new(&totals);
        values.iter().for_each(|value| spread.add(*value));
        spread.finish(totals)
    }

    #[test]
    fn bins_of_integers_are_whole() {
        let few = numbers(Totals::ints(), &[-1, 0, 0, 2].map(Value::Int));
        let histogram = few.histogram.unwrap();
        assert_eq!((histogram.edges, histogram.counts), (Edges::Ints(vec![-1, 0, 1, 2, 3]), vec![1, 2, 0, 1]));
        let values: Vec<Value> = (0..100).map(Value::Int).collect();
        let many = numbers(Totals::ints(), &values);
        assert_eq!(many.histogram.unwrap().counts, [vec![7; 14], vec![2]].concat());
        assert_eq!(many.mean, Some(49.5));
        assert!((many.std.unwrap() - (9999.0_f64 / 12.0).sqrt()).abs() < 1e-13);
        let wide = numbers(Totals::ints(), &[Value::Int(i64::MIN.into()), Value::Int(u64::MAX.into())]);
        assert_eq!(wide.histogram.unwrap().counts.iter().sum::<u64>(), 2);
    }

    #[test]
    fn extreme_floats_neither_overflow_nor_vanish() {
        for (values, std) in [
            ([f64::MAX, -f64::MAX], f64::MAX),
            ([1e-300, -1e-300], 1e-300),
            ([5.0, 5.0], 0.0),
            ([1e16, 1e16 + 2.0], 1.0),
        ] {
            let found = numbers(Totals::floats(), &values.map(Value::Float));
            assert!((found.std.unwrap() / 2.0 - std / 2.0).abs() <= std * 1e-15, "{found:?}");
            let histogram = found.histogram.unwrap();
            assert_eq!(histogram.counts.iter().sum::<u64>(), 2);
            assert!(matches!(histogram.edges, Edges::Floats(edges) if edges.iter().all(|edge| edge.is_finite())));
        }
        let none = numbers(Totals::floats(), &[Value::Float(f64::NAN), Value::Float(f64::INFINITY)]);
        assert_eq!((none.mean, none.std, none.histogram), (None, None, None));
        assert_eq!(none.range, Some((Value::Float(f64::INFINITY), Value::Float(f64::INFINITY))));
    }
}
