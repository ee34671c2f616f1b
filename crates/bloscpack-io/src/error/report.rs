//! An error with its sources and advice on one line.

use std::fmt;

use blosc_core::{OverLimit, Report};

use super::Error;

/// Advice about an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Advice {
    /// Raise this limit of the [`Limits`](crate::Limits), if the size is intended.
    RaiseLimit(OverLimit),
    /// Write the output again: reading it back failed, and nothing was replaced.
    WriteAgain {
        /// The limit that reading back exceeded, if that is the reason.
        limit: Option<OverLimit>,
    },
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RaiseLimit(over) => f.write_str(&over.advice()),
            Self::WriteAgain { limit } => {
                if let Some(over) = limit {
                    write!(f, "{}; ", over.advice())?;
                }
                f.write_str(
                    "nothing was replaced; try again, and if it comes back, check this machine's memory and disk",
                )
            }
        }
    }
}

/// Displays an [`Error`] with its sources on one line, and the [`Advice`] at the end.
#[derive(Debug, Clone, Copy)]
pub struct ErrorReport<'a>(&'a Error);

impl fmt::Display for ErrorReport<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Report::new(self.0).fmt(f)?;
        match self.0.advice() {
            Some(advice) => write!(f, "; {advice}"),
            None => Ok(()),
        }
    }
}

impl Error {
    /// Returns the error with all its sources and its advice on one line, for messages.
    ///
    /// ```
    /// use bloscpack_io::Archive;
    ///
    /// let error = Archive::open(b"BLOSC".to_vec()).unwrap_err();
    /// eprintln!("error: {}", error.report());
    /// ```
    pub fn report(&self) -> ErrorReport<'_> {
        ErrorReport(self)
    }

    /// Returns advice about the error as data, which a program may phrase in its own words.
    pub fn advice(&self) -> Option<Advice> {
        match self {
            Error::NotAsWritten { source } => {
                let limit = source.downcast_ref().and_then(Error::over_limit).copied();
                Some(Advice::WriteAgain { limit })
            }
            error => error.over_limit().copied().map(Advice::RaiseLimit),
        }
    }
}
