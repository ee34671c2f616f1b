//! Parsing, encoding and validation of a header.

use super::{ChunkSize, FrameType, Header, MAGIC, MAX_FILTERS};
use crate::error::{FormatError, Part};
use crate::frame::msgpack::{Reader, in_range, marker, put};
use crate::frame::{FrameError, MAX_CHUNKS, Metalayers};
use blosc_core::{OutOfMemory, memory};

/// 64 bits, in bits 4 and 5 of `general_flags`: the only width of offsets defined.
const OFFSET_WIDTH: u8 = 1;
const MAX_VERSION: u8 = 3;

impl Header {
    /// Parses the header at the start of `bytes`, which may be longer. It occupies [`header_len`](Self::header_len) of
    /// them.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if `bytes` is shorter than 87 bytes or than the length in the header.
    /// [`FrameError::Magic`], [`FrameError::Marker`], or [`FormatError::OutOfRange`] for an invalid field. For the
    /// metalayers, the errors of [`Metalayers::parse`].
    pub fn parse(bytes: &[u8]) -> Result<Self, FormatError> {
        let truncated = |needed| FormatError::Truncated { part: Part::FrameHeader, needed, found: bytes.len() as u64 };
        let fixed = bytes.first_chunk::<{ Self::FIXED_LEN }>().ok_or_else(|| truncated(Self::FIXED_LEN as u64))?;
        let mut reader = Reader::new(Part::FrameHeader, fixed, 2);
        let magic = reader.array("magic")?;
        if magic != MAGIC {
            return Err(FrameError::Magic { found: magic }.into());
        }
        let (header_len, fixed) = parse_fixed(fixed)?;
        let metalayers = bytes.get(..header_len).ok_or_else(|| truncated(header_len as u64))?;
        Ok(Self { metalayers: Metalayers::parse(metalayers)?, ..fixed })
    }

    /// Returns a copy, like `clone`.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Ok(Self { metalayers: self.metalayers.try_clone()?, ..*self })
    }

    /// Returns a copy without the metalayers, which may be large.
    #[must_use]
    pub fn without_metalayers(&self) -> Self {
        Self { metalayers: Metalayers::default(), ..*self }
    }

    /// Encodes the header, metalayers included.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] for values that [`parse`](Self::parse) would refuse.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.validate()?;
        let mut out = memory::with_capacity(self.header_len() as usize)?;
        out.push(marker::FIXARRAY | 14);
        put(&mut out, marker::FIXSTR | 8, &MAGIC);
        // Validated to fit.
        put(&mut out, marker::INT32, &(self.header_len() as i32).to_be_bytes());
        put(&mut out, marker::UINT64, &self.frame_len.to_be_bytes());
        let general_flags =
            self.version | OFFSET_WIDTH << 4 | u8::from(self.variable_chunks) << 6 | u8::from(self.vl_blocks) << 7;
        let codec_flags = self.compcode | self.clevel << 4;
        put(&mut out, marker::FIXSTR | 4, &[general_flags, self.frame_type.id(), codec_flags, self.other_flags]);
        put(&mut out, marker::INT64, &self.nbytes.to_be_bytes());
        put(&mut out, marker::INT64, &self.cbytes.to_be_bytes());
        put(&mut out, marker::INT32, &self.typesize.to_be_bytes());
        put(&mut out, marker::INT32, &self.blocksize.to_be_bytes());
        put(&mut out, marker::INT32, &(self.chunksize.to_i64() as i32).to_be_bytes());
        put(&mut out, marker::INT16, &self.nthreads_compress.to_be_bytes());
        put(&mut out, marker::INT16, &self.nthreads_decompress.to_be_bytes());
        out.push(if self.has_vlmetalayers { marker::TRUE } else { marker::FALSE });
        put(&mut out, marker::FIXEXT16, &[self.nfilters]);
        out.extend(self.filters);
        out.extend([self.udcodec, self.codec_meta]);
        out.extend(self.filters_meta);
        out.extend([self.other_flags2, self.reserved]);
        out.extend_from_slice(self.metalayers.to_bytes());
        Ok(out)
    }

    fn validate(&self) -> Result<(), FormatError> {
        let header_len = self.header_len().cast_signed();
        check(11, "header_len", header_len, Self::FIXED_LEN as i64, i32::MAX.into())?;
        let not_negative = |value: u64| i64::try_from(value).unwrap_or(-1);
        check(16, "frame_len", not_negative(self.frame_len), header_len, i64::MAX)?;
        check(25, "version", self.version.into(), 0, MAX_VERSION.into())?;
        check(27, "compcode", self.compcode.into(), 0, 15)?;
        check(27, "clevel", self.clevel.into(), 0, 15)?;
        check(30, "nbytes", not_negative(self.nbytes), 0, i64::MAX)?;
        check(39, "cbytes", not_negative(self.cbytes), 0, i64::MAX)?;
        check(48, "typesize", self.typesize.into(), 1, i32::MAX.into())?;
        check(53, "blocksize", self.blocksize.into(), 0, i32::MAX.into())?;
        match self.chunksize {
            ChunkSize::Fixed(size) => check(58, "chunksize", size.into(), 1, i32::MAX.into())?,
            ChunkSize::Variable => {}
            ChunkSize::Unset => check(58, "chunksize", if self.nbytes > 0 { -1 } else { 0 }, 0, i32::MAX.into())?,
        }
        check(70, "nfilters", self.nfilters.into(), 0, MAX_FILTERS.into())?;
        // Within an i64: there is at most one chunk for each byte.
        let nchunks = self.nchunks().map_or(0, u64::cast_signed);
        check(58, "number of chunks by nbytes and chunksize", nchunks, 0, MAX_CHUNKS.cast_signed())
    }
}

