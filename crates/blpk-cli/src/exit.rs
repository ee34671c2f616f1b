//! Exit codes: 0 when all is done, 1 on a failure, 2 on a usage error; never otherwise. Errors as text.

use crate::args::Stop;
use crate::foreign;
use crate::report::{self, Report};
use crate::streams::{Interrupted, StdoutClosed};
use crate::verbosity::Level;
use blosc_core::{DecodeError, EncodeError};
use bloscpack_format::FormatError;
use bloscpack_io::{Error, OutOfMemory, OverLimit};
use std::error::Error as StdError;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// Ends a run that stopped early.
pub(crate) fn stopped(stop: Stop) -> ExitCode {
    match stop {
        Stop::Text(text) => {
            let report = Report::new(Level::Normal, false);
            report.raw(&text);
            finish(report.finish())
        }
        Stop::Usage { usage, message } => {
            // A closed stderr takes no message.
            let _ = writeln!(io::stderr(), "{usage}");
            report::error(&message);
            ExitCode::from(2)
        }
        Stop::Failure(message) => {
            report::error(&message);
            ExitCode::FAILURE
        }
    }
}

/// Ends a run, with its error on one line of stderr.
pub(crate) fn finish(result: anyhow::Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of stdout has seen enough; `blpk cat --items .. x.blp | head -c 100` is no failure.
        Err(error) if has_cause(&error, |cause| cause.is::<StdoutClosed>()) => ExitCode::SUCCESS,
        Err(error) if error.is::<AlreadyReported>() => ExitCode::FAILURE,
        Err(error) => {
            report::error(&one_line(&error));
            ExitCode::FAILURE
        }
    }
}

/// A failure of which everything has been said.
#[derive(Debug, thiserror::Error)]
#[error("already reported")]
pub(crate) struct AlreadyReported;

/// An error with its contexts and causes. Some say their cause themselves: nothing is said twice.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    if is_interrupted(error) {
        return "interrupted".into();
    }
    let mut line = String::new();
    let advice = error.chain().find_map(|cause| match cause.downcast_ref() {
        Some(Error::Unrecognised { found }) => foreign::advice(found),
        _ => None,
    });
    for part in error.chain().map(ToString::to_string) {
        if !line.contains(&part) {
            line.push_str(if line.is_empty() { "" } else { ": " });
            line.push_str(&part);
        }
    }
    if let Some(over) = error.chain().find_map(|cause| cause.downcast_ref::<Error>()?.over_limit()) {
        // The library's advice is for those who write programs.
        line = line.replace(&over.advice(), &at_a_shell(over));
    }
    let advice = advice.or_else(|| has_cause(error, is_out_of_memory).then(|| OUT_OF_MEMORY_ADVICE.into()));
    match advice {
        Some(advice) => format!("{line}; {advice}"),
        None => line,
    }
}

const OUT_OF_MEMORY_ADVICE: &str = "use one thread (-n 1) or smaller chunks, or raise the memory limit of the process";

/// Whether the system refused memory, to this process or to a call that it made.
fn is_out_of_memory(cause: &(dyn StdError + 'static)) -> bool {
    cause.is::<OutOfMemory>()
        || cause.downcast_ref::<Error>().is_some_and(|error| error.out_of_memory().is_some())
        || matches!(cause.downcast_ref(), Some(FormatError::OutOfMemory(_)))
        || matches!(cause.downcast_ref(), Some(DecodeError::OutOfMemory(_)))
        || matches!(cause.downcast_ref(), Some(EncodeError::OutOfMemory(_)))
        || cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
}

/// What can be done about a limit without writing a program: only `--memory` makes chunks smaller than the format allows.
fn at_a_shell(over: &OverLimit) -> String {
    match over.raise {
        "max_chunk" => "use a larger --memory".into(),
        raise => format!("blpk has this limit against hostile files, a program can raise Limits::{raise}"),
    }
}

/// Whether there is no sense in going on with other files.
pub(crate) fn ends_all(error: &anyhow::Error) -> bool {
    is_interrupted(error) || has_cause(error, |cause| cause.is::<StdoutClosed>())
}

/// Whether Ctrl-C is the reason.
fn is_interrupted(error: &anyhow::Error) -> bool {
    has_cause(error, |cause| {
        cause.is::<Interrupted>()
            || matches!(cause.downcast_ref(), Some(Error::Cancelled))
            || matches!(cause.downcast_ref(), Some(EncodeError::Cancelled))
            || matches!(cause.downcast_ref(), Some(DecodeError::Cancelled))
    })
}

/// Whether one of the causes is such a one; also one that an I/O error was made of, which `chain` passes over.
fn has_cause(error: &anyhow::Error, is_it: impl Fn(&(dyn StdError + 'static)) -> bool) -> bool {
    error.chain().any(|cause| {
        let mut cause: &(dyn StdError + 'static) = cause;
        loop {
            if is_it(cause) {
                return true;
            }
            let made_of = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            match made_of.map(|inner| inner as &(dyn StdError + 'static)).or(cause.source()) {
                Some(next) => cause = next,
                None => return false,
            }
        }
    })
}
