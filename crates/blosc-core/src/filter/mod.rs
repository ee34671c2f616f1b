//! Filters transform a block before the codec compresses it. Decoding undoes them.
//!
//! A chunk names up to six filters, each by an id and a meta byte. [`Filter`] is one of them, [`FilterPipeline`] is the
//! list, and `pipeline` turns the list into steps that run on a block.
//!
//! | file | content |
//! |---|---|
//! | `pipeline` | the checked filters of a chunk, run in both directions |
//! | `names` | filters and pipelines as text |
//! | `portable` | delta pipelines that C-Blosc2 decodes to other data |
//! | `delta`, `bytedelta` | delta, bytedelta |
//! | `trunc` | trunc_prec and int_trunc |
//! | `cells` | ndcell and ndmean |
//! | `golden` | test support: filtered blocks of C-Blosc2 |
//!
//! The shuffles are in [`kernels`](crate::kernels).

mod bytedelta;
mod cells;
mod delta;
#[cfg(test)]
mod golden;
mod names;
mod pipeline;
mod portable;
mod trunc;

use core::fmt;
use core::num::NonZeroU8;

pub(crate) use pipeline::{BitShuffleRule, Context, FilterError, Pipeline, Scratch};

/// One filter of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Filter {
    /// Byte shuffle: byte 0 of all elements, then byte 1 of all, and so on. Best for numbers of one type.
    Shuffle,
    /// Byte shuffle of groups of this many bytes, whatever the typesize.
    ShuffleGroups(NonZeroU8),
    /// Bit shuffle: the same for single bits. Best for numbers that use few of their bits. Slower.
    BitShuffle,
    /// XOR with the preceding element (first block) or with the first block (all others).
    Delta,
    /// Clears the low mantissa bits of `f32` and `f64`. Lossy. A positive number counts the bits kept, a negative one
    /// the bits cleared.
    TruncPrec(i8),
    /// Groups the elements of small n-d cells. The number is the edge of a cell. Needs the block's shape.
    NdCell(u8),
    /// [`Filter::NdCell`] with every cell replaced by its mean. Lossy; `f32` and `f64` only.
    NdMean(u8),
    /// Bytedelta as written by C-Blosc2 2.8 (id 34), which restarts within a channel. Read only.
    ByteDeltaOld(u8),
    /// Each byte less the preceding one, within channels. The number is the count of channels, 0 means the typesize.
    /// Best after a byte shuffle.
    ByteDelta(u8),
    /// Clears the low bits of integers. Lossy. A positive number counts the bits kept, a negative one the bits cleared.
    IntTrunc(i8),
    /// Any other id. A [`Registry`](crate::Registry) must provide its filter, otherwise it is an error.
    Other {
        /// The id in the header.
        id: u8,
        /// The meta byte in the header.
        meta: u8,
    },
}

impl Filter {
    /// Returns the id in the header, 1..=255.
    pub const fn id(self) -> u8 {
        match self {
            Filter::Shuffle | Filter::ShuffleGroups(_) => 1,
            Filter::BitShuffle => 2,
            Filter::Delta => 3,
            Filter::TruncPrec(_) => 4,
            Filter::NdCell(_) => 32,
            Filter::NdMean(_) => 33,
            Filter::ByteDeltaOld(_) => 34,
            Filter::ByteDelta(_) => 35,
            Filter::IntTrunc(_) => 36,
            Filter::Other { id, .. } => id,
        }
    }

    /// Returns the meta byte in the header.
    pub const fn meta(self) -> u8 {
        match self {
            Filter::Shuffle | Filter::BitShuffle | Filter::Delta => 0,
            Filter::ShuffleGroups(bytes) => bytes.get(),
            Filter::TruncPrec(bits) | Filter::IntTrunc(bits) => bits.cast_unsigned(),
            Filter::NdCell(meta) | Filter::NdMean(meta) | Filter::ByteDeltaOld(meta) | Filter::ByteDelta(meta) => meta,
            Filter::Other { meta, .. } => meta,
        }
    }

