//! Codecs and filters provided by the caller. They are passed by value, never registered globally.

use core::fmt;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::kind::ErrorKind;
use crate::plugin::PluginError;

/// A codec for an id that is not built into Blosc2.
pub trait BlockCodec: Send + Sync {
    /// Compresses `src` into the start of `dst` and returns the compressed size, or `None` if it does not fit.
    fn compress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Option<usize>;

    /// Decompresses `src` into all of `dst`.
    ///
    /// # Errors
    /// [`PluginError`] if `src` is damaged, or holds more or less than `dst.len()` bytes.
    fn decompress(&self, src: &[u8], dst: &mut [u8], stream: PluginContext) -> Result<(), PluginError>;
}

/// A filter for an id that is not built into Blosc2. `src` and `dst` are blocks of equal length.
pub trait BlockFilter: Send + Sync {
    /// Filters a block before compression.
    ///
    /// # Errors
    /// [`PluginError`]; then no chunk is written.
    fn forward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError>;

    /// Undoes the filter after decompression.
    ///
    /// # Errors
    /// [`PluginError`].
    fn backward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError>;
}

/// The header fields passed to a codec or filter of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PluginContext {
    /// The meta byte of the codec or of the filter's slot.
    pub meta: u8,
    /// Bytes of an element.
    pub typesize: usize,
}

/// The caller's codecs and filters by id. Passed to an [`Encoder`](crate::Encoder) or [`Decoder`](crate::Decoder).
///
/// Ids from 160 up are for users. Lower ids are assigned by the Blosc project. Codecs of the project that this crate
/// does not have (zfp, openhtj2k, …) can be registered under their ids.
///
/// ```
/// use blosc_core::{
///     BlockFilter, CParams, Chunk, Decoder, Encoder, Filter, FilterPipeline, PluginContext, PluginError, Registry,
/// };
///
/// struct Invert;
///
/// impl BlockFilter for Invert {
///     fn forward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
///         dst.iter_mut().zip(src).for_each(|(to, from)| *to = from ^ block.meta);
///         Ok(())
///     }
///     fn backward(&self, src: &[u8], dst: &mut [u8], block: PluginContext) -> Result<(), PluginError> {
///         self.forward(src, dst, block)
///     }
/// }
///
/// let registry = Registry::new().filter(160, Invert)?;
/// let filters = FilterPipeline::from([Filter::Other { id: 160, meta: 0xFF }, Filter::Shuffle]);
/// let params = CParams::blosc2().typesize(4).filters(filters);
/// let chunk = Encoder::new(params)?.registry(registry.clone()).compress(&[7; 4000])?;
///
/// let chunk = Chunk::parse(&chunk)?;
/// assert_eq!(Decoder::new().registry(registry).decompress(&chunk)?, [7; 4000]);
/// assert!(Decoder::new().decompress(&chunk).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    entries: Option<Arc<Entries>>,
}

/// Registered codecs and filters. Most encoders and decoders have none, and dropping two empty maps takes half of the instructions
/// that a new decoder costs.
#[derive(Clone, Default)]
struct Entries {
    codecs: BTreeMap<u8, Arc<dyn BlockCodec>>,
    filters: BTreeMap<u8, Arc<dyn BlockFilter>>,
}

impl Registry {
    /// The first codec id that is not built in: 32 is ndlz.
    const FIRST_CODEC: u8 = 33;
    /// The first filter id that is not built in: 36 is int_trunc.
    const FIRST_FILTER: u8 = 37;

    /// Returns an empty registry.
    pub const fn new() -> Self {
        Registry { entries: None }
    }

    /// Adds a codec, replacing an earlier one with the same id.
    ///
    /// # Errors
    /// [`ReservedId`] for ids below 33.
    pub fn codec(mut self, id: u8, codec: impl BlockCodec + 'static) -> Result<Self, ReservedId> {
        ReservedId::check(id, Registry::FIRST_CODEC)?;
        self.entries_mut().codecs.insert(id, Arc::new(codec));
        Ok(self)
    }

    /// Adds a filter, replacing an earlier one with the same id.
    ///
    /// # Errors
    /// [`ReservedId`] for ids below 37.
    pub fn filter(mut self, id: u8, filter: impl BlockFilter + 'static) -> Result<Self, ReservedId> {
        ReservedId::check(id, Registry::FIRST_FILTER)?;
        self.entries_mut().filters.insert(id, Arc::new(filter));
        Ok(self)
    }

    pub(crate) fn get_codec(&self, id: u8) -> Option<&Arc<dyn BlockCodec>> {
        self.entries.as_ref()?.codecs.get(&id)
    }

    pub(crate) fn get_filter(&self, id: u8) -> Option<&dyn BlockFilter> {
        Some(self.entries.as_ref()?.filters.get(&id)?.as_ref())
    }

    fn entries_mut(&mut self) -> &mut Entries {
        Arc::make_mut(self.entries.get_or_insert_default())
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (codecs, filters) =
            self.entries.as_ref().map(|entries| (entries.codecs.keys(), entries.filters.keys())).unzip();
        f.debug_struct("Registry")
            .field("codecs", &codecs.into_iter().flatten().collect::<Vec<_>>())
            .field("filters", &filters.into_iter().flatten().collect::<Vec<_>>())
            .finish()
    }
}

/// An id that the format reserves for built-in codecs or filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReservedId {
    found: u8,
    min: u8,
}

impl ReservedId {
    /// The category: [`ErrorKind::InvalidInput`].
    pub fn kind(&self) -> ErrorKind {
        ErrorKind::InvalidInput
    }

    fn check(found: u8, min: u8) -> Result<(), ReservedId> {
        if found < min { Err(ReservedId { found, min }) } else { Ok(()) }
    }
}

impl fmt::Display for ReservedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "id {} is built in or reserved, expected {}..=255", self.found, self.min)
    }
}

impl std::error::Error for ReservedId {}
