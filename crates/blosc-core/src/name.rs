//! Errors for text that names no codec, filter, pipeline or goal.

use core::fmt;

use crate::kind::ErrorKind;

/// The reason why a text names no codec, filter, pipeline or goal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum NameError {
    /// No codec that is built in has this name.
    Codec {
        /// The text.
        found: Box<str>,
    },
    /// No filter has this name.
    Filter {
        /// The name: the text up to a colon.
        found: Box<str>,
    },
    /// The number after a filter's name is missing or out of range.
    Meta {
        /// The name of the filter.
        filter: &'static str,
        /// The text after the colon; `None` without one.
        found: Option<Box<str>>,
        /// The numbers that the filter takes.
        expected: &'static str,
    },
    /// More filters than a chunk has slots.
    TooManyFilters,
    /// No goal of automatic choice has this name.
    Goal {
        /// The text.
        found: Box<str>,
    },
}

impl NameError {
    /// The category: [`ErrorKind::InvalidInput`].
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidInput
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec { found } => {
                write!(f, "unknown codec {found:?}; expected blosclz, lz4, lz4hc, snappy, zlib or zstd")
            }
            Self::Filter { found } => write!(f, "unknown filter {found:?}"),
            Self::Meta { filter, found: Some(found), expected } => {
                write!(f, "filter {filter}: meta value {found:?}, expected {expected}")
            }
            Self::Meta { filter, found: None, expected } => {
                write!(f, "filter {filter} needs a meta value after a colon, {expected}")
            }
            Self::Goal { found } => write!(
                f,
                "unknown goal {found:?}; expected fast, balanced, small, a speed as 500MB/s, or a ratio as ratio:3.5"
            ),
            Self::TooManyFilters => f.write_str("more than six filters, the slots of a chunk"),
        }
    }
}

impl std::error::Error for NameError {}
