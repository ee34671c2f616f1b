//! What do all commands share? The global options, a way to print, and what a job needs to run: threads and Ctrl-C.

use crate::args::{Cli, Command};
use crate::memory;
use crate::report::{Level, Report};
use crate::signals;
use crate::streams::Place;
use anyhow::{Context as _, Result};
use bloscpack_io::{Cancel, Threads};
use rayon::ThreadPool;
use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::Arc;

/// Work of fewer bytes is done before a second thread has started.
const ONE_THREAD_IS_ENOUGH: u64 = 256 << 10;

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
    pub(crate) fn new(cli: &Cli) -> Session {
        let level = match (cli.global.debug, cli.global.verbose, cli.global.quiet) {
            (true, _, _) => Level::Debug,
            (_, true, _) => Level::Verbose,
            (_, _, true) => Level::Quiet,
            _ => Level::Normal,
        };
        let to_stderr = cli.command.as_ref().is_some_and(data_on_stdout);
        let session = Session {
            report: match cli.command.as_ref().is_some_and(takes_long) {
                true => Report::with_progress(level, to_stderr),
                false => Report::new(level, to_stderr),
            },
            force: cli.global.force > 0,
            replaces_any: cli.global.force > 1,
            nthreads: cli.global.nthreads.or(cli.global.threads.filter(|threads| *threads > 0)),
            pool: RefCell::new(None),
        };
        signals::tell(&session.report);
        session
    }

    /// How many threads there may be. It takes a dozen system calls to find out how many cores there are, so not before
    /// somebody wants to know.
    pub(crate) fn nthreads(&self) -> usize {
        self.nthreads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
    }

    /// Lists what was typed, with `-d`, and says how many threads there are, with `-v`.
    pub(crate) fn describe(&self, cli: &Cli) {
        let report = &self.report;
        if !(cli.global.verbose || cli.global.debug) {
            return;
        }
        report.debug("command line argument parsing complete");
        report.debug("command line arguments are: ");
        let nthreads = self.nthreads();
        for (name, value) in cli.typed(nthreads) {
            report.debug(format!("    {name}: {value}"));
        }
        let plural = if nthreads > 1 { "s" } else { "" };
        report.verbose(format!("using {nthreads} thread{plural}"));
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

/// Whether stdout is taken by data, so that texts have to go elsewhere.
fn data_on_stdout(command: &Command) -> bool {
    use crate::args::ChunkCommand as Chunk;
    let is_stdout = |path: &PathBuf| Place::from(path.clone()) == Place::Standard;
    match command {
        Command::Compress(args) => args.many.is_to_stdout(&args.files),
        Command::Decompress(args) => {
            args.many.is_to_stdout(&args.files) || args.metadata_out.as_ref().is_some_and(is_stdout)
        }
        Command::Chunk(Chunk::Encode(args)) => is_stdout(&args.out_file),
        Command::Chunk(Chunk::Decode(args)) => is_stdout(&args.out_file),
        Command::Cat(_) => true,
        _ => false,
    }
}

/// Whether a person may wonder how far it is.
fn takes_long(command: &Command) -> bool {
    use Command::{Append, Bench, Compress, Convert, Decompress, Stats, Verify};
    matches!(command, Compress(_) | Decompress(_) | Append(_) | Verify(_) | Convert(_) | Bench(_) | Stats(_))
}
