//! The values of a filter, as HDF5 hands them over.
//!
//! | index | Blosc | Blosc2 |
//! |---|---|---|
//! | 0 | revision of the filter, 2 | revision of the filter, 1 |
//! | 1 | version of the format, 2 | size of a block in bytes, 0 for automatic |
//! | 2 | typesize | typesize |
//! | 3 | size of a chunk in bytes | size of a chunk in bytes |
//! | 4, 5, 6 | level, shuffle, codec | level, filter, codec |
//! | 7 | | number of axes, if it is 2 to 16 |
//! | 8... | | items of a chunk along each axis |

use crate::error::Error;
use blosc_core::Codec;

/// The level, the shuffle and the codec where a dataset has no value for them.
pub(crate) const DEFAULTS: [u32; 3] = [5, 1, 0];

/// The values of a dataset's filter.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Values<'a>(pub(crate) &'a [u32]);

impl Values<'_> {
    /// Returns the value `index`, or `default` if there are fewer.
    pub(crate) fn or(self, index: usize, default: u32) -> u32 {
        self.0.get(index).copied().unwrap_or(default)
    }

    /// # Errors
    /// [`Error::Values`] if there are fewer values.
    pub(crate) fn expect(self, expected: usize) -> Result<(), Error> {
        let found = self.0.len();
        if found < expected { Err(Error::Values { found, expected }) } else { Ok(()) }
    }

    /// Returns the size of a chunk in bytes, before any filter.
    pub(crate) fn chunk_nbytes(self) -> usize {
        self.or(3, 0) as usize
    }

    /// Returns the compression level.
    ///
    /// # Errors
    /// [`Error::Value`] for one that does not exist.
    pub(crate) fn clevel(self) -> Result<u8, Error> {
        let found = self.or(4, DEFAULTS[0]);
        let clevel = u8::try_from(found).ok().filter(|clevel| *clevel <= 9);
        clevel.ok_or(Error::Value { what: "the level", found: found.into(), expected: "0 to 9" })
    }

    /// Returns the number of the filter before the codec.
    pub(crate) fn shuffle(self) -> u32 {
        self.or(5, DEFAULTS[1])
    }

    /// Returns the codec.
    ///
    /// # Errors
    /// [`Error::Value`] for one that does not exist.
    pub(crate) fn codec(self) -> Result<Codec, Error> {
        const CODECS: [Codec; 6] = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Snappy, Codec::Zlib, Codec::Zstd];
        let found = self.or(6, DEFAULTS[2]);
        let codec = CODECS.get(found as usize).copied();
        codec.ok_or(Error::Value { what: "the codec", found: found.into(), expected: "0 to 5" })
    }
}
