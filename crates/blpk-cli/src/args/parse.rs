//! Parses the command line and checks it as a whole.

use super::cli::{Cli, Global, definition, parser, times_forced};
use super::command::Command;
use super::meta::MetaCommand;
use super::stop::Stop;
use super::usage::{self, usage_error};
use super::{abbreviations, environment};
use clap::FromArgMatches as _;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::mem::ManuallyDrop;

impl Cli {
    /// Parses the command line, including the program name, and fills in missing options from the environment.
    pub(crate) fn parse_from(argv: &[OsString]) -> Result<Cli, Stop> {
        let argv = &*abbreviations::expand(argv);
        // Never dropped: freeing thousands of small values is a sixth of the time of `blpk --version`.
        let mut command = ManuallyDrop::new(parser());
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

    /// Refuses combinations that clap does not detect because the options are on both sides of the command.
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
