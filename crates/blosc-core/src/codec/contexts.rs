//! Per-thread codec state, made when first needed and reused from stream to stream.

use core::fmt;
use std::sync::Arc;

use super::{Codec, CodecFormat, CorruptStream, NDLZ, StreamError, blosclz, lz4, ndlz};
use crate::OutOfMemory;
use crate::filter::{Filter, grow};
use crate::params::{CParams, ChunkFormat};
use crate::registry::{BlockCodec, PluginContext, Registry};
use crate::{DecodeError, EncodeError};

/// A codec at a level, with its tables, and with what it knows of a dictionary.
pub(crate) struct Compressor {
    clevel: u8,
    state: Encode,
}

enum Encode {
    BloscLz(blosclz::Table),
    Lz4(lz4::Table),
    Lz4Hc(lz4::HcTable),
    Lz4Dict(lz4::DictTable),
    Lz4HcDict(lz4::HcDictTable),
    #[cfg(feature = "snappy")]
    Snappy(super::snappy::Compressor),
    #[cfg(feature = "zlib")]
    Zlib(super::zlib::Compressor),
    #[cfg(feature = "zstd")]
    Zstd(Box<super::zstd::Compressor>),
    Plugin(Arc<dyn BlockCodec>, PluginContext),
}

impl Compressor {
    /// At level 0 nothing is compressed and the state is never used.
    pub(crate) fn new(params: &CParams, registry: &Registry) -> Result<Self, EncodeError> {
        let CParams { codec, clevel, .. } = *params;
        codec.availability().map_err(|feature| EncodeError::CodecUnavailable { codec, feature })?;
        let state = match codec {
            Codec::BloscLz => Encode::BloscLz(blosclz::Table::new()?),
            Codec::Lz4 => Encode::Lz4(lz4::Table::new(wanted_matches(params))?),
            Codec::Lz4Hc => Encode::Lz4Hc(lz4::HcTable::new()?),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Encode::Snappy(super::snappy::Compressor::default()),
            #[cfg(feature = "zlib")]
            Codec::Zlib => Encode::Zlib(super::zlib::Compressor::new(clevel, params.format)?),
            #[cfg(feature = "zstd")]
            Codec::Zstd => Encode::Zstd(Box::new(super::zstd::Compressor::new(clevel, params.filters.has_shuffle()))),
            Codec::Plugin { id, meta } => {
                let what = if id == NDLZ { "it is read only" } else { "no codec is registered for this id" };
                let plugin = registry.get_codec(id).ok_or(EncodeError::Codec { codec, what })?;
                Encode::Plugin(Arc::clone(plugin), PluginContext { meta, typesize: params.machine_typesize() })
            }
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => return Err(EncodeError::CodecUnavailable { codec, feature: codec.name() }),
        };
        Ok(Compressor { clevel, state })
    }

