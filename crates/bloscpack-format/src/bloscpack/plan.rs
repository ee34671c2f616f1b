//! Chunk arithmetic: the division of data into chunks, and the positions of the parts of a file.

use super::{Header, MAX_CHUNK_SIZE, MAX_CHUNKS, offsets};
use crate::error::{FormatError, Part};
use std::ops::Range;

/// The division of a number of bytes into chunks. All writers use the same one. A chunk size is never rounded, so a
/// chunk boundary may fall within an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkPlan {
    /// Number of chunks, at least 1.
    pub nchunks: u64,
    /// Uncompressed bytes of every chunk but the last.
    pub chunk_size: u32,
    /// Uncompressed bytes of the last chunk, at least 1 unless the data is empty.
    pub last_chunk: u32,
}

impl ChunkPlan {
    /// Divides `size` bytes into chunks of `chunk_size`. Data that fits one chunk gets a chunk of exactly its size.
    /// Empty data becomes one empty chunk, regardless of the chunk size.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] if `chunk_size` is not in `1..=`[`MAX_CHUNK_SIZE`];
    /// [`FormatError::TooManyChunks`] if more than [`MAX_CHUNKS`] are needed.
    pub fn new(size: u64, chunk_size: u64) -> Result<Self, FormatError> {
        if size == 0 {
            return Ok(Self { nchunks: 1, chunk_size: 0, last_chunk: 0 });
        }
        let valid = u32::try_from(chunk_size).ok().filter(|size| (1..=MAX_CHUNK_SIZE).contains(size));
        let chunk_size = valid.ok_or(FormatError::OutOfRange {
            part: Part::Header,
            offset: 8,
            field: "chunk_size",
            value: i64::try_from(chunk_size).unwrap_or(i64::MAX),
            min: 1,
            max: i64::from(MAX_CHUNK_SIZE),
        })?;
        let chunk_size = u32::try_from(size).map_or(chunk_size, |size| size.min(chunk_size));
        let nchunks = size.div_ceil(u64::from(chunk_size));
        if nchunks > MAX_CHUNKS {
            return Err(FormatError::TooManyChunks { nchunks, max_app_chunks: 0 });
        }
        // Less than u32::MAX, because the divisor is a u32.
        let last_chunk = match (size % u64::from(chunk_size)) as u32 {
            0 => chunk_size,
            rest => rest,
        };
        Ok(Self { nchunks, chunk_size, last_chunk })
    }

    /// Returns the uncompressed size of chunk `index`, or `None` if there is no such chunk.
    #[must_use]
    pub fn size_of(&self, index: u64) -> Option<u32> {
        match self.nchunks.checked_sub(1)? {
            last if index < last => Some(self.chunk_size),
            last if index == last => Some(self.last_chunk),
            _ => None,
        }
    }
}

/// Number of spare offset entries, for chunks appended later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaxAppChunks {
    /// A multiple of the number of chunks; 10 by default.
    Factor(u64),
    /// An exact number.
    Exact(u64),
}

impl Default for MaxAppChunks {
    fn default() -> Self {
        Self::Factor(10)
    }
}

impl MaxAppChunks {
    /// Returns the number for the header of a file that has offsets, limited to what fits beside `nchunks`. (A file
    /// without offsets has no room to append and stores 0.)
    #[must_use]
    pub fn for_chunks(self, nchunks: u64) -> u64 {
        let wanted = match self {
            Self::Factor(factor) => nchunks.saturating_mul(factor),
            Self::Exact(number) => number,
        };
        wanted.min(MAX_CHUNKS.saturating_sub(nchunks))
    }
}

/// Positions of the parts of a file, from its start.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The metadata section; empty if there is none.
    pub metadata: Range<u64>,
    /// The offsets section, spare entries included; empty if there is none.
    pub offsets: Range<u64>,
    /// Offset of the first chunk.
    pub first_chunk: u64,
}

impl Layout {
    /// Computes the layout of a file with this header. `metadata_len` is the length of the metadata section
    /// ([`MetadataHeader::section_len`](super::MetadataHeader::section_len)), or 0.
    ///
    /// # Errors
    ///
    /// [`FormatError::TooManyChunks`] if the first chunk's position would not fit 63 bits.
    pub fn new(header: &Header, metadata_len: u64) -> Result<Self, FormatError> {
        let header_len = header.header_len() as u64;
        let offsets_len = offsets::section_len(header)?;
        let offsets_at = header_len.checked_add(metadata_len);
        let first_chunk = offsets_at.and_then(|at| at.checked_add(offsets_len)).filter(|at| i64::try_from(*at).is_ok());
        match (offsets_at, first_chunk) {
            (Some(offsets_at), Some(first_chunk)) => {
                Ok(Self { metadata: header_len..offsets_at, offsets: offsets_at..first_chunk, first_chunk })
            }
            _ => Err(FormatError::TooManyChunks {
                nchunks: header.nchunks.unwrap_or(0),
                max_app_chunks: header.max_app_chunks,
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Version;
    use super::*;

    #[test]
    fn cuts_as_bloscpack_does() {
        for (size, chunk_size, plan) in [
            (0, 0, (1, 0, 0)),
            (1, 1, (1, 1, 1)),
            (100_000, 1 << 20, (1, 100_000, 100_000)),
            (100_000, 100_000, (1, 100_000, 100_000)),
            (100_000, 30_000, (4, 30_000, 10_000)),
            (90_000, 30_000, (3, 30_000, 30_000)),
            (7, 1, (7, 1, 1)),
            (1 << 32, 2_147_483_631, (3, 2_147_483_631, 34)),
        ] {
            let ChunkPlan { nchunks, chunk_size, last_chunk } = ChunkPlan::new(size, chunk_size).unwrap();
            assert_eq!((nchunks, chunk_size, last_chunk), plan);
        }
        for chunk_size in [0, 2_147_483_632, u64::MAX] {
            assert!(matches!(ChunkPlan::new(1, chunk_size), Err(FormatError::OutOfRange { offset: 8, .. })));
        }
        assert!(matches!(ChunkPlan::new(u64::MAX, 1), Err(FormatError::TooManyChunks { .. })));
        assert!(ChunkPlan::new(MAX_CHUNKS, 1).is_ok());
    }

    #[test]
    fn sizes_of_chunks() {
        let plan = ChunkPlan::new(100_000, 30_000).unwrap();
        assert_eq!([0, 2, 3, 4].map(|i| plan.size_of(i)), [Some(30_000), Some(30_000), Some(10_000), None]);
    }

    #[test]
    fn room_to_append_is_clamped() {
        assert_eq!(MaxAppChunks::default().for_chunks(4), 40);
        assert_eq!(MaxAppChunks::Exact(7).for_chunks(4), 7);
        assert_eq!(MaxAppChunks::default().for_chunks(MAX_CHUNKS - 3), 3);
        assert_eq!(MaxAppChunks::Exact(u64::MAX).for_chunks(1), MAX_CHUNKS - 1);
    }

    #[test]
    fn parts_follow_each_other() {
        let header =
            Header { offsets: true, metadata: true, nchunks: Some(3), max_app_chunks: 30, ..Header::new(Version::V3) };
        let layout = Layout::new(&header, 226).unwrap();
        assert_eq!(layout, Layout { metadata: 32..258, offsets: 258..522, first_chunk: 522 });
        assert!(Layout::new(&header, u64::MAX).is_err());
        assert!(Layout::new(&header, i64::MAX as u64 - 100).is_err());
        assert_eq!(Layout::new(&Header::new(Version::V1), 0).unwrap().first_chunk, 16);
    }
}
