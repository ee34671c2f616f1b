//! References: Zarr arrays whose chunks are the chunks of existing containers, where they lie.
//!
//! Zarr reads them through a reference file system, for example that of fsspec. No data is copied: a reference is a URL,
//! an offset and a length. The JSON text is version 1 of kerchunk's.
//!
//! | file | content |
//! |---|---|
//! | `mod` | the values: arrays, chunks, where their bytes are |
//! | `options` | the options |
//! | `input` | the arrays of an input: one, or a column each |
//! | `layout` | which box of the array each chunk is |
//! | `chunks` | the references of one array |
//! | `padded` | chunks that are not stored as Zarr needs them, encoded again |
//! | `join` | arrays of several inputs as one |
//! | `zarray` | the metadata of an array |
//! | `json` | references as text |
//! | `url` | the URL of an input |
//! | `refusal` | why an input cannot be referenced |

mod chunks;
mod input;
mod join;
mod json;
mod layout;
mod options;
mod padded;
mod refusal;
mod url;
mod zarray;

use std::sync::Arc;

use bloscpack_format::{Attrs, Json};

pub use self::options::ReferenceOptions;
pub use self::refusal::ReferenceRefusal;
pub use self::url::reference_url;
use crate::{AnySource, Error};

/// A container to refer to.
#[derive(Debug)]
pub struct ReferenceInput {
    /// The opened container.
    pub source: AnySource,
    /// The URL at which readers of the references find it, see [`reference_url`].
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

impl References {
    /// Refers to the chunks of containers: arrays in frames, carrays, tables with a column for each array, and arrays in
    /// bloscpack files. Several inputs are joined along an axis. No chunk is read, except one that is shorter than the
    /// others.
    ///
    /// # Errors
    /// [`Error::Reference`] if an input has no array that Zarr can read in place, or does not fit to the others; the
    /// errors of opening an input.
    pub fn of(inputs: Vec<ReferenceInput>, options: &ReferenceOptions) -> Result<References, Error> {
        join::join(inputs, options)
    }
}
