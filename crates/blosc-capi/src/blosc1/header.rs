//! Facts in the 16-byte header of a Blosc1 chunk: version, version of the streams, flags, typesize, then the sizes
//! nbytes, blocksize and cbytes as little-endian `i32`.

use super::MAX_BUFFERSIZE;

/// Size of a header.
pub(crate) const HEADER: usize = 16;

/// The only version that C-Blosc 1.x reads.
const VERSION: u8 = 2;

/// The bytes of a header.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawHeader<'a>(pub(crate) &'a [u8; HEADER]);

impl RawHeader<'_> {
    pub(crate) fn version(self) -> u8 {
        self.0[0]
    }

    pub(crate) fn stream_version(self) -> u8 {
        self.0[1]
    }

    pub(crate) fn flags(self) -> u8 {
        self.0[2]
    }

    pub(crate) fn typesize(self) -> u8 {
        self.0[3]
    }

    pub(crate) fn nbytes(self) -> i32 {
        self.number(4)
    }

    pub(crate) fn blocksize(self) -> i32 {
        self.number(8)
    }

    pub(crate) fn cbytes(self) -> i32 {
        self.number(12)
    }

    fn number(self, at: usize) -> i32 {
        i32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    pub(crate) fn is_supported(self) -> bool {
        self.version() == VERSION
    }

    /// Returns whether C-Blosc shares a chunk of this size among threads.
    pub(crate) fn is_shared(self) -> bool {
        self.nbytes().checked_div(self.blocksize()).is_some_and(|blocks| blocks > 1)
    }

    /// Returns nbytes, cbytes and blocksize, 0 for another version. A negative number becomes a huge one, as in C.
    pub(crate) fn sizes(self) -> [usize; 3] {
        if !self.is_supported() {
            return [0; 3];
        }
        [self.nbytes(), self.cbytes(), self.blocksize()].map(|number| number as isize as usize)
    }

    /// Returns nbytes if the chunk may be one of `cbytes` bytes.
    ///
    /// # Errors
    /// nbytes, which C-Blosc stores also then.
    pub(crate) fn validated(self, cbytes: usize) -> Result<usize, usize> {
        let [nbytes, found, _] = self.sizes();
        if found == cbytes && nbytes <= MAX_BUFFERSIZE { Ok(nbytes) } else { Err(nbytes) }
    }
}
