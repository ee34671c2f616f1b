//! Compresses streams: per-thread state of the codec that a chunk's parameters name.

use core::fmt;
use std::sync::Arc;

use super::dictionary::{Dictionary, Prepared};
#[cfg(feature = "snappy")]
use crate::codec::snappy;
#[cfg(feature = "zlib")]
use crate::codec::zlib;
#[cfg(any(feature = "zstd", feature = "zstd-c"))]
use crate::codec::zstd;
use crate::codec::{Codec, NDLZ, blosclz, lz4};
use crate::error::EncodeError;
use crate::filter::Filter;
use crate::format::ChunkFormat;
use crate::memory::OutOfMemory;
use crate::params::CParams;
use crate::registry::{BlockCodec, PluginContext, Registry};

/// A codec at a level, with its tables and its prepared dictionary. The default one compresses nothing.
#[derive(Default)]
pub(crate) struct StreamEncoder {
    clevel: u8,
    /// The parameters that it was created for.
    settings: Option<Settings>,
    state: Encode,
}

/// The parameters that tables depend on.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Settings {
    codec: Codec,
    clevel: u8,
    format: ChunkFormat,
    lz4_search: lz4::Search,
    /// Zstandard's own level, for that codec only.
    zstd_level: Option<i32>,
    /// The number of byte planes in a block, for zlib and Zstandard only. 0 if its bytes are of several kinds.
    planes: usize,
}

impl Settings {
    fn of(params: &CParams) -> Self {
        let CParams { codec, clevel, format, .. } = *params;
        let zstd_level = if codec == Codec::Zstd { zstd_level(params) } else { None };
        let planes = if matches!(codec, Codec::Zlib | Codec::Zstd) { planes(params) } else { 0 };
        Settings { codec, clevel, format, lz4_search: lz4_search(params), zstd_level, planes }
    }
}

#[derive(Default)]
enum Encode {
    #[default]
    Nothing,
    BloscLz(blosclz::HashTable),
    Lz4(lz4::HashTable),
    Lz4Hc(lz4::HcTable),
    Lz4Dict(lz4::DictTable),
    Lz4HcDict(lz4::HcDictTable),
    #[cfg(feature = "snappy")]
    Snappy(snappy::SnappyEncoder),
    #[cfg(feature = "zlib")]
    Zlib(zlib::ZlibEncoder),
    #[cfg(any(feature = "zstd", feature = "zstd-c"))]
    Zstd(Box<zstd::ZstdEncoder>),
    Plugin(Arc<dyn BlockCodec>, PluginContext),
}

impl StreamEncoder {
    /// Creates a compressor. At level 0 nothing is compressed and its state is never used.
    pub(crate) fn new(params: &CParams, registry: &Registry) -> Result<Self, EncodeError> {
        let settings = Settings::of(params);
        let Settings { codec, clevel, .. } = settings;
        codec.availability().map_err(|feature| EncodeError::CodecUnavailable { codec, feature })?;
        let state = match codec {
            Codec::BloscLz => Encode::BloscLz(blosclz::HashTable::new()?),
            Codec::Lz4 => Encode::Lz4(lz4::HashTable::new(settings.lz4_search)?),
            Codec::Lz4Hc => Encode::Lz4Hc(lz4::HcTable::new()?),
            #[cfg(feature = "snappy")]
            Codec::Snappy => Encode::Snappy(snappy::SnappyEncoder::default()),
            #[cfg(feature = "zlib")]
            Codec::Zlib => Encode::Zlib(zlib::encoder(clevel, settings.format, settings.planes)?),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Codec::Zstd => Encode::Zstd(Box::new(zstd::ZstdEncoder::new(settings.zstd_level.unwrap_or(1)))),
            Codec::Plugin { id, meta } => {
                let what = if id == NDLZ { "it is read only" } else { "no codec is registered for this id" };
                let plugin = registry.get_codec(id).ok_or(EncodeError::Codec { codec, what })?;
                Encode::Plugin(Arc::clone(plugin), PluginContext { meta, typesize: params.machine_typesize() })
            }
            #[allow(unreachable_patterns, reason = "reachable only where a codec feature is off")]
            _ => return Err(EncodeError::CodecUnavailable { codec, feature: codec.name() }),
        };
        Ok(StreamEncoder { clevel, settings: Some(settings), state })
    }

    /// Returns whether [`StreamEncoder::new`] would create an equal compressor. Always false for plug-ins, which have
    /// no tables.
    #[inline]
    pub(crate) fn is_for(&self, params: &CParams) -> bool {
        self.settings == Some(Settings::of(params)) && !self.is_plugin()
    }

    /// Makes this compressor equal to one that [`StreamEncoder::new`] would create, if its memory serves these parameters,
    /// too. Otherwise returns `false`.
    pub(crate) fn adapt(&mut self, params: &CParams) -> bool {
        #[cfg(any(feature = "zstd", feature = "zstd-c"))]
        if let Encode::Zstd(state) = &mut self.state
            && let Settings { clevel, zstd_level: Some(level), .. } = Settings::of(params)
            && state.set_level(level)
        {
            (self.clevel, self.settings) = (clevel, Some(Settings::of(params)));
        }
        self.is_for(params)
    }

    /// Chooses tables as for streams of `len` bytes, although shorter ones follow: samples of such streams.
    pub(crate) fn samples_of(&mut self, len: usize) {
        #[cfg(all(feature = "zstd", not(feature = "zstd-c")))]
        if let Encode::Zstd(state) = &mut self.state {
            state.samples_of(len);
        }
        #[cfg(not(all(feature = "zstd", not(feature = "zstd-c"))))]
        let _ = len;
    }

    /// Returns whether the codec belongs to the caller.
    pub(crate) fn is_plugin(&self) -> bool {
        matches!(self.state, Encode::Plugin(..))
    }

