//! What do all commands share? The global options, a way to print, and what a job needs to run: threads and Ctrl-C.

use crate::args::{Cli, Command};
use crate::report::{self, Level, Report};
use crate::streams::Place;
use anyhow::{Context as _, Result};
use bloscpack_io::{Cancel, Threads};
use std::path::PathBuf;
use std::process::exit;
use std::sync::Arc;

/// Work of fewer bytes is done before a second thread has started.
const ONE_THREAD_IS_ENOUGH: u64 = 256 << 10;

/// One run of the program.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) report: Report,
    pub(crate) force: bool,
    nthreads: Option<usize>,
}

impl Session {
    pub(crate) fn new(cli: &Cli) -> Session {
        let level = match (cli.global.debug, cli.global.verbose) {
            (true, _) => Level::Debug,
            (false, true) => Level::Verbose,
            (false, false) => Level::Normal,
        };
        Session {
            report: Report::new(level, cli.command.as_ref().is_some_and(data_on_stdout)),
            force: cli.global.force,
            nthreads: cli.global.nthreads,
        }
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
        if nbytes < ONE_THREAD_IS_ENOUGH || self.nthreads() == 1 {
            return Ok(Threads::Serial);
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.nthreads()).build();
        Ok(Threads::Pool(Arc::new(pool.context("starting threads; try -n 1")?)))
    }

    /// A switch that Ctrl-C sets. Whoever presses it twice does not want to wait for the end of a chunk.
    pub(crate) fn cancel(&self) -> Result<Cancel> {
        let cancel = Cancel::new();
        let switch = cancel.clone();
        ctrlc::set_handler(move || {
            if switch.is_cancelled() {
                report::error("interrupted");
                exit(1);
            }
            switch.cancel();
        })
        .context("watching for Ctrl-C")?;
        Ok(cancel)
    }
}

/// Whether stdout is taken by data, so that texts have to go elsewhere.
fn data_on_stdout(command: &Command) -> bool {
    use crate::args::ChunkCommand as Chunk;
    let is_stdout = |path: &PathBuf| Place::from(path.clone()) == Place::Standard;
    let (in_file, out_file) = match command {
        Command::Compress(args) => (&args.in_file, args.out_file.as_ref()),
        Command::Decompress(args) => (&args.in_file, args.out_file.as_ref()),
        Command::Chunk(Chunk::Encode(args)) => (&args.in_file, Some(&args.out_file)),
        Command::Chunk(Chunk::Decode(args)) => (&args.in_file, Some(&args.out_file)),
        Command::Cat(_) => return true,
        _ => return false,
    };
    out_file.map_or_else(|| is_stdout(in_file), is_stdout)
}
