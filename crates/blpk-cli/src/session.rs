//! One run of the program: global settings, output of texts, threads, Ctrl-C.

use crate::memory;
use crate::report::Report;
use crate::signals;
use crate::verbosity::Level;
use anyhow::{Context as _, Result};
use bloscpack_io::{Cancel, Threads};
use rayon::ThreadPool;
use std::cell::RefCell;
use std::sync::Arc;

/// Jobs of fewer bytes are done before a second thread has started.
const ONE_THREAD_IS_ENOUGH: u64 = 256 << 10;

/// More bytes than a thread takes: its stack of 2 MiB, the one on which it handles signals, and its queue of jobs.
const MEMORY_OF_THREAD: usize = 3 << 20;

/// The global settings of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) level: Level,
    /// Texts go to stderr, as stdout is for data.
    pub(crate) to_stderr: bool,
    /// A progress bar may be shown.
    pub(crate) has_bar: bool,
    pub(crate) force: bool,
    /// `-ff`: any existing file is replaced.
    pub(crate) replaces_any: bool,
    /// `None` for one thread per core.
    pub(crate) nthreads: Option<usize>,
}

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) report: Report,
    pub(crate) force: bool,
    /// `-ff`: any existing file is replaced.
    pub(crate) replaces_any: bool,
    nthreads: Option<usize>,
    /// The last thread pool, which serves one file after another.
    pool: RefCell<Option<Arc<ThreadPool>>>,
}

impl Session {
    pub(crate) fn new(settings: Settings) -> Session {
        let Settings { level, to_stderr, has_bar, .. } = settings;
        let session = Session {
            report: if has_bar { Report::with_progress(level, to_stderr) } else { Report::new(level, to_stderr) },
            force: settings.force,
            replaces_any: settings.replaces_any,
            nthreads: settings.nthreads,
            pool: RefCell::new(None),
        };
        signals::tell(&session.report);
        session
    }

    /// Returns the maximum number of threads. Finding out the number of cores takes a dozen system calls, so it is done
    /// only on demand.
    pub(crate) fn nthreads(&self) -> usize {
        self.nthreads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Returns the threads for a job of `nbytes` bytes. A thread pool is built only for such a job, on demand.
    pub(crate) fn threads(&self, nbytes: u64) -> Result<Threads> {
        self.threads_within(nbytes, None, 0)
    }

    /// Like [`Session::threads`], but limited so that chunks of `chunk` uncompressed bytes take at most `memory` bytes.
    pub(crate) fn threads_within(&self, nbytes: u64, memory: Option<u64>, chunk: u64) -> Result<Threads> {
        let within = |wanted| memory.map_or(Ok(wanted), |memory| memory::threads_within(memory, chunk, wanted));
        if nbytes < ONE_THREAD_IS_ENOUGH || self.nthreads() == 1 {
            return within(1).map(|_| Threads::Serial);
        }
        let nthreads = match within(self.nthreads())? {
            1 => return Ok(Threads::Serial),
            nthreads => nthreads,
        };
        let mut last = self.pool.borrow_mut();
        if let Some(pool) = last.as_ref().filter(|pool| pool.current_num_threads() == nthreads) {
            return Ok(Threads::Pool(pool.clone()));
        }
        let pool = start(nthreads).context("starting threads; try -n 1")?;
        // The queue of the pool allocates at the first job, and cannot report a failure: not after the memory of the job.
        pool.install(|| ());
        *last = Some(pool.clone());
        Ok(Threads::Pool(pool))
    }

    /// Returns the switch that Ctrl-C sets. A job that requests it must check it: see [`signals`].
    pub(crate) fn cancel(&self) -> Cancel {
        signals::cancel()
    }
}

fn start(nthreads: usize) -> Result<Arc<ThreadPool>> {
    let builder = rayon::ThreadPoolBuilder::new().num_threads(nthreads);
    let pool = Arc::new(builder.spawn_handler(start_one).build()?);
    // Nothing can report that the last thread left no memory for small allocations.
    blosc_core::memory::check_free(blosc_core::memory::MIN_CHECKED)?;
    Ok(pool)
}

/// Starts a thread and waits until it runs. A new thread cannot report that there is no memory for its second stack,
/// and may then wait forever. The C library maps up to 128 MiB at a thread's first allocation, so the memory of the next
/// thread is checked after that.
fn start_one(thread: rayon::ThreadBuilder) -> std::io::Result<()> {
    blosc_core::memory::check_free(MEMORY_OF_THREAD)?;
    let (runs, started) = std::sync::mpsc::sync_channel::<()>(0);
    std::thread::Builder::new().spawn(move || {
        drop(runs);
        thread.run();
    })?;
    // The channel is closed, not sent to.
    let _ = started.recv();
    Ok(())
}
