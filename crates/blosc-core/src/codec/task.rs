//! A stream to be decoded.

use crate::memory::{self, OutOfMemory};

/// A stream, and room for the `len` bytes that it should decode to. The bytes of `dst` after those may be overwritten.
pub(crate) struct DecodeTask<'a> {
    pub(crate) src: &'a [u8],
    pub(crate) dst: &'a mut [u8],
    pub(crate) len: usize,
}

impl<'a> DecodeTask<'a> {
    /// One that is decoded to the front of a buffer, which gets longer if it is too short.
    pub(crate) fn to_buffer(src: &'a [u8], buffer: &'a mut Vec<u8>, len: usize) -> Result<Self, OutOfMemory> {
        let buffer = memory::at_least(buffer, len + SLACK)?;
        // No more than that, though the buffer may be longer: where a decoder stops that finds damage depends on its room.
        Ok(DecodeTask { src, dst: buffer, len })
    }
}

/// Room after a stream in a buffer, so that decoders use their fast paths up to its very end.
const SLACK: usize = 64;
