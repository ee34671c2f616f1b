//! Starts a run: derives the global settings from the options and the command.

use crate::args::{self, ChunkCommand, Cli, Command};
use crate::path_or_stdio::PathOrStdio;
use crate::session::{Session, Settings};
use crate::verbosity::Level;
use std::path::PathBuf;

/// Returns the session for a command line. With `-v` or `-d`, prints a description of the command line.
pub(crate) fn session(cli: &Cli) -> Session {
    let session = Session::new(settings(cli));
    describe(cli, &session);
    session
}

fn settings(cli: &Cli) -> Settings {
    let (global, command) = (&cli.global, cli.command.as_ref());
    Settings {
        level: match (global.debug, global.verbose, global.quiet) {
            (true, _, _) => Level::Debug,
            (_, true, _) => Level::Verbose,
            (_, _, true) => Level::Quiet,
            _ => Level::Normal,
        },
        to_stderr: command.is_some_and(data_on_stdout),
        has_bar: command.is_some_and(takes_long) && !args::no_progress(),
        force: global.force > 0,
        replaces_any: global.force > 1,
        nthreads: global.nthreads.or(global.threads.filter(|threads| *threads > 0)),
    }
}

/// Lists the command line with `-d`, and prints the number of threads with `-v`.
fn describe(cli: &Cli, session: &Session) {
    let report = &session.report;
    if !(cli.global.verbose || cli.global.debug) {
        return;
    }
    report.debug("command line argument parsing complete");
    report.debug("command line arguments are: ");
    let nthreads = session.nthreads();
    for (name, value) in cli.typed(nthreads) {
        report.debug(format!("    {name}: {value}"));
    }
    let plural = if nthreads > 1 { "s" } else { "" };
    report.verbose(format!("using {nthreads} thread{plural}"));
}

/// Whether the command writes data to stdout, so that texts must go to stderr.
fn data_on_stdout(command: &Command) -> bool {
    let is_stdout = |path: &PathBuf| PathOrStdio::from(path.clone()) == PathOrStdio::Standard;
    match command {
        Command::Compress(args) => args.many.is_to_stdout(&args.files),
        Command::Decompress(args) => {
            args.many.is_to_stdout(&args.files) || args.metadata_out.as_ref().is_some_and(is_stdout)
        }
        Command::Chunk(ChunkCommand::Encode(args)) => is_stdout(&args.out_file),
        Command::Chunk(ChunkCommand::Decode(args)) => is_stdout(&args.out_file),
        Command::Reference(args) => is_stdout(&args.output),
        Command::Cat(_) => true,
        _ => false,
    }
}

/// Whether the command may take long enough for a progress bar.
fn takes_long(command: &Command) -> bool {
    use Command::{Append, Bench, Compress, Convert, Decompress, Stats, Verify};
    matches!(command, Compress(_) | Decompress(_) | Append(_) | Verify(_) | Convert(_) | Bench(_) | Stats(_))
}
