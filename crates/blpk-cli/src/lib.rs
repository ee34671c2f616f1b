//! blpk: compress, decompress, append to, verify and describe Blosc files from the command line.
//!
//! Data flow: argv → `args`, the command line as typed → `commands`, a plan for each command, run by the libraries →
//! `report`, texts → `exit`, the exit code. Imports point one way: this file, `start`, `commands`, then `args`, `files`,
//! `outputs`, `streams`, `report` and `progress`, then values such as `path_or_stdio`, `names`, `file_kind` and `verbosity`.
//!
//! A run:
//!
//! | file | contents |
//! |---|---|
//! | `args` | the command line as typed; help, man pages, completions |
//! | `start`, `session` | starts a run; its settings, texts and threads |
//! | `commands` | one file or folder for each command |
//! | `batch` | many files: an error in one does not stop the others |
//! | `bench` | the measurements of `blpk bench` |
//! | `signals`, `exit` | signals; exit codes |
//!
//! Operands and outputs:
//!
//! | file | contents |
//! |---|---|
//! | `path_or_stdio`, `names` | names of inputs and outputs; extensions and output names |
//! | `inputs` | input files, also those of directories |
//! | `file_kind`, `foreign` | the kind of a file; files of other programs |
//! | `files`, `overwrite` | checks before a command runs; outputs that `-f` replaces |
//! | `outputs`, `privacy` | where outputs go; their permissions |
//! | `streams` | opens inputs and outputs: files, devices, pipes |
//! | `url`, `staging` | URLs and their client; outputs at URLs |
//! | `pieces` | pieces from all over a file |
//! | `memory` | the number of threads for `--memory` |
//!
//! Texts:
//!
//! | file | contents |
//! |---|---|
//! | `report`, `verbosity` | prints all texts; `-q`, `-v`, `-d` |
//! | `progress` | the progress bar |
//! | `events` | lines of `--debug` and `--verbose` while a job runs |
//! | `describe`, `choice` | headers as text; settings of `--auto` as text |
//! | `file_message`, `column_advice` | errors that name a file; advice to name a column |
//! | `json`, `size` | `--json`; sizes |
//! | `python`, `pprint` | Python's numbers, and its layout of metadata |
//! | `version` | the text of `--version` |
#![forbid(unsafe_code)]

mod args;
mod batch;
mod bench;
mod choice;
mod column_advice;
mod commands;
mod describe;
mod events;
mod exit;
mod file_kind;
mod file_message;
mod files;
mod foreign;
mod inputs;
mod json;
mod memory;
mod names;
mod outputs;
mod overwrite;
mod path_or_stdio;
mod pieces;
mod pprint;
mod privacy;
mod progress;
mod python;
mod report;
mod session;
mod signals;
mod size;
mod staging;
mod start;
mod streams;
#[cfg_attr(not(feature = "remote"), path = "no_url.rs")]
mod url;
mod verbosity;
mod version;

use std::ffi::OsString;

/// Runs a command line, whose first word is the name of the program. Returns the exit code: 0, 1 for an error, 2 for a
/// wrong command line. On Unix it blocks signals in the calling thread, so a process calls this once, at its start.
pub fn run(argv: &[OsString]) -> u8 {
    // Before any other thread starts: threads inherit the signal mask.
    survive_file_limits();
    blosc_core::memory::set_left(bloscpack_io::memory_left);
    // The thread starts while the command line is parsed. Options alone, such as `--version`, do without it.
    let watch = argv.get(1).filter(|word| !word.as_encoded_bytes().starts_with(b"-")).map(|_| signals::start());
    match args::Cli::parse_from(argv) {
        Ok(cli) => run_parsed(&cli, argv, watch),
        Err(stop) => exit::stopped(stop),
    }
}

/// Blocks `SIGXFSZ`, so that a write beyond `ulimit -f` fails with "File too large" like any other error. Otherwise the
/// signal would end the program without a message.
#[cfg(unix)]
fn survive_file_limits() {
    use nix::sys::signal::{SigSet, Signal};
    let mut signals = SigSet::empty();
    signals.add(Signal::SIGXFSZ);
    // Best effort: failures are ignored.
    let _ = signals.thread_block();
}

#[cfg(not(unix))]
fn survive_file_limits() {}

fn run_parsed(cli: &args::Cli, argv: &[OsString], watch: Option<anyhow::Result<signals::Watch>>) -> u8 {
    if cli.version {
        return exit::stopped(args::Stop::Text(version::text(cli.global.verbose || cli.global.debug)));
    }
    let Some(command) = &cli.command else {
        return exit::stopped(args::usage_error(argv, "too few arguments"));
    };
    match watch.unwrap_or_else(signals::start) {
        Ok(watch) => watch.wait(),
        Err(error) => return exit::finish(Err(error)),
    }
    let session = start::session(cli);
    let done = commands::run(command, &session);
    // Always: this removes the progress bar before an error is printed.
    url::print_traffic(&session.report);
    let printed = session.report.finish();
    exit::finish(done.and(printed))
}
