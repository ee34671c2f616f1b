//! The header of a frame: 87 bytes, then the metalayers.

use super::msgpack::{Reader, in_range, marker, put};
use super::{FrameError, MAX_CHUNKS, Metalayers};
use crate::error::{FormatError, Part};
use blosc_core::{Codec, Filter, SplitMode};

/// `b2frame` and a NUL, from byte 2 on. C-Blosc2 does not look at it; we do.
pub const MAGIC: [u8; 8] = *b"b2frame\0";

/// The header of a frame.
///
/// ```text
///  0  9e               an array of 14
///  1  a8 magic         `b2frame`, NUL
/// 10  d2 header_len    i32, metalayers included
/// 15  cf frame_len     u64
/// 24  a4 flags         general_flags: 0-3 version, 4-5 offset width, 6 variable chunk sizes, 7 blocks of variable length
///                      frame_type; codec_flags: 0-3 compcode, 4-7 clevel; other_flags: 0-1 split mode less 1
/// 29  d3 nbytes        i64
/// 38  d3 cbytes        i64
/// 47  d2 typesize      i32
/// 52  d2 blocksize     i32
/// 57  d2 chunksize     i32
/// 62  d1 nthreads      i16, compressing
/// 65  d1 nthreads      i16, decompressing
/// 68  c2|c3            whether there are vlmetalayers
/// 69  d8 6             filters 6, udcodec, codec_meta, filters_meta 6, other_flags2, reserved
/// 87  metalayers
/// ```
///
/// Integers are big-endian and signed ones never negative but for a `chunksize` of -1. What this layer does not
/// interpret is kept as it is, so bytes that are accepted are written back the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Bytes of the frame, and the word on where it ends: what follows is no part of it. At most 2⁶³ - 1.
    pub frame_len: u64,
    /// 1 to 3: 3 where chunk sizes vary or blocks do, else 2; 1 was written by 2.0.0-beta2. 0 is read as 1.
    pub version: u8,
    /// Whether chunk sizes vary. Not to be relied on: [`chunksize`](Self::chunksize) says it too.
    pub variable_chunks: bool,
    /// Whether chunks have blocks of variable length. Not to be relied on: each chunk says it itself.
    pub vl_blocks: bool,
    /// Where the chunks are.
    pub frame_type: FrameType,
    /// The codec of new chunks, 0 to 15: see [`codec`](Self::codec). Chunks that exist know their own.
    pub compcode: u8,
    /// The compression level of new chunks, 0 to 15 as the format has it.
    pub clevel: u8,
    /// Bits 0 and 1: the split mode of new chunks, less 1. Others are kept.
    pub other_flags: u8,
    /// Plain bytes of all chunks. At most 2⁶³ - 1.
    pub nbytes: u64,
    /// Contiguous: bytes of the data between header and index, dead ones included. Sparse: bytes of the chunk files.
    /// At most 2⁶³ - 1.
    pub cbytes: u64,
    /// Bytes of an item, 1 to 2³¹ - 1; those of chunks end at 255.
    pub typesize: u32,
    /// Block size of new chunks; 0 for automatic.
    pub blocksize: u32,
    /// Plain bytes of a chunk.
    pub chunksize: ChunkSize,
    /// Threads that compressed. Says nothing.
    pub nthreads_compress: i16,
    /// Threads that decompressed. Says nothing.
    pub nthreads_decompress: i16,
    /// Whether there are vlmetalayers. Not to be relied on: the trailer says it.
    pub has_vlmetalayers: bool,
    /// How many of the filter slots count, at most 6, which is what is written.
    pub nfilters: u8,
    /// The filters of new chunks, by id, 0 for none. Chunks that exist know their own.
    pub filters: [u8; 6],
    /// The meta bytes of these filters.
    pub filters_meta: [u8; 6],
    /// The codec's id once more; the only one, where [`compcode`](Self::compcode) is 6.
    pub udcodec: u8,
    /// The meta byte of the codec.
    pub codec_meta: u8,
    /// Bit 0: new chunks get a dictionary. Others are kept.
    pub other_flags2: u8,
    /// Written as 0.
    pub reserved: u8,
    /// The metalayers.
    pub metalayers: Metalayers,
}

/// Where the chunks of a frame are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FrameType {
    /// Between header and index.
    Contiguous,
    /// In files of their own, in the directory of the frame.
    Sparse,
}

impl FrameType {
    /// The `frame_type` byte.
    #[must_use]
    pub fn id(self) -> u8 {
        u8::from(self == Self::Sparse)
    }
}

/// Plain bytes of a chunk, as a header says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkSize {
    /// So many for every chunk but the last, which may be shorter. Not 0, at most 2³¹ - 1.
    Fixed(u32),
    /// 0: each chunk has its own.
    Variable,
    /// -1: that of the first chunk, which is not there yet.
    Unset,
}

impl ChunkSize {
    /// The header's number.
    #[must_use]
    pub fn to_i64(self) -> i64 {
        match self {
            Self::Fixed(size) => size.into(),
            Self::Variable => 0,
            Self::Unset => -1,
        }
    }
}

/// 64 bits, in bits 4 and 5 of `general_flags`: the only width of offsets there is.
const OFFSET_WIDTH: u8 = 1;
const MAX_VERSION: u8 = 3;
const MAX_FILTERS: u8 = 6;
/// The codec that is none of the nibble's: see `udcodec`.
const COMPCODE_UDCODEC: u8 = 6;