    /// Returns the filter with this id and meta byte, or `None` for id 0, an empty slot.
    pub const fn from_id(id: u8, meta: u8) -> Option<Filter> {
        Some(match id {
            0 => return None,
            1 => match NonZeroU8::new(meta) {
                None => Filter::Shuffle,
                Some(bytes) => Filter::ShuffleGroups(bytes),
            },
            2 => Filter::BitShuffle,
            3 => Filter::Delta,
            4 => Filter::TruncPrec(meta.cast_signed()),
            32 => Filter::NdCell(meta),
            33 => Filter::NdMean(meta),
            34 => Filter::ByteDeltaOld(meta),
            35 => Filter::ByteDelta(meta),
            36 => Filter::IntTrunc(meta.cast_signed()),
            id => Filter::Other { id, meta },
        })
    }

    /// Returns the name: `user` for ids of users (160 and up), `unknown` for unassigned ids.
    pub const fn name(self) -> &'static str {
        match self {
            Filter::Shuffle | Filter::ShuffleGroups(_) => "shuffle",
            Filter::BitShuffle => "bitshuffle",
            Filter::Delta => "delta",
            Filter::TruncPrec(_) => "trunc-prec",
            Filter::NdCell(_) => "ndcell",
            Filter::NdMean(_) => "ndmean",
            Filter::ByteDeltaOld(_) => "bytedelta-old",
            Filter::ByteDelta(_) => "bytedelta",
            Filter::IntTrunc(_) => "int-trunc",
            Filter::Other { id: 160.., .. } => "user",
            Filter::Other { .. } => "unknown",
        }
    }
}

impl fmt::Display for Filter {
    /// Writes the name, then `:` and the meta byte as a decimal number if it is not 0: `bytedelta:4`, `trunc-prec:-7`.
    /// Filters without a name are written with their id: `user(160)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Filter::TruncPrec(bits) | Filter::IntTrunc(bits) => write!(f, ":{bits}"),
            Filter::Other { id, meta: 0 } => write!(f, "({id})"),
            Filter::Other { id, meta } => write!(f, "({id}):{meta}"),
            filter if filter.meta() != 0 => write!(f, ":{}", filter.meta()),
            _ => Ok(()),
        }
    }
}

/// The filters of a chunk, in the order in which compression runs them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FilterPipeline {
    /// Unused slots all have the same value, so that equal pipelines compare as equal.
    filters: [Filter; FilterPipeline::MAX_LEN],
    len: u8,
}

impl FilterPipeline {
    /// The slots of a Blosc2 header.
    pub const MAX_LEN: usize = 6;

    /// Returns a pipeline without filters.
    pub const fn none() -> Self {
        FilterPipeline { filters: [Filter::Shuffle; FilterPipeline::MAX_LEN], len: 0 }
    }

    /// Returns byte shuffle alone.
    pub const fn shuffle() -> Self {
        FilterPipeline { len: 1, ..FilterPipeline::none() }
    }

    /// Returns bit shuffle alone.
    pub const fn bitshuffle() -> Self {
        let mut pipeline = FilterPipeline::shuffle();
        pipeline.filters[0] = Filter::BitShuffle;
        pipeline
    }

    /// Adds a filter at the end. There must be a free slot.
    pub(crate) fn push(&mut self, filter: Filter) {
        self.filters[usize::from(self.len)] = filter;
        self.len += 1;
    }

    /// Returns the filters, in the order in which compression runs them.
    pub fn as_slice(&self) -> &[Filter] {
        &self.filters[..usize::from(self.len)]
    }

    /// Returns whether the pipeline contains `filter`.
    pub fn contains(&self, filter: Filter) -> bool {
        self.as_slice().contains(&filter)
    }

    /// Returns the pipeline with `channels` for bytedelta filters without a channel count.
    pub(crate) fn with_channels(mut self, channels: u8) -> Self {
        for filter in &mut self.filters {
            if *filter == Filter::ByteDelta(0) {
                *filter = Filter::ByteDelta(channels);
            }
        }
        self
    }

    /// Returns whether the pipeline contains a byte shuffle of any group size. Then the bytes of an element may be
    /// compressed as separate streams.
    pub(crate) fn has_shuffle(&self) -> bool {
        self.as_slice().iter().any(|filter| matches!(filter, Filter::Shuffle | Filter::ShuffleGroups(_)))
    }
}

impl Default for FilterPipeline {
    fn default() -> Self {
        FilterPipeline::none()
    }
}

impl fmt::Display for FilterPipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, filter) in self.as_slice().iter().enumerate() {
            write!(f, "{}{filter}", if index == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}
