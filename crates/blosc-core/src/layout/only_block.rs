//! Chunks of one block, as nearly all writers of small chunks store them. They are decoded by the million, so neither
//! their filters nor their codec are looked up in tables.

use super::{BSTART_LEN, tuning};
use crate::codec::CodecFormat;
use crate::divide::remainder;
use crate::format::ChunkFormat;
use crate::header::{CommonFilter, CommonHeader};
use crate::le::i32_at;
use crate::stream::StreamDecoder;

/// The block of a chunk that has only one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnlyBlock {
    start: u32,
    nstreams: u8,
    typesize: u8,
    pub(crate) filter: CommonFilter,
    pub(crate) has_runs: bool,
    pub(crate) format: CodecFormat,
}

impl OnlyBlock {
    /// Returns the block if it is the only one and its filter changes whole elements, or groups of eight. `None` may also
    /// mean that the chunk is damaged.
    #[inline(always)]
    pub(crate) fn of(header: CommonHeader, chunk: &[u8]) -> Option<OnlyBlock> {
        let CommonHeader { format, typesize, nbytes, blocksize, is_split, filter, .. } = header;
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
        let filter = if typesize == 1 && filter == CommonFilter::Shuffle { CommonFilter::None } else { filter };
        let group = match filter {
            CommonFilter::None => 1,
            CommonFilter::Shuffle => typesize,
            CommonFilter::BitShuffle => 8 * typesize,
        };
        if remainder(nbytes, group) != 0 {
            return None;
        }
        let nstreams = match is_split && typesize > 1 {
            false => 1,
            true if filter == CommonFilter::None || typesize > tuning::MAX_SPLITS => return None,
            true => typesize,
        };
        let (typesize, nstreams) = (typesize as u8, nstreams as u8);
        let has_runs = format == ChunkFormat::Blosc2;
        Some(OnlyBlock { start, nstreams, typesize, filter, has_runs, format: header.codec })
    }

    /// Returns the offset of its first stream.
    #[inline]
    pub(crate) fn start(self) -> usize {
        self.start as usize
    }

    /// Returns the number of streams: 1, or the typesize.
    #[inline]
    pub(crate) fn nstreams(self) -> usize {
        self.nstreams.into()
    }

    #[inline]
    pub(crate) fn typesize(self) -> usize {
        self.typesize.into()
    }
}
