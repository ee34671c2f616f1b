//! The checked filters of one chunk, run over its blocks in both directions.

use super::cells::NdCells;
use super::{Filter, FilterPipeline, bytedelta, delta, trunc};
use crate::divide::remainder;
use crate::kernels::{self, Kernels};
use crate::memory::{self, OutOfMemory};
use crate::plugin::PluginError;
use crate::registry::{PluginContext, Registry};

/// The properties of the chunk and the inputs of the caller that filters need.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) typesize: usize,
    pub(crate) rule: BitShuffleRule,
    pub(crate) registry: &'a Registry,
    pub(crate) blockshape: &'a [usize],
    /// The typesize of the super-chunk. It is the channel count of bytedelta filters without one.
    pub(crate) channels: Option<usize>,
}

/// The rule for which blocks bitshuffle changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BitShuffleRule {
    /// Chunk version 2: blocks whose number of whole elements is a multiple of 8.
    Blosc1,
    /// All later versions: blocks of at least 8 elements. Elements after the last group of 8 are copied.
    Blosc2,
}

/// The reason why a filter cannot run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FilterError {
    Filter {
        filter: Filter,
        what: &'static str,
    },
    /// A filter of the caller failed.
    Plugin {
        filter: Filter,
        source: PluginError,
    },
    OutOfMemory(OutOfMemory),
}

impl From<OutOfMemory> for FilterError {
    fn from(error: OutOfMemory) -> Self {
        FilterError::OutOfMemory(error)
    }
}

/// Two buffers that a block alternates between when several filters run.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    current: Vec<u8>,
    next: Vec<u8>,
}

impl Scratch {
    /// Returns the bytes of both buffers.
    pub(crate) fn held(&self) -> usize {
        self.current.capacity() + self.next.capacity()
    }

    /// Makes the output of the last filter the source of the next one.
    fn advance(&mut self) {
        core::mem::swap(&mut self.current, &mut self.next);
    }
}

/// Filters that have been checked to run.
#[derive(Clone, Copy)]
pub(crate) struct Pipeline<'a> {
    context: Context<'a>,
    filters: Filters,
}

/// The filters that can change a block.
#[derive(Clone, Copy)]
enum Filters {
    /// Byte shuffle alone, which nearly every chunk has. Passing one word instead of a list saves a tenth of the time
    /// of small chunks.
    Shuffle,
    Listed(FilterPipeline),
}

impl Filters {
    #[inline]
    fn as_slice(&self) -> &[Filter] {
        match self {
            Filters::Shuffle => &[Filter::Shuffle],
            Filters::Listed(filters) => filters.as_slice(),
        }
    }
}

impl<'a> Pipeline<'a> {
    /// Prepares the filters for compression.
    #[inline]
    pub(crate) fn forward_of(filters: &FilterPipeline, context: Context<'a>) -> Result<Self, FilterError> {
        match filters.as_slice() {
            [Filter::Shuffle] => Ok(Pipeline::shuffle(context)),
            _ => Pipeline::forward_of_all(filters, context),
        }
    }

    #[inline(never)]
    fn forward_of_all(filters: &FilterPipeline, context: Context<'a>) -> Result<Self, FilterError> {
        Pipeline::new(filters, context, |filter| match filter {
            Filter::TruncPrec(_) => trunc::trunc_prec_mask(context.typesize, filter.meta()).map(|_| true),
            Filter::IntTrunc(_) => trunc::int_trunc_mask(context.typesize, filter.meta()).map(|_| true),
            Filter::ByteDeltaOld(_) => Err("it can only be read; write bytedelta instead"),
            filter => context.check(filter),
        })
    }

    /// Returns byte shuffle alone, for both directions. It cannot fail.
    #[inline]
    pub(crate) fn shuffle(context: Context<'a>) -> Self {
        let is_needed = context.typesize > 1;
        Pipeline {
            context,
            filters: if is_needed { Filters::Shuffle } else { Filters::Listed(FilterPipeline::none()) },
        }
    }

    /// Prepares the filters for decompression.
    pub(crate) fn backward_of(filters: &FilterPipeline, context: Context<'a>) -> Result<Self, FilterError> {
        Pipeline::new(filters, context, |filter| match filter {
            // The cleared bits are lost.
            Filter::TruncPrec(_) | Filter::IntTrunc(_) => Ok(false),
            filter => context.check(filter),
        })
    }

