//! The trailer of a frame: metadata of variable length, located from the frame's end.

use super::msgpack::{Reader, in_range, marker, put};
use super::{FrameError, VlMetalayers};
use crate::error::{FormatError, Part};
use blosc_core::{OutOfMemory, memory};

/// The trailer of a frame.
///
/// ```text
///  0  94 version        an array of 4; version 1
///  2  vlmetalayers
/// -23 ce trailer_len    u32
/// -18 d8 type           of the fingerprint, and its 16 bytes
/// ```
///
/// It ends where the frame ends. The fingerprint always has type 0 and is all zeros: nothing in a frame has a checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trailer {
    /// 1; no reader checks it.
    pub version: u8,
    /// The vlmetalayers.
    pub vlmetalayers: VlMetalayers,
    /// The type of the fingerprint: 0 for none.
    pub fingerprint_type: u8,
    /// The fingerprint.
    pub fingerprint: [u8; 16],
}

impl Default for Trailer {
    fn default() -> Self {
        Self { version: 1, vlmetalayers: VlMetalayers::default(), fingerprint_type: 0, fingerprint: [0; 16] }
    }
}

impl Trailer {
    /// Number of bytes at the end that contain the trailer's length.
    pub const TAIL_LEN: usize = 23;

    /// Length of a trailer without vlmetalayers, the shortest possible.
    pub const MIN_LEN: u32 = 35;

    /// Returns the length of the trailer, from the last [`TAIL_LEN`](Self::TAIL_LEN) bytes of the frame.
    /// [`Layout::new`](super::Layout::new) checks whether the frame has room for it.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if there are fewer `bytes`; [`FrameError::Marker`] or [`FormatError::OutOfRange`] if
    /// they are not the end of a trailer.
    pub fn len_at_end(bytes: &[u8]) -> Result<u32, FormatError> {
        let tail = bytes.last_chunk::<{ Self::TAIL_LEN }>().ok_or(FormatError::Truncated {
            part: Part::FrameTrailer,
            needed: Self::TAIL_LEN as u64,
            found: bytes.len() as u64,
        })?;
        tail_len(tail)
    }

    /// Parses a trailer. `bytes` must be the complete trailer and nothing else.
    ///
    /// # Errors
    ///
    /// [`FrameError::Marker`], [`FrameError::PastEnd`] or [`FormatError::OutOfRange`]. The last is also returned for
    /// more than [`VlMetalayers::MAX`] vlmetalayers, for contents that are not after their map, and if `trailer_len` is
    /// not the length of `bytes`.
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let trailer_len = Self::len_at_end(bytes)?;
        let len = bytes.len() as i64;
        let tail_at = bytes.len() - Self::TAIL_LEN;
        in_range(Part::FrameTrailer, tail_at as u64 + 1, "trailer_len", trailer_len.into(), len, len)?;
        let mut reader = Reader::new(Part::FrameTrailer, bytes, 0);
        reader.marker("trailer", marker::FIXARRAY | 4)?;
        let version = reader.byte("version")?;
        let vlmetalayers = VlMetalayers::parse(bytes.get(..tail_at).unwrap_or_default())?;
        let mut reader = Reader::new(Part::FrameTrailer, bytes, tail_at);
        reader.uint32("trailer_len")?;
        reader.marker("fingerprint", marker::FIXEXT16)?;
        let fingerprint_type = reader.byte("fingerprint type")?;
        Ok(Self { version, vlmetalayers, fingerprint_type, fingerprint: reader.array("fingerprint")? })
    }

    /// Returns a copy, like `clone`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(Self { vlmetalayers: self.vlmetalayers.try_clone()?, ..*self })
    }

    /// Encodes the trailer.
    ///
    /// # Errors
    ///
    /// [`FormatError::LimitExceeded`] beyond 2³² - 1 bytes.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        let layers = self.vlmetalayers.to_bytes();
        let limit = FormatError::LimitExceeded { part: Part::FrameTrailer, limit: u32::MAX.into() };
        let trailer_len = u32::try_from(2 + layers.len() + Self::TAIL_LEN).map_err(|_| limit)?;
        let mut out = memory::with_capacity(trailer_len as usize)?;
        out.extend([marker::FIXARRAY | 4, self.version]);
        out.extend_from_slice(layers);
        put(&mut out, marker::UINT32, &trailer_len.to_be_bytes());
        put(&mut out, marker::FIXEXT16, &[self.fingerprint_type]);
        out.extend(self.fingerprint);
        Ok(out)
    }

    /// Returns the length of this trailer in bytes.
    #[must_use]
    pub fn trailer_len(&self) -> u64 {
        (2 + self.vlmetalayers.to_bytes().len() + Self::TAIL_LEN) as u64
    }
}

fn tail_len(tail: &[u8; Trailer::TAIL_LEN]) -> Result<u32, FormatError> {
    match tail {
        [marker::UINT32, a, b, c, d, marker::FIXEXT16, ..] => {
            let trailer_len = u32::from_be_bytes([*a, *b, *c, *d]);
            let (len, min) = (trailer_len.into(), Trailer::MIN_LEN.into());
            in_range(Part::FrameTail, 1, "trailer_len", len, min, u32::MAX.into()).map(|()| trailer_len)
        }
        [marker::UINT32, _, _, _, _, found, ..] => Err(marker_error(5, "fingerprint", *found, marker::FIXEXT16)),
        [found, ..] => Err(marker_error(0, "trailer_len", *found, marker::UINT32)),
    }
}

/// Returns an error in the tail. Offsets are from the start of the tail, because the start of the trailer is known only
/// from its length.
fn marker_error(offset: u64, field: &'static str, found: u8, expected: u8) -> FormatError {
    FrameError::Marker { part: Part::FrameTail, offset, field, found, expected }.into()
}
