//! The activity that an I/O error interrupted.

use std::fmt;

/// The activity that an I/O error interrupted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Activity {
    /// Reading the input.
    Reading,
    /// Writing the output.
    Writing,
    /// Anything else, in words: `opening`, `creating a temporary file`, …
    Other(&'static str),
}

impl fmt::Display for Activity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reading => "reading the input",
            Self::Writing => "writing the output",
            Self::Other(doing) => doing,
        })
    }
}
