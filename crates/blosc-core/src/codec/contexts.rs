//! Per-thread codec state, made when first needed and reused from stream to stream.

use core::fmt;

use super::{Codec, CodecFormat, CorruptStream, blosclz, lz4};
use crate::{DecodeError, EncodeError};

/// A codec at a level, with its tables.
pub(crate) struct Compressor {
    clevel: u8,
    state: Encode,
}

enum Encode {
    BloscLz(blosclz::Table),
    Lz4(lz4::Table),
    Lz4Hc(lz4::HcTable),
    #[cfg(feature = "snappy")]
    Snappy(super::snappy::Compressor),
    #[cfg(feature = "zlib")]
    Zlib(super::zlib::Compressor),
    #[cfg(feature = "zstd")]
    Zstd(Box<super::zstd::Compressor>),
}

impl Compressor {
    /// `clevel` is 1..=9; at level 0 nothing is compressed and the state is never used.
    pub(crate) fn new(codec: Codec, clevel: u8) -> Result<Self, EncodeError> {
        codec.availability().map_err(|feature| EncodeError::CodecUnavailable { codec, feature })?;
        let state = match codec {
            Codec::BloscLz => Encode::BloscLz(blosclz::Table::default()),
            Codec::Lz4 => Encode::Lz4(lz4::Table::default()),
            Codec::Lz4Hc => Encode::Lz4Hc(lz4::HcTable::new()),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Encode::Snappy(super::snappy::Compressor::default()),
            #[cfg(feature = "zlib")]
            Codec::Zlib => Encode::Zlib(super::zlib::Compressor::new(clevel)),
            #[cfg(feature = "zstd")]
            Codec::Zstd => Encode::Zstd(Box::new(super::zstd::Compressor::new(clevel))),
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => return Err(EncodeError::CodecUnavailable { codec, feature: codec.name() }),
        };
        Ok(Compressor { clevel, state })
    }

    /// Compresses `src` into `dst`; `None` where the result does not fit.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        match &mut self.state {
            Encode::BloscLz(table) => blosclz::compress(src, dst, self.clevel, table),
            // C-Blosc's scale: level 9 is LZ4's plain search, each level below skips one step more.
            Encode::Lz4(table) => lz4::compress_fast(src, dst, 10 - u32::from(self.clevel.min(9)), table),
            Encode::Lz4Hc(table) => lz4::compress_hc(src, dst, self.clevel, table),
            #[cfg(feature = "snappy")]
            Encode::Snappy(state) => state.compress(src, dst),
            #[cfg(feature = "zlib")]
            Encode::Zlib(state) => state.compress(src, dst),
            #[cfg(feature = "zstd")]
            Encode::Zstd(state) => state.compress(src, dst),
        }
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").field("clevel", &self.clevel).finish_non_exhaustive()
    }
}

/// Decoders of all formats; what a format needs is made when it is first met.
#[derive(Debug, Default)]
pub(crate) struct Decompressor {
    #[cfg(feature = "zlib")]
    zlib: Option<super::zlib::Decompressor>,
    #[cfg(feature = "zstd")]
    zstd: Option<super::zstd::Decompressor>,
}

impl Decompressor {
    /// Checks that this build can decode `format`.
    pub(crate) fn check(format: CodecFormat) -> Result<(), DecodeError> {
        let codec = format.codec();
        codec.availability().map_err(|feature| DecodeError::CodecUnavailable { codec, feature })
    }

    /// Decodes `src` into `dst[..len]`. The format has passed [`Decompressor::check`].
    pub(crate) fn decompress(
        &mut self,
        format: CodecFormat,
        src: &[u8],
        dst: &mut [u8],
        len: usize,
    ) -> Result<(), CorruptStream> {
        match format {
            CodecFormat::BloscLz => blosclz::decompress(src, dst, len),
            CodecFormat::Lz4 => lz4::decompress(src, dst, len),
            #[cfg(feature = "snappy")]
            CodecFormat::Snappy => super::snappy::decompress(src, &mut dst[..len]),
            #[cfg(feature = "zlib")]
            CodecFormat::Zlib => self.zlib.get_or_insert_default().decompress(src, &mut dst[..len]),
            #[cfg(feature = "zstd")]
            CodecFormat::Zstd => self.zstd.get_or_insert_default().decompress(src, &mut dst[..len]),
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => Err(CorruptStream::new(0, "its codec was compiled out")),
        }
    }
}
