//! What was typed: every command and option, nothing looked at yet but the words themselves.
//!
//! | file | what it knows |
//! |---|---|
//! | `command`, and `blosc reading containers chunk about` | the commands, and their options |
//! | `many` | names of files that are a list |
//! | `values`, `filters`, `digest` | how the value of each option is read |
//! | `abbreviations` | which option of the original an abbreviation means |
//! | `environment` | defaults that the environment gives |
//! | `typed`, `usage`, `pages`, `manual` | the command line as text: for `--debug`, for errors, for shells, for people |

mod abbreviations;
mod about;
mod blosc;
mod chunk;
mod command;
mod containers;
mod digest;
mod environment;
mod filters;
mod manual;
mod many;
mod pages;
mod reading;
mod typed;
mod usage;
mod values;

pub(crate) use about::{CompletionsArgs, ManArgs};
pub(crate) use blosc::{AppendArgs, BloscArgs, CompressArgs, CompressFormat, DecompressArgs};
pub(crate) use chunk::{ChunkCommand, ChunkDecodeArgs, ChunkEncodeArgs, ChunkInfoArgs};
pub(crate) use command::Command;
pub(crate) use containers::{CompactArgs, ConvertArgs, RecoverArgs};
pub(crate) use digest::DigestArg;
pub(crate) use environment::no_progress;
pub(crate) use filters::FilterArg;
pub(crate) use manual::{man_page, page_names};
pub(crate) use many::ManyArgs;
pub(crate) use pages::completions;
pub(crate) use reading::{BenchArgs, CatArgs, InfoArgs, ListArgs, VerifyArgs};
pub(crate) use usage::usage_error;
pub(crate) use values::{Int, Range};

use crate::exit::Stop;
use clap::{Arg, ArgAction, Args, CommandFactory as _, FromArgMatches as _, Parser};
use std::ffi::OsString;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "blpk",
    about = "Compress, decompress, append to, verify and describe Blosc files",
    override_usage = "blpk [-h] [--version] [-v | -d | -q] [-f] [-n [1, 256]] <command> ...",
    help_template = HELP,
    after_help = "'blpk <command> -h' describes a command, 'blpk <command> --help' with examples.",
    after_long_help = environment::HELP,
    subcommand_help_heading = "commands",
    subcommand_value_name = "command",
    next_help_heading = "options",
    arg = help_option(),
    disable_help_flag = true,
    disable_version_flag = true,
    disable_help_subcommand = true,
    infer_long_args = true,
    args_override_self = true
)]
pub(crate) struct Cli {
    /// show the version; with -v the SIMD kernel and the codecs as well
    #[arg(short = 'V', long)]
    pub(crate) version: bool,
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Laid out as the original's help: usage first.
const HELP: &str = "usage: {usage}\n\n{about}\n\n{all-args}{after-help}";

/// `-h` and `--help`, of every command.
fn help_option() -> Arg {
    let arg = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true);
    arg.help_heading("global options").help("print this; --help says more, with examples")
}

/// The options that are accepted before and after the command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "global options")]
pub(crate) struct Global {
    /// be verbose about actions
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// print debugging output too
    #[arg(short, long, global = true)]
    pub(crate) debug: bool,
    /// print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// overwrite existing files; write binary data to a terminal
    #[arg(short, long, global = true)]
    pub(crate) force: bool,
    /// number of threads (default: one for each core)
    #[arg(short, long, global = true, value_name = "1-256", value_parser = values::nthreads, allow_negative_numbers = true)]
    pub(crate) nthreads: Option<usize>,
    /// the same; 0 for one for each core
    #[arg(short = 'T', long, global = true, value_name = "0-256", value_parser = values::threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

impl Cli {
    /// Parses the command line, program name included, and puts in what the environment says where it says nothing.
    pub(crate) fn parse_from(argv: &[OsString]) -> Result<Cli, Stop> {
        let argv = &*abbreviations::expand(argv);
        let mut command = Cli::command();
        let parsed = command.try_get_matches_from_mut(argv).and_then(|matches| Cli::from_arg_matches(&matches));
        let mut cli = parsed.map_err(|error| usage::explain(&error, &command, argv))?;
        if let Some(Command::Help(args)) = &cli.command {
            return Cli::parse_from(&args.argv());
        }
        cli.check().map_err(|message| usage_error(argv, message))?;
        environment::fill(&mut cli).map_err(|message| usage_error(argv, message))?;
        Ok(cli)
    }

    /// What does not go together and the parser does not see, as it stands on both sides of the command.
    fn check(&self) -> Result<(), String> {
        let Global { verbose, debug, quiet, nthreads, threads, .. } = &self.global;
        for (second, first) in [
            ((*debug, "-d/--debug"), (*verbose, "-v/--verbose")),
            ((*quiet, "-q/--quiet"), (*verbose, "-v/--verbose")),
            ((*quiet, "-q/--quiet"), (*debug, "-d/--debug")),
            ((threads.is_some(), "-T/--threads"), (nthreads.is_some(), "-n/--nthreads")),
        ] {
            if first.0 && second.0 {
                return Err(format!("argument {}: not allowed with argument {}", second.1, first.1));
            }
        }
        match &self.command {
            Some(Command::Compress(args)) => args.check(),
            Some(Command::Decompress(args)) => args.check(),
            Some(Command::Verify(args)) => args.check(),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }
}
