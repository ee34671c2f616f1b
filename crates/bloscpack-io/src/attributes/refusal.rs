//! Reasons why an attribute cannot be set or removed.

use super::DropReason;

/// The reason why an attribute cannot be set or removed: the source of [`Error::Attribute`](crate::Error::Attribute).
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeRefusal {
    /// The attribute describes the array in a bloscpack file.
    #[error("it describes the array; 'blpk convert' creates another array")]
    OfArray,
    /// The metalayer describes the array in a frame.
    #[error("this metalayer describes the array; 'blpk convert' creates another array")]
    ArrayMetalayer,
    /// Metalayers are part of a frame's header and cannot be removed.
    #[error("a metalayer is part of the frame's header and cannot be removed")]
    FixedMetalayer,
    /// The new content of a metalayer differs in size from the old.
    #[error("a metalayer keeps its size: {expected} bytes, but the value has {found}")]
    MetalayerSize {
        /// Size of the new content in bytes.
        found: usize,
        /// Size of the old content in bytes.
        expected: usize,
    },
    /// The container cannot store the attribute.
    #[error("{0}")]
    NotStored(DropReason),
}
