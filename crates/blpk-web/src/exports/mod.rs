//! The functions and classes that JavaScript calls.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | chunks: compress, decompress, describe |
//! | `file` | the class of an open file |
//! | `error` | errors as JavaScript's |

#[cfg(feature = "chunks")]
mod chunk;
mod error;
#[cfg(feature = "containers")]
mod file;