    /// Another one of the same kind, for another thread.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        let clevel = self.clevel;
        let state = match &self.state {
            Encode::BloscLz(_) => Encode::BloscLz(blosclz::Table::new()?),
            Encode::Lz4(table) => Encode::Lz4(table.fresh()?),
            Encode::Lz4Hc(_) => Encode::Lz4Hc(lz4::HcTable::new()?),
            Encode::Lz4Dict(table) => Encode::Lz4Dict(table.try_clone()?),
            Encode::Lz4HcDict(table) => Encode::Lz4HcDict(table.try_clone()?),
            #[cfg(feature = "snappy")]
            Encode::Snappy(_) => Encode::Snappy(super::snappy::Compressor::default()),
            #[cfg(feature = "zlib")]
            Encode::Zlib(state) => Encode::Zlib(state.fresh()?),
            #[cfg(feature = "zstd")]
            Encode::Zstd(state) => Encode::Zstd(Box::new(state.fresh())),
            Encode::Plugin(plugin, context) => Encode::Plugin(Arc::clone(plugin), *context),
        };
        Ok(Compressor { clevel, state })
    }

    /// The same level with the codec's dictionary, for streams of about `len` bytes.
    #[cfg_attr(not(feature = "zstd"), allow(unused_variables, reason = "only zstd goes by their length"))]
    pub(crate) fn with_dictionary(&self, dictionary: &Dictionary, len: usize) -> Result<Self, OutOfMemory> {
        let state = match &dictionary.0 {
            Prepared::Lz4(table) => Encode::Lz4Dict(table.try_clone()?),
            Prepared::Lz4Hc(table) => Encode::Lz4HcDict(table.try_clone()?),
            #[cfg(feature = "zstd")]
            Prepared::Zstd(dictionary) => Encode::Zstd(Box::new(super::zstd::Compressor::with_dict(dictionary, len))),
        };
        Ok(Compressor { clevel: self.clevel, state })
    }

    /// Compresses `src` into `dst`; `None` where the result does not fit.
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        // C-Blosc's scale: level 9 is LZ4's plain search, each level below skips one step more.
        let acceleration = 10 - u32::from(self.clevel.min(9));
        Ok(match &mut self.state {
            Encode::BloscLz(table) => blosclz::compress(src, dst, self.clevel, table),
            Encode::Lz4(table) => lz4::compress_fast(src, dst, acceleration, table),
            Encode::Lz4Hc(table) => lz4::compress_hc(src, dst, self.clevel, table),
            Encode::Lz4Dict(table) => {
                table.reserve(src)?;
                lz4::compress_fast_with_dict(src, dst, acceleration, table)
            }
            Encode::Lz4HcDict(table) => {
                table.reserve(src)?;
                lz4::compress_hc_with_dict(src, dst, self.clevel, table)
            }
            #[cfg(feature = "snappy")]
            Encode::Snappy(state) => state.compress(src, dst)?,
            #[cfg(feature = "zlib")]
            Encode::Zlib(state) => state.compress(src, dst)?,
            #[cfg(feature = "zstd")]
            Encode::Zstd(state) => state.compress(src, dst)?,
            // What a plugin says it wrote is believed as far as there was room.
            Encode::Plugin(plugin, context) => {
                let room = dst.len();
                plugin.compress(src, dst, *context).filter(|&len| len > 0 && len <= room)
            }
        })
    }
}

/// Longer matches of planes, where there are planes. A Blosc1 chunk is to be as small as C-Blosc 1's.
fn wanted_matches(params: &CParams) -> lz4::Wanted {
    let has_planes = params.typesize > 1
        && params
            .filters
            .as_slice()
            .iter()
            .any(|filter| matches!(filter, Filter::Shuffle | Filter::ShuffleGroups(_) | Filter::BitShuffle));
    match params.format {
        ChunkFormat::Blosc2 if has_planes => lz4::Wanted::Long,
        _ => lz4::Wanted::All,
    }
}

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compressor").field("clevel", &self.clevel).finish_non_exhaustive()
    }
}

/// A dictionary made ready for compressing, once for all threads.
pub(crate) struct Dictionary(Prepared);

enum Prepared {
    Lz4(lz4::DictTable),
    Lz4Hc(lz4::HcDictTable),
    #[cfg(feature = "zstd")]
    Zstd(super::zstd::EncodeDict),
}

impl Dictionary {
    /// `None` for a codec that uses none.
    #[cfg_attr(not(feature = "zstd"), allow(unused_variables, reason = "only zstd prepares for a level"))]
    pub(crate) fn new(codec: Codec, clevel: u8, dictionary: &[u8]) -> Result<Option<Self>, OutOfMemory> {
        Ok(Some(Dictionary(match codec {
            Codec::Lz4 => Prepared::Lz4(lz4::DictTable::new(dictionary)?),
            Codec::Lz4Hc => Prepared::Lz4Hc(lz4::HcDictTable::new(dictionary)?),
            #[cfg(feature = "zstd")]
            Codec::Zstd => match super::zstd::EncodeDict::new(dictionary, clevel) {
                Ok(dictionary) => Prepared::Zstd(dictionary),
                Err(StreamError::Corrupt(_)) => return Ok(None),
                Err(StreamError::OutOfMemory(error)) => return Err(error),
            },
            _ => return Ok(None),
        })))
    }
}

