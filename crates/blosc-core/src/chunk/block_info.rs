//! The description of a block that a prefilter or postfilter of the caller's gets.

/// The block that a [prefilter](crate::Encoder::prefilter) or [postfilter](crate::Decoder::postfilter) is called for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockInfo {
    /// Its number in the chunk.
    pub index: usize,
    /// The plain bytes before it in the chunk.
    pub offset: usize,
    /// Bytes of an element.
    pub typesize: usize,
}
