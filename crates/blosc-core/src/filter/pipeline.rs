//! The filters of one chunk, made ready to run over its blocks, both ways.

use super::cells::NdCells;
use super::{Filter, FilterPipeline, bytedelta, delta, trunc};
use crate::kernels::{self, Kernels};
use crate::registry::{BlockFilter, PluginContext, Registry};

/// Room behind a block in the scratch buffer, so that decoders copy in wide steps up to its very end.
const SLACK: usize = 64;

/// What a pipeline knows of its chunk and of its caller.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) typesize: usize,
    pub(crate) rule: BitShuffleRule,
    pub(crate) registry: &'a Registry,
    pub(crate) blockshape: &'a [usize],
    /// The typesize of the super-chunk, which a bytedelta without channels of its own goes by.
    pub(crate) channels: Option<usize>,
}

/// Which blocks bitshuffle changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BitShuffleRule {
    /// Chunk version 2: those whose number of whole elements is a multiple of 8.
    Blosc1,
    /// All later versions: those of 8 elements and more; the elements behind the last group of 8 are copied.
    Blosc2,
}

/// Why a filter cannot run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterError {
    pub(crate) filter: Filter,
    pub(crate) what: &'static str,
}

/// The two buffers that blocks wander through.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// What the next filter reads.
    pub(crate) current: Vec<u8>,
    next: Vec<u8>,
}

impl Scratch {
    /// The buffer for `len` filtered bytes that are still to be decoded, and some more behind them.
    pub(crate) fn current_mut(&mut self, len: usize) -> &mut [u8] {
        grow(&mut self.current, len + SLACK)
    }
}

fn grow(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        buffer.resize(len, 0);
    }
    &mut buffer[..len]
}

/// The steps of a pipeline.
pub(crate) struct Pipeline<'a> {
    context: Context<'a>,
    steps: [Option<Step<'a>>; FilterPipeline::MAX_LEN],
}

#[derive(Clone, Copy)]
struct Step<'a> {
    filter: Filter,
    action: Action<'a>,
}

#[derive(Clone, Copy)]
enum Action<'a> {
    /// Decoding skips the filters that lose bits.
    None,
    Shuffle(usize),
    BitShuffle,
    Delta,
    Mask(u64),
    Cells {
        cell: u8,
        mean: bool,
    },
    ByteDelta(usize),
    ByteDeltaOld(usize),
    Plugin(&'a dyn BlockFilter),
}

impl<'a> Pipeline<'a> {
    /// The steps of compression.
    pub(crate) fn forward_of(filters: &FilterPipeline, context: Context<'a>) -> Result<Self, FilterError> {
        Pipeline::new(filters, context, |filter| match filter {
            Filter::TruncPrec(_) => Ok(Action::Mask(trunc::trunc_prec_mask(context.typesize, filter.meta())?)),
            Filter::IntTrunc(_) => Ok(Action::Mask(trunc::int_trunc_mask(context.typesize, filter.meta())?)),
            Filter::ByteDeltaOld(_) => Err("it is read only; write bytedelta"),
            filter => Action::both_ways(filter, context),
        })
    }

    /// The steps of decompression.
    pub(crate) fn backward_of(filters: &FilterPipeline, context: Context<'a>) -> Result<Self, FilterError> {
        Pipeline::new(filters, context, |filter| match filter {
            Filter::TruncPrec(_) | Filter::IntTrunc(_) => Ok(Action::None),
            filter => Action::both_ways(filter, context),
        })
    }

    fn new(
        filters: &FilterPipeline,
        context: Context<'a>,
        action: impl Fn(Filter) -> Result<Action<'a>, &'static str>,
    ) -> Result<Self, FilterError> {
        let mut steps = [None; FilterPipeline::MAX_LEN];
        for (step, &filter) in steps.iter_mut().zip(filters.as_slice()) {
            *step = Some(Step { filter, action: action(filter).map_err(|what| FilterError { filter, what })? });
        }
        Ok(Pipeline { context, steps })
    }

    /// Whether blocks depend on the first one.
    pub(crate) fn has_delta(&self) -> bool {
        self.steps.iter().flatten().any(|step| step.filter == Filter::Delta)
    }

    /// Whether a block may come back as something else than it was.
    pub(crate) fn may_be_lossy(&self) -> bool {
        let mut actions = self.steps.iter().flatten().map(|step| step.action);
        actions.any(|action| matches!(action, Action::Mask(_) | Action::Plugin(_) | Action::Cells { mean: true, .. }))
    }

    /// Whether blocks of `len` bytes stay as they are.
    pub(crate) fn is_identity(&self, len: usize) -> bool {
        self.steps(len).next().is_none()
    }

