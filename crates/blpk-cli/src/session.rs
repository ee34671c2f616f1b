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

/// Work of fewer bytes is done before a second thread has started.
const ONE_THREAD_IS_ENOUGH: u64 = 256 << 10;

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
    /// `None` for one thread on each core.
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
    /// The pool that was built last: many files are worked on by the same threads.
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

    /// How many threads there may be. Finding out the number of cores takes a dozen system calls, so it is done only
    /// on demand.
    pub(crate) fn nthreads(&self) -> usize {
        self.nthreads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// The threads for a job of so many bytes. A pool is built only here.
    pub(crate) fn threads(&self, nbytes: u64) -> Result<Threads> {
        self.threads_within(nbytes, None, 0)
    }

    /// The same, if chunks of so many plain bytes are not to take more than so much memory.
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
        let pool = rayon::ThreadPoolBuilder::new().num_threads(nthreads).build();
        let pool = Arc::new(pool.context("starting threads; try -n 1")?);
        *last = Some(pool.clone());
        Ok(Threads::Pool(pool))
    }

    /// The switch that Ctrl-C sets. A job that asks for it has to look at it: see [`signals`].
    pub(crate) fn cancel(&self) -> Cancel {
        signals::cancel()
    }
}
