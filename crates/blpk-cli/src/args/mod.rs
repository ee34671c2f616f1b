//! What was typed: every command and option, nothing looked at yet but the words themselves.
//!
//! | file | what it knows |
//! |---|---|
//! | `command`, and `blosc reading containers meta chunk about` | the commands, and their options |
//! | `many` | names of files that are a list |
//! | `values`, `filters`, `levels`, `digest` | how the value of each option is read |
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
mod levels;
mod manual;
mod many;
mod meta;
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
pub(crate) use meta::{MetaCommand, MetaGetArgs, MetaSetArgs};
pub(crate) use pages::completions;
pub(crate) use reading::{BenchArgs, CatArgs, InfoArgs, ListArgs, StatsArgs, VerifyArgs};
pub(crate) use usage::{mistaken_level, usage_error};
pub(crate) use values::{Int, Range, dtype};

use crate::exit::Stop;
use clap::error::ErrorKind;
use clap::{Arg, ArgAction, ArgMatches, Args, CommandFactory as _, FromArgMatches as _, Parser};
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

/// The command line as help, pages and completions show it: `-f` is an option like others.
fn definition() -> clap::Command {
    let shown = |arg: Arg| arg.action(ArgAction::SetTrue).value_parser(clap::value_parser!(bool)).global(true);
    Cli::command().mut_arg("force", shown)
}

/// The command line as it is parsed: `-f` is counted.
fn parser() -> clap::Command {
    with_force(Cli::command())
}

/// Gives each command its own `-f`. Of a global option clap keeps one side of the command only, but `-f c -f` counts
/// as `-ff`.
fn with_force(command: clap::Command) -> clap::Command {
    let force = command.get_arguments().find(|arg| arg.get_id() == "force").cloned();
    command.mut_subcommands(|inner| with_force(inner.args(force.clone())))
}

/// How often `-f` was given, before and after the command.
fn times_forced(matches: &ArgMatches) -> u8 {
    let inner = matches.subcommand().map_or(0, |(_, inner)| times_forced(inner));
    inner.saturating_add(matches.get_count("force"))
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
    /// overwrite old outputs, -ff any file; write binary data to a terminal
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) force: u8,
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
        let mut command = parser();
        let matches = command.try_get_matches_from_mut(argv);
        let parsed = matches.and_then(|matches| Ok((Cli::from_arg_matches(&matches)?, times_forced(&matches))));
        let explain = |error: clap::Error| match error.kind() {
            ErrorKind::DisplayHelp => {
                let help = definition().try_get_matches_from(argv).err().unwrap_or(error);
                usage::explain(&help, &command, argv)
            }
            _ => usage::explain(&error, &command, argv),
        };
        let (mut cli, force) = parsed.map_err(explain)?;
        cli.global.force = force;
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
            Some(Command::Meta(MetaCommand::Set(args))) => args.json().map(drop).map_err(|error| error.to_string()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        definition().debug_assert();
        parser().debug_assert();
    }
}
