//! The version of the format, and sizes.

/// Maximum number of axes of an array.
pub const MAX_NDIM: usize = 16;

/// Maximum uncompressed size of a chunk in bytes.
pub const MAX_CHUNK_NBYTES: u64 = i32::MAX as u64;

/// The version of the format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Version {
    /// Version 2: `.zarray` and `.zgroup`.
    V2,
    /// Version 3: `zarr.json`.
    V3,
}

impl Version {
    /// Returns the number, `zarr_format`.
    #[must_use]
    pub fn number(self) -> u8 {
        match self {
            Version::V2 => 2,
            Version::V3 => 3,
        }
    }
}
