//! Clocks: CPU time of the process on one core for one thread, wall time for several threads.

use anyhow::Result;
use rustix::thread::CpuSet;
use rustix::time::{ClockId, clock_gettime};

/// Shorter samples are repeated within the round, because timer resolution and cache state would dominate them.
const SHORTEST_SAMPLE: f64 = 0.002;

/// The kind of time that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// CPU seconds of the whole process, unaffected by other load on the machine.
    Cpu,
    /// CPU seconds of this thread.
    Thread,
    /// Wall-clock seconds.
    Wall,
}

impl Clock {
    /// Returns seconds since an arbitrary moment.
    pub fn now(self) -> f64 {
        let time = clock_gettime(match self {
            Clock::Cpu => ClockId::ProcessCPUTime,
            Clock::Thread => ClockId::ThreadCPUTime,
            Clock::Wall => ClockId::Monotonic,
        });
        time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
    }

    /// Returns the number of calls per sample. The calls made to determine it also serve as warm-up.
    pub fn repeats(self, call: &mut dyn FnMut() -> Result<()>) -> Result<usize> {
        let mut repeats = 1;
        loop {
            let seconds = self.sample(call, repeats)? * repeats as f64;
            if seconds >= SHORTEST_SAMPLE {
                return Ok(repeats);
            }
            let wanted = repeats as f64 * 1.1 * SHORTEST_SAMPLE / seconds.max(SHORTEST_SAMPLE / 100.0);
            repeats = (wanted.ceil() as usize).max(repeats + 1);
        }
    }

    /// Returns the mean time of one call in seconds, over `repeats` calls.
    pub fn sample(self, call: &mut dyn FnMut() -> Result<()>, repeats: usize) -> Result<f64> {
        let start = self.now();
        for _ in 0..repeats {
            call()?;
        }
        Ok((self.now() - start) / repeats as f64)
    }
}

/// Pins this thread to the last core it may use, because the first cores serve more interrupts.
pub fn pin_to_one_core() -> Result<()> {
    let allowed = rustix::thread::sched_getaffinity(None)?;
    if let Some(core) = (0..CpuSet::MAX_CPU).rev().find(|core| allowed.is_set(*core)) {
        let mut one = CpuSet::new();
        one.set(core);
        rustix::thread::sched_setaffinity(None, &one)?;
    }
    Ok(())
}
