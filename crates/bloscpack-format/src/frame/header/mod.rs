//! The header of a frame: 87 bytes, then the metalayers. The module `bytes` parses, validates and encodes it.

mod bytes;

use super::{FrameError, Metalayers};
use crate::error::FormatError;
use blosc_core::{Codec, Filter, SplitMode};

/// `b2frame` and a NUL, from byte 2 on. C-Blosc2 does not check it; this crate does.
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
/// Integers are big-endian. Sizes are never negative, except for a `chunksize` of -1; the values of `nthreads` are not
/// checked. Fields that this layer does not interpret are preserved, so a header that is accepted is written back byte
/// for byte.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Length of the frame in bytes; it alone determines where the frame ends. Bytes after it are not part of the
    /// frame. At most 2⁶³ - 1.
    pub frame_len: u64,
    /// 1 to 3: 3 if chunk sizes or block lengths vary, otherwise 2; 1 was written by 2.0.0-beta2. 0 is read as 1.
    pub version: u8,
    /// Whether chunk sizes vary. Redundant and not authoritative: use [`chunksize`](Self::chunksize).
    pub variable_chunks: bool,
    /// Whether chunks have blocks of variable length. Redundant and not authoritative: each chunk stores it itself.
    pub vl_blocks: bool,
    /// Where the chunks are.
    pub frame_type: FrameType,
    /// The codec of new chunks, 0 to 15: see [`codec`](Self::codec). Existing chunks store their own.
    pub compcode: u8,
    /// The compression level of new chunks. The format allows 0 to 15.
    pub clevel: u8,
    /// Bits 0 and 1: the split mode of new chunks, less 1. Other bits are preserved.
    pub other_flags: u8,
    /// Uncompressed bytes of all chunks. At most 2⁶³ - 1.
    pub nbytes: u64,
    /// Contiguous: bytes of the data between header and index, dead bytes included. Sparse: bytes of the chunk files.
    /// At most 2⁶³ - 1.
    pub cbytes: u64,
    /// Bytes of an item, 1 to 2³¹ - 1. The typesize of a chunk is limited to 255.
    pub typesize: u32,
    /// Block size of new chunks; 0 for automatic.
    pub blocksize: u32,
    /// Uncompressed bytes of a chunk.
    pub chunksize: ChunkSize,
    /// Threads that compressed. Informational only.
    pub nthreads_compress: i16,
    /// Threads that decompressed. Informational only.
    pub nthreads_decompress: i16,
    /// Whether there are vlmetalayers. Redundant and not authoritative: the trailer stores them.
    pub has_vlmetalayers: bool,
    /// Number of filter slots in use, at most 6. New headers have 6.
    pub nfilters: u8,
    /// The filters of new chunks, by id, 0 for none. Existing chunks store their own.
    pub filters: [u8; 6],
    /// The meta bytes of these filters.
    pub filters_meta: [u8; 6],
    /// A copy of the codec's id; where [`compcode`](Self::compcode) is 6, the only one.
    pub udcodec: u8,
    /// The meta byte of the codec.
    pub codec_meta: u8,
    /// Bit 0: new chunks get a dictionary. Other bits are preserved.
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
    /// Returns the `frame_type` byte.
    #[must_use]
    pub fn id(self) -> u8 {
        u8::from(self == Self::Sparse)
    }
}

/// Uncompressed bytes of a chunk, as stored in a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChunkSize {
    /// This size for every chunk but the last, which may be shorter. Not 0, at most 2³¹ - 1.
    Fixed(u32),
    /// 0: each chunk has its own size.
    Variable,
    /// -1: the size of the first chunk, which has not been added yet.
    Unset,
}

impl ChunkSize {
    /// Returns the number stored in the header.
    #[must_use]
    pub fn to_i64(self) -> i64 {
        match self {
            Self::Fixed(size) => size.into(),
            Self::Variable => 0,
            Self::Unset => -1,
        }
    }
}

const MAX_FILTERS: u8 = 6;
/// The `compcode` of a codec whose id is only in `udcodec`.
const COMPCODE_UDCODEC: u8 = 6;

impl Header {
    /// Bytes before the metalayers. [`parse`](Self::parse) needs at least this many.
    pub const FIXED_LEN: usize = Metalayers::AT;

    /// Creates the header of a frame without chunks: unknown chunk size, and the default compression, LZ4 at level 5
    /// after a shuffle. The creator of the frame sets `frame_len`.
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

    /// Returns the length of this header in bytes. At most 2³¹ - 1.
    #[must_use]
    pub fn header_len(&self) -> u64 {
        (Self::FIXED_LEN + self.metalayers.to_bytes().len()) as u64
    }

