//! An error with its sources on one line.

use core::fmt;
use std::error::Error;

use crate::limits::OverLimit;

/// Displays an error and its sources on one line, joined by `: `.
///
/// The `Display` of an error describes one level and never repeats its source. This adaptor joins the levels. The
/// `report` method of an error type adds the advice about a limit.
///
/// ```
/// use blosc_core::{DecodeError, CorruptStream, Report};
///
/// let source = CorruptStream::new(3, "the literals extend past the end");
/// let error = DecodeError::Stream { block: 2, stream: 0, offset: 64, source };
/// assert_eq!(error.to_string(), "block 2, stream 0 at offset 64");
/// let line = "block 2, stream 0 at offset 64: byte 3 of the stream: the literals extend past the end";
/// assert_eq!(Report::new(&error).to_string(), line);
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Report<'a> {
    error: &'a (dyn Error + 'static),
    limit: Option<&'a OverLimit>,
}

impl<'a> Report<'a> {
    /// Creates a report of an error and its sources.
    pub fn new(error: &'a (dyn Error + 'static)) -> Self {
        Report { error, limit: None }
    }

    /// Adds the advice about a limit at the end of the line.
    #[must_use]
    pub fn advise(self, limit: Option<&'a OverLimit>) -> Self {
        Report { limit, ..self }
    }
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.error, f)?;
        let mut source = self.error.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        match self.limit {
            Some(over) => write!(f, "; {}", over.advice()),
            None => Ok(()),
        }
    }
}

impl OverLimit {
    /// Returns a report of the error with its advice on one line.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report::new(self).advise(Some(self))
    }
}
