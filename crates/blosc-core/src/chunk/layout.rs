//! Where the blocks of a compressed chunk lie: pure arithmetic on the header, and the `bstarts` table.
//!
//! ```text
//! | header 16 | bstart 0 | bstart 1 | … | streams of the blocks, in any order |
//!               i32 each, from the start of the chunk
//! ```
//!
//! Writers with several threads store blocks in the order in which they were done, so the table need not ascend, and
//! the end of a block is known only from its streams.

use core::ops::Range;

use super::Header;
use crate::DecodeError;
use crate::block::tuning;
use crate::codec::{CodecFormat, Decompressor};
use crate::filter::FilterPipeline;
use crate::le::i32_at;

/// Bytes of one `bstart`.
pub(crate) const BSTART_LEN: usize = 4;

/// A compressed (not memcpyed) chunk's layout.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) typesize: usize,
    pub(crate) nbytes: usize,
    pub(crate) blocksize: usize,
    pub(crate) nblocks: usize,
    pub(crate) filters: FilterPipeline,
    pub(crate) format: CodecFormat,
    split_flag: bool,
}

impl Layout {
    /// Checks that the chunk has room for its table and that its codec was compiled in. `None` for a memcpyed chunk.
    pub(crate) fn of(header: &Header) -> Result<Option<Layout>, DecodeError> {
        let (false, Some(format)) = (header.is_memcpyed(), header.codec_format()) else {
            return Ok(None);
        };
        Decompressor::check(format)?;
        let layout = Layout {
            typesize: header.typesize(),
            nbytes: header.nbytes(),
            blocksize: header.blocksize(),
            nblocks: header.nblocks(),
            filters: header.filters(),
            format,
            split_flag: header.is_split(),
        };
        let body = header.cbytes() - Header::LEN;
        if layout.nblocks > body / BSTART_LEN {
            let min = layout.nbytes.div_ceil((body / BSTART_LEN).max(1)) as i64;
            return Err(DecodeError::Field {
                offset: 8,
                field: "blocksize",
                found: layout.blocksize as i64,
                min,
                max: layout.nbytes as i64,
            });
        }
        Ok(Some(layout))
    }

    /// The plain bytes of block `index` within the chunk's.
    pub(crate) fn block_range(&self, index: usize) -> Range<usize> {
        let start = index * self.blocksize;
        start..(start + self.blocksize).min(self.nbytes)
    }

    /// Where the streams of block `index` start in the chunk.
    pub(crate) fn bstart(&self, chunk: &[u8], index: usize) -> Result<usize, DecodeError> {
        let offset = Header::LEN + index * BSTART_LEN;
        let found = i32_at(chunk, offset).ok_or(DecodeError::Truncated { cbytes: offset + 4, found: chunk.len() })?;
        let min = Header::LEN + self.nblocks * BSTART_LEN;
        // A stream has at least its csize and a byte.
        let max = chunk.len().saturating_sub(BSTART_LEN + 1);
        match usize::try_from(found) {
            Ok(start) if (min..=max).contains(&start) => Ok(start),
            _ => Err(DecodeError::Place {
                block: index,
                offset,
                what: "bstart",
                found: found.into(),
                min: min as i64,
                max: max as i64,
            }),
        }
    }

    /// Streams in block `index`. The short last block is never split; of the others, a chunk without the not-split
    /// flag says only that its writer could split: the rule of the writers older than the flag decides.
    pub(crate) fn nstreams(&self, index: usize) -> usize {
        let split = self.split_flag && !self.is_leftover(index) && tuning::fits_split(self.typesize, self.blocksize);
        if split { self.typesize } else { 1 }
    }

    /// Whether block `index` may be split though the rule of old says that it is not.
    pub(crate) fn may_be_split(&self, index: usize) -> bool {
        self.split_flag && !self.is_leftover(index) && self.blocksize.is_multiple_of(self.typesize)
    }

    /// Whether block `index` is the last one and shorter than the others.
    fn is_leftover(&self, index: usize) -> bool {
        self.block_range(index).len() < self.blocksize
    }
}
