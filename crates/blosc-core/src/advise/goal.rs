//! The aim of a choice, and the score of a candidate.

use super::candidate::Candidate;
use crate::codec::Codec;
use crate::filter::Filter;
use crate::layout::tuning::MAX_SPLITS;
use crate::name::NameError;
use crate::params::CParams;
use core::fmt;
use core::str::FromStr;

/// The aim of an automatic choice of parameters.
///
/// Speeds are nominal: one thread of the machine in docs/decisions/023-automatic-choice.md. Other machines are faster or
/// slower, but the choice is the same.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
#[non_exhaustive]
pub enum Goal {
    /// Fast in both directions, at the best ratio that LZ4 or a fast level of Zstandard offers.
    Fast,
    /// A good ratio at several hundred MB/s.
    #[default]
    Balanced,
    /// The best ratio, however long it takes.
    Small,
    /// The best ratio at this nominal speed of compression, in MB/s.
    Speed(u32),
    /// The fastest parameters that reach this ratio of uncompressed to compressed size, or else the best ratio.
    Ratio(f64),
}

impl Goal {
    /// The goals that have a name.
    pub const NAMED: [Goal; 3] = [Goal::Fast, Goal::Balanced, Goal::Small];

    /// Returns the size of chunks that suits the goal, if the caller may choose it. Unfiltered data needs repeats from far
    /// away to be as small as with a general-purpose program. Larger chunks take longer to read in part.
    pub const fn chunk_size(self) -> usize {
        match self {
            Goal::Fast => 1 << 20,
            Goal::Small => 8 << 20,
            Goal::Balanced | Goal::Speed(_) | Goal::Ratio(_) => 2 << 20,
        }
    }

    /// Returns how much a relative change of time counts beside one of size: with 0.1, half the time is worth a result
    /// that is 7 % larger.
    const fn weight_of_time(self) -> f64 {
        match self {
            Goal::Fast => 0.4,
            Goal::Balanced => 0.1,
            Goal::Small => 0.002,
            Goal::Speed(_) | Goal::Ratio(_) => 0.002,
        }
    }

    /// Returns the least ratio with which parameters are not slower than LZ4, 0 if any will do. Zstandard is slower where
    /// it finds few repeats: on unfiltered data, and after bytedelta or a shuffle of wide elements, which leave more to the
    /// entropy coder.
    pub(super) fn least_ratio(self, params: &CParams) -> f64 {
        if self != Goal::Fast || params.codec != Codec::Zstd {
            return 0.0;
        }
        match params.filters.as_slice() {
            [] => 8.0,
            [.., Filter::ByteDelta(_)] => 6.0,
            _ if params.typesize > MAX_SPLITS => 6.0,
            _ => 0.0,
        }
    }

    /// Returns the score of a candidate. The lowest is best; a difference of 0.01 is about one per cent of the size.
    pub(super) fn score(self, candidate: &Candidate) -> f64 {
        // Reading and writing take time, too, so that twice the speed of the fastest codecs is worth little.
        let whole_job = 1000.0 / (1000.0 / candidate.compress + HANDLING);
        let (ratio, speed) = (ln(candidate.ratio), ln(whole_job));
        match self {
            Goal::Speed(wanted) if candidate.compress < f64::from(wanted) => UNFIT - speed,
            Goal::Ratio(wanted) if candidate.ratio < wanted => UNFIT - ratio,
            Goal::Ratio(_) => -speed - 0.01 * ratio,
            goal => -ratio - goal.weight_of_time() * speed,
        }
    }
}

/// Nanoseconds per byte for reading, checksums and writing.
const HANDLING: f64 = 0.3;

/// Added to the score of candidates that miss a bound.
pub(super) const UNFIT: f64 = 1000.0;

/// Returns the natural logarithm of a positive number, to six digits. Unlike [`f64::ln`], which the platform's library
/// may compute, it has the same last bit everywhere: choices must not depend on the machine.
pub(super) fn ln(number: f64) -> f64 {
    let bits = number.max(f64::MIN_POSITIVE).to_bits();
    let exponent = (bits >> 52) as f64 - 1023.0;
    let mantissa = f64::from_bits(bits & ((1 << 52) - 1) | 1023 << 52);
    // ln m = 2 artanh((m - 1) / (m + 1)), and m is below 2.
    let (z, mut power, mut sum) = ((mantissa - 1.0) / (mantissa + 1.0), 1.0, 0.0);
    for odd in [1.0, 3.0, 5.0, 7.0, 9.0, 11.0] {
        sum += power / odd;
        power *= z * z;
    }
    exponent * core::f64::consts::LN_2 + 2.0 * z * sum
}

impl fmt::Display for Goal {
    /// Writes `fast`, `balanced`, `small`, `500 MB/s` or `ratio 3.5`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Goal::Fast => f.write_str("fast"),
            Goal::Balanced => f.write_str("balanced"),
            Goal::Small => f.write_str("small"),
            Goal::Speed(speed) => write!(f, "{speed} MB/s"),
            Goal::Ratio(ratio) => write!(f, "ratio {ratio}"),
        }
    }
}

impl FromStr for Goal {
    type Err = NameError;

    /// Parses `fast`, `balanced`, `small`, a nominal speed as `500MB/s`, or a ratio as `ratio:3.5`.
    ///
    /// ```
    /// use blosc_core::Goal;
    /// assert_eq!("small".parse(), Ok(Goal::Small));
    /// assert_eq!("500MB/s".parse(), Ok(Goal::Speed(500)));
    /// ```
    fn from_str(name: &str) -> Result<Self, NameError> {
        match name {
            "fast" => Ok(Goal::Fast),
            "balanced" => Ok(Goal::Balanced),
            "small" => Ok(Goal::Small),
            _ => speed(name).or_else(|| ratio(name)).ok_or(NameError::Goal { found: name.into() }),
        }
    }
}

fn speed(text: &str) -> Option<Goal> {
    let speed = text.strip_suffix("MB/s")?.trim_end().parse().ok()?;
    Some(Goal::Speed(speed)).filter(|_| speed > 0)
}

fn ratio(text: &str) -> Option<Goal> {
    let ratio = text.strip_prefix("ratio:")?.parse().ok()?;
    (1.0..=1e9).contains(&ratio).then_some(Goal::Ratio(ratio))
}
