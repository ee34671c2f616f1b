//! Bloscpack files: header, metadata, offsets, chunks.
//!
//! | file | content |
//! |---|---|
//! | `prologue` | reads everything before the chunks |
//! | `chunks` | reads the chunks from front to back |
//! | `index` | where each chunk is, for reading in any order |
//! | `container` | a bloscpack file as a container |
//! | `front` | writes everything before the chunks |
//! | `chunk_run` | compresses and writes a run of chunks |
//! | `pack`, `writer` | a whole file: from what can be read, or from what is pushed |
//! | `append` | more chunks and other metadata for an existing file |

#[cfg(feature = "write")]
pub(crate) mod append;
mod chunk_run;
pub(crate) mod chunks;
pub(crate) mod container;
mod front;
pub(crate) mod index;
pub(crate) mod pack;
pub(crate) mod prologue;
pub(crate) mod writer;