impl Header {
    /// Bytes in front of the metalayers. [`parse`](Self::parse) wants at least so many.
    pub const FIXED_LEN: usize = Metalayers::AT;

    /// The header of a frame without chunks: chunk size not known yet, LZ4 at level 5 behind a shuffle, as for any
    /// writer who does not care. `frame_len` is for who makes the frame.
    #[must_use]
    pub fn new(frame_type: FrameType, typesize: u32) -> Self {
        Self {
            frame_len: 0,
            version: 2,
            variable_chunks: false,
            vl_blocks: false,
            frame_type,
            compcode: 1,
            clevel: 5,
            other_flags: 3,
            nbytes: 0,
            cbytes: 0,
            typesize,
            blocksize: 0,
            chunksize: ChunkSize::Unset,
            nthreads_compress: 1,
            nthreads_decompress: 1,
            has_vlmetalayers: false,
            nfilters: MAX_FILTERS,
            filters: [0, 0, 0, 0, 0, 1],
            filters_meta: [0; 6],
            udcodec: 1,
            codec_meta: 0,
            other_flags2: 0,
            reserved: 0,
            metalayers: Metalayers::default(),
        }
    }

    /// Reads the header at the start of `bytes`, which may be longer. It takes [`header_len`](Self::header_len) of them.
    ///
    /// # Errors
    ///
    /// [`FormatError::Truncated`] if `bytes` are too few: 87 are, then as many as the header says. [`FrameError::Magic`],
    /// [`FrameError::Marker`], [`FormatError::OutOfRange`] for what cannot be; of the metalayers, what
    /// [`Metalayers::parse`] refuses.
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

    /// The header's bytes, metalayers included.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] for what [`parse`](Self::parse) would refuse.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.validate()?;
        let mut out = vec![marker::FIXARRAY | 14];
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

    /// Bytes of this header. At most 2³¹ - 1.
    #[must_use]
    pub fn header_len(&self) -> u64 {
        (Self::FIXED_LEN + self.metalayers.to_bytes().len()) as u64
    }

    /// Number of chunks, or `None` where only the index knows it: chunk sizes vary. A number of the header alone is no
    /// reason to allocate.
    #[must_use]
    pub fn nchunks(&self) -> Option<u64> {
        match self.chunksize {
            _ if self.nbytes == 0 => Some(0),
            ChunkSize::Fixed(size) => Some(self.nbytes.div_ceil(size.into())),
            ChunkSize::Variable | ChunkSize::Unset => None,
        }
    }

    /// The codec of new chunks; `None` for one that is not built in.
    #[must_use]
    pub fn codec(&self) -> Option<Codec> {
        match if self.compcode == COMPCODE_UDCODEC { self.udcodec } else { self.compcode } {
            0 => Some(Codec::BloscLz),
            1 => Some(Codec::Lz4),
            2 => Some(Codec::Lz4Hc),
            4 => Some(Codec::Zlib),
            5 => Some(Codec::Zstd),
            _ => None,
        }
    }

    /// Sets the codec of new chunks. `false`, and nothing changes, if Blosc2 has no number for it, as for Snappy.
    pub fn set_codec(&mut self, codec: Codec) -> bool {
        self.compcode = match codec {
            Codec::BloscLz => 0,
            Codec::Lz4 => 1,
            Codec::Lz4Hc => 2,
            Codec::Zlib => 4,
            Codec::Zstd => 5,
            _ => return false,
        };
        self.udcodec = self.compcode;
        true
    }

    /// The filters of new chunks in the order in which they run; `None` among them is one that is not built in.
    pub fn filters(&self) -> impl Iterator<Item = Option<Filter>> {
        let slots = self.filters.into_iter().zip(self.filters_meta).take(self.nfilters.into());
        slots.filter(|(id, _)| *id != 0).map(|(id, meta)| Filter::from_id(id, meta))
    }

    /// The split mode of new chunks.
    #[must_use]
    pub fn split_mode(&self) -> SplitMode {
        match self.other_flags & 3 {
            0 => SplitMode::Always,
            1 => SplitMode::Never,
            2 => SplitMode::Auto,
            _ => SplitMode::ForwardCompat,
        }
    }

    /// Whether new chunks get a dictionary.
    #[must_use]
    pub fn uses_dictionary(&self) -> bool {
        self.other_flags2 & 1 != 0
    }

    /// Refuses a frame of the other kind.
    ///
    /// # Errors
    ///
    /// [`FrameError::FrameType`].
    pub fn expect_type(&self, expected: FrameType) -> Result<(), FormatError> {
        if self.frame_type == expected {
            return Ok(());
        }
        Err(FrameError::FrameType { found: self.frame_type.id(), expected: expected.id() }.into())
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
        // Within what an i64 counts: there is at most one chunk for each byte.
        let nchunks = self.nchunks().map_or(0, u64::cast_signed);
        check(58, "number of chunks by nbytes and chunksize", nchunks, 0, MAX_CHUNKS.cast_signed())
    }
}

/// All but the metalayers, and where they end.
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
    // Not negative: it was checked to be 87 at least.
    Ok((header_len as usize, header))
}

fn check(offset: u64, field: &'static str, value: i64, min: i64, max: i64) -> Result<(), FormatError> {
    in_range(Part::FrameHeader, offset, field, value, min, max)
}
