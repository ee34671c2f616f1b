//! The 16 bytes that every chunk starts with. No other file knows where a field or a flag bit lies.
//!
//! ```text
//! |-0-|-1-|-2-|-3-|-4-|-5-|-6-|-7-|-8-|-9-|-A-|-B-|-C-|-D-|-E-|-F-|
//!   ^   ^   ^   ^ |     nbytes    |   blocksize   |    cbytes     |
//!   |   |   |   +-- typesize
//!   |   |   +------ flags:  0x01 byte shuffle   0x02 memcpyed   0x04 bit shuffle   0x08 delta (Blosc2)
//!   |   |                   0x10 blocks are not split           bits 5-7 codec format
//!   |   +---------- versionlz, the codec's format version: always 1
//!   +-------------- version: 2 for all of Blosc 1.x
//! ```
//!
//! Sizes are little-endian `i32`; `nbytes` is the plain size, `cbytes` that of the whole chunk with this header.

use crate::codec::CodecFormat;
use crate::filter::FilterPipeline;
use crate::le::{i32_at, put_i32};
use crate::{DecodeError, Limits};

const SHUFFLE: u8 = 0x01;
const MEMCPYED: u8 = 0x02;
const BITSHUFFLE: u8 = 0x04;
const DELTA: u8 = 0x08;
const NOT_SPLIT: u8 = 0x10;
const FORMAT_SHIFT: u32 = 5;

/// The version byte of all of Blosc 1.x.
const VERSION: u8 = 2;
/// The version of every codec's stream format.
const VERSIONLZ: u8 = 1;

/// The header of a chunk, its fields checked against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header {
    version: u8,
    versionlz: u8,
    flags: u8,
    typesize: u8,
    nbytes: usize,
    blocksize: usize,
    cbytes: usize,
}

impl Header {
    /// Bytes of a Blosc1 header.
    pub const LEN: usize = 16;
    /// The most plain bytes that one Blosc1 chunk holds: 2^31 − 1 less the header.
    pub const MAX_NBYTES: usize = i32::MAX as usize - Header::LEN;

    /// Reads the header at the start of `bytes`; what follows it is not looked at.
    ///
    /// # Errors
    /// [`DecodeError::HeaderTooShort`], [`DecodeError::Version`], [`DecodeError::Field`] and [`DecodeError::Flags`]
    /// for what no Blosc 1.x ever wrote; [`DecodeError::UnknownCodec`]; [`DecodeError::Unearned`] if `nbytes` is more
    /// than `cbytes` of its codec can hold.
    pub fn parse(bytes: &[u8]) -> Result<Header, DecodeError> {
        let (Some(nbytes), Some(blocksize), Some(cbytes)) = (i32_at(bytes, 4), i32_at(bytes, 8), i32_at(bytes, 12))
        else {
            return Err(DecodeError::HeaderTooShort { needed: Header::LEN, found: bytes.len() });
        };
        let (version, versionlz, flags, typesize) = (bytes[0], bytes[1], bytes[2], bytes[3]);
        if version != VERSION {
            return Err(DecodeError::Version { found: version });
        }
        let field = |offset, field, found: i64, min: i64, max: i64| {
            let valid = (min..=max).contains(&found);
            // In range, so not negative: no minimum below is.
            if valid { Ok(found as usize) } else { Err(DecodeError::Field { offset, field, found, min, max }) }
        };
        field(1, "versionlz", versionlz.into(), VERSIONLZ.into(), VERSIONLZ.into())?;
        field(3, "typesize", typesize.into(), 1, 255)?;
        let nbytes = field(4, "nbytes", nbytes.into(), 0, Header::MAX_NBYTES as i64)?;
        // Of an empty chunk the block size says nothing.
        let (smallest, largest) = if nbytes == 0 { (0, i32::MAX as usize) } else { (1, nbytes) };
        let blocksize = field(8, "blocksize", blocksize.into(), smallest, largest as i64)?;
        let cbytes = field(12, "cbytes", cbytes.into(), Header::LEN as i64, i32::MAX.into())?;
        let header = Header { version, versionlz, flags, typesize, nbytes, blocksize, cbytes };
        header.check()?;
        Ok(header)
    }

