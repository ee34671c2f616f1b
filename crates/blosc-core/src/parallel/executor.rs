//! Threads of a program that has its own way to start them, in place of a rayon pool.

/// Runs a job on the threads of a program.
pub trait Executor: Send + Sync {
    /// Returns the number of jobs to run at once.
    fn threads(&self) -> usize;

    /// Calls `job` [`threads`](Executor::threads) times, on any threads, and returns when all calls have returned. The
    /// calls may also run one after another. Calls that are left out only cost speed.
    fn run(&self, job: &(dyn Fn() + Sync));
}
