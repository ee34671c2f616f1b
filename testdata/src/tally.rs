//! Memory and time limits for sets of hostile inputs: checks each input and records the worst figures.

use crate::{CountingAlloc, slowness};
use std::time::{Duration, Instant};

/// Figures of a set of inputs. The test binary has to install [`CountingAlloc`].
#[derive(Debug)]
pub struct Tally {
    name: &'static str,
    most_memory: usize,
    most_time: Duration,
    /// Number of inputs.
    pub inputs: usize,
    /// Number of inputs that gave an error.
    pub refused: usize,
    peak: usize,
    total: Duration,
    slowest: (Duration, String),
}

impl Tally {
    /// Creates a tally for inputs that may each take `most_memory` bytes besides the output, and `most_time`. The time
    /// limit must be generous enough for a busy machine: it should catch only disproportionate cost.
    #[must_use]
    pub fn new(name: &'static str, most_memory: usize, most_time: Duration) -> Self {
        let (_, usage) = CountingAlloc::measure(|| std::hint::black_box(vec![0_u8; 1 << 20]));
        assert!(usage.largest >= 1 << 20, "the allocator does not count");
        let (total, slowest) = (Duration::ZERO, (Duration::ZERO, String::new()));
        let most_time = most_time * slowness();
        Tally { name, most_memory, most_time, inputs: 0, refused: 0, peak: 0, total, slowest }
    }

    /// Measures `read` on one input. `output` returns the requested size of a result in bytes: a growing vector briefly
    /// holds three times that size.
    ///
    /// # Errors
    /// The error of `read`.
    ///
    /// # Panics
    /// If a limit is exceeded.
    pub fn measure<T, E>(
        &mut self,
        input: &dyn Fn() -> String,
        output: impl Fn(&T) -> usize,
        read: impl FnOnce() -> Result<T, E>,
    ) -> Result<T, E> {
        let start = Instant::now();
        let (result, usage) = CountingAlloc::measure(read);
        let took = start.elapsed();
        let peak = usage.peak.saturating_sub(3 * result.as_ref().map_or(0, output));
        assert!(peak <= self.most_memory, "{}: {}: {usage:?}", self.name, input());
        assert!(took <= self.most_time, "{}: {}: {took:?}", self.name, input());
        self.inputs += 1;
        self.refused += usize::from(result.is_err());
        self.peak = self.peak.max(peak);
        self.total += took;
        if took > self.slowest.0 {
            self.slowest = (took, input());
        }
        result
    }

    /// Prints the figures.
    pub fn print(&self) {
        let Tally { name, inputs, refused, peak, most_memory, total, slowest: (slowest, which), .. } = self;
        let mean = total.as_secs_f64() * 1e6 / (*inputs).max(1) as f64;
        println!(
            "limits: {name}: {inputs} inputs, {refused} refused, {} read; peak {} KiB of {} KiB; mean {mean:.0} µs, slowest \
             {:.1} ms ({which})",
            inputs - refused,
            peak >> 10,
            most_memory >> 10,
            slowest.as_secs_f64() * 1e3,
        );
    }

    /// Returns the number of mutations to try: `BLOSC_LIMITS_INPUTS` from the environment, or `usual`.
    #[must_use]
    pub fn wanted(usual: usize) -> usize {
        std::env::var("BLOSC_LIMITS_INPUTS").ok().and_then(|number| number.parse().ok()).unwrap_or(usual)
    }
}
