//! Exit codes and the text of errors. The code is 0 for success, 1 for a failure and 2 for a usage error, never another
//! one.

use crate::args::Stop;
use crate::foreign;
use crate::report::{self, Report};
use crate::streams::{Interrupted, StdoutClosed};
use crate::verbosity::Level;
use blosc_core::{DecodeError, EncodeError, ErrorKind};
use bloscpack_format::FormatError;
use bloscpack_io::{Error, OutOfMemory, OverLimit};
use std::error::Error as StdError;
use std::io::{self, Write as _};

/// Ends a run that stopped early.
pub(crate) fn stopped(stop: Stop) -> u8 {
    match stop {
        Stop::Text(text) => {
            let report = Report::new(Level::Normal, false);
            report.raw(&text);
            finish(report.finish())
        }
        Stop::Usage { usage, message } => {
            // Best effort: stderr may be closed.
            let _ = writeln!(io::stderr(), "{usage}");
            report::error(&message);
            2
        }
        Stop::Failure(message) => {
            report::error(&message);
            1
        }
    }
}

/// Ends a run, with its error on one line of stderr.
pub(crate) fn finish(result: anyhow::Result<()>) -> u8 {
    match result {
        Ok(()) => 0,
        // The reader closed stdout early. `blpk cat --items .. x.blp | head -c 100` is no failure.
        Err(error) if has_cause(&error, |cause| cause.is::<StdoutClosed>()) => 0,
        Err(error) if error.is::<AlreadyReported>() => 1,
        Err(error) => {
            report::error(&one_line(&error));
            1
        }
    }
}

/// A failure whose messages have all been printed.
#[derive(Debug, thiserror::Error)]
#[error("already reported")]
pub(crate) struct AlreadyReported;

/// Formats an error with its contexts, causes and advice on one line.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    if is_interrupted(error) {
        return "interrupted".into();
    }
    let mut line = blosc_core::Report::new(error.as_ref()).to_string();
    for advice in advice(error) {
        line.push_str("; ");
        line.push_str(&advice);
    }
    line
}

const OUT_OF_MEMORY_ADVICE: &str = "use one thread (-n 1) or smaller chunks, or raise the memory limit of the process";

/// Returns advice for an error, worded for users of the command line.
fn advice(error: &anyhow::Error) -> Vec<String> {
    let of_library = causes(error).find_map(advice_of_library);
    let of_content = causes(error).find_map(|cause| match cause.downcast_ref() {
        Some(Error::Unrecognised { found }) => foreign::advice(found),
        _ => None,
    });
    let of_memory = || causes(error).any(is_out_of_memory).then(|| OUT_OF_MEMORY_ADVICE.into());
    match of_library {
        // No advice about memory here: it ran out while the output was checked, and more memory does not repair the
        // output.
        Some(Advice::Complete(advice)) => vec![advice],
        Some(Advice::Limit(advice)) => [advice].into_iter().chain(of_memory()).collect(),
        None => of_content.or_else(of_memory).into_iter().collect(),
    }
}

/// Advice from an error of the libraries.
enum Advice {
    /// Advice about a limit.
    Limit(String),
    /// Advice that stands alone.
    Complete(String),
}

fn advice_of_library(cause: &(dyn StdError + 'static)) -> Option<Advice> {
    if let Some(error) = cause.downcast_ref::<Error>() {
        return error.advice().map(|advice| match advice {
            bloscpack_io::Advice::RaiseLimit(over) => Advice::Limit(at_a_shell(&over)),
            advice => Advice::Complete(advice.to_string()),
        });
    }
    let over = cause.downcast_ref::<FormatError>().and_then(FormatError::over_limit);
    let over = over.or_else(|| cause.downcast_ref::<DecodeError>()?.over_limit());
    over.or_else(|| cause.downcast_ref()).map(|over: &OverLimit| Advice::Limit(at_a_shell(over)))
}

/// Whether the system refused memory to this process or to one of its system calls.
fn is_out_of_memory(cause: &(dyn StdError + 'static)) -> bool {
    cause.is::<OutOfMemory>()
        || kind_of(cause) == Some(ErrorKind::OutOfMemory)
        || cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::OutOfMemory)
}

/// The category of an error of the libraries.
fn kind_of(cause: &(dyn StdError + 'static)) -> Option<ErrorKind> {
    let of_file = cause.downcast_ref().map(Error::kind);
    let of_format = || cause.downcast_ref().map(FormatError::kind);
    let of_decoding = || cause.downcast_ref().map(DecodeError::kind);
    let of_encoding = || cause.downcast_ref().map(EncodeError::kind);
    of_file.or_else(of_format).or_else(of_decoding).or_else(of_encoding)
}

/// Returns what a user of the command line can do about a limit. Only `--memory` sets the limit on chunks below what
/// the format allows.
fn at_a_shell(over: &OverLimit) -> String {
    match over.raise {
        "max_chunk" => "use a larger --memory".into(),
        raise => format!("blpk has this limit against hostile files, a program can raise Limits::{raise}"),
    }
}

/// Whether an error ends the whole run, so that the remaining files are skipped.
pub(crate) fn ends_all(error: &anyhow::Error) -> bool {
    is_interrupted(error) || has_cause(error, |cause| cause.is::<StdoutClosed>())
}

/// Whether an interruption, such as Ctrl-C, caused the error.
fn is_interrupted(error: &anyhow::Error) -> bool {
    has_cause(error, |cause| cause.is::<Interrupted>() || kind_of(cause) == Some(ErrorKind::Cancelled))
}

fn has_cause(error: &anyhow::Error, is_it: impl Fn(&(dyn StdError + 'static)) -> bool) -> bool {
    causes(error).any(is_it)
}

/// Iterates over an error and its causes, including the error inside an I/O error, which `chain` skips.
fn causes(error: &anyhow::Error) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    fn next<'a>(cause: &&'a (dyn StdError + 'static)) -> Option<&'a (dyn StdError + 'static)> {
        let cause: &'a (dyn StdError + 'static) = *cause;
        let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| cause.source())
    }
    std::iter::successors(Some(error.as_ref()), next)
}
