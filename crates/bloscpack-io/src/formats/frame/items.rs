//! The items of an array that are somewhere else: what an array in a frame is made from.

use bloscpack_format::frame::Region;

use crate::Error;

/// Items of an array that several threads can read at once. [`Array`](crate::Array) is one.
pub trait ArrayItems: Sync {
    /// The items of a region, in C order.
    ///
    /// # Errors
    /// The error of the source.
    fn read(&self, region: &Region) -> Result<Vec<u8>, Error>;

    /// Bytes that are held besides while a region is read, about: fewer regions are read at once where these are many.
    fn held(&self, _region: &Region) -> u64 {
        0
    }
}