    /// Keeps the filters for which `check` says that they can change a block.
    #[inline]
    fn new(
        filters: &FilterPipeline,
        context: Context<'a>,
        check: impl Fn(Filter) -> Result<bool, &'static str>,
    ) -> Result<Self, FilterError> {
        let mut needed = FilterPipeline::none();
        for &filter in filters.as_slice() {
            if check(filter).map_err(|what| FilterError::Filter { filter, what })? {
                needed.push(filter);
            }
        }
        Ok(Pipeline { context, filters: Filters::Listed(needed) })
    }

    /// Returns whether blocks depend on the first one.
    pub(crate) fn has_delta(&self) -> bool {
        self.filters.as_slice().contains(&Filter::Delta)
    }

    /// Returns whether decoding may return other data than was filtered.
    pub(crate) fn may_be_lossy(&self) -> bool {
        let lossy = |filter: &Filter| {
            matches!(filter, Filter::TruncPrec(_) | Filter::IntTrunc(_) | Filter::NdMean(_) | Filter::Other { .. })
        };
        self.filters.as_slice().iter().any(lossy)
    }

    /// Returns whether blocks of `len` bytes stay unchanged.
    pub(crate) fn is_identity(&self, len: usize) -> bool {
        !self.filters.as_slice().iter().any(|&filter| self.context.changes(filter, len))
    }

    /// Returns whether the only change to a block is a byte shuffle of whole elements into `nplanes` planes.
    pub(crate) fn is_shuffle(&self, nplanes: usize, len: usize) -> bool {
        match *self.filters.as_slice() {
            [Filter::Shuffle] => self.context.typesize == nplanes && remainder(len, nplanes) == 0,
            [Filter::ShuffleGroups(bytes)] => usize::from(bytes.get()) == nplanes && remainder(len, nplanes) == 0,
            _ => false,
        }
    }

    /// Filters `block` for the codec. Returns the block itself if no filter changes it. `reference` is the first block
    /// as a decoder will see it, and `None` for the first block itself.
    pub(crate) fn forward<'b>(
        &self,
        block: &'b [u8],
        reference: Option<&[u8]>,
        scratch: &'b mut Scratch,
    ) -> Result<&'b [u8], FilterError> {
        let len = block.len();
        let mut is_filtered = false;
        for &filter in self.filters.as_slice() {
            if self.context.changes(filter, len) {
                let src = if is_filtered { &scratch.current[..len] } else { block };
                self.context.forward(filter, src, memory::at_least(&mut scratch.next, len)?, reference)?;
                scratch.advance();
                is_filtered = true;
            }
        }
        Ok(if is_filtered { &scratch.current[..len] } else { block })
    }

    /// Undoes the filters on `src` and writes the result to `dst`, which has the same length.
    pub(crate) fn backward(
        &self,
        src: &[u8],
        reference: Option<&[u8]>,
        scratch: &mut Scratch,
        dst: &mut [u8],
    ) -> Result<(), FilterError> {
        let len = dst.len();
        let filters = self.filters.as_slice();
        let Some(last) = filters.iter().position(|&filter| self.context.changes(filter, len)) else {
            kernels::copy(src, dst);
            return Ok(());
        };
        let mut is_unfiltered = false;
        for &filter in filters[last + 1..].iter().rev() {
            if self.context.changes(filter, len) {
                let src = if is_unfiltered { &scratch.current[..len] } else { src };
                self.context.backward(filter, src, memory::at_least(&mut scratch.next, len)?, reference)?;
                scratch.advance();
                is_unfiltered = true;
            }
        }
        let src = if is_unfiltered { &scratch.current[..len] } else { src };
        self.context.backward(filters[last], src, dst, reference)
    }
}

