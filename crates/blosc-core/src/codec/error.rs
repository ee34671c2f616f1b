//! Errors of decoding a stream.

use core::fmt;

use crate::memory::OutOfMemory;
use crate::plugin::PluginError;

/// Why a compressed stream could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CorruptStream {
    /// Position in the compressed stream at which decoding stopped.
    pub at: usize,
    /// The fault found there, in a few words.
    pub what: &'static str,
}

impl CorruptStream {
    /// Creates an error at byte `at`.
    pub const fn new(at: usize, what: &'static str) -> Self {
        CorruptStream { at, what }
    }
}

impl std::error::Error for CorruptStream {}

/// Why a stream could not be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum StreamError {
    Corrupt(CorruptStream),
    /// A codec supplied by the caller refused the stream.
    Plugin(PluginError),
    OutOfMemory(OutOfMemory),
}

impl From<CorruptStream> for PluginError {
    fn from(error: CorruptStream) -> Self {
        PluginError::new(error.what).at(error.at)
    }
}

impl From<PluginError> for StreamError {
    fn from(error: PluginError) -> Self {
        StreamError::Plugin(error)
    }
}

impl From<CorruptStream> for StreamError {
    fn from(error: CorruptStream) -> Self {
        StreamError::Corrupt(error)
    }
}

impl From<OutOfMemory> for StreamError {
    fn from(error: OutOfMemory) -> Self {
        StreamError::OutOfMemory(error)
    }
}

impl fmt::Display for CorruptStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the stream: {}", self.at, self.what)
    }
}
