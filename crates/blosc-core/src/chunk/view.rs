//! A parsed chunk in memory: its header and the bytes after it.

use core::ops::Range;

use super::special;
use crate::error::DecodeError;
use crate::header::{CommonHeader, Header};
use crate::layout::{Layout, OnlyBlock, Tables, rounded, vlblocks};

/// A chunk in memory with a checked header and all of its bytes. Parsing neither decodes nor copies.
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
    bytes: &'a [u8],
    kind: BodyKind<'a>,
}

/// How the content after the header is stored. Small, because chunks of a kilobyte are parsed by the million.
#[derive(Debug, Clone, Copy)]
enum BodyKind<'a> {
    Plain,
    Value(&'a [u8]),
    OnlyBlock(OnlyBlock),
    Blocks(Tables),
}

/// The content after the header.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Body<'a, 'c> {
    /// The plain bytes.
    Plain(&'a [u8]),
    /// A value that the whole chunk repeats; empty for zeros.
    Value(&'a [u8]),
    /// Blocks.
    Blocks(Layout<'c>),
}

impl<'a> Chunk<'a> {
    /// Parses the chunk at the start of `bytes`. Bytes past its end are ignored, as in every Blosc library.
    ///
    /// # Errors
    /// As [`Header::parse`]; [`DecodeError::Truncated`] if `bytes` end before the chunk does; [`DecodeError::Field`] if
    /// the tables after the header do not fit; [`DecodeError::Place`] for blocks of variable length that do not follow
    /// each other; [`DecodeError::CodecUnavailable`]; [`DecodeError::Lazy`].
    pub fn parse(bytes: &'a [u8]) -> Result<Chunk<'a>, DecodeError> {
        if let Some(chunk) = Chunk::parse_common(bytes) {
            return Ok(chunk);
        }
        let mut header = Header::parse(bytes)?;
        let special = header.special_value();
        if header.is_lazy() && special.is_none() {
            return Err(DecodeError::Lazy);
        }
        let cbytes = header.cbytes();
        let bytes = bytes.get(..cbytes).ok_or_else(|| DecodeError::Truncated { cbytes, found: bytes.len() })?;
        let kind = match special {
            Some(special) => BodyKind::Value(special::value(&header, special, bytes)),
            None if header.is_memcpyed() => BodyKind::Plain,
            None => {
                if header.rounded_blocksize().is_some() {
                    header = rounded::in_use(header, bytes);
                }
                let tables = Tables::of(&header, bytes)?;
                if header.has_vl_blocks() {
                    vlblocks::check(Layout::new(&header, tables), bytes)?;
                }
                BodyKind::Blocks(tables)
            }
        };
        Ok(Chunk { header, bytes, kind })
    }

    /// Parses a chunk with one block or uncompressed data, as nearly all writers store small chunks. `None` for any other
    /// chunk, and for a damaged one.
    #[inline]
    fn parse_common(bytes: &'a [u8]) -> Option<Chunk<'a>> {
        let header = CommonHeader::parse(bytes)?;
        let bytes = bytes.get(..header.cbytes)?;
        let kind = match header.is_memcpyed {
            true => BodyKind::Plain,
            false => BodyKind::OnlyBlock(OnlyBlock::of(header, bytes)?),
        };
        Some(Chunk { header: header.copy_of(bytes)?, bytes, kind })
    }

    /// Returns the header. Its block size is the one in use. C-Blosc2 may store another one in the chunk.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the chunk's bytes with its header, without any bytes that follow the chunk.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the range of block `index` in the chunk's plain bytes, or an empty range past the last block. With
    /// blocks of variable length, this adds up the lengths of the preceding blocks.
    pub fn block_range(&self, index: usize) -> Range<usize> {
        let nbytes = self.header.nbytes();
        if let Body::Blocks(layout) = self.body()
            && layout.has_vl_blocks()
        {
            return match index < layout.nblocks() {
                true => vlblocks::range(layout, self.bytes, index).unwrap_or(nbytes..nbytes),
                false => nbytes..nbytes,
            };
        }
        let blocksize = self.header.blocksize();
        let start = index.saturating_mul(blocksize).min(nbytes);
        start..start.saturating_add(blocksize).min(nbytes)
    }

    /// The content after the header.
    #[inline]
    pub(crate) fn body(&self) -> Body<'a, '_> {
        match self.kind {
            BodyKind::Plain => Body::Plain(&self.bytes[self.header.len()..]),
            BodyKind::Value(value) => Body::Value(value),
            BodyKind::OnlyBlock(_) => Body::Blocks(Layout::new(&self.header, Tables::of_only_block(&self.header))),
            BodyKind::Blocks(tables) => Body::Blocks(Layout::new(&self.header, tables)),
        }
    }

    /// Returns the block of a chunk that has only one and needs no look-ups.
    #[inline]
    pub(crate) fn only_block(&self) -> Option<OnlyBlock> {
        match self.kind {
            BodyKind::OnlyBlock(block) => Some(block),
            _ => None,
        }
    }
}
