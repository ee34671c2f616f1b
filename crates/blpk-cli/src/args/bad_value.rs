//! Values of options that are refused.

use std::fmt;

/// A value that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadValue {
    /// The command line is wrong: usage, exit code 2.
    Usage(String),
    /// As the original has it: exit code 1, and a text that starts with the option as it was typed.
    Failure {
        /// The option's name, of which an abbreviation may have been typed.
        long: &'static str,
        /// Its letter.
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
