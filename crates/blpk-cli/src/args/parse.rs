//! Parses the command line and checks it as a whole.

use super::cli::{Cli, Global, definition, parser, times_forced};
use super::command::Command;
use super::meta::MetaCommand;
use super::stop::Stop;
use super::usage::{self, usage_error};
use super::{abbreviations, environment, quick};
use clap::FromArgMatches as _;
use clap::error::ErrorKind;
use std::ffi::OsString;
use std::mem::ManuallyDrop;

/// Parses with a description, which is never dropped: freeing thousands of small values is a sixth of the time of
/// `blpk --version`.
fn parsed(description: &mut ManuallyDrop<clap::Command>, argv: &[OsString]) -> Result<Cli, clap::Error> {
    let matches = description.try_get_matches_from_mut(argv)?;
    let mut cli = Cli::from_arg_matches(&matches)?;
    cli.global.force = times_forced(&matches);
    Ok(cli)
}

impl Cli {
    /// Parses the command line, including the program name, and fills in missing options from the environment.
    pub(crate) fn parse_from(argv: &[OsString]) -> Result<Cli, Stop> {
        let argv = &*abbreviations::expand(argv);
        let mut cli = match quick::parser(argv).and_then(|parser| parsed(&mut ManuallyDrop::new(parser), argv).ok()) {
            Some(cli) => cli,
            None => Cli::parse_among_all(argv)?,
        };
        if let Some(Command::Help(args)) = &cli.command {
            return Cli::parse_from(&args.argv());
        }
        cli.check().map_err(|message| usage_error(argv, message))?;
        environment::fill(&mut cli).map_err(|message| usage_error(argv, message))?;
        Ok(cli)
    }

    /// Parses with the description of all commands, or explains what is wrong.
    fn parse_among_all(argv: &[OsString]) -> Result<Cli, Stop> {
        let mut all = ManuallyDrop::new(parser());
        parsed(&mut all, argv).map_err(|error| match error.kind() {
            ErrorKind::DisplayHelp => {
                let help = definition().try_get_matches_from(argv).err().unwrap_or(error);
                usage::explain(&help, &all, argv)
            }
            _ => usage::explain(&error, &all, argv),
        })
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
