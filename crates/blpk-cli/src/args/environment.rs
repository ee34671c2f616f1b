//! Defaults from environment variables. A variable is read only if the command would use it and the option is not given.

use super::auto::{self, CodecArg};
use super::bad_value::BadValue;
use super::cli::Cli;
use super::command::Command;
use super::settings::BloscArgs;
use super::values;
use std::env;

/// Whether `BLPK_NO_PROGRESS` is set.
pub(crate) fn no_progress() -> bool {
    env::var_os("BLPK_NO_PROGRESS").is_some_and(|value| !value.is_empty())
}

/// Fills in missing options from the environment.
pub(super) fn fill(cli: &mut Cli) -> Result<(), String> {
    let Some(command) = &mut cli.command else { return Ok(()) };
    let (blosc, memory) = match command {
        Command::Compress(args) => (Some(&mut args.blosc), Some(&mut args.memory)),
        Command::Append(args) => (Some(&mut args.blosc), None),
        Command::Decompress(args) => (None, Some(&mut args.memory)),
        Command::Verify(args) => (None, Some(&mut args.memory)),
        Command::Completions(_) | Command::Man(_) => return Ok(()),
        _ => (None, None),
    };
    if cli.global.threads.is_none() {
        default(&mut cli.global.nthreads, "BLPK_NTHREADS", values::nthreads)?;
    }
    if let Some(blosc) = blosc {
        fill_blosc(blosc)?;
    }
    match memory {
        Some(memory) => default(memory, "BLPK_MEMORY", values::memory),
        None => Ok(()),
    }
}

/// Fills in codec and level, unless `--auto` chooses them.
fn fill_blosc(blosc: &mut BloscArgs) -> Result<(), String> {
    let (codec, clevel) = (blosc.codec, blosc.clevel);
    default(&mut blosc.codec, "BLPK_CODEC", auto::codec)?;
    default(&mut blosc.clevel, "BLPK_CLEVEL", values::clevel)?;
    if blosc.goal().is_some() {
        // A default that stands in the environment is weaker than `--auto`.
        blosc.codec = codec.or(blosc.codec.filter(|codec| *codec == CodecArg::Auto));
        blosc.clevel = clevel;
    }
    Ok(())
}

/// Sets a missing option from a variable. An empty variable counts as unset.
fn default<T>(
    option: &mut Option<T>,
    name: &str,
    parse: impl FnOnce(&str) -> Result<T, BadValue>,
) -> Result<(), String> {
    if option.is_some() {
        return Ok(());
    }
    let Some(value) = env::var_os(name).filter(|value| !value.is_empty()) else { return Ok(()) };
    let parsed = parse(&value.to_string_lossy()).map_err(|error| match error {
        // Drops the start of `argument -c/--codec: invalid choice: …`: the value came from the variable, not from the
        // option.
        BadValue::Usage(text) => text.split_once(": ").map_or(text.clone(), |(_, reason)| reason.to_owned()),
        BadValue::Failure { text, .. } => text,
    });
    *option = Some(parsed.map_err(|reason| format!("environment variable {name}: {reason}"))?);
    Ok(())
}
