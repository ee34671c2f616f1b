//! The header of a chunk: 16 bytes, or 32 if the flags say so.
//!
//! ```text
//!  0          1          2          3          4         8           12        16
//! | version  | versionlz| flags    | typesize | nbytes  | blocksize | cbytes  |
//! | filter ids, 6       | codec 22 | meta 23  | filter metas, 6 | flags2 30 | blosc2_flags 31 |
//! 16                    22         23         24                30          31             32
//!
//! flags         0 shuffle   1 memcpyed   2 bitshuffle   3 delta   4 not split   5-7 codec format
//!               0 and 2 together: the second line follows
//! flags2        0 blocks of variable length
//! blosc2_flags  0 dictionary   1 big-endian writer   3 lazy   4-6 special value   7 instrumented
//! ```
//!
//! Integers are little-endian, signed, and have 32 bits. Version 2 is Blosc1. Versions 3 to 6 are Blosc2.

mod bits;
mod build;
mod common;
mod parse;

use bits::offset::*;
pub(crate) use build::ChunkKind;
pub(crate) use common::{CommonFilter, CommonHeader};

use crate::codec::{Codec, CodecFormat};
use crate::divide::remainder;
use crate::error::DecodeError;
use crate::filter::{Filter, FilterPipeline};
use crate::format::ChunkFormat;
use crate::limits::Limits;

/// The header of a chunk. Its fields are checked against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(16))]
pub struct Header {
    /// The header as stored in the chunk. A header of 16 bytes is padded with zeros. One aligned array is copied at
    /// once: headers of small chunks are read millions of times a second.
    bytes: [u8; Header::EXTENDED_LEN],
}

/// The content of a chunk that stores no blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Special {
    /// Zeros.
    Zeros,
    /// Not-a-numbers: `f32` or `f64`, by the typesize.
    Nan,
    /// One value, stored after the header, repeated.
    Value,
    /// Data that was never written. Reads as zeros.
    Uninit,
}

impl Special {
    pub(crate) const fn id(self) -> u8 {
        match self {
            Special::Zeros => 1,
            Special::Nan => 2,
            Special::Value => 3,
            Special::Uninit => 4,
        }
    }

    /// Returns its name: `zeros`, `nan`, `value`, `uninit`.
    pub const fn name(self) -> &'static str {
        match self {
            Special::Zeros => "zeros",
            Special::Nan => "nan",
            Special::Value => "value",
            Special::Uninit => "uninit",
        }
    }
}

impl Header {
    /// Bytes of a Blosc1 header, and of the first part of every header.
    pub const LEN: usize = 16;
    /// Bytes of an extended header, which Blosc2 writes.
    pub const EXTENDED_LEN: usize = 32;
    /// Maximum plain bytes of one Blosc1 chunk: 2^31 − 1 less the header.
    pub const MAX_NBYTES: usize = i32::MAX as usize - Header::LEN;
    /// Maximum plain bytes of one Blosc2 chunk.
    pub const MAX_NBYTES_BLOSC2: usize = i32::MAX as usize - Header::EXTENDED_LEN;

