//! The description of a block that is passed to prefilters and postfilters.

/// The block that a [prefilter](crate::Encoder::prefilter) or [postfilter](crate::Decoder::postfilter) is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockInfo {
    /// The block's number in the chunk.
    pub index: usize,
    /// The number of plain bytes before it in the chunk.
    pub offset: usize,
    /// Bytes of an element.
    pub typesize: usize,
}
