//! Builds the header of a new chunk.

use super::bits::offset::*;
use super::{Header, Special, bits};
use crate::codec::Codec;
use crate::filter::{Filter, FilterPipeline};
use crate::format::ChunkFormat;
use crate::le::put_i32;

/// The header fields of a new chunk besides its sizes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkKind {
    pub(crate) format: ChunkFormat,
    pub(crate) codec: Codec,
    pub(crate) filters: FilterPipeline,
    pub(crate) split: bool,
}

impl ChunkKind {
    /// Returns the kind of a chunk without blocks, as C-Blosc2's constructors write it: no codec, no filters.
    pub(crate) const fn special() -> Self {
        ChunkKind { format: ChunkFormat::Blosc2, codec: Codec::BloscLz, filters: FilterPipeline::none(), split: true }
    }
}

impl Header {
    /// Creates the header of a chunk to write. All sizes fit the format; a typesize over 255 counts as 1.
    pub(crate) fn new(typesize: usize, nbytes: usize, blocksize: usize, kind: ChunkKind) -> Header {
        let mut header = Header { bytes: [0; Header::EXTENDED_LEN] };
        header.bytes[VERSIONLZ] = bits::VERSIONLZ;
        header.bytes[FLAGS] = kind.codec.format().id() << bits::FORMAT_SHIFT;
        header.bytes[TYPESIZE] = u8::try_from(typesize).unwrap_or(1);
        header.put(NBYTES, nbytes);
        header.put(BLOCKSIZE, blocksize);
        if !kind.split {
            header.bytes[FLAGS] |= bits::NOT_SPLIT;
        }
        match kind.format {
            ChunkFormat::Blosc1 => {
                header.bytes[VERSION] = bits::BLOSC1;
                for filter in kind.filters.as_slice() {
                    let flag = if *filter == Filter::BitShuffle { bits::BITSHUFFLE } else { bits::SHUFFLE };
                    header.bytes[FLAGS] |= flag;
                }
            }
            ChunkFormat::Blosc2 => header.extend(kind),
        }
        header
    }

    fn extend(&mut self, kind: ChunkKind) {
        self.bytes[VERSION] = bits::BLOSC2;
        self.bytes[FLAGS] |= bits::EXTENDED;
        if kind.filters.contains(Filter::Delta) {
            self.bytes[FLAGS] |= bits::DELTA;
        }
        (self.bytes[CODEC], self.bytes[CODEC_META]) = (kind.codec.code(), kind.codec.meta());
        // Like C-Blosc2, puts the filters into the last slots.
        let filters = kind.filters.as_slice();
        for (slot, filter) in (FilterPipeline::MAX_LEN - filters.len()..).zip(filters) {
            (self.bytes[FILTERS + slot], self.bytes[FILTERS_META + slot]) = (filter.id(), filter.meta());
        }
    }

    fn put(&mut self, at: usize, size: usize) {
        // The encoder has checked that sizes are at most i32::MAX.
        put_i32(&mut self.bytes, at, size as i32);
    }

    /// Returns the header with another block size.
    #[inline]
    pub(crate) fn with_blocksize(mut self, blocksize: usize) -> Header {
        self.put(BLOCKSIZE, blocksize);
        self
    }

    /// Returns the header with the size of the chunk, whose blocks are compressed.
    pub(crate) fn finish(mut self, cbytes: usize) -> Header {
        self.put(CBYTES, cbytes);
        self
    }

    /// Returns the header of the chunk stored uncompressed. `tried` says whether compression was attempted. If it was
    /// not, Blosc2 names no codec.
    pub(crate) fn finish_memcpyed(mut self, tried: bool) -> Header {
        if self.is_extended() && !tried {
            self.bytes[FLAGS] = bits::EXTENDED;
        }
        self.bytes[FLAGS] |= bits::MEMCPYED;
        self.finish(self.len() + self.nbytes())
    }

    /// Returns the header of the Blosc2 chunk as one special value. The chunk's size is that of the header.
    pub(crate) fn with_special(mut self, special: Special) -> Header {
        self.bytes[BLOSC2_FLAGS] |= special.id() << bits::SPECIAL_SHIFT;
        self.finish(self.len())
    }

    /// Returns the header of the Blosc2 chunk with a dictionary.
    pub(crate) fn with_dictionary(mut self) -> Header {
        self.bytes[BLOSC2_FLAGS] |= bits::DICTIONARY;
        self
    }

    /// Returns the header of the Blosc2 chunk with `nblocks` blocks of variable length, which are never split.
    pub(crate) fn with_vl_blocks(mut self, nblocks: usize) -> Header {
        self.bytes[FLAGS2] |= bits::VL_BLOCKS;
        self.bytes[VERSION] = bits::BLOSC2_VL;
        self.bytes[FLAGS] |= bits::NOT_SPLIT;
        self.put(BLOCKSIZE, nblocks);
        self
    }

    /// Writes the header into the start of `dst`, which has room for [`len`](Header::len) bytes.
    pub(crate) fn write(&self, dst: &mut [u8]) {
        // Of lengths that the compiler knows: it then writes the fields to `dst`. Copying 16 bytes at once that were just
        // written field by field waits for the stores.
        if self.is_extended() {
            dst[..Header::EXTENDED_LEN].copy_from_slice(&self.bytes);
        } else {
            dst[..Header::LEN].copy_from_slice(&self.bytes[..Header::LEN]);
        }
    }
}
