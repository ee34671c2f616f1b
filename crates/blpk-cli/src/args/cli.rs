//! The whole command line: its global options and how clap parses it.

use super::command::Command;
use super::template::HELP;
use super::{environment_help, values};
use clap::{Arg, ArgAction, ArgMatches, Args, CommandFactory as _, Parser};

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "blpk",
    about = "Compress, decompress, append to, verify and describe Blosc files",
    override_usage = "blpk [-h] [--version] [-v | -d | -q] [-f] [-n [1, 256]] <command> ...",
    help_template = HELP,
    after_help = "'blpk <command> -h' describes a command, 'blpk <command> --help' adds examples.",
    after_long_help = environment_help::HELP,
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

/// The options that are accepted before and after the command.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "global options")]
pub(crate) struct Global {
    /// be verbose about actions
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// also print debugging output
    #[arg(short, long, global = true)]
    pub(crate) debug: bool,
    /// print errors only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// overwrite old outputs, with -ff any file; write binary data to a terminal
    #[arg(short, long, action = ArgAction::Count)]
    pub(crate) force: u8,
    /// number of threads (default: one for each core)
    #[arg(short, long, global = true, value_name = "1-256", value_parser = values::nthreads, allow_negative_numbers = true)]
    pub(crate) nthreads: Option<usize>,
    /// the same; 0 for one for each core
    #[arg(short = 'T', long, global = true, value_name = "0-256", value_parser = values::threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<usize>,
}

/// `-h` and `--help`, of every command.
pub(super) fn help_option() -> Arg {
    let arg = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true);
    arg.help_heading("global options").help("print this; --help prints more, with examples")
}

/// The command line as help, pages and completions show it: `-f` is an ordinary option.
pub(super) fn definition() -> clap::Command {
    let shown = |arg: Arg| arg.action(ArgAction::SetTrue).value_parser(clap::value_parser!(bool)).global(true);
    Cli::command().mut_arg("force", shown)
}

/// The command line as it is parsed: `-f` is counted.
pub(super) fn parser() -> clap::Command {
    with_force(Cli::command())
}

/// Gives each command its own `-f`. For a global option, clap keeps only the values on one side of the command, but
/// `-f c -f` counts as `-ff`.
pub(super) fn with_force(command: clap::Command) -> clap::Command {
    let force = command.get_arguments().find(|arg| arg.get_id() == "force").cloned();
    command.mut_subcommands(|inner| with_force(inner.args(force.clone())))
}

/// Counts how often `-f` was given, before and after the command.
pub(super) fn times_forced(matches: &ArgMatches) -> u8 {
    let inner = matches.subcommand().map_or(0, |(_, inner)| times_forced(inner));
    inner.saturating_add(matches.get_count("force"))
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
