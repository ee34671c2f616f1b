//! The functions and classes that JavaScript calls.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | chunks: compress, decompress, describe |
//! | `copy` | copies between JavaScript's arrays and the memory of this module |
//! | `file` | the class of an open file |
//! | `error` | errors as JavaScript's |

#[cfg(feature = "chunks")]
mod chunk;
#[cfg(feature = "chunks")]
mod copy;
mod error;
#[cfg(feature = "containers")]
mod file;
