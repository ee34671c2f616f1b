//! References: Zarr arrays whose chunks are the chunks of existing containers, where they lie.
//!
//! Zarr reads them through a reference file system, for example that of fsspec. No data is copied: a reference is a URL,
//! an offset and a length. The JSON text is version 1 of kerchunk's.
//!
//! | file | content |
//! |---|---|
//! | `values` | the values: arrays, chunks, where their bytes are |
//! | `options` | the options |
//! | `input` | the arrays of an input: one, or a column each |
//! | `layout` | which box of the array each chunk is |
//! | `chunks` | the references of one array |
//! | `padded` | chunks that are not stored as Zarr needs them, encoded again |
//! | `join` | [`References::of`]: arrays of several inputs as one |
//! | `zarray` | the metadata of an array |
//! | `json` | references as text |
//! | `url` | the URL of an input |

mod chunks;
mod input;
mod join;
mod json;
mod layout;
mod options;
mod padded;
mod url;
mod values;
mod zarray;

pub use self::options::ReferenceOptions;
pub use self::url::reference_url;
pub use self::values::{ChunkReference, ReferenceInput, ReferencedArray, ReferencedBytes, References};
