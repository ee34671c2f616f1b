//! Codecs and stream formats: names, numbers, and availability in this build.

use core::fmt;
use core::str::FromStr;

#[cfg(any(feature = "zstd", feature = "zstd-c"))]
use super::zstd;
use crate::name::NameError;

/// The id of NDLZ, the only built-in plugin.
pub(crate) const NDLZ: u8 = 32;

/// A codec, as chosen for compression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Codec {
    /// BloscLZ, Blosc's own codec. Every version of Blosc can read it.
    BloscLz,
    /// LZ4, fast.
    Lz4,
    /// LZ4 with the high-compression search: slower to compress, as fast to decompress as LZ4.
    Lz4Hc,
    /// Snappy. Only old Blosc1 builds can read it.
    Snappy,
    /// zlib (deflate).
    Zlib,
    /// Zstandard.
    Zstd,
    /// A codec that Blosc2 identifies by a number. The Blosc project assigns numbers below 160; users assign the
    /// others.
    /// NDLZ (32) can be read; all others must be in a [`Registry`](crate::Registry).
    Plugin {
        /// The number of the codec.
        id: u8,
        /// A parameter for the codec.
        meta: u8,
    },
}

impl Codec {
    /// All built-in codecs, in the order of C-Blosc's compressor codes.
    pub const ALL: [Codec; 6] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Snappy, Codec::Zlib, Codec::Zstd];

    /// Returns C-Blosc's name of the codec: `blosclz`, `lz4`, `lz4hc`, `snappy`, `zlib` or `zstd`.
    ///
    /// Plugins have the name in the Blosc project's list, or `user` from 160 on, or `unknown`.
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

    /// Returns C-Blosc's compressor code, byte 22 of a Blosc2 header; for plugins, their id.
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

    /// Returns the codec meta byte, byte 23 of a Blosc2 header.
    pub(crate) const fn meta(self) -> u8 {
        match self {
            Codec::Plugin { meta, .. } => meta,
            _ => 0,
        }
    }

    /// Returns the built-in codec with this name.
    pub fn from_name(name: &str) -> Option<Codec> {
        Codec::ALL.into_iter().find(|codec| codec.name() == name)
    }

    /// Returns the stream format that the codec writes.
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

    /// Returns the missing cargo feature as an error if this build cannot decompress with the codec.
    pub(crate) const fn decoder_availability(self) -> Result<(), &'static str> {
        match self {
            Codec::Zstd => Ok(()),
            codec => codec.availability(),
        }
    }

    /// Returns the missing cargo feature as an error if this build does not have the codec, in both directions.
    pub(crate) const fn availability(self) -> Result<(), &'static str> {
        match self {
            Codec::Snappy if cfg!(not(feature = "snappy")) => Err("snappy"),
            Codec::Zlib if cfg!(not(feature = "zlib")) => Err("zlib"),
            Codec::Zstd if cfg!(not(any(feature = "zstd", feature = "zstd-c"))) => Err("zstd"),
            _ => Ok(()),
        }
    }

    /// Returns Zstandard's own level for a compression level from 1 to 9, or `None` if this build does not have
    /// Zstandard.
    pub fn zstd_level(clevel: u8, is_shuffled: bool) -> Option<i32> {
        #[cfg(any(feature = "zstd", feature = "zstd-c"))]
        let level = Some(zstd::level_of(clevel, is_shuffled));
        #[cfg(not(any(feature = "zstd", feature = "zstd-c")))]
        let level = {
            let _ = (clevel, is_shuffled);
            None
        };
        level
    }

    /// Returns whether this build can compress and decompress with the codec.
    pub const fn is_available(self) -> bool {
        self.availability().is_ok()
    }
}

impl FromStr for Codec {
    type Err = NameError;

    /// Parses the name of a built-in codec.
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

/// The format of a chunk's streams: bits 5–7 of the flags byte. LZ4 and LZ4HC share one format.
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
    /// Returns the three bits in the flags byte.
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

    /// Returns the built-in format with these three bits. 6 means that byte 22 holds a plugin's id; 5 and 7 are
    /// unassigned.
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

    /// Returns the codec that reads the format. For LZ4, which two codecs write, this is the plain one.
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

    /// Returns the expansion limit: no stream of this format decodes to more bytes per compressed byte. A chunk that
    /// claims more is refused before anything is allocated.
    pub(crate) const fn max_expansion(self) -> usize {
        match self {
            // A length byte of 255 stands for 255 bytes of a match.
            CodecFormat::BloscLz | CodecFormat::Lz4 => 256,
            // A copy of at most 64 bytes takes at least two bytes.
            CodecFormat::Snappy => 32,
            // 258 bytes from a one-bit length code and a one-bit distance code.
            CodecFormat::Zlib => 1032,
            // A 128 KiB block of one repeated byte takes a three-byte header and that byte.
            CodecFormat::Zstd => 32 * 1024,
            CodecFormat::Plugin(_) => usize::MAX,
        }
    }
}
