//! The codecs of a chunk.

use super::ZarrError;
use super::fields::{bad, json_lengths};
use crate::axes::product;

/// How a chunk is stored: its axes are permuted, then its bytes pass through the compressors. The byte order is that of
/// the dtype.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Codecs {
    /// The shards in which chunks are stored together.
    pub sharding: Option<Sharding>,
    /// Axis `transpose[i]` of the array is axis `i` of the stored chunk. `None`: C order. Order `F` of version 2
    /// reverses the axes.
    pub transpose: Option<Vec<usize>>,
    /// The compressors and checksums, in the order in which they are applied when writing.
    pub compressors: Vec<Compressor>,
}

/// A codec from bytes to bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Compressor {
    /// A Blosc1 chunk.
    Blosc(BloscCodec),
    /// Zstandard frames.
    Zstd {
        /// The level, at most 22.
        level: i32,
        /// Whether frames have a checksum.
        checksum: bool,
    },
    /// A gzip file.
    Gzip {
        /// The level, 0 to 9.
        level: u8,
    },
    /// A zlib stream.
    Zlib {
        /// The level, 0 to 9; -1 is zlib's default.
        level: i8,
    },
    /// The bytes followed by their CRC-32C.
    Crc32c,
}

/// The parameters of a Blosc1 chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BloscCodec {
    /// The name of Blosc's codec.
    pub cname: String,
    /// The level, 0 to 9.
    pub clevel: u8,
    /// The filter.
    pub shuffle: BloscShuffle,
    /// The size of an element. `None`: the item size of the array.
    pub typesize: Option<u32>,
    /// The block size in bytes; 0 for automatic.
    pub blocksize: u32,
}

/// The filter of a Blosc1 chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BloscShuffle {
    /// None.
    None,
    /// Shuffle.
    Byte,
    /// Bitshuffle.
    Bit,
    /// Only in version 2: bitshuffle for items of one byte, else shuffle.
    Auto,
}

/// The shards of an array: chunks stored together, with an index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sharding {
    /// Items of a shard along each axis, a multiple of the chunk's.
    pub shape: Vec<u64>,
    /// Where the index is in the shard.
    pub location: IndexLocation,
    /// Whether the numbers of the index are big-endian.
    pub index_is_big: bool,
    /// Whether the index ends with its CRC-32C.
    pub index_checksum: bool,
}

/// Where the index is in a shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum IndexLocation {
    /// Before the chunks.
    Start,
    /// After the chunks.
    #[default]
    End,
}

impl IndexLocation {
    pub(super) fn name(self) -> &'static str {
        match self {
            IndexLocation::Start => "start",
            IndexLocation::End => "end",
        }
    }
}

impl Sharding {
    /// Creates shards with the index that zarr-python writes: little-endian, with a checksum, at the end.
    #[must_use]
    pub fn new(shape: Vec<u64>) -> Self {
        Sharding { shape, location: IndexLocation::End, index_is_big: false, index_checksum: true }
    }

    /// Refuses shards that are not made of whole chunks, or of too many.
    pub(super) fn check(&self, chunkshape: &[u64]) -> Result<(), ZarrError> {
        let whole = |(shard, chunk): (&u64, &u64)| shard.checked_rem(*chunk).unwrap_or(*shard) == 0;
        if self.shape.len() != chunkshape.len() || !self.shape.iter().zip(chunkshape).all(whole) {
            let expected = format!("multiples of the chunks in a shard, {}", json_lengths(chunkshape).dumps_spaced());
            return Err(bad("chunk_shape", &json_lengths(&self.shape), expected));
        }
        match product(&self.shape, 16).is_some_and(|most| i64::try_from(most).is_ok()) {
            true => Ok(()),
            false => Err(bad("chunk_shape", &json_lengths(&self.shape), "fewer items in a shard")),
        }
    }
}

impl Codecs {
    /// Returns whether the axes of stored chunks are reversed, order `F` of version 2.
    #[must_use]
    pub fn is_reversed(&self) -> bool {
        self.transpose.as_ref().is_some_and(|order| order.iter().rev().copied().eq(0..order.len()))
    }

    /// Returns whether a stored chunk has its items in the order of the array: not permuted.
    #[must_use]
    pub fn is_c_order(&self) -> bool {
        self.transpose.as_ref().is_none_or(|order| order.iter().copied().eq(0..order.len()))
    }
}

impl BloscCodec {
    /// Names of Blosc's codecs.
    pub const CNAMES: [&str; 6] = ["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"];

    /// Returns the filter, with [`BloscShuffle::Auto`] decided by the item size.
    #[must_use]
    pub fn filter(&self, itemsize: u64) -> BloscShuffle {
        match (self.shuffle, itemsize) {
            (BloscShuffle::Auto, 1) => BloscShuffle::Bit,
            (BloscShuffle::Auto, _) => BloscShuffle::Byte,
            (shuffle, _) => shuffle,
        }
    }
}
