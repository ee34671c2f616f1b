//! Offsets of the blocks of a compressed chunk: arithmetic on the header, and the `bstarts` table.
//!
//! ```text
//! | header | bstart 0 | bstart 1 | … | dsize | dictionary | streams of the blocks, in any order |
//!            i32 each, from the         i32, both only if
//!            start of the chunk         the header says so
//! ```
//!
//! Writers with several threads store blocks in the order in which they finish, so the table need not ascend. The end
//! of a block is known only from its streams. Blocks of variable length are the exception, see `vlblocks`.

use core::ops::Range;

use super::tuning;
use crate::codec::{CodecFormat, MAX_DICT};
use crate::error::DecodeError;
use crate::filter::{BitShuffleRule, FilterPipeline};
use crate::format::ChunkFormat;
use crate::header::Header;
use crate::le::i32_at;
use crate::stream::StreamDecoder;

/// Bytes of one `bstart`.
pub(crate) const BSTART_LEN: usize = 4;
/// Bytes of the dictionary's size.
pub(crate) const DSIZE_LEN: usize = 4;

/// The tables after the header of a chunk that stores blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Tables {
    nblocks: u32,
    /// Offset of the dictionary, or 0.
    dictionary: u32,
    /// Offset of the end of the tables.
    data: u32,
}

impl Tables {
    /// Checks that the chunk has room for its tables and that its codec was compiled in. The chunk must be complete and
    /// store blocks, not uncompressed data or a special value.
    #[inline(always)]
    pub(crate) fn of(header: &Header, chunk: &[u8]) -> Result<Tables, DecodeError> {
        let format = header.codec_format().ok_or_else(|| DecodeError::UnknownCodec { format: header.flags() >> 5 })?;
        StreamDecoder::check(format)?;
        let nblocks = header.nblocks();
        let room = (chunk.len() - header.len()) / BSTART_LEN;
        if nblocks > room {
            let (found, max) = (nblocks as i64, room as i64);
            return Err(DecodeError::Field { offset: 8, field: "the number of blocks", found, min: 0, max });
        }
        // A chunk has less than 2^31 bytes, and the tables fit into it.
        let data = (header.len() + nblocks * BSTART_LEN) as u32;
        let (dictionary, data) = match header.has_dictionary() && nblocks > 0 {
            true => {
                let (start, len) = dictionary_place(chunk, data as usize)?;
                (start as u32, (start + len) as u32)
            }
            false => (0, data),
        };
        Ok(Tables { nblocks: nblocks as u32, dictionary, data })
    }

    /// Returns the tables of a chunk that [has one block](super::OnlyBlock).
    pub(crate) fn of_only_block(header: &Header) -> Tables {
        Tables { nblocks: 1, dictionary: 0, data: (header.len() + BSTART_LEN) as u32 }
    }
}

/// The layout of a chunk that stores blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Layout {
    header: Header,
    tables: Tables,
}

impl Layout {
    /// Combines the tables of a chunk with its header.
    #[inline]
    pub(crate) fn new(header: Header, tables: Tables) -> Self {
        Layout { header, tables }
    }

    #[inline]
    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    pub(crate) fn nblocks(&self) -> usize {
        self.tables.nblocks as usize
    }

    pub(crate) fn has_vl_blocks(&self) -> bool {
        self.header.has_vl_blocks()
    }

    /// Returns the filters of the blocks. The records of an instrumented chunk are unfiltered.
    pub(crate) fn filters(&self) -> FilterPipeline {
        if self.header.is_instrumented() { FilterPipeline::none() } else { self.header.filters() }
    }

    /// Returns whether byte shuffle of elements is the only filter.
    #[inline]
    pub(crate) fn is_only_shuffled(&self) -> bool {
        self.header.is_only_shuffled() && !self.header.is_instrumented()
    }

    /// Returns the format of the streams.
    pub(crate) fn format(&self) -> CodecFormat {
        // Checked when the layout was created.
        self.header.codec_format().unwrap_or(CodecFormat::BloscLz)
    }