/// Parses everything but the metalayers. Also returns the offset where those end.
fn parse_fixed(bytes: &[u8; Header::FIXED_LEN]) -> Result<(usize, Header), FormatError> {
    let mut reader = Reader::new(Part::FrameHeader, bytes, 0);
    let reader = &mut reader;
    reader.marker("frame", marker::FIXARRAY | 14)?;
    reader.marker("magic", marker::FIXSTR | 8)?;
    reader.take("magic", MAGIC.len())?;
    let header_len = reader.int32_in("header_len", Header::FIXED_LEN as i32, i32::MAX)?;
    let frame_len = reader.uint64("frame_len")?;
    reader.marker("flags", marker::FIXSTR | 4)?;
    let [general_flags, frame_type, codec_flags, other_flags] = reader.array("flags")?;
    check(25, "offset width", (general_flags >> 4 & 3).into(), OFFSET_WIDTH.into(), OFFSET_WIDTH.into())?;
    check(26, "frame_type", frame_type.into(), 0, 1)?;
    let [nbytes, cbytes] = [reader.int64_from("nbytes", 0)?, reader.int64_from("cbytes", 0)?];
    let typesize = reader.int32_in("typesize", 1, i32::MAX)?;
    let blocksize = reader.int32_in("blocksize", 0, i32::MAX)?;
    let chunksize = reader.int32_in("chunksize", if nbytes > 0 { 0 } else { -1 }, i32::MAX)?;
    let nthreads_compress = reader.int16("nthreads")?;
    let nthreads_decompress = reader.int16("nthreads")?;
    let vlmetalayers_at = reader.at() as u64;
    let has_vlmetalayers = match reader.byte("vlmetalayers")? {
        marker::FALSE => false,
        marker::TRUE => true,
        found => {
            let (part, offset, field, expected) = (Part::FrameHeader, vlmetalayers_at, "vlmetalayers", marker::FALSE);
            return Err(FrameError::Marker { part, offset, field, found, expected }.into());
        }
    };
    reader.marker("filters", marker::FIXEXT16)?;
    let header = Header {
        frame_len,
        version: general_flags & 15,
        variable_chunks: general_flags & 1 << 6 != 0,
        vl_blocks: general_flags & 1 << 7 != 0,
        frame_type: if frame_type == 0 { FrameType::Contiguous } else { FrameType::Sparse },
        compcode: codec_flags & 15,
        clevel: codec_flags >> 4,
        other_flags,
        nbytes: nbytes.cast_unsigned(),
        cbytes: cbytes.cast_unsigned(),
        typesize: typesize.cast_unsigned(),
        blocksize: blocksize.cast_unsigned(),
        chunksize: match chunksize {
            -1 => ChunkSize::Unset,
            0 => ChunkSize::Variable,
            size => ChunkSize::Fixed(size.cast_unsigned()),
        },
        nthreads_compress,
        nthreads_decompress,
        has_vlmetalayers,
        nfilters: reader.byte("nfilters")?,
        filters: reader.array("filters")?,
        udcodec: reader.byte("udcodec")?,
        codec_meta: reader.byte("codec_meta")?,
        filters_meta: reader.array("filters_meta")?,
        other_flags2: reader.byte("other_flags2")?,
        reserved: reader.byte("reserved")?,
        metalayers: Metalayers::default(),
    };
    header.validate()?;
    check(16, "frame_len", frame_len.cast_signed(), header_len.into(), i64::MAX)?;
    // Not negative: it was checked to be at least 87.
    Ok((header_len as usize, header))
}

fn check(offset: u64, field: &'static str, value: i64, min: i64, max: i64) -> Result<(), FormatError> {
    in_range(Part::FrameHeader, offset, field, value, min, max)
}
