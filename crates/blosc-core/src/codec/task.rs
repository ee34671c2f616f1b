//! The input and output of decoding one stream.

use crate::memory::{self, OutOfMemory};

/// A stream, and a buffer for the `len` bytes it must decode to. The bytes of `dst` after those may be overwritten.
pub(crate) struct DecodeTask<'a> {
    pub(crate) src: &'a [u8],
    pub(crate) dst: &'a mut [u8],
    pub(crate) len: usize,
}

impl<'a> DecodeTask<'a> {
    /// Creates a task that decodes to the front of `buffer`, growing it if it is too short.
    pub(crate) fn to_buffer(src: &'a [u8], buffer: &'a mut Vec<u8>, len: usize) -> Result<Self, OutOfMemory> {
        let buffer = memory::at_least(buffer, len + SLACK)?;
        // Exactly this length, even if the buffer is longer: the position in an error depends on the room a decoder
        // has.
        Ok(DecodeTask { src, dst: buffer, len })
    }
}

/// Room after a stream in a buffer, so that decoders use their fast paths up to its end.
pub(crate) const SLACK: usize = 64;