/// The codec of a chunk's streams, looked up once for all threads.
#[derive(Clone)]
pub(crate) enum StreamCodec<'a> {
    BuiltIn(CodecFormat),
    Lz4Dict(&'a [u8]),
    #[cfg(feature = "zstd")]
    ZstdDict(super::zstd::DecodeDict),
    NdLz {
        meta: u8,
    },
    Plugin(&'a dyn BlockCodec, PluginContext),
}

impl<'a> StreamCodec<'a> {
    /// The codec of streams of `format` without a dictionary.
    pub(crate) fn new(
        format: CodecFormat,
        meta: u8,
        typesize: usize,
        registry: &'a Registry,
    ) -> Result<Self, DecodeError> {
        Ok(match format {
            CodecFormat::Plugin(NDLZ) => StreamCodec::NdLz { meta },
            CodecFormat::Plugin(id) => {
                let name = format.codec().name();
                let plugin = registry.get_codec(id).ok_or(DecodeError::UnregisteredCodec { id, name })?;
                StreamCodec::Plugin(plugin.as_ref(), PluginContext { meta, typesize })
            }
            format => StreamCodec::BuiltIn(format),
        })
    }

    /// Whether two streams are decoded faster at once than one after the other.
    pub(crate) fn has_pairs(&self) -> bool {
        matches!(self, StreamCodec::BuiltIn(CodecFormat::Zlib))
    }

    /// The codec of streams of `format` with a dictionary.
    pub(crate) fn with_dictionary(
        format: CodecFormat,
        dictionary: &'a [u8],
        cache: &mut DictionaryCache,
    ) -> Result<Self, StreamError> {
        match format {
            CodecFormat::Lz4 => Ok(StreamCodec::Lz4Dict(dictionary)),
            #[cfg(feature = "zstd")]
            CodecFormat::Zstd => Ok(StreamCodec::ZstdDict(cache.get(dictionary)?)),
            _ => {
                let _ = cache;
                Err(CorruptStream::new(0, "its codec does not use a dictionary").into())
            }
        }
    }
}

/// The dictionary that was used last, as parsing one takes as long as decoding some blocks.
#[derive(Debug, Default)]
pub(crate) struct DictionaryCache {
    #[cfg(feature = "zstd")]
    zstd: Option<(Vec<u8>, super::zstd::DecodeDict)>,
}

impl DictionaryCache {
    #[cfg(feature = "zstd")]
    fn get(&mut self, dictionary: &[u8]) -> Result<super::zstd::DecodeDict, StreamError> {
        match &self.zstd {
            Some((bytes, parsed)) if bytes == dictionary => Ok(parsed.clone()),
            _ => {
                let parsed = super::zstd::DecodeDict::new(dictionary)?;
                self.zstd = Some((crate::memory::copy_of(dictionary)?, parsed.clone()));
                Ok(parsed)
            }
        }
    }
}

/// A stream, and room for the `len` bytes that it should decode to. What is behind them in `dst` may be overwritten.
pub(crate) struct Stream<'a> {
    pub(crate) src: &'a [u8],
    pub(crate) dst: &'a mut [u8],
    pub(crate) len: usize,
}

impl<'a> Stream<'a> {
    /// One that is decoded to the front of a buffer, which gets longer if it is too short.
    pub(crate) fn to_buffer(src: &'a [u8], buffer: &'a mut Vec<u8>, len: usize) -> Result<Self, OutOfMemory> {
        let buffer = grow(buffer, len + SLACK)?;
        // No more than that, though the buffer may be longer: where a decoder stops that finds damage depends on its room.
        Ok(Stream { src, dst: buffer, len })
    }
}

/// Room behind a stream in a buffer, so that decoders copy in wide steps up to its very end.
const SLACK: usize = 64;

