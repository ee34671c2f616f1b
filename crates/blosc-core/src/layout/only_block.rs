//! Chunks of one block, as nearly all writers of small chunks store them. They are decoded by the million, so neither
//! their filters nor their codec are looked up in tables.

use super::{BSTART_LEN, tuning};
use crate::codec::CodecFormat;
use crate::divide::remainder;
use crate::format::ChunkFormat;
use crate::header::CommonHeader;
use crate::le::i32_at;
use crate::stream::StreamDecoder;

/// The block of a chunk that has only one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyBlock {
    start: u32,
    nplanes: u8,
    pub(crate) has_runs: bool,
    pub(crate) format: CodecFormat,
}

impl OnlyBlock {
    /// Returns the block if it is the only one, and either consists of byte planes or is one stream without filters.
    /// `None` may also mean that the chunk is damaged.
    #[inline]
    pub(crate) fn of(header: CommonHeader, chunk: &[u8]) -> Option<OnlyBlock> {
        let CommonHeader { format, typesize, nbytes, blocksize, is_split, has_shuffle, .. } = header;
        if nbytes == 0 || nbytes > blocksize {
            return None;
        }
        StreamDecoder::check(header.codec).ok()?;
        let start = u32::try_from(i32_at(chunk, header.len())?).ok()?;
        // A block has at least one csize.
        if (start as usize) < header.len() + BSTART_LEN || start as usize > chunk.len().checked_sub(BSTART_LEN)? {
            return None;
        }
        // Old writers split blocks by a rule, without telling readers.
        if format == ChunkFormat::Blosc1 && is_split && !tuning::fits_split(typesize, blocksize) {
            return None;
        }
        let nplanes = match (is_split, has_shuffle) {
            _ if typesize == 1 => 1,
            (false, false) => 1,
            (true, true) if typesize <= tuning::MAX_SPLITS && remainder(nbytes, typesize) == 0 => typesize,
            _ => return None,
        };
        Some(OnlyBlock { start, nplanes: nplanes as u8, has_runs: format == ChunkFormat::Blosc2, format: header.codec })
    }

    /// Returns the offset of its first stream.
    #[inline]
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the number of byte planes, or 1 if it is one stream without filters.
    #[inline]
    pub(crate) fn nplanes(self) -> usize {
        self.nplanes.into()
    }
}
