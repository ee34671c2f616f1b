//! Decompresses streams: the codec of a chunk, and per-thread state, which is allocated at first use.

use super::dictionary::DictionaryCache;
#[cfg(feature = "snappy")]
use crate::codec::snappy;
#[cfg(feature = "zlib")]
use crate::codec::zlib;
use crate::codec::{CodecFormat, CorruptStream, DecodeTask, NDLZ, StreamError, blosclz, lz4, ndlz, zstd};
use crate::error::DecodeError;
use crate::memory::default_of;
use crate::registry::{BlockCodec, PluginContext, Registry};

/// The codec of a chunk's streams, looked up once for all threads.
#[derive(Clone)]
pub(crate) enum StreamCodec<'a> {
    BuiltIn(CodecFormat),
    Lz4Dict(&'a [u8]),
    ZstdDict(zstd::DecodeDict),
    NdLz { meta: u8 },
    Plugin(&'a dyn BlockCodec, PluginContext),
}

impl<'a> StreamCodec<'a> {
    /// Returns the codec of streams of `format` without a dictionary.
    #[inline]
    pub(crate) fn new(
        format: CodecFormat,
        meta: u8,
        typesize: usize,
        registry: &'a Registry,
    ) -> Result<Self, DecodeError> {
        match format {
            CodecFormat::Plugin(NDLZ) => Ok(StreamCodec::NdLz { meta }),
            CodecFormat::Plugin(id) => StreamCodec::plugin(id, registry, PluginContext { meta, typesize }),
            format => Ok(StreamCodec::BuiltIn(format)),
        }
    }

    #[cold]
    fn plugin(id: u8, registry: &'a Registry, context: PluginContext) -> Result<Self, DecodeError> {
        let name = CodecFormat::Plugin(id).codec().name();
        let plugin = registry.get_codec(id).ok_or(DecodeError::UnregisteredCodec { id, name })?;
        Ok(StreamCodec::Plugin(plugin.as_ref(), context))
    }

    /// Returns whether two streams are decoded faster at once than one after the other.
    pub(crate) fn has_pairs(&self) -> bool {
        matches!(self, StreamCodec::BuiltIn(CodecFormat::Zlib))
    }

    /// Returns the codec of streams of `format` with a dictionary.
    pub(crate) fn with_dictionary(
        format: CodecFormat,
        dictionary: &'a [u8],
        cache: &mut DictionaryCache,
    ) -> Result<Self, StreamError> {
        match format {
            CodecFormat::Lz4 => Ok(StreamCodec::Lz4Dict(dictionary)),
            CodecFormat::Zstd => Ok(StreamCodec::ZstdDict(cache.get(dictionary)?)),
            _ => {
                let _ = cache;
                Err(CorruptStream::new(0, "its codec does not use a dictionary").into())
            }
        }
    }
}

/// Decoders of all formats. The state of a format is allocated at its first use.
#[derive(Debug, Default)]
pub(crate) struct StreamDecoder {
    #[cfg(feature = "zlib")]
    zlib: Option<zlib::DeflateDecoder>,
    zstd: Option<zstd::ZstdDecoder>,
}

impl StreamDecoder {
    /// Returns the bytes of all states.
    pub(crate) fn held(&self) -> usize {
        #[cfg(feature = "zlib")]
        let zlib = self.zlib.as_ref().map_or(0, zlib::DeflateDecoder::held);
        #[cfg(not(feature = "zlib"))]
        let zlib = 0;
        let zstd = self.zstd.as_ref().map_or(0, zstd::ZstdDecoder::held);
        zlib + zstd
    }

    /// Checks that this build can decode `format`.
    pub(crate) fn check(format: CodecFormat) -> Result<(), DecodeError> {
        let codec = format.codec();
        codec.decoder_availability().map_err(|feature| DecodeError::CodecUnavailable { codec, feature })
    }

    /// Decodes `src` to the first `len` bytes of `buffer`, which may grow.
    pub(crate) fn decompress_to(
        &mut self,
        codec: &StreamCodec<'_>,
        src: &[u8],
        buffer: &mut Vec<u8>,
        len: usize,
    ) -> Result<(), StreamError> {
        let DecodeTask { src, dst, len } = DecodeTask::to_buffer(src, buffer, len)?;
        self.decompress(codec, src, dst, len)
    }

    /// Decodes at least the first `until` bytes of `src` to the start of `buffer`, which may grow or shrink. Errors past
    /// them may go unnoticed.
    pub(crate) fn decompress_prefix_to(
        &mut self,
        codec: &StreamCodec<'_>,
        src: &[u8],
        buffer: &mut Vec<u8>,
        len: usize,
        until: usize,
    ) -> Result<(), StreamError> {
        match codec {
            StreamCodec::BuiltIn(CodecFormat::BloscLz | CodecFormat::Lz4 | CodecFormat::Zstd) => {
                let DecodeTask { src, dst, len } = DecodeTask::to_buffer(src, buffer, len)?;
                self.decompress_prefix(codec, src, dst, len, until)
            }
            _ => self.decompress_to(codec, src, buffer, len),
        }
    }

    /// Decodes at least the first `until` bytes of `src`, which decodes to `len` bytes, to the start of `dst`. Errors
    /// past them may go unnoticed.
    pub(crate) fn decompress_prefix(
        &mut self,
        codec: &StreamCodec<'_>,
        src: &[u8],
        dst: &mut [u8],
        len: usize,
        until: usize,
    ) -> Result<(), StreamError> {
        match codec {
            StreamCodec::BuiltIn(CodecFormat::BloscLz) => Ok(blosclz::decompress_prefix(src, dst, len, until)?),
            StreamCodec::BuiltIn(CodecFormat::Lz4) => Ok(lz4::decompress_prefix(src, dst, len, until)?),
            StreamCodec::BuiltIn(CodecFormat::Zstd) => {
                let zstd = self.zstd.get_or_insert_with(default_of);
                zstd.decompress_prefix(DecodeTask { src, dst, len }, until, None)
            }
            _ => self.decompress(codec, src, dst, len),
        }
    }

    /// Decodes two streams, both at once if the codec [has pairs](StreamCodec::has_pairs).
    pub(crate) fn decompress_pair(
        &mut self,
        codec: &StreamCodec<'_>,
        streams: [DecodeTask<'_>; 2],
    ) -> [Result<(), StreamError>; 2] {
        match codec {
            #[cfg(feature = "zlib")]
            StreamCodec::BuiltIn(CodecFormat::Zlib) => self
                .zlib
                .get_or_insert_with(default_of)
                .decompress_pair(streams)
                .map(|done| done.map_err(StreamError::from)),
            _ => streams.map(|DecodeTask { src, dst, len }| self.decompress(codec, src, dst, len)),
        }
    }

    /// Decodes `src` into `dst[..len]`. The codec's format has passed [`StreamDecoder::check`].
    pub(crate) fn decompress(
        &mut self,
        codec: &StreamCodec<'_>,
        src: &[u8],
        dst: &mut [u8],
        len: usize,
    ) -> Result<(), StreamError> {
        let format = match codec {
            StreamCodec::BuiltIn(format) => *format,
            StreamCodec::Lz4Dict(dictionary) => return Ok(lz4::decompress_with_dict(src, dst, len, dictionary)?),
            StreamCodec::ZstdDict(dictionary) => {
                let stream = DecodeTask { src, dst, len };
                return self.zstd.get_or_insert_with(default_of).decompress(stream, Some(dictionary));
            }
            StreamCodec::NdLz { meta } => return Ok(ndlz::decompress(src, &mut dst[..len], *meta)?),
            StreamCodec::Plugin(plugin, context) => return Ok(plugin.decompress(src, &mut dst[..len], *context)?),
        };
        match format {
            CodecFormat::BloscLz => blosclz::decompress(src, dst, len)?,
            CodecFormat::Lz4 => lz4::decompress(src, dst, len)?,
            #[cfg(feature = "snappy")]
            CodecFormat::Snappy => snappy::decompress(src, &mut dst[..len])?,
            #[cfg(feature = "zlib")]
            CodecFormat::Zlib => self.zlib.get_or_insert_with(default_of).decompress(DecodeTask { src, dst, len })?,
            CodecFormat::Zstd => {
                self.zstd.get_or_insert_with(default_of).decompress(DecodeTask { src, dst, len }, None)?
            }
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => return Err(CorruptStream::new(0, "its codec is not in this build").into()),
        }
        Ok(())
    }
}
