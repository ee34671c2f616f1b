//! The functions and classes that JavaScript calls.
//!
//! | file | content |
//! |---|---|
//! | `chunk` | chunks: decompress, describe |
//! | `compress` | chunks: compress |
//! | `copy` | copies between JavaScript's arrays and the memory of this module |
//! | `file` | the class of an open file |
//! | `error` | errors as JavaScript's |

#[cfg(feature = "chunks")]
mod chunk;
#[cfg(feature = "compress")]
mod compress;
#[cfg(feature = "chunks")]
mod copy;
mod error;
#[cfg(feature = "containers")]
mod file;
