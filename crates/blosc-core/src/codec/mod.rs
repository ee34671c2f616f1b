//! The codecs a stream can be stored with, and the one `match` that dispatches to them.
//!
//! Every codec has the same two faces, on plain slices:
//!
//! * compress: `src` into `dst`, `None` where the result does not fit (storing raw is not an error);
//! * decompress: `src` into exactly `len` bytes of `dst`, [`CorruptStream`] for anything else.
//!
//! `dst` may be longer than `len`: a decoder may use the bytes behind `dst[..len]` as scratch for wide copies, so
//! whoever calls it fills them afterwards or does not care. No byte outside `dst` is ever touched.

pub(crate) mod blosclz;
mod contexts;
#[cfg(test)]
mod dict_chunks;
#[cfg_attr(not(test), expect(dead_code))]
mod dictionary;
pub(crate) mod lz4;
#[cfg_attr(not(test), expect(dead_code))]
mod ndlz;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "zlib")]
mod zlib;
#[cfg(feature = "zstd")]
mod zstd;

use core::fmt;

pub(crate) use contexts::{Compressor, Decompressor};

/// A codec, as one asks for it when compressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// BloscLZ, Blosc's own; what every Blosc ever built can read.
    BloscLz,
    /// LZ4, fast.
    Lz4,
    /// LZ4 with the high-compression search: slow to write, as fast to read as LZ4.
    Lz4Hc,
    /// Snappy. Only Blosc1 builds of old can read it.
    Snappy,
    /// zlib (deflate).
    Zlib,
    /// Zstandard.
    Zstd,
}

impl Codec {
    /// All codecs, in the order of C-Blosc's compressor codes.
    pub const ALL: [Codec; 6] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Snappy, Codec::Zlib, Codec::Zstd];

    /// C-Blosc's name for it: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib`, `zstd`.
    pub const fn name(self) -> &'static str {
        match self {
            Codec::BloscLz => "blosclz",
            Codec::Lz4 => "lz4",
            Codec::Lz4Hc => "lz4hc",
            Codec::Snappy => "snappy",
            Codec::Zlib => "zlib",
            Codec::Zstd => "zstd",
        }
    }

    /// The codec of that name.
    pub fn from_name(name: &str) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// The stream format that it writes.
    pub const fn format(self) -> CodecFormat {
        match self {
            Codec::BloscLz => CodecFormat::BloscLz,
            Codec::Lz4 | Codec::Lz4Hc => CodecFormat::Lz4,
            Codec::Snappy => CodecFormat::Snappy,
            Codec::Zlib => CodecFormat::Zlib,
            Codec::Zstd => CodecFormat::Zstd,
        }
    }

    /// Whether this build has it, else the cargo feature that would bring it.
    pub(crate) const fn availability(self) -> Result<(), &'static str> {
        match self {
            Codec::Snappy if cfg!(not(feature = "snappy")) => Err("snappy"),
            Codec::Zlib if cfg!(not(feature = "zlib")) => Err("zlib"),
            Codec::Zstd if cfg!(not(feature = "zstd")) => Err("zstd"),
            _ => Ok(()),
        }
    }

    /// Whether this build can compress and decompress with it.
    pub const fn is_available(self) -> bool {
        self.availability().is_ok()
    }
}

impl fmt::Display for Codec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The format of a chunk's streams: bits 5–7 of its flags byte. LZ4 and LZ4HC write the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CodecFormat {
    /// BloscLZ streams.
    BloscLz,
    /// Raw LZ4 blocks.
    Lz4,
    /// Raw Snappy blocks.
    Snappy,
    /// RFC 1950 streams.
    Zlib,
    /// RFC 8878 frames.
    Zstd,
}

impl CodecFormat {
    /// The three bits in the flags byte.
    pub const fn id(self) -> u8 {
        match self {
            CodecFormat::BloscLz => 0,
            CodecFormat::Lz4 => 1,
            CodecFormat::Snappy => 2,
            CodecFormat::Zlib => 3,
            CodecFormat::Zstd => 4,
        }
    }

    /// The format with these three bits; 5, 6 and 7 are none of a Blosc1 chunk's.
    pub const fn from_id(id: u8) -> Option<CodecFormat> {
        match id {
            0 => Some(CodecFormat::BloscLz),
            1 => Some(CodecFormat::Lz4),
            2 => Some(CodecFormat::Snappy),
            3 => Some(CodecFormat::Zlib),
            4 => Some(CodecFormat::Zstd),
            _ => None,
        }
    }

    /// The codec that reads it; for LZ4, which two codecs write, the plain one.
    pub const fn codec(self) -> Codec {
        match self {
            CodecFormat::BloscLz => Codec::BloscLz,
            CodecFormat::Lz4 => Codec::Lz4,
            CodecFormat::Snappy => Codec::Snappy,
            CodecFormat::Zlib => Codec::Zlib,
            CodecFormat::Zstd => Codec::Zstd,
        }
    }

    /// No stream of this format holds more than this many plain bytes per compressed byte, so a chunk that claims
    /// more is refused before anything is allocated.
    pub(crate) const fn max_expansion(self) -> usize {
        match self {
            // A length byte of 255 stands for 255 bytes of a match.
            CodecFormat::BloscLz | CodecFormat::Lz4 => 256,
            // A copy of at most 64 bytes takes two bytes at least.
            CodecFormat::Snappy => 32,
            // 258 bytes by a one-bit length and a one-bit distance code.
            CodecFormat::Zlib => 1032,
            // A block of 128 KiB of one byte takes three bytes of header and that byte.
            CodecFormat::Zstd => 32 * 1024,
        }
    }
}

/// Why a compressed stream could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptStream {
    /// Position in the compressed stream at which decoding stopped.
    pub at: usize,
    /// What was wrong there, in a few words.
    pub what: &'static str,
}

impl CorruptStream {
    pub(crate) const fn new(at: usize, what: &'static str) -> Self {
        CorruptStream { at, what }
    }
}

impl fmt::Display for CorruptStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the stream: {}", self.at, self.what)
    }
}