    /// Returns a size field. It was checked to be non-negative, or was written from a valid size.
    #[inline]
    fn size(&self, at: usize) -> usize {
        i32::from_le_bytes([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]]) as usize
    }

    /// Returns whether the header has 32 bytes. If not, the bytes from 16 on are 0.
    #[inline]
    fn is_extended(&self) -> bool {
        self.bytes[VERSION] != bits::BLOSC1 && self.bytes[FLAGS] & bits::EXTENDED == bits::EXTENDED
    }

    /// Returns the bytes of the header.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes[..self.len()].to_vec()
    }

    /// Returns the bytes of this header: 16 or 32.
    #[inline]
    #[allow(clippy::len_without_is_empty, reason = "no header is empty")]
    pub fn len(&self) -> usize {
        if self.is_extended() { Header::EXTENDED_LEN } else { Header::LEN }
    }

    /// Returns the chunk format version.
    #[inline]
    pub fn version(&self) -> u8 {
        self.bytes[VERSION]
    }

    /// Returns the generation that wrote the chunk. Blosc2 writes headers of both lengths.
    #[inline]
    pub fn format(&self) -> ChunkFormat {
        if self.version() == bits::BLOSC1 { ChunkFormat::Blosc1 } else { ChunkFormat::Blosc2 }
    }

    /// Returns the version of the codec's stream format.
    pub fn versionlz(&self) -> u8 {
        self.bytes[VERSIONLZ]
    }

    /// Returns the flags byte as stored in the chunk.
    pub fn flags(&self) -> u8 {
        self.bytes[FLAGS]
    }

    /// Returns the `blosc2_flags` byte as stored in an extended header, or 0.
    pub fn blosc2_flags(&self) -> u8 {
        self.bytes[BLOSC2_FLAGS]
    }

    /// Returns the `blosc2_flags2` byte as stored in an extended header, or 0.
    pub fn blosc2_flags2(&self) -> u8 {
        self.bytes[FLAGS2]
    }

    /// Returns the bytes of one element, 1..=255.
    #[inline]
    pub fn typesize(&self) -> usize {
        self.bytes[TYPESIZE].into()
    }

    /// Returns the plain bytes of the chunk.
    #[inline]
    pub fn nbytes(&self) -> usize {
        self.size(NBYTES)
    }

    /// Returns the plain bytes of each block except the last, which may be shorter. A chunk of variable-length blocks
    /// has no block size. For it, this returns `nbytes` as an upper bound.
    #[inline]
    pub fn blocksize(&self) -> usize {
        let (nbytes, blocksize) = (self.nbytes(), self.size(BLOCKSIZE));
        match self.format() {
            ChunkFormat::Blosc1 => blocksize,
            ChunkFormat::Blosc2 if self.has_vl_blocks() => nbytes,
            // Readers have always taken a block size over `nbytes` to mean one block.
            ChunkFormat::Blosc2 if nbytes > 0 => blocksize.min(nbytes),
            ChunkFormat::Blosc2 => blocksize,
        }
    }

    /// Returns the block size rounded down to whole elements, if blocks are split and the block size is not a multiple
    /// of the typesize. If a block size is forced, C-Blosc2 writes such headers and cuts the data by the rounded size,
    /// see [`Chunk::header`](crate::Chunk::header).
    #[inline]
    pub fn rounded_blocksize(&self) -> Option<usize> {
        if !self.is_split() || self.has_vl_blocks() || self.format() == ChunkFormat::Blosc1 {
            return None;
        }
        let (typesize, blocksize) = (self.typesize(), self.blocksize());
        let rest = remainder(blocksize, typesize);
        if rest == 0 { None } else { Some(blocksize - rest) }
    }

    /// Returns the number of blocks.
    #[inline]
    pub fn nblocks(&self) -> usize {
        match self.nbytes() {
            _ if self.has_vl_blocks() => self.size(BLOCKSIZE),
            0 => 0,
            // Avoids the division, which takes as long as the rest of the header of a small chunk.
            nbytes if nbytes <= self.blocksize() => 1,
            nbytes => nbytes.div_ceil(self.blocksize()),
        }
    }

    /// Returns the bytes of the whole chunk, including the header.
    #[inline]
    pub fn cbytes(&self) -> usize {
        self.size(CBYTES)
    }

    /// Returns whether the plain bytes are stored uncompressed after the header.
    pub fn is_memcpyed(&self) -> bool {
        self.flags() & bits::MEMCPYED != 0
    }

    /// Returns whether the writer split blocks into one stream per byte of an element. Chunks older than Blosc 1.11 do
    /// not have this flag. For them, this always returns true.
    pub fn is_split(&self) -> bool {
        self.flags() & bits::NOT_SPLIT == 0
    }

    /// Returns whether every block has a length of its own.
    pub fn has_vl_blocks(&self) -> bool {
        self.blosc2_flags2() & bits::VL_BLOCKS != 0
    }

    /// Returns whether a dictionary is stored between the block starts and the blocks.
    pub fn has_dictionary(&self) -> bool {
        self.blosc2_flags() & bits::DICTIONARY != 0
    }

    /// Returns whether this is the header of a lazy chunk, whose blocks are still in a frame's file.
    pub fn is_lazy(&self) -> bool {
        self.blosc2_flags() & bits::LAZY != 0
    }

    /// Returns whether the plain bytes are C-Blosc2's measurements of its streams, 16 bytes each, instead of data.
    pub fn is_instrumented(&self) -> bool {
        self.blosc2_flags() & bits::INSTRUMENTED != 0
    }

    /// Returns the content of a chunk without blocks. `None` if the chunk has blocks or uncompressed data.
    pub fn special_value(&self) -> Option<Special> {
        let id = self.blosc2_flags() >> bits::SPECIAL_SHIFT & bits::SPECIAL_MASK;
        [Special::Zeros, Special::Nan, Special::Value, Special::Uninit].into_iter().find(|special| special.id() == id)
    }

    /// Returns the format of the streams. `None` for unassigned ids, which only a chunk without streams may have.
    pub fn codec_format(&self) -> Option<CodecFormat> {
        match self.flags() >> bits::FORMAT_SHIFT {
            bits::PLUGIN_FORMAT if self.is_extended() => Some(CodecFormat::Plugin(self.bytes[CODEC])),
            id => CodecFormat::from_id(id),
        }
    }

    /// Returns the codec that wrote the streams, as far as the header shows. A 16-byte header does not distinguish LZ4
    /// and LZ4HC.
    pub fn codec(&self) -> Option<Codec> {
        Some(match self.codec_format()?.codec() {
            Codec::Lz4 if self.bytes[CODEC] == Codec::Lz4Hc.code() => Codec::Lz4Hc,
            Codec::Plugin { id, .. } => Codec::Plugin { id, meta: self.codec_meta() },
            codec => codec,
        })
    }

    /// Returns the meta byte of the codec, or 0 for a 16-byte header.
    pub fn codec_meta(&self) -> u8 {
        self.bytes[CODEC_META]
    }

    /// Returns the filters.
    pub fn filters(&self) -> FilterPipeline {
        let mut filters = FilterPipeline::none();
        if !self.is_extended() {
            let flag = |bit, filter| (self.flags() & bit != 0).then_some(filter);
            let delta = flag(bits::DELTA, Filter::Delta);
            let shuffle = flag(bits::SHUFFLE, Filter::Shuffle).or(flag(bits::BITSHUFFLE, Filter::BitShuffle));
            delta.into_iter().chain(shuffle).for_each(|filter| filters.push(filter));
            return filters;
        }
        let is_alpha = self.version() == bits::BLOSC2_ALPHA;
        let slots = FilterPipeline::MAX_LEN - usize::from(is_alpha);
        for slot in 0..slots {
            if let Some(filter) = Filter::from_id(self.bytes[FILTERS + slot], self.bytes[FILTERS_META + slot]) {
                filters.push(filter);
            }
        }
        filters
    }

    /// Returns whether byte shuffle of elements is the only filter. Nearly every chunk has it, so this avoids reading
    /// all slots.
    #[inline]
    pub(crate) fn is_only_shuffled(&self) -> bool {
        let slots = [0, 0, 0, 0, 0, Filter::Shuffle.id()];
        self.is_extended()
            && self.version() != bits::BLOSC2_ALPHA
            && self.bytes[FILTERS..CODEC] == slots
            && self.bytes[FILTERS_META..FLAGS2] == [0; 6]
    }

    /// Refuses to allocate a chunk whose compressed bytes expand beyond the limit.
    pub(crate) fn check_earned(&self, limits: &Limits) -> Result<(), DecodeError> {
        Ok(limits.check_unearned(self.nbytes() as u64, self.cbytes() as u64)?)
    }
}