    /// The steps that change a block of `len` bytes.
    fn steps(&self, len: usize) -> impl DoubleEndedIterator<Item = Step<'a>> {
        let Context { typesize, rule, .. } = self.context;
        let elements = len / typesize;
        self.steps.into_iter().flatten().filter(move |step| match step.action {
            Action::None => false,
            Action::Shuffle(group) => group > 1,
            Action::BitShuffle if rule == BitShuffleRule::Blosc1 => elements != 0 && elements.is_multiple_of(8),
            Action::BitShuffle => elements >= 8,
            _ => true,
        })
    }

    /// What the codec is to compress for `block`: the block itself where no filter changes it. `reference` is the first
    /// block as a decoder will see it, `None` for that block itself.
    pub(crate) fn forward<'b>(
        &self,
        block: &'b [u8],
        reference: Option<&[u8]>,
        scratch: &'b mut Scratch,
    ) -> Result<&'b [u8], FilterError> {
        let len = block.len();
        let mut is_filtered = false;
        for step in self.steps(len) {
            let src = if is_filtered { &scratch.current[..len] } else { block };
            step.forward(&self.context, src, grow(&mut scratch.next, len), reference)?;
            core::mem::swap(&mut scratch.current, &mut scratch.next);
            is_filtered = true;
        }
        Ok(if is_filtered { &scratch.current[..len] } else { block })
    }

    /// Undoes the filters on the block in `scratch.current`, of the length of `dst`. At least one changed it.
    pub(crate) fn backward(
        &self,
        scratch: &mut Scratch,
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<(), FilterError> {
        let len = dst.len();
        let mut steps = self.steps(len).rev().peekable();
        while let Some(step) = steps.next() {
            let src = &scratch.current[..len];
            if steps.peek().is_none() {
                return step.backward(&self.context, src, dst, reference);
            }
            step.backward(&self.context, src, grow(&mut scratch.next, len), reference)?;
            core::mem::swap(&mut scratch.current, &mut scratch.next);
        }
        Ok(())
    }
}

impl<'a> Action<'a> {
    fn both_ways(filter: Filter, context: Context<'a>) -> Result<Self, &'static str> {
        let channels = |meta: u8| match meta {
            0 => context
                .channels
                .ok_or("it has as many channels as the super-chunk's typesize: give that to the decoder"),
            meta => Ok(meta.into()),
        };
        Ok(match filter {
            Filter::Shuffle => Action::Shuffle(context.typesize),
            Filter::ShuffleGroups(bytes) => Action::Shuffle(bytes.get().into()),
            Filter::BitShuffle => Action::BitShuffle,
            Filter::Delta => Action::Delta,
            Filter::NdCell(_) | Filter::NdMean(_) if context.blockshape.is_empty() => {
                return Err("it needs the shape of a block: give it to the encoder or decoder");
            }
            Filter::NdCell(cell) => Action::Cells { cell, mean: false },
            Filter::NdMean(cell) => Action::Cells { cell, mean: true },
            Filter::ByteDelta(meta) => Action::ByteDelta(channels(meta)?),
            Filter::ByteDeltaOld(meta) => Action::ByteDeltaOld(channels(meta)?),
            Filter::Other { id, .. } => {
                let plugin = context.registry.get_filter(id).map(Action::Plugin);
                return plugin.ok_or("no filter is registered for this id");
            }
            Filter::TruncPrec(_) | Filter::IntTrunc(_) => Action::None,
        })
    }
}

impl Step<'_> {
    fn forward(
        self,
        context: &Context<'_>,
        src: &[u8],
        dst: &mut [u8],
        reference: Option<&[u8]>,
    ) -> Result<(), FilterError> {
        let Kernels { shuffle, bitshuffle, .. } = kernels::active();
        let typesize = context.typesize;
        match self.action {
            Action::None => dst.copy_from_slice(src),
            Action::Shuffle(group) => shuffle(group, src, dst),
            Action::BitShuffle => bitshuffle(typesize, src, dst),
            Action::Delta => delta::forward(typesize, src, dst, reference),
            Action::Mask(mask) => trunc::apply(typesize, mask, src, dst),
            Action::Cells { cell, mean } => self.cells(context, cell, mean, src.len())?.forward(src, dst),
            Action::ByteDelta(channels) | Action::ByteDeltaOld(channels) => bytedelta::forward(channels, src, dst),
            Action::Plugin(plugin) => {
                plugin.forward(src, dst, self.plugin(context)).map_err(|what| self.error(what))?
            }
        }
        Ok(())
    }

    fn backward(
        self,
        context: &Context<'_>,
        src: &[u8],
        dst: &mut [u8],
        reference: Option<&[u8]>,
    ) -> Result<(), FilterError> {
        let Kernels { unshuffle, bitunshuffle, .. } = kernels::active();
        let typesize = context.typesize;
        match self.action {
            Action::None | Action::Mask(_) => dst.copy_from_slice(src),
            Action::Shuffle(group) => unshuffle(group, src, dst),
            Action::BitShuffle => bitunshuffle(typesize, src, dst),
            Action::Delta => delta::backward(typesize, src, dst, reference),
            Action::Cells { cell, mean } => self.cells(context, cell, mean, src.len())?.backward(src, dst),
            Action::ByteDelta(channels) => bytedelta::backward(channels, src, dst),
            Action::ByteDeltaOld(channels) => bytedelta::backward_old(channels, src, dst),
            Action::Plugin(plugin) => {
                plugin.backward(src, dst, self.plugin(context)).map_err(|what| self.error(what))?;
            }
        }
        Ok(())
    }

    fn cells(&self, context: &Context<'_>, cell: u8, mean: bool, len: usize) -> Result<NdCells, FilterError> {
        let new = if mean { NdCells::new_mean } else { NdCells::new };
        new(context.blockshape, cell, context.typesize, len).map_err(|what| self.error(what))
    }

    fn plugin(&self, context: &Context<'_>) -> PluginContext {
        PluginContext { meta: self.filter.meta(), typesize: context.typesize }
    }

    fn error(&self, what: &'static str) -> FilterError {
        FilterError { filter: self.filter, what }
    }
}