    /// Returns the rule for blocks that bitshuffle leaves unchanged.
    pub(crate) fn bitshuffle_rule(&self) -> BitShuffleRule {
        match self.header.format() {
            ChunkFormat::Blosc1 => BitShuffleRule::Blosc1,
            ChunkFormat::Blosc2 => BitShuffleRule::Blosc2,
        }
    }

    /// Returns the dictionary of the blocks and its offset in the chunk.
    pub(crate) fn dictionary<'c>(&self, chunk: &'c [u8]) -> Option<(usize, &'c [u8])> {
        let (start, end) = (self.tables.dictionary as usize, self.tables.data as usize);
        if start == 0 { None } else { Some((start, chunk.get(start..end)?)) }
    }

    /// Returns the range of block `index` in the chunk's plain bytes. Not for blocks of variable length.
    pub(crate) fn block_range(&self, index: usize) -> Range<usize> {
        let blocksize = self.header.blocksize();
        let start = index * blocksize;
        start..(start + blocksize).min(self.header.nbytes())
    }

    /// Returns the offset of the streams of block `index` in the chunk.
    pub(crate) fn bstart(&self, chunk: &[u8], index: usize) -> Result<usize, DecodeError> {
        let offset = self.header.len() + index * BSTART_LEN;
        let min = self.tables.data as usize;
        // A block has at least one csize.
        let max = chunk.len().saturating_sub(BSTART_LEN);
        match i32_at(chunk, offset) {
            Some(start) if start >= 0 && (min..=max).contains(&(start as usize)) => Ok(start as usize),
            found => Err(bad_bstart(chunk, index, offset, found, min, max)),
        }
    }

    /// Returns the number of streams of block `index`. The short last block is never split. For the others, a Blosc1
    /// chunk without the not-split flag only says that its writer could split. Then the split rule of writers older
    /// than the flag decides.
    pub(crate) fn nstreams(&self, index: usize) -> usize {
        let fits = || match self.header.format() {
            ChunkFormat::Blosc1 => tuning::fits_split(self.header.typesize(), self.header.blocksize()),
            ChunkFormat::Blosc2 => true,
        };
        let split = self.header.is_split() && !self.has_vl_blocks() && !self.is_leftover(index) && fits();
        if split { self.header.typesize() } else { 1 }
    }

    /// Returns whether a stream may be a run, without payload.
    pub(crate) fn has_runs(&self) -> bool {
        self.header.format() == ChunkFormat::Blosc2
    }

    /// Returns whether block `index` may be split although the split rule of old writers says otherwise.
    pub(crate) fn may_be_split(&self, index: usize) -> bool {
        self.header.format() == ChunkFormat::Blosc1
            && self.header.is_split()
            && !self.is_leftover(index)
            && self.header.blocksize().is_multiple_of(self.header.typesize())
    }

    /// Returns the offset of the end of the tables, where the streams of blocks may start.
    pub(crate) fn data_start(&self) -> usize {
        self.tables.data as usize
    }

    /// Returns whether block `index` is the last one and shorter than the others.
    fn is_leftover(&self, index: usize) -> bool {
        self.block_range(index).len() < self.header.blocksize()
    }
}

#[cold]
fn bad_bstart(chunk: &[u8], block: usize, offset: usize, found: Option<i32>, min: usize, max: usize) -> DecodeError {
    match found.map(i64::from) {
        None => DecodeError::Truncated { cbytes: offset + BSTART_LEN, found: chunk.len() },
        Some(found) => DecodeError::Place { block, offset, what: "bstart", found, min: min as i64, max: max as i64 },
    }
}

/// Returns the offset and length of the dictionary whose size is stored at offset `at`.
fn dictionary_place(chunk: &[u8], at: usize) -> Result<(usize, usize), DecodeError> {
    let found = chunk.len();
    let dsize = i32_at(chunk, at).ok_or(DecodeError::Truncated { cbytes: at + DSIZE_LEN, found })?;
    let start = at + DSIZE_LEN;
    let max = MAX_DICT.min(found - start);
    match usize::try_from(dsize) {
        Ok(len) if (1..=max).contains(&len) => Ok((start, len)),
        _ => {
            let (found, max) = (dsize.into(), max as i64);
            Err(DecodeError::Field { offset: at, field: "the size of the dictionary", found, min: 1, max })
        }
    }
}
