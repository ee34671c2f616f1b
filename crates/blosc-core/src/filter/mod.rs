//! Filters: what happens to a block's bytes before the codec sees them, and is undone after it.

#[cfg_attr(not(test), expect(dead_code))]
mod bytedelta;
#[cfg_attr(not(test), expect(dead_code))]
mod cells;
#[cfg_attr(not(test), expect(dead_code))]
mod delta;
#[cfg(test)]
mod golden;
#[cfg_attr(not(test), expect(dead_code))]
mod trunc;

use crate::kernels::{self, Kernels};

/// One filter of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Filter {
    /// Byte shuffle: byte 0 of all elements, then byte 1 of all, and so on. Best for numbers of one type.
    Shuffle,
    /// Bit shuffle: the same for single bits. Best for numbers that use few of their bits; slower.
    BitShuffle,
}

/// The filters of a chunk, in the order in which they run when compressing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FilterPipeline {
    filter: Option<Filter>,
}

impl FilterPipeline {
    /// No filter.
    pub const fn none() -> Self {
        FilterPipeline { filter: None }
    }

    /// Byte shuffle.
    pub const fn shuffle() -> Self {
        FilterPipeline { filter: Some(Filter::Shuffle) }
    }

    /// Bit shuffle.
    pub const fn bitshuffle() -> Self {
        FilterPipeline { filter: Some(Filter::BitShuffle) }
    }

    /// The filters, first to run first.
    pub fn as_slice(&self) -> &[Filter] {
        self.filter.as_slice()
    }
}

/// What a Blosc1 chunk's filter does to one block of `len` bytes, or `None` where it leaves the block as it is:
///
/// * shuffle of single bytes changes nothing;
/// * bitshuffle (the rule of chunk version 2) runs only when the number of whole elements is a multiple of 8, and not
///   0; the bytes behind the last whole element are copied.
pub(crate) fn for_block(filters: FilterPipeline, typesize: usize, len: usize) -> Option<Filter> {
    match filters.filter? {
        Filter::Shuffle => (typesize > 1).then_some(Filter::Shuffle),
        Filter::BitShuffle => {
            let elements = len / typesize;
            (elements != 0 && elements.is_multiple_of(8)).then_some(Filter::BitShuffle)
        }
    }
}

/// Runs `filter` over a block, from `src` to `dst` of the same length.
pub(crate) fn forward(filter: Filter, typesize: usize, src: &[u8], dst: &mut [u8]) {
    let Kernels { shuffle, bitshuffle, .. } = kernels::active();
    match filter {
        Filter::Shuffle => shuffle(typesize, src, dst),
        Filter::BitShuffle => bitshuffle(typesize, src, dst),
    }
}

/// Undoes [`forward`].
pub(crate) fn backward(filter: Filter, typesize: usize, src: &[u8], dst: &mut [u8]) {
    let Kernels { unshuffle, bitunshuffle, .. } = kernels::active();
    match filter {
        Filter::Shuffle => unshuffle(typesize, src, dst),
        Filter::BitShuffle => bitunshuffle(typesize, src, dst),
    }
}
