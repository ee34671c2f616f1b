//! Decoding with a fresh decoder.

use core::ops::Range;

use super::Decoder;
use crate::chunk::Chunk;
use crate::error::DecodeError;

impl Chunk<'_> {
    /// All plain bytes: [`Decoder::decompress`] with a fresh decoder.
    ///
    /// # Errors
    /// [`DecodeError`] for a damaged chunk.
    pub fn decompress(&self) -> Result<Vec<u8>, DecodeError> {
        Decoder::new().decompress(self)
    }

    /// The plain bytes of some items: [`Decoder::items`] with a fresh decoder.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if the range is not within the chunk, any other variant for a damaged block.
    pub fn items(&self, range: Range<usize>) -> Result<Vec<u8>, DecodeError> {
        Decoder::new().items(self, range)
    }
}
