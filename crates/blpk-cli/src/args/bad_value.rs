//! Refused values of options.

use std::fmt;

/// A refused value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadValue {
    /// The command line is wrong: usage, exit code 2.
    Usage(String),
    /// As in the original: exit code 1, and a message that starts with the option as typed.
    Failure {
        /// The option's long name; the user may have typed an abbreviation of it.
        long: &'static str,
        /// The option's letter.
        short: &'static str,
        /// The text after the option's name.
        text: String,
    },
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::Usage(text) => f.write_str(text),
            BadValue::Failure { long, text, .. } => write!(f, "--{long} {text}"),
        }
    }
}

impl std::error::Error for BadValue {}
