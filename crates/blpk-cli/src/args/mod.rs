//! What was typed: every command and option, nothing looked at yet but the words themselves.
//!
//! The four commands of the original keep its names, defaults and choices. Its users' abbreviations count too: a new
//! long option must not make an old unique prefix ambiguous (`tests/prefixes.rs` lists those).

mod command;
mod pages;
mod typed;
mod usage;
mod values;

pub(crate) use command::{
    AppendArgs, BenchArgs, BloscArgs, CatArgs, ChunkCommand, ChunkDecodeArgs, ChunkEncodeArgs, ChunkInfoArgs, Command,
    CompactArgs, CompletionsArgs, CompressArgs, ConvertArgs, DecompressArgs, InfoArgs, ManArgs, RecoverArgs,
    VerifyArgs,
};
pub(crate) use pages::{completions, man_page, page_names};
pub(crate) use usage::usage_error;
pub(crate) use values::{FilterArg, Int, Range};

use crate::exit::Stop;
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser};
use std::ffi::OsString;

/// The whole command line.
#[derive(Debug, Parser)]
#[command(
    name = "blpk",
    about = "Compress, decompress, append to, verify and describe Blosc files",
    override_usage = "blpk [-h] [--version] [-v | -d] [-f] [-n [1, 256]] <command> ...",
    help_template = HELP,
    after_help = "'blpk <command> -h' describes a command, 'blpk <command> --help' with examples.",
    subcommand_help_heading = "commands",
    subcommand_value_name = "command",
    disable_version_flag = true,
    disable_help_subcommand = true,
    infer_long_args = true,
    args_override_self = true
)]
pub(crate) struct Cli {
    /// show the version; with -v the SIMD kernel and the codecs as well
    #[arg(long)]
    pub(crate) version: bool,
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Laid out as the original's help: usage first.
const HELP: &str = "usage: {usage}\n\n{about}\n\n{all-args}{after-help}";

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
    /// overwrite existing files; write binary data to a terminal
    #[arg(short, long, global = true)]
    pub(crate) force: bool,
    /// number of threads (default: one for each core)
    #[arg(short, long, global = true, value_name = "1-256", value_parser = values::nthreads, allow_negative_numbers = true)]
    pub(crate) nthreads: Option<usize>,
}

impl Cli {
    /// Parses the command line, program name included.
    pub(crate) fn parse_from(argv: &[OsString]) -> Result<Cli, Stop> {
        let mut command = Cli::command();
        let parsed = command.try_get_matches_from_mut(argv).and_then(|matches| Cli::from_arg_matches(&matches));
        let cli = parsed.map_err(|error| usage::explain(&error, &command, argv))?;
        if cli.global.verbose && cli.global.debug {
            return Err(usage_error(argv, "argument -d/--debug: not allowed with argument -v/--verbose"));
        }
        Ok(cli)
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
