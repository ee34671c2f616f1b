//! Chunks to decode, whole or in part.

use std::ops::Range;

/// A chunk to decode, whole or in part, and what the caller does with it.
pub(super) struct DecodeJob<T> {
    pub(super) chunk: u64,
    pub(super) ranges: Ranges,
    pub(super) task: T,
}

/// Ranges of the plain bytes of a chunk.
#[derive(Clone)]
pub(super) enum Ranges {
    Whole,
    One(Range<usize>),
    /// In ascending order.
    Many(Vec<Range<usize>>),
}

impl Ranges {
    /// Returns the ranges, `None` for a whole chunk.
    pub(super) fn as_slice(&self) -> Option<&[Range<usize>]> {
        match self {
            Ranges::Whole => None,
            Ranges::One(range) => Some(std::slice::from_ref(range)),
            Ranges::Many(ranges) => Some(ranges),
        }
    }
}
