//! The boundary to JavaScript.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | chunks: compress, decompress, describe |
//! | `file` | the class of an open file |
//! | `host` | the files that JavaScript holds |
//! | `error` | errors as JavaScript's |

mod chunk;
pub(crate) mod error;
#[cfg(feature = "containers")]
mod file;
#[cfg(feature = "containers")]
pub(crate) mod host;
