//! Bloscpack files: header, metadata, offsets, chunks.
//!
//! | file | content |
//! |---|---|
//! | `prologue` | reads everything before the chunks |
//! | `chunks` | reads the chunks from front to back |
//! | `index` | the position of each chunk, for random access |
//! | `container` | a bloscpack file as a container |
//! | `front` | writes everything before the chunks |
//! | `chunk_run` | compresses and writes a run of chunks |
//! | `content` | what a new file is made of: uncompressed bytes, or compressed chunks |
//! | `pack`, `writer` | creates a whole file, from a reader or through `Write` |
//! | `append` | appends data to an existing file, and replaces its metadata |
//! | `append_metadata` | the metadata after appending |

#[cfg(feature = "write")]
pub(crate) mod append;
#[cfg(feature = "write")]
mod append_metadata;
pub(crate) mod chunk_run;
pub(crate) mod chunks;
pub(crate) mod container;
pub(crate) mod content;
mod front;
pub(crate) mod index;
pub(crate) mod pack;
pub(crate) mod prologue;
pub(crate) mod writer;
