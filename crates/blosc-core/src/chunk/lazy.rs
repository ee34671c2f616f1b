//! Lazy chunks: C-Blosc2's form of a chunk whose blocks are still in the file of a frame.
//!
//! ```text
//! | header 32, with the lazy flag | bstarts | nchunk i32 | offset i64 | csize of each block i32 |
//! ```
//!
//! The header's `cbytes` is the size of the chunk on disk. The table of block starts is present in a memcpyed chunk,
//! too, but unused. Special chunks are never lazy.

use crate::error::DecodeError;
use crate::header::Header;
use crate::layout::BSTART_LEN;
use crate::layout::vlblocks::SIZE_LEN;
use crate::le::i32_at;
use crate::memory;

/// A lazy chunk with checked header and trailer.
///
/// ```
/// # fn open(bytes: &[u8]) -> Result<(), blosc_core::DecodeError> {
/// let lazy = blosc_core::LazyChunk::parse(bytes)?;
/// let (start, csize) = (lazy.bstarts()[0], lazy.block_csizes()[0]);
/// println!("block 0: {csize} bytes at {} of the frame", lazy.offset() + i64::from(start));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LazyChunk {
    header: Header,
    nchunk: i32,
    offset: i64,
    bstarts: Vec<i32>,
    block_csizes: Vec<i32>,
}

impl LazyChunk {
    /// Parses the lazy chunk at the start of `bytes`.
    ///
    /// # Errors
    /// The errors of [`Header::parse`]; [`DecodeError::Flags`] if the chunk is not lazy; [`DecodeError::Truncated`] if
    /// the trailer does not fit into `bytes`; [`DecodeError::Field`] and [`DecodeError::Place`] for numbers out of
    /// range.
    pub fn parse(bytes: &[u8]) -> Result<LazyChunk, DecodeError> {
        let header = Header::parse(bytes)?;
        if !header.is_lazy() || header.special_value().is_some() {
            let found = header.blosc2_flags();
            return Err(DecodeError::Flags { offset: 31, found, what: "this chunk is not lazy" });
        }
        let nblocks = header.nblocks();
        let trailer = header.len().saturating_add(nblocks.saturating_mul(BSTART_LEN));
        let needed = trailer.saturating_add(12).saturating_add(nblocks.saturating_mul(4));
        let truncated = DecodeError::Truncated { cbytes: needed, found: bytes.len() };
        if bytes.len() < needed {
            return Err(truncated);
        }
        let number = |at| i32_at(bytes, at).ok_or(truncated.clone());
        let numbers = |start: usize| -> Result<Vec<i32>, DecodeError> {
            let mut numbers = memory::with_capacity(nblocks)?;
            for index in 0..nblocks {
                numbers.push(number(start + 4 * index)?);
            }
            Ok(numbers)
        };
        let (low, high) = (number(trailer + 4)?, number(trailer + 8)?);
        let lazy = LazyChunk {
            header,
            nchunk: number(trailer)?,
            offset: i64::from(high) << 32 | i64::from(low.cast_unsigned()),
            bstarts: if header.is_memcpyed() { Vec::new() } else { numbers(header.len())? },
            block_csizes: numbers(trailer + 12)?,
        };
        lazy.check(trailer)?;
        Ok(lazy)
    }

    fn check(&self, trailer: usize) -> Result<(), DecodeError> {
        let cbytes = self.header.cbytes() as i64;
        let field = |offset, field, found, max| {
            if (0..=max).contains(&found) {
                return Ok(());
            }
            Err(DecodeError::Field { offset, field, found, min: 0, max })
        };
        field(trailer, "the chunk number", self.nchunk.into(), i32::MAX.into())?;
        field(trailer + 4, "the chunk offset", self.offset, i64::MAX - cbytes)?;
        let place = |offset, what, block, found: i32, min, max: i64| {
            if (min..=max).contains(&i64::from(found)) {
                return Ok(());
            }
            Err(DecodeError::Place { block, offset, what, found: found.into(), min, max })
        };
        for (block, &start) in self.bstarts.iter().enumerate() {
            let offset = self.header.len() + BSTART_LEN * block;
            place(offset, "bstart", block, start, self.header.len() as i64, cbytes)?;
        }
        // C-Blosc2's buffer for a block has this size: the block, and a csize for each of its streams.
        let most = (self.header.blocksize() + 4 * self.header.typesize()) as i64;
        // A block of variable length starts with its plain size.
        let least = if self.header.has_vl_blocks() { SIZE_LEN as i64 + 1 } else { 1 };
        for (block, &csize) in self.block_csizes.iter().enumerate() {
            place(trailer + 12 + 4 * block, "csize of the block", block, csize, least, most.min(cbytes))?;
        }
        Ok(())
    }

    /// Returns the chunk's header, with `cbytes` as on disk.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the chunk's number in its frame.
    pub fn nchunk(&self) -> i32 {
        self.nchunk
    }

    /// Returns the offset of the chunk from the start of its frame.
    pub fn offset(&self) -> i64 {
        self.offset
    }

    /// Returns the offset of each block from the start of the chunk on disk. Empty for a memcpyed chunk.
    pub fn bstarts(&self) -> &[i32] {
        &self.bstarts
    }

    /// Returns the bytes of each block on disk.
    pub fn block_csizes(&self) -> &[i32] {
        &self.block_csizes
    }
}
