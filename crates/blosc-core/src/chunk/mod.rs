//! A chunk: one compressed buffer with a header.

mod decode;
mod encode;
pub(crate) mod header;
mod layout;

use core::ops::Range;

pub use decode::Decoder;
pub use encode::Encoder;
pub use header::Header;
pub(crate) use layout::Layout;

use crate::DecodeError;

/// The largest chunk that `nbytes` plain bytes can become: stored as they are, behind a header.
pub const fn max_cbytes(nbytes: usize) -> usize {
    nbytes.saturating_add(Header::LEN)
}

/// A chunk in memory, its header checked and its bytes all there. Parsing decodes nothing and copies nothing.
///
/// ```
/// use blosc_core::{CParams, Chunk};
/// let bytes = blosc_core::compress(&[0; 4096], &CParams::new().typesize(4))?;
/// let chunk = Chunk::parse(&bytes)?;
/// assert_eq!(chunk.header().nbytes(), 4096);
/// assert_eq!(chunk.items(100..102)?, [0; 8]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Chunk<'a> {
    header: Header,
    layout: Option<Layout>,
    bytes: &'a [u8],
}

impl<'a> Chunk<'a> {
    /// The chunk at the start of `bytes`. Bytes behind its end are left alone, as every Blosc does.
    ///
    /// # Errors
    /// What [`Header::parse`] refuses; [`DecodeError::Truncated`] if `bytes` end before the chunk does;
    /// [`DecodeError::Field`] if the table of block starts does not fit; [`DecodeError::CodecUnavailable`].
    pub fn parse(bytes: &'a [u8]) -> Result<Chunk<'a>, DecodeError> {
        let header = Header::parse(bytes)?;
        let cbytes = header.cbytes();
        let bytes = bytes.get(..cbytes).ok_or(DecodeError::Truncated { cbytes, found: bytes.len() })?;
        Ok(Chunk { header, layout: Layout::of(&header)?, bytes })
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The chunk's bytes, header included, nothing behind its end.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The plain bytes of block `index` within the chunk's; empty behind the last block.
    pub fn block_range(&self, index: usize) -> Range<usize> {
        let (nbytes, blocksize) = (self.header.nbytes(), self.header.blocksize());
        let start = index.saturating_mul(blocksize).min(nbytes);
        start..start.saturating_add(blocksize).min(nbytes)
    }

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

    /// The layout of its blocks; `None` if it is memcpyed.
    pub(crate) fn layout(&self) -> Option<&Layout> {
        self.layout.as_ref()
    }
}