    /// Returns the number of chunks, or `None` if chunk sizes vary and only the index has it, or if they are 0. Do not
    /// allocate by a number that comes from the header alone.
    #[must_use]
    pub fn nchunks(&self) -> Option<u64> {
        match self.chunksize {
            _ if self.nbytes == 0 => Some(0),
            ChunkSize::Fixed(size) if size > 0 => Some(self.nbytes.div_ceil(size.into())),
            ChunkSize::Fixed(_) | ChunkSize::Variable | ChunkSize::Unset => None,
        }
    }

    /// Returns the codec of new chunks; `None` for one that is not built in.
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

    /// Sets the codec of new chunks. Returns `false` and changes nothing if Blosc2 has no number for it, as for Snappy.
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

    /// Returns the filters of new chunks in the order in which they run; `None` for one that is not built in.
    pub fn filters(&self) -> impl Iterator<Item = Option<Filter>> {
        let slots = self.filters.into_iter().zip(self.filters_meta).take(self.nfilters.into());
        slots.filter(|(id, _)| *id != 0).map(|(id, meta)| Filter::from_id(id, meta))
    }

    /// Returns the split mode of new chunks.
    #[must_use]
    pub fn split_mode(&self) -> SplitMode {
        match self.other_flags & 3 {
            0 => SplitMode::Always,
            1 => SplitMode::Never,
            2 => SplitMode::Auto,
            _ => SplitMode::ForwardCompat,
        }
    }

    /// Returns whether new chunks get a dictionary.
    #[must_use]
    pub fn uses_dictionary(&self) -> bool {
        self.other_flags2 & 1 != 0
    }

    /// Checks that the frame has the expected type.
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
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of `docs/format/blosc2-frame.md`.
    const EXAMPLE: &[u8; 97] = b"\x9e\xa8b2frame\0\xd2\0\0\0\x61\xcf\0\0\0\0\0\0\x02\x07\xa4\x12\0\x51\x03\
        \xd3\0\0\0\0\0\0\x0f\xa0\xd3\0\0\0\0\0\0\x01\x5b\xd2\0\0\0\x04\xd2\0\0\0\0\xd2\0\0\x0f\xa0\xd1\0\x01\xd1\0\x01\
        \xc2\xd8\x06\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0\0\0\x93\xcd\0\x07\xde\0\0\xdc\0\0";

    #[test]
    fn reads_and_writes_the_example() {
        let expected = Header {
            frame_len: 519,
            nbytes: 4000,
            cbytes: 347,
            chunksize: ChunkSize::Fixed(4000),
            ..Header::new(FrameType::Contiguous, 4)
        };
        assert_eq!(Header::parse(EXAMPLE).as_ref(), Ok(&expected));
        assert_eq!(expected.to_bytes().unwrap(), EXAMPLE);
        assert_eq!(expected.codec(), Some(Codec::Lz4));
        assert_eq!(expected.filters().collect::<Vec<_>>(), [Some(Filter::Shuffle)]);
        assert_eq!(expected.split_mode(), SplitMode::ForwardCompat);
        assert!(!expected.uses_dictionary());
    }

    #[test]
    fn numbers_of_chunks() {
        let nchunks = |nbytes, chunksize| Header { nbytes, chunksize, ..Header::new(FrameType::Sparse, 1) }.nchunks();
        assert_eq!(nchunks(0, ChunkSize::Variable), Some(0));
        assert_eq!(nchunks(1, ChunkSize::Variable), None);
        assert_eq!(nchunks(1, ChunkSize::Fixed(0)), None);
        assert_eq!((nchunks(100, ChunkSize::Fixed(50)), nchunks(101, ChunkSize::Fixed(50))), (Some(2), Some(3)));
        let mut header = *EXAMPLE;
        // 2²⁸ chunks of 4000 bytes.
        header[30..38].copy_from_slice(&(4000_i64 << 28).to_be_bytes());
        let error = Header::parse(&header).unwrap_err().to_string();
        assert_eq!(
            error,
            "frame header, offset 58: number of chunks by nbytes and chunksize is 268435456, expected 0..=268435455"
        );
    }

    #[test]
    fn codecs_by_number() {
        let mut header = Header { compcode: 6, udcodec: 5, ..Header::new(FrameType::Contiguous, 1) };
        assert_eq!(header.codec(), Some(Codec::Zstd));
        header.udcodec = 36;
        assert_eq!(header.codec(), None);
        assert!(!header.set_codec(Codec::Snappy) && header.udcodec == 36);
        assert!(header.set_codec(Codec::Zlib) && (header.compcode, header.udcodec) == (4, 4));
    }
}
