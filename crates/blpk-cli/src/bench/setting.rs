//! One setting, and its measured figures.

use crate::size::pretty_size;
use blosc_core::{Codec, Filter, Goal};
use std::fmt;

/// A codec, level, filter, typesize and chunk size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Setting {
    /// The goal of `--auto`. Codec, level and filter are then chosen by the data, and a typesize of 0 is detected.
    pub(crate) goal: Option<Goal>,
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) filter: Option<Filter>,
    pub(crate) typesize: usize,
    pub(crate) chunk_size: u64,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chunk_size = pretty_size(self.chunk_size);
        match self.goal {
            Some(goal) => write!(f, "auto {goal}, {chunk_size}"),
            None => write!(f, "{} {}, {}, {chunk_size}", self.codec.name(), self.clevel, name_of(self.filter)),
        }
    }
}

impl Setting {
    /// Returns the name of the codec, or `auto`.
    pub(super) fn name(&self) -> &'static str {
        if self.goal.is_some() { "auto" } else { self.codec.name() }
    }

    /// Returns a rank by the approximate time of compression.
    pub(super) fn cost(&self) -> u32 {
        let clevel = u32::from(self.clevel);
        match self.codec {
            _ if let Some(goal) = self.goal => match goal {
                Goal::Fast => 1,
                Goal::Balanced => 3,
                _ => 100,
            },
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
