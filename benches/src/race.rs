//! Races: interleaved rounds, and the median of the ratios of single rounds.

use crate::clock::Clock;
use anyhow::Result;
use testdata::SplitMix64;

/// An entrant; a call runs the raced operation once.
pub type Runner<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// The length of a race.
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Maximum number of rounds. With 1 everything runs once, as a check without meaningful figures.
    pub rounds: usize,
    /// No round starts after this many wall-clock seconds, except the first three, which a useful median needs.
    pub seconds: f64,
}

/// Result of one entrant.
#[derive(Debug, Clone, Copy)]
pub struct Time {
    /// Median seconds of one run.
    pub seconds: f64,
    /// Its time divided by the first entrant's, the median of the rounds. Above 1, the first entrant is faster.
    pub to_first: f64,
}

/// Races the entrants. The order of each round is random, so that none gains from what ran before it: chunks that the entrant
/// before has decoded are in the cache.
pub fn run(clock: Clock, length: Length, runners: &mut [Runner<'_>]) -> Result<Vec<Time>> {
    let mut repeats = Vec::new();
    for runner in &mut *runners {
        // A single round is a check, not a measurement.
        repeats.push(if length.rounds > 1 { clock.repeats(runner)? } else { 1 });
    }
    let entrants = runners.len();
    let mut times = vec![Vec::new(); entrants];
    let (mut rng, mut order) = (SplitMix64::new(1), (0..entrants).collect::<Vec<usize>>());
    let start = Clock::Wall.now();
    for round in 0..length.rounds {
        if round >= 3 && Clock::Wall.now() - start > length.seconds {
            break;
        }
        for last in (1..entrants).rev() {
            order.swap(last, rng.below(last + 1));
        }
        for &entrant in &order {
            times[entrant].push(clock.sample(&mut runners[entrant], repeats[entrant])?);
        }
    }
    let outcome = times.iter().map(|own| Time {
        seconds: median(own.iter().copied()),
        to_first: median(own.iter().zip(&times[0]).map(|(own, first)| own / first)),
    });
    Ok(outcome.collect())
}

/// Returns the geometric mean.
pub fn geometric_mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value.ln(), count + 1.0));
    (sum / count).exp()
}

/// Returns the median.
pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
