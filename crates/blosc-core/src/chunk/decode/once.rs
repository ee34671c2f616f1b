//! Decoding with a fresh decoder.

use core::ops::Range;

use super::Decoder;
use crate::chunk::Chunk;
use crate::error::DecodeError;

impl Chunk<'_> {
    /// Returns all plain bytes, like [`Decoder::decompress`] with a fresh decoder.
    ///
    /// # Errors
    /// [`DecodeError`] for a damaged chunk.
    pub fn decompress(&self) -> Result<Vec<u8>, DecodeError> {
        Decoder::new().decompress(self)
    }

    /// Returns the plain bytes of some items, like [`Decoder::items`] with a fresh decoder.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if the range is not within the chunk, any other variant for a damaged block.
    pub fn items(&self, range: Range<usize>) -> Result<Vec<u8>, DecodeError> {
        Decoder::new().items(self, range)
    }
}
