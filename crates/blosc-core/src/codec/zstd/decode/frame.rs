//! Reads the headers of frames and blocks (RFC 8878, section 3.1).

use super::bits::number;
use crate::codec::CorruptStream;

const MAGIC: u64 = 0xFD2F_B528;

/// Maximum uncompressed size of a compressed block.
pub(super) const MAX_BLOCK: usize = 128 << 10;

/// The error of a frame with more content than the caller expects.
pub(super) const TOO_LONG: &str = "the zstd frame exceeds the stream's uncompressed size";

/// The header of a frame.
pub(super) enum Header {
    /// A frame without content, which ends at this offset.
    Skippable(usize),
    Frame(Frame),
}

pub(super) struct Frame {
    /// Uncompressed size, if stated.
    pub(super) len: Option<u64>,
    pub(super) has_checksum: bool,
    /// The number of the dictionary, or 0.
    pub(super) dict_id: u32,
    /// Offset of the first block.
    pub(super) blocks: usize,
}

impl Header {
    /// Reads the header at `src[at..]`.
    pub(super) fn read(src: &[u8], at: usize) -> Result<Self, CorruptStream> {
        let error = |what| CorruptStream::new(at, what);
        let truncated = error("the zstd frame is truncated");
        let magic = number(src, at, 4).ok_or(truncated)?;
        if magic & 0xFFFF_FFF0 == 0x184D_2A50 {
            let end = number(src, at + 4, 4).ok_or(truncated)? + at as u64 + 8;
            let end = usize::try_from(end).ok().filter(|&end| end <= src.len());
            return end.map(Header::Skippable).ok_or(truncated);
        }
        if magic != MAGIC {
            return Err(error("expected the start of a zstd frame"));
        }
        let descriptor = *src.get(at + 4).ok_or(truncated)?;
        if descriptor & 0x08 != 0 {
            return Err(error("the header of the zstd frame has a reserved bit set"));
        }
        let is_single_segment = descriptor & 0x20 != 0;
        let id_at = at + 5 + usize::from(!is_single_segment);
        let id_len = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let dict_id = number(src, id_at, id_len).ok_or(truncated)? as u32;
        let len_at = id_at + id_len;
        let len_len = match descriptor >> 6 {
            0 => usize::from(is_single_segment),
            flag => 1 << flag,
        };
        let len = number(src, len_at, len_len).ok_or(truncated)?;
        let len = match len_len {
            0 => None,
            // Two-byte sizes are stored minus 256.
            2 => Some(len + 256),
            _ => Some(len),
        };
        let has_checksum = descriptor & 4 != 0;
        Ok(Header::Frame(Frame { len, has_checksum, dict_id, blocks: len_at + len_len }))
    }
}

/// The header of a block.
pub(super) struct BlockHeader {
    pub(super) is_last: bool,
    pub(super) kind: BlockKind,
    /// Size of the block's content, or for a run its uncompressed size.
    pub(super) size: usize,
}

pub(super) enum BlockKind {
    Raw,
    /// One byte, repeated.
    Run,
    Compressed,
}

impl BlockHeader {
    pub(super) const LEN: usize = 3;

    pub(super) fn read(src: &[u8], at: usize) -> Result<Self, CorruptStream> {
        let header = number(src, at, 3).ok_or(CorruptStream::new(at, "the zstd frame is truncated"))?;
        let kind = match header >> 1 & 3 {
            0 => BlockKind::Raw,
            1 => BlockKind::Run,
            2 => BlockKind::Compressed,
            _ => return Err(CorruptStream::new(at, "the zstd block has a reserved type")),
        };
        Ok(BlockHeader { is_last: header & 1 != 0, kind, size: (header >> 3) as usize })
    }
}
