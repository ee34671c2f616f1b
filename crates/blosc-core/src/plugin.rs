//! The error of codecs and filters provided by the caller.

use core::fmt;
use std::borrow::Cow;
use std::error::Error;
use std::sync::Arc;

/// The reason why a codec, filter, prefilter or postfilter of the caller failed.
///
/// ```
/// use blosc_core::PluginError;
///
/// let error = PluginError::new("the run is longer than the block").at(12);
/// assert_eq!(error.to_string(), "byte 12: the run is longer than the block");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginError(Box<Inner>);

#[derive(Debug, Clone)]
struct Inner {
    what: Cow<'static, str>,
    at: Option<usize>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// Sources are compared by identity, because most errors cannot be compared.
impl PartialEq for Inner {
    fn eq(&self, other: &Self) -> bool {
        let same_source = match (&self.source, &other.source) {
            (Some(source), Some(other)) => Arc::ptr_eq(source, other),
            (source, other) => source.is_none() && other.is_none(),
        };
        self.what == other.what && self.at == other.at && same_source
    }
}

impl Eq for Inner {}

impl PluginError {
    /// Creates an error with a short description.
    pub fn new(what: impl Into<Cow<'static, str>>) -> Self {
        PluginError(Box::new(Inner { what: what.into(), at: None, source: None }))
    }

    /// Adds the byte of the input at which the plug-in stopped.
    #[must_use]
    pub fn at(mut self, at: usize) -> Self {
        self.0.at = Some(at);
        self
    }

    /// Adds the underlying error.
    #[must_use]
    pub fn with_source(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.0.source = Some(Arc::new(source));
        self
    }

    /// Returns the byte of the input at which the plug-in stopped.
    pub fn offset(&self) -> Option<usize> {
        self.0.at
    }
}

impl fmt::Display for PluginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(at) = self.0.at {
            write!(f, "byte {at}: ")?;
        }
        f.write_str(&self.0.what)
    }
}

impl Error for PluginError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let source = self.0.source.as_deref()?;
        Some(source)
    }
}

impl From<&'static str> for PluginError {
    fn from(what: &'static str) -> Self {
        PluginError::new(what)
    }
}

impl From<String> for PluginError {
    fn from(what: String) -> Self {
        PluginError::new(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DecodeError, ErrorKind};

    #[test]
    fn the_source_of_a_plug_in_is_in_the_chain() {
        let source = PluginError::new("the key server").with_source(std::io::Error::other("no route"));
        let error = DecodeError::Postfilter { block: 2, source: source.clone() };
        assert_eq!(error.report().to_string(), "postfilter of block 2: the key server: no route");
        assert_eq!((error.kind(), error.location().block), (ErrorKind::Plugin, Some(2)));
        assert_eq!(source, source.clone());
        assert_ne!(source, PluginError::new("the key server"));
    }
}
