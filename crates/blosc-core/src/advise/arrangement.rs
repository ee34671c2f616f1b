//! The arrangement of bytes before the codec: typesize, filters and splitting.

use super::effort::{Effort, Order};
use crate::codec::Codec;
use crate::filter::{Filter, FilterPipeline};
use crate::format::ChunkFormat;
use crate::layout::tuning::{self, MAX_SPLITS};
use crate::params::{BlockSize, CParams, SplitMode};

/// Filters for elements of one size, and whether blocks are split into a stream for each byte of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Arrangement {
    pub(super) typesize: usize,
    pub(super) filters: FilterPipeline,
    pub(super) is_split: bool,
}

impl Arrangement {
    /// Returns the arrangements worth comparing for elements of `typesize` bytes, simple ones first. Blocks are not split.
    pub(super) fn all(format: ChunkFormat, typesize: usize) -> impl Iterator<Item = Arrangement> {
        let bytedelta = FilterPipeline::from([Filter::Shuffle, Filter::ByteDelta(0)]);
        let pipelines = [
            Some(FilterPipeline::none()),
            (2..=WIDEST).contains(&typesize).then_some(FilterPipeline::shuffle()),
            Some(FilterPipeline::bitshuffle()),
            (format == ChunkFormat::Blosc2).then_some(bytedelta),
        ];
        let arrangement = move |filters| Arrangement { typesize, filters, is_split: false };
        pipelines.into_iter().flatten().map(arrangement)
    }

    /// Returns the size of an element for filters: wider elements count as bytes.
    pub(super) fn element(&self) -> usize {
        if (1..=WIDEST).contains(&self.typesize) { self.typesize } else { 1 }
    }

    /// Returns whether this is the first to try for elements of its size.
    pub(super) fn is_simple(&self) -> bool {
        self.typesize == 1 || matches!(self.filters.as_slice(), [] | [Filter::Shuffle])
    }

    /// Returns the arrangement with split blocks, if these can be split.
    pub(super) fn split(&self) -> Option<Arrangement> {
        let can_split = (2..=MAX_SPLITS).contains(&self.typesize) && !self.filters.as_slice().is_empty();
        can_split.then_some(Arrangement { is_split: true, ..*self })
    }

    /// Returns whether the two differ in nothing but splitting.
    pub(super) fn is_split_otherwise(&self, other: &Arrangement) -> bool {
        self.is_split != other.is_split && Arrangement { is_split: self.is_split, ..*other } == *self
    }

    /// Returns the variant for this codec: without an entropy coder, codecs find more in split blocks.
    pub(super) fn adapted(&self, codec: Codec) -> Arrangement {
        match codec {
            Codec::Zstd | Codec::Zlib => *self,
            _ => self.split().unwrap_or(*self),
        }
    }

    pub(super) fn order(&self) -> Order {
        match self.filters.as_slice() {
            [] => Order::Plain,
            [Filter::BitShuffle, ..] => Order::BitShuffled,
            [.., Filter::ByteDelta(_)] => Order::Deltas,
            _ => Order::Shuffled,
        }
    }

    /// Returns the parameters of chunks of this arrangement and effort.
    pub(super) fn params(&self, format: ChunkFormat, effort: &Effort) -> CParams {
        let Arrangement { typesize, filters, is_split } = *self;
        let params = CParams::new().format(format).typesize(typesize).filters(filters);
        let params = params.codec(effort.codec).clevel(effort.clevel).zstd_level(effort.zstd_level);
        let params = if is_split { params.split_if_readable() } else { params.split(SplitMode::Never) };
        params.blocksize(self.blocksize(format, effort))
    }

    /// Returns the size of blocks. Long ones are smaller in total, short ones are faster to read in part. They are whole
    /// groups of eight elements: bitshuffle does not change other blocks of Blosc1 chunks.
    fn blocksize(&self, format: ChunkFormat, effort: &Effort) -> BlockSize {
        let has_entropy_coder = matches!(effort.codec, Codec::Zstd | Codec::Zlib);
        let stream = match (has_entropy_coder, effort.is_thorough()) {
            (_, true) => 256 << 10,
            (true, false) => 128 << 10,
            (false, false) => 64 << 10,
        };
        let typesize = self.element();
        let whole = |bytes: usize, group: usize| (bytes / group).max(1) * group;
        BlockSize::Fixed(match self.order() {
            Order::Plain if has_entropy_coder => WHOLE_CHUNK,
            Order::Plain => 4 * stream,
            _ if !self.is_split => whole(4 * stream, 8 * typesize),
            _ => {
                let stream = whole(stream.min(LONGEST_SPLIT / typesize), 8);
                // In a Blosc1 chunk, a forced size is that of a stream.
                if format == ChunkFormat::Blosc1 { stream } else { stream * typesize }
            }
        })
    }
}

/// Returns the parameters with blocks of equal sizes in a chunk of `len` bytes, if they are bitshuffled. Bitshuffle does not
/// change blocks of Blosc1 chunks that are no whole groups of eight elements, so the last block must be small: less than
/// a group for each of the others.
pub(super) fn fitted(params: CParams, len: usize) -> CParams {
    let is_bitshuffled = params.filters.as_slice().contains(&Filter::BitShuffle);
    let group = 8 * params.machine_typesize();
    if !is_bitshuffled || params.format != ChunkFormat::Blosc1 || len < MIN_FITTED.max(group) {
        return params;
    }
    let block = tuning::blocksize(&params, len);
    if block.is_multiple_of(group) && len.is_multiple_of(block) {
        return params;
    }
    let block = (len / len.div_ceil(block) / group).max(1) * group;
    let is_split = tuning::is_split(&params, params.machine_typesize(), block);
    let stream = params.blocksize(BlockSize::Fixed(block / params.machine_typesize()));
    match is_split && tuning::blocksize(&stream, len) == block {
        true => stream,
        // Blocks that are too small for the sizes of split ones.
        false => params.split(SplitMode::Never).blocksize(BlockSize::Fixed(block)),
    }
}

/// Maximum size of an element for filters.
const WIDEST: usize = 255;

/// Smaller blocks are longer than a forced size can say.
const MIN_FITTED: usize = 256;

/// The size of blocks that end with the chunk.
const WHOLE_CHUNK: usize = 16 << 20;

/// Maximum size of a split block in a Blosc1 chunk, whose forced size is that of a stream.
const LONGEST_SPLIT: usize = 1 << 20;
