//! Positions of the parts of a frame.

use super::{FrameError, FrameType, Header};
use crate::error::{FormatError, Part};
use std::ops::Range;

/// Positions of the parts of a frame, counted from its first byte, wherever in a file the frame starts.
///
/// ```text
/// contiguous | header | data, cbytes long | index | trailer |
/// sparse     | header | index | trailer |                        the data is in files
/// ```
///
/// Without uncompressed bytes there is no index, and the trailer follows the header. `cbytes` is then meaningless: when
/// all chunks of a frame were deleted, C-Blosc2 leaves the old value in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Layout {
    /// The chunks and the dead bytes between them. Empty in a sparse frame.
    pub data: Range<u64>,
    /// The range of the index. The index may be shorter: it is a chunk, whose header has its length.
    pub index: Range<u64>,
    /// The trailer.
    pub trailer: Range<u64>,
}

impl Layout {
    /// Computes the layout of a frame from the length of its trailer
    /// ([`Trailer::len_at_end`](super::Trailer::len_at_end)).
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] if the parts would overlap.
    pub fn new(header: &Header, trailer_len: u32) -> Result<Self, FormatError> {
        let header_len = header.header_len();
        let room = header.frame_len.saturating_sub(header_len);
        at_most(Part::FrameTail, 1, "trailer_len", trailer_len.into(), room)?;
        let trailer = header.frame_len - u64::from(trailer_len)..header.frame_len;
        if header.nbytes == 0 {
            return Ok(Self { data: header_len..header_len, index: header_len..header_len, trailer });
        }
        let data = match header.frame_type {
            FrameType::Contiguous => {
                let room = room - u64::from(trailer_len);
                at_most(Part::FrameHeader, 39, "cbytes", header.cbytes, room)?;
                header_len..header_len + header.cbytes
            }
            FrameType::Sparse => header_len..header_len,
        };
        Ok(Self { index: data.end..trailer.start, data, trailer })
    }
}

/// Checks that a frame is not longer than the available bytes.
///
/// # Errors
///
/// [`FormatError::OutOfRange`] if `header.frame_len` is more than `available`, the number of bytes from the frame's
/// first one on. Bytes past the end of the frame are allowed and ignored.
pub fn check_len(header: &Header, available: u64) -> Result<(), FormatError> {
    at_most(Part::FrameHeader, 16, "frame_len", header.frame_len, available)
}

fn at_most(part: Part, offset: u64, field: &'static str, value: u64, max: u64) -> Result<(), FormatError> {
    let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    super::msgpack::in_range(part, offset, field, signed(value), 0, signed(max))
}

/// Returns the error for a chunk number that is too large.
pub(super) fn no_such_chunk(chunk: u64, nchunks: u64) -> FormatError {
    FrameError::NoSuchChunk { chunk, nchunks }.into()
}
