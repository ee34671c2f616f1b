//! The two filters by their numbers.

use crate::error::Error;
use crate::output::Output;
use crate::values::Values;
use crate::{blosc1, blosc2};

/// A filter that is registered with the HDF Group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Filter {
    Blosc1,
    Blosc2,
}

impl Filter {
    /// Returns the number by which files name the filter.
    pub(crate) const fn id(self) -> i32 {
        match self {
            Filter::Blosc1 => 32001,
            Filter::Blosc2 => 32026,
        }
    }

    /// Compresses a chunk. Returns the length of the result, 0 if it would not be shorter: HDF5 then stores the chunk
    /// without the filter.
    ///
    /// # Errors
    /// For values that the filter does not support, and if there is no memory.
    pub(crate) fn compress(self, values: Values<'_>, plain: &[u8], out: &mut impl Output) -> Result<usize, Error> {
        match self {
            Filter::Blosc1 => blosc1::compress(values, plain, out),
            Filter::Blosc2 => blosc2::compress(values, plain, out),
        }
    }

    /// Decompresses a chunk. Returns the length of the result.
    ///
    /// # Errors
    /// For a damaged chunk, and if there is no memory.
    pub(crate) fn decompress(self, values: Values<'_>, stored: &[u8], out: &mut impl Output) -> Result<usize, Error> {
        match self {
            Filter::Blosc1 => blosc1::decompress(values, stored, out),
            Filter::Blosc2 => blosc2::decompress(values, stored, out),
        }
    }
}
