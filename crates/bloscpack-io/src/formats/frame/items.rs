//! The source of items from which an array in a frame is created.

use bloscpack_format::frame::Region;

use crate::Error;

/// Items of an array that several threads can read at once. [`Array`](crate::Array) is one.
pub trait ArrayItems: Sync {
    /// Reads the items of a region, in C order.
    ///
    /// # Errors
    /// The error of the source.
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error>;

    /// Returns the approximate additional memory in bytes for reading a region. If it is large, fewer regions are read
    /// at once.
    fn held(&self, _region: &Region) -> u64 {
        0
    }
}
