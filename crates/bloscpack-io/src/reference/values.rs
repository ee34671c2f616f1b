//! References as values.

use std::sync::Arc;

use bloscpack_format::{Attrs, Json};

use crate::any_source::AnySource;

/// A container to refer to.
#[derive(Debug)]
pub struct ReferenceInput {
    /// The opened container.
    pub source: AnySource,
    /// The URL at which readers of the references find it, see [`reference_url`](super::reference_url).
    pub url: String,
}

/// Zarr arrays whose chunks are in other files.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct References {
    /// The arrays. A single array without a name is the root; others are members of the root group.
    pub arrays: Vec<ReferencedArray>,
    /// The attributes of the root group, if there is one.
    pub attributes: Option<Attrs>,
}

/// A Zarr array of format 2.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ReferencedArray {
    /// The name in the root group. `None` for an array that is the root itself.
    pub name: Option<String>,
    /// The content of `.zarray`.
    pub metadata: Json,
    /// The content of `.zattrs`.
    pub attributes: Attrs,
    /// The chunks. Chunks of zeros, the fill value, may be left out.
    pub chunks: Vec<ChunkReference>,
}

/// A chunk of a Zarr array.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChunkReference {
    /// Its position in the grid of chunks.
    pub at: Vec<u64>,
    /// Its compressed bytes.
    pub bytes: ReferencedBytes,
}

/// Compressed bytes: where they are, or the bytes themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReferencedBytes {
    /// A range of a file.
    Stored {
        /// The URL of the file.
        url: Arc<str>,
        /// Offset of the first byte.
        offset: u64,
        /// Number of bytes.
        length: u64,
    },
    /// Bytes that are stored nowhere.
    Inline(Arc<[u8]>),
}