    /// The rules that concern several fields.
    fn check(&self) -> Result<(), DecodeError> {
        let flags = |what| Err(DecodeError::Flags { found: self.flags, what });
        if self.flags & DELTA != 0 {
            return flags("the delta filter does not exist in a version 2 chunk");
        }
        if self.flags & SHUFFLE != 0 && self.flags & BITSHUFFLE != 0 {
            return flags("byte shuffle and bit shuffle exclude each other in a version 2 chunk");
        }
        let body = self.cbytes - Header::LEN;
        if self.is_memcpyed() {
            let expected = (self.nbytes + Header::LEN) as i64;
            if self.nbytes != body {
                let (field, found) = ("cbytes", self.cbytes as i64);
                return Err(DecodeError::Field { offset: 12, field, found, min: expected, max: expected });
            }
            return Ok(());
        }
        let Some(format) = CodecFormat::from_id(self.flags >> FORMAT_SHIFT) else {
            return Err(DecodeError::UnknownCodec { format: self.flags >> FORMAT_SHIFT });
        };
        if self.nbytes / format.max_expansion() > body {
            return Err(DecodeError::Unearned { nbytes: self.nbytes, cbytes: self.cbytes });
        }
        Ok(())
    }

    /// A header for a chunk to be written. All sizes fit the format.
    pub(crate) fn new(typesize: usize, nbytes: usize, blocksize: usize, kind: ChunkKind) -> Header {
        let mut flags = kind.format.id() << FORMAT_SHIFT;
        for filter in kind.filters.as_slice() {
            flags |= match filter {
                crate::Filter::Shuffle => SHUFFLE,
                crate::Filter::BitShuffle => BITSHUFFLE,
            };
        }
        if !kind.split {
            flags |= NOT_SPLIT;
        }
        let typesize = u8::try_from(typesize).unwrap_or(1);
        Header { version: VERSION, versionlz: VERSIONLZ, flags, typesize, nbytes, blocksize, cbytes: 0 }
    }

    /// The same chunk with its size, stored as it is or compressed.
    pub(crate) fn finish(mut self, cbytes: usize, memcpyed: bool) -> Header {
        self.cbytes = cbytes;
        if memcpyed {
            self.flags |= MEMCPYED;
        }
        self
    }

    /// The bytes of the header.
    pub fn to_bytes(&self) -> [u8; Header::LEN] {
        let mut bytes = [0; Header::LEN];
        bytes[..4].copy_from_slice(&[self.version, self.versionlz, self.flags, self.typesize]);
        for (at, size) in [(4, self.nbytes), (8, self.blocksize), (12, self.cbytes)] {
            // Sizes are at most i32::MAX: parsed from an i32, or checked by the encoder.
            put_i32(&mut bytes, at, size as i32);
        }
        bytes
    }

    /// The chunk format version.
    pub fn version(&self) -> u8 {
        self.version
    }

    /// The version of the codec's stream format.
    pub fn versionlz(&self) -> u8 {
        self.versionlz
    }

    /// The flags byte as it stands in the chunk.
    pub fn flags(&self) -> u8 {
        self.flags
    }

    /// Bytes of one element, 1..=255.
    pub fn typesize(&self) -> usize {
        self.typesize.into()
    }

    /// Plain bytes in the chunk.
    pub fn nbytes(&self) -> usize {
        self.nbytes
    }

    /// Plain bytes in each block but the last, which may be shorter.
    pub fn blocksize(&self) -> usize {
        self.blocksize
    }

    /// Bytes of the whole chunk, header included.
    pub fn cbytes(&self) -> usize {
        self.cbytes
    }

    /// Whether the plain bytes follow the header as they are.
    pub fn is_memcpyed(&self) -> bool {
        self.flags & MEMCPYED != 0
    }

    /// Whether the writer split blocks into one stream for each byte of an element. Chunks older than Blosc 1.11 do
    /// not have this flag and always say yes.
    pub fn is_split(&self) -> bool {
        self.flags & NOT_SPLIT == 0
    }

    /// The format of the streams; `None` for the ids that mean nothing, which only a memcpyed chunk may have.
    pub fn codec_format(&self) -> Option<CodecFormat> {
        CodecFormat::from_id(self.flags >> FORMAT_SHIFT)
    }

    /// The filters.
    pub fn filters(&self) -> FilterPipeline {
        match self.flags & (SHUFFLE | BITSHUFFLE) {
            SHUFFLE => FilterPipeline::shuffle(),
            BITSHUFFLE => FilterPipeline::bitshuffle(),
            _ => FilterPipeline::none(),
        }
    }

    /// How many blocks the chunk has.
    pub fn nblocks(&self) -> usize {
        if self.nbytes == 0 { 0 } else { self.nbytes.div_ceil(self.blocksize) }
    }

    /// Refuses a chunk that is larger than the caller allows.
    pub(crate) fn check_limits(&self, limits: &Limits) -> Result<(), DecodeError> {
        if self.nbytes > limits.max_nbytes {
            return Err(DecodeError::Limit { needed: self.nbytes, limit: limits.max_nbytes });
        }
        Ok(())
    }
}

/// What the flags of a new chunk say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ChunkKind {
    pub(crate) format: CodecFormat,
    pub(crate) filters: FilterPipeline,
    pub(crate) split: bool,
}
