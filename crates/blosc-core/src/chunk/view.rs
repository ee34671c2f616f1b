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
    bytes: &'a [u8],
    kind: BodyKind<'a>,
    /// The plain bytes.
    nbytes: u32,
    /// The block size in use if it is not that of the header, or 0.
    rounded: u32,
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
pub(crate) enum Body<'a> {
    /// The plain bytes.
    Plain(&'a [u8]),
    /// A value that the whole chunk repeats; empty for zeros.
    Value(&'a [u8]),
    /// Blocks.
    Blocks(Layout),
}

impl<'a> Chunk<'a> {
    /// Parses the chunk at the start of `bytes`. Bytes past its end are ignored, as in every Blosc library.
    ///
    /// # Errors
    /// As [`Header::parse`]; [`DecodeError::Truncated`] if `bytes` end before the chunk does; [`DecodeError::Field`] if
    /// the tables after the header do not fit; [`DecodeError::Place`] for blocks of variable length that do not follow
    /// each other; [`DecodeError::CodecUnavailable`]; [`DecodeError::Lazy`].
    // Inlined, because a chunk that is returned through memory is copied: a store-forwarding stall for its reader.
    #[inline]
    pub fn parse(bytes: &'a [u8]) -> Result<Chunk<'a>, DecodeError> {
        match Chunk::parse_common(bytes) {
            Some(chunk) => Ok(chunk),
            None => Chunk::parse_any(bytes),
        }
    }

    /// Parses any chunk.
    #[inline(never)]
    fn parse_any(bytes: &'a [u8]) -> Result<Chunk<'a>, DecodeError> {
        let header = Header::parse(bytes)?;
        let special = header.special_value();
        if header.is_lazy() && special.is_none() {
            return Err(DecodeError::Lazy);
        }
        let cbytes = header.cbytes();
        let bytes = bytes.get(..cbytes).ok_or_else(|| DecodeError::Truncated { cbytes, found: bytes.len() })?;
        let mut rounded = 0;
        let kind = match special {
            Some(special) => BodyKind::Value(special::value(&header, special, bytes)),
            None if header.is_memcpyed() => BodyKind::Plain,
            None => {
                let mut in_use = header;
                if header.rounded_blocksize().is_some() {
                    in_use = rounded::in_use(header, bytes);
                }
                if in_use != header {
                    rounded = in_use.blocksize() as u32;
                }
                let tables = Tables::of(&in_use, bytes)?;
                if header.has_vl_blocks() {
                    vlblocks::check(Layout::new(in_use, tables), bytes)?;
                }
                BodyKind::Blocks(tables)
            }
        };
        Ok(Chunk { bytes, kind, nbytes: header.nbytes() as u32, rounded })
    }

    /// Parses a chunk with one block, uncompressed data or zeros, as nearly all writers store small chunks. `None` for any
    /// other chunk, and for a damaged one.
    #[inline(always)]
    fn parse_common(bytes: &'a [u8]) -> Option<Chunk<'a>> {
        let header = CommonHeader::parse(bytes)?;
        let bytes = bytes.get(..header.cbytes)?;
        let kind = match (header.is_memcpyed, header.is_zeros) {
            (true, _) => BodyKind::Plain,
            (_, true) => BodyKind::Value(&[]),
            _ => BodyKind::OnlyBlock(OnlyBlock::of(header, bytes)?),
        };
        Some(Chunk { bytes, kind, nbytes: header.nbytes as u32, rounded: 0 })
    }

    /// Returns the header. Its block size is the one in use. C-Blosc2 may store another one in the chunk.
    #[inline]
    pub fn header(&self) -> Header {
        let header = Header::unchecked(self.bytes);
        if self.rounded == 0 { header } else { header.with_blocksize(self.rounded as usize) }
    }

    /// Returns the chunk's bytes with its header, without any bytes that follow the chunk.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the range of block `index` in the chunk's plain bytes, or an empty range past the last block. With
    /// blocks of variable length, this adds up the lengths of the preceding blocks.
    pub fn block_range(&self, index: usize) -> Range<usize> {
        let header = self.header();
        let nbytes = header.nbytes();
        if let Body::Blocks(layout) = self.body()
            && layout.has_vl_blocks()
        {
            return match index < layout.nblocks() {
                true => vlblocks::range(layout, self.bytes, index).unwrap_or(nbytes..nbytes),
                false => nbytes..nbytes,
            };
        }
        let blocksize = header.blocksize();
        let start = index.saturating_mul(blocksize).min(nbytes);
        start..start.saturating_add(blocksize).min(nbytes)
    }

    /// The content after the header.
    #[inline]
    pub(crate) fn body(&self) -> Body<'a> {
        match self.kind {
            BodyKind::Plain => Body::Plain(self.plain().unwrap_or_default()),
            BodyKind::Value(value) => Body::Value(value),
            BodyKind::OnlyBlock(_) => {
                let header = self.header();
                Body::Blocks(Layout::new(header, Tables::of_only_block(&header)))
            }
            BodyKind::Blocks(tables) => Body::Blocks(Layout::new(self.header(), tables)),
        }
    }

    /// Returns the number of plain bytes, without a copy of the header.
    #[inline]
    pub(crate) fn nbytes(&self) -> usize {
        self.nbytes as usize
    }

    /// Returns the plain bytes of a chunk that is stored uncompressed.
    #[inline]
    pub(crate) fn plain(&self) -> Option<&'a [u8]> {
        match self.kind {
            // All bytes but the header.
            BodyKind::Plain => self.bytes.get(self.bytes.len().checked_sub(self.nbytes())?..),
            _ => None,
        }
    }

    /// Returns the value that the chunk repeats, if it stores nothing else. Empty for zeros.
    #[inline]
    pub(crate) fn value(&self) -> Option<&'a [u8]> {
        match self.kind {
            BodyKind::Value(value) => Some(value),
            _ => None,
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
