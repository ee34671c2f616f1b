//! Why a stream could not be decoded.

use core::fmt;

use crate::memory::OutOfMemory;

/// Why a compressed stream could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptStream {
    /// Position in the compressed stream at which decoding stopped.
    pub at: usize,
    /// The fault found there, in a few words.
    pub what: &'static str,
}

impl CorruptStream {
    /// An error at byte `at`.
    pub const fn new(at: usize, what: &'static str) -> Self {
        CorruptStream { at, what }
    }
}

/// Why a stream could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamError {
    Corrupt(CorruptStream),
    OutOfMemory(OutOfMemory),
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