    /// Returns the bytes of the tables, or an upper bound.
    pub(crate) fn held(&self) -> usize {
        match &self.state {
            Encode::Nothing | Encode::Plugin(..) => 0,
            #[cfg(feature = "zlib")]
            Encode::Zlib(state) => state.held(),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Encode::Zstd(state) => state.held(),
            #[cfg(feature = "snappy")]
            Encode::Snappy(state) => state.held(),
            _ => MAX_TABLES,
        }
    }

    /// Creates a compressor of the same kind for another thread.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        let clevel = self.clevel;
        let state = match &self.state {
            Encode::Nothing => Encode::Nothing,
            Encode::BloscLz(_) => Encode::BloscLz(blosclz::HashTable::new()?),
            Encode::Lz4(table) => Encode::Lz4(table.fresh()?),
            Encode::Lz4Hc(_) => Encode::Lz4Hc(lz4::HcTable::new()?),
            Encode::Lz4Dict(table) => Encode::Lz4Dict(table.try_clone()?),
            Encode::Lz4HcDict(table) => Encode::Lz4HcDict(table.try_clone()?),
            #[cfg(feature = "snappy")]
            Encode::Snappy(_) => Encode::Snappy(snappy::SnappyEncoder::default()),
            #[cfg(feature = "zlib")]
            Encode::Zlib(state) => Encode::Zlib(state.fresh()?),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Encode::Zstd(state) => Encode::Zstd(Box::new(state.fresh())),
            Encode::Plugin(plugin, context) => Encode::Plugin(Arc::clone(plugin), *context),
        };
        Ok(StreamEncoder { clevel, settings: self.settings, state })
    }

    /// Creates a compressor of the same level with a dictionary, for streams of about `len` bytes.
    #[cfg_attr(
        not(any(feature = "zstd", feature = "zstd-c")),
        allow(unused_variables, reason = "only zstd goes by their length")
    )]
    pub(crate) fn with_dictionary(&self, dictionary: &Dictionary, len: usize) -> Result<Self, OutOfMemory> {
        let state = match &dictionary.0 {
            Prepared::Lz4(table) => Encode::Lz4Dict(table.try_clone()?),
            Prepared::Lz4Hc(table) => Encode::Lz4HcDict(table.try_clone()?),
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Prepared::Zstd(dictionary) => Encode::Zstd(Box::new(zstd::ZstdEncoder::with_dict(dictionary, len))),
        };
        Ok(StreamEncoder { clevel: self.clevel, settings: None, state })
    }

    /// Compresses one of the `nstreams` streams of a block into `dst`. Returns `None` if the result does not fit.
    #[cfg_attr(
        not(any(feature = "zstd", feature = "zstd-c")),
        allow(unused_variables, reason = "only zstd goes by their number")
    )]
    pub(crate) fn compress(
        &mut self,
        src: &[u8],
        nstreams: usize,
        dst: &mut [u8],
    ) -> Result<Option<usize>, OutOfMemory> {
        // C-Blosc's scale: level 9 is LZ4's plain search, and each level below skips one step more.
        let acceleration = 10 - u32::from(self.clevel.min(9));
        Ok(match &mut self.state {
            Encode::Nothing => None,
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
            #[cfg(any(feature = "zstd", feature = "zstd-c"))]
            Encode::Zstd(state) => {
                let planes = if nstreams > 1 { 1 } else { self.settings.map_or(0, |settings| settings.planes) };
                state.compress(src, planes, dst)?
            }
            // A plugin's count of written bytes must be positive and within `dst`.
            Encode::Plugin(plugin, context) => {
                let room = dst.len();
                plugin.compress(src, dst, *context).filter(|&len| len > 0 && len <= room)
            }
        })
    }
}

/// Upper bound of the bytes of the tables of BloscLZ, LZ4 and LZ4HC without a dictionary.
const MAX_TABLES: usize = 256 << 10;

/// Returns Zstandard's own level: the one that was set, or the one for the level and filters. `None` if this build does
/// not have Zstandard.
fn zstd_level(params: &CParams) -> Option<i32> {
    let level = Codec::zstd_level(params.clevel, params.filters.has_shuffle())?;
    Some(params.zstd_level.map_or(level, i32::from))
}

/// Returns the number of byte planes in a block, or 0 if its bytes are of several kinds. The planes of bits that
/// bitshuffle makes of one byte of the elements lie next to each other.
fn planes(params: &CParams) -> usize {
    let typesize = params.machine_typesize();
    let planes = params.filters.as_slice().iter().rev().find_map(|filter| match filter {
        Filter::Shuffle => Some(typesize),
        Filter::ShuffleGroups(bytes) => Some(usize::from(bytes.get())),
        Filter::BitShuffle if params.codec == Codec::Zstd => Some(typesize),
        _ => None,
    });
    planes.unwrap_or(usize::from(typesize <= 1))
}

/// Prefers longer matches if the filters produce planes, or if elements are single bytes, mostly text. Blosc1 chunks
/// should be as small as C-Blosc 1's.
fn lz4_search(params: &CParams) -> lz4::Search {
    let has_planes = params.typesize > 1
        && params
            .filters
            .as_slice()
            .iter()
            .any(|filter| matches!(filter, Filter::Shuffle | Filter::ShuffleGroups(_) | Filter::BitShuffle));
    match params.format {
        ChunkFormat::Blosc2 if has_planes => lz4::Search::Long,
        ChunkFormat::Blosc2 if params.typesize == 1 => lz4::Search::Bytes,
        _ => lz4::Search::All,
    }
}

impl fmt::Debug for StreamEncoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamEncoder").field("clevel", &self.clevel).finish_non_exhaustive()
    }
}