/// Decoders of all formats; what a format needs is made when it is first met.
#[derive(Debug, Default)]
pub(crate) struct Decompressor {
    #[cfg(feature = "zlib")]
    zlib: Option<super::deflate::Decompressor>,
    #[cfg(feature = "zstd")]
    zstd: Option<super::zstd::Decompressor>,
}

impl Decompressor {
    /// Checks that this build can decode `format`.
    pub(crate) fn check(format: CodecFormat) -> Result<(), DecodeError> {
        let codec = format.codec();
        codec.availability().map_err(|feature| DecodeError::CodecUnavailable { codec, feature })
    }

    /// Decodes `src` to the first `len` bytes of `buffer`, which may get longer or shorter. For what comes out of a buffer
    /// of the decoder's own that is a copy less than [`Decompressor::decompress`].
    pub(crate) fn decompress_to(
        &mut self,
        codec: &StreamCodec<'_>,
        src: &[u8],
        buffer: &mut Vec<u8>,
        len: usize,
    ) -> Result<(), StreamError> {
        match codec {
            #[cfg(feature = "zstd")]
            StreamCodec::BuiltIn(CodecFormat::Zstd) => zstd_of(&mut self.zstd)?.decompress_to(src, buffer, len, None),
            #[cfg(feature = "zstd")]
            StreamCodec::ZstdDict(dictionary) => {
                zstd_of(&mut self.zstd)?.decompress_to(src, buffer, len, Some(dictionary))
            }
            _ => {
                let Stream { src, dst, len } = Stream::to_buffer(src, buffer, len)?;
                self.decompress(codec, src, dst, len)
            }
        }
    }

    /// Decodes two streams, at once if the codec [has pairs](StreamCodec::has_pairs).
    pub(crate) fn decompress_pair(
        &mut self,
        codec: &StreamCodec<'_>,
        streams: [Stream<'_>; 2],
    ) -> [Result<(), StreamError>; 2] {
        match codec {
            #[cfg(feature = "zlib")]
            StreamCodec::BuiltIn(CodecFormat::Zlib) => {
                self.zlib.get_or_insert_default().decompress_pair(streams).map(|done| done.map_err(StreamError::from))
            }
            _ => streams.map(|Stream { src, dst, len }| self.decompress(codec, src, dst, len)),
        }
    }

    /// Decodes `src` into `dst[..len]`. The codec's format has passed [`Decompressor::check`].
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
            #[cfg(feature = "zstd")]
            StreamCodec::ZstdDict(dictionary) => {
                return zstd_of(&mut self.zstd)?.decompress(src, &mut dst[..len], Some(dictionary));
            }
            StreamCodec::NdLz { meta } => return Ok(ndlz::decompress(src, &mut dst[..len], *meta)?),
            StreamCodec::Plugin(plugin, context) => return Ok(plugin.decompress(src, &mut dst[..len], *context)?),
        };
        match format {
            CodecFormat::BloscLz => blosclz::decompress(src, dst, len)?,
            CodecFormat::Lz4 => lz4::decompress(src, dst, len)?,
            #[cfg(feature = "snappy")]
            CodecFormat::Snappy => super::snappy::decompress(src, &mut dst[..len])?,
            #[cfg(feature = "zlib")]
            CodecFormat::Zlib => self.zlib.get_or_insert_default().decompress(Stream { src, dst, len })?,
            #[cfg(feature = "zstd")]
            CodecFormat::Zstd => zstd_of(&mut self.zstd)?.decompress(src, &mut dst[..len], None)?,
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => return Err(CorruptStream::new(0, "its codec was compiled out").into()),
        }
        Ok(())
    }
}

/// The zstd decoder, made when first needed.
#[cfg(feature = "zstd")]
fn zstd_of(zstd: &mut Option<super::zstd::Decompressor>) -> Result<&mut super::zstd::Decompressor, OutOfMemory> {
    match zstd {
        Some(zstd) => Ok(zstd),
        None => Ok(zstd.insert(super::zstd::Decompressor::new()?)),
    }
}
