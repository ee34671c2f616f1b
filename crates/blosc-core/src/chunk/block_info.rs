//! What the caller's own prefilters and postfilters are told.

/// Which block a [prefilter](crate::Encoder::prefilter) or [postfilter](crate::Decoder::postfilter) is given.
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