impl Context<'_> {
    /// Returns whether `filter` can change a block, or an error if it cannot run. The callers handle trunc-prec and
    /// int-trunc themselves.
    fn check(&self, filter: Filter) -> Result<bool, &'static str> {
        match filter {
            Filter::Shuffle => Ok(self.typesize > 1),
            Filter::ShuffleGroups(bytes) => Ok(bytes.get() > 1),
            Filter::NdCell(_) | Filter::NdMean(_) if self.blockshape.is_empty() => {
                Err("it needs the shape of a block: set it on the encoder or decoder")
            }
            Filter::ByteDelta(0) | Filter::ByteDeltaOld(0) if self.channels.is_none() => {
                Err("its number of channels is the super-chunk's typesize: set it on the decoder")
            }
            Filter::Other { id, .. } if self.registry.get_filter(id).is_none() => {
                Err("no filter is registered for this id")
            }
            _ => Ok(true),
        }
    }

    /// Returns whether `filter` changes blocks of `len` bytes.
    fn changes(&self, filter: Filter, len: usize) -> bool {
        let elements = || len / self.typesize;
        match (filter, self.rule) {
            (Filter::BitShuffle, BitShuffleRule::Blosc1) => elements() != 0 && elements().is_multiple_of(8),
            (Filter::BitShuffle, BitShuffleRule::Blosc2) => elements() >= 8,
            _ => true,
        }
    }

    fn forward(&self, filter: Filter, src: &[u8], dst: &mut [u8], reference: Option<&[u8]>) -> Result<(), FilterError> {
        let Kernels { shuffle, bitshuffle, .. } = kernels::active();
        let typesize = self.typesize;
        let error = |what| FilterError::Filter { filter, what };
        let failed = |source| FilterError::Plugin { filter, source };
        match filter {
            Filter::Shuffle => shuffle(typesize, src, dst),
            Filter::ShuffleGroups(bytes) => shuffle(bytes.get().into(), src, dst),
            Filter::BitShuffle => bitshuffle(typesize, src, dst),
            Filter::Delta => delta::forward(typesize, src, dst, reference),
            Filter::TruncPrec(_) => {
                trunc::apply(typesize, trunc::trunc_prec_mask(typesize, filter.meta()).map_err(error)?, src, dst);
            }
            Filter::IntTrunc(_) => {
                trunc::apply(typesize, trunc::int_trunc_mask(typesize, filter.meta()).map_err(error)?, src, dst);
            }
            Filter::NdCell(_) | Filter::NdMean(_) => self.cells(filter, src.len())?.forward(src, dst),
            Filter::ByteDelta(meta) | Filter::ByteDeltaOld(meta) => bytedelta::forward(self.channels(meta), src, dst),
            Filter::Other { id, .. } => match self.registry.get_filter(id) {
                Some(plugin) => plugin.forward(src, dst, self.plugin(filter)).map_err(failed)?,
                None => return Err(error("no filter is registered for this id")),
            },
        }
        Ok(())
    }

    fn backward(
        &self,
        filter: Filter,
        src: &[u8],
        dst: &mut [u8],
        reference: Option<&[u8]>,
    ) -> Result<(), FilterError> {
        let Kernels { unshuffle, bitunshuffle, .. } = kernels::active();
        let typesize = self.typesize;
        let error = |what| FilterError::Filter { filter, what };
        let failed = |source| FilterError::Plugin { filter, source };
        match filter {
            Filter::Shuffle => unshuffle(typesize, src, dst),
            Filter::ShuffleGroups(bytes) => unshuffle(bytes.get().into(), src, dst),
            Filter::BitShuffle => bitunshuffle(typesize, src, dst),
            Filter::Delta => delta::backward(typesize, src, dst, reference),
            Filter::TruncPrec(_) | Filter::IntTrunc(_) => dst.copy_from_slice(src),
            Filter::NdCell(_) | Filter::NdMean(_) => self.cells(filter, src.len())?.backward(src, dst),
            Filter::ByteDelta(meta) => bytedelta::backward(self.channels(meta), src, dst),
            Filter::ByteDeltaOld(meta) => bytedelta::backward_old(self.channels(meta), src, dst),
            Filter::Other { id, .. } => match self.registry.get_filter(id) {
                Some(plugin) => plugin.backward(src, dst, self.plugin(filter)).map_err(failed)?,
                None => return Err(error("no filter is registered for this id")),
            },
        }
        Ok(())
    }

    fn channels(&self, meta: u8) -> usize {
        match meta {
            0 => self.channels.unwrap_or(1),
            meta => meta.into(),
        }
    }

    fn cells(&self, filter: Filter, len: usize) -> Result<NdCells, FilterError> {
        let new = if let Filter::NdMean(_) = filter { NdCells::new_mean } else { NdCells::new };
        let cells = new(self.blockshape, filter.meta(), self.typesize, len);
        cells.map_err(|what| FilterError::Filter { filter, what })
    }

    fn plugin(&self, filter: Filter) -> PluginContext {
        PluginContext { meta: filter.meta(), typesize: self.typesize }
    }
}
