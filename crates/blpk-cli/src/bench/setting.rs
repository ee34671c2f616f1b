//! One setting, and its measured figures.

use crate::size::pretty_size;
use blosc_core::{Codec, Filter};
use std::fmt;

/// A codec, level, filter, typesize and chunk size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) filter: Option<Filter>,
    pub(crate) typesize: usize,
    pub(crate) chunk_size: u64,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setting { codec, clevel, filter, chunk_size, .. } = *self;
        write!(f, "{} {clevel}, {}, {}", codec.name(), name_of(filter), pretty_size(chunk_size))
    }
}

impl Setting {
    /// Returns a rank by the approximate time of compression.
    pub(super) fn cost(&self) -> u32 {
        let clevel = u32::from(self.clevel);
        match self.codec {
            Codec::Lz4 | Codec::Snappy => 0,
            Codec::BloscLz => 1,
            Codec::Zstd => 2 + clevel * clevel,
            Codec::Lz4Hc | Codec::Zlib => 4 + 3 * clevel,
            _ => 100,
        }
    }
}

/// Returns the name of a filter, or `none`.
pub(super) fn name_of(filter: Option<Filter>) -> &'static str {
    filter.map_or("none", |filter| filter.name())
}

/// The figures of a setting.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    pub(crate) setting: Setting,
    /// Uncompressed size divided by compressed size.
    pub(crate) ratio: f64,
    /// Uncompressed bytes per second.
    pub(crate) compress: f64,
    pub(crate) decompress: f64,
    /// Whether no other setting is better in one of the three figures and at least as good in the others.
    pub(crate) on_front: bool,
}
