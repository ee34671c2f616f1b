//! Codecs and stream formats: names, numbers, and which of them this build has.

use core::fmt;
use core::str::FromStr;

#[cfg(feature = "zstd")]
use super::zstd;
use crate::name::NameError;

/// The id of ndlz, the one plugin that is built in.
pub(crate) const NDLZ: u8 = 32;

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
    /// A codec that Blosc2 knows by a number: the Blosc project gives those below 160, users give the others.
    /// ndlz (32) can be read; all others are up to a [`Registry`](crate::Registry).
    Plugin {
        /// Its number.
        id: u8,
        /// A parameter of its own.
        meta: u8,
    },
}

impl Codec {
    /// All built-in codecs, in the order of C-Blosc's compressor codes.
    pub const ALL: [Codec; 6] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Snappy, Codec::Zlib, Codec::Zstd];

    /// C-Blosc's name for it: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib`, `zstd`; for plugins the one in the Blosc
    /// project's list, or `user` from 160 on, or `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Codec::BloscLz => "blosclz",
            Codec::Lz4 => "lz4",
            Codec::Lz4Hc => "lz4hc",
            Codec::Snappy => "snappy",
            Codec::Zlib => "zlib",
            Codec::Zstd => "zstd",
            Codec::Plugin { id, .. } => match id {
                NDLZ => "ndlz",
                33 => "zfp_acc",
                34 => "zfp_prec",
                35 => "zfp_rate",
                36 => "openhtj2k",
                37 => "grok",
                38 => "openzl",
                39 => "j2k",
                40 => "htj2k",
                160.. => "user",
                _ => "unknown",
            },
        }
    }

    /// C-Blosc's compressor code, byte 22 of a Blosc2 header; a plugin's id.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Codec::BloscLz => 0,
            Codec::Lz4 => 1,
            Codec::Lz4Hc => 2,
            Codec::Snappy => 3,
            Codec::Zlib => 4,
            Codec::Zstd => 5,
            Codec::Plugin { id, .. } => id,
        }
    }

    /// Byte 23 of a Blosc2 header.
    pub(crate) const fn meta(self) -> u8 {
        match self {
            Codec::Plugin { meta, .. } => meta,
            _ => 0,
        }
    }

    /// The built-in codec of that name.
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
            Codec::Plugin { id, .. } => CodecFormat::Plugin(id),
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

    /// Returns Zstd's own level for a compression level of 1 to 9. `None` if this build does not have Zstd.
    pub fn zstd_level(clevel: u8, is_shuffled: bool) -> Option<i32> {
        #[cfg(feature = "zstd")]
        let level = Some(zstd::level_of(clevel, is_shuffled));
        #[cfg(not(feature = "zstd"))]
        let level = {
            let _ = (clevel, is_shuffled);
            None
        };
        level
    }

    /// Whether this build can compress and decompress with it.
    pub const fn is_available(self) -> bool {
        self.availability().is_ok()
    }
}

impl FromStr for Codec {
    type Err = NameError;

    /// Reads the name of a built-in codec.
    ///
    /// ```
    /// use blosc_core::Codec;
    /// assert_eq!("zstd".parse(), Ok(Codec::Zstd));
    /// ```
    fn from_str(name: &str) -> Result<Self, NameError> {
        Codec::from_name(name).ok_or_else(|| NameError::Codec { found: name.into() })
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
    /// Streams of the plugin with this id.
    Plugin(u8),
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
            CodecFormat::Plugin(_) => 6,
        }
    }

    /// The built-in format with these three bits. 6 says that byte 22 has the id of a plugin, 5 and 7 say nothing.
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
            CodecFormat::Plugin(id) => Codec::Plugin { id, meta: 0 },
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
            CodecFormat::Plugin(_) => usize::MAX,
        }
    }
}
