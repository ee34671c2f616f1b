//! The bytes of a source after an offset, as a source.

use std::io;
use std::ops::Range;

use super::ReadAt;

/// The bytes of a source after an offset. A frame may start anywhere in a file.
///
/// ```
/// use bloscpack_io::{Archive, Tail};
/// let packed = bloscpack_io::pack_bytes(b"plain", &bloscpack_io::PackOptions::new())?;
/// let file = [b"in front".as_slice(), &packed].concat();
/// assert_eq!(Archive::open(Tail::new(file, 8))?.read_range(0..5)?, b"plain");
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Tail<R> {
    source: R,
    start: u64,
}

impl<R: ReadAt> Tail<R> {
    /// The bytes of `source` starting at `start`.
    pub fn new(source: R, start: u64) -> Self {
        Tail { source, start }
    }
}

impl<R: ReadAt> ReadAt for Tail<R> {
    fn len(&self) -> io::Result<u64> {
        Ok(self.source.len()?.saturating_sub(self.start))
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let at = self.start.checked_add(offset).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.source.read_exact_at(at, buf)
    }

    fn request_cost(&self) -> Option<usize> {
        self.source.request_cost()
    }

    fn prefetch(&self, ranges: &[Range<u64>]) {
        let shifted = |at: u64| at.saturating_add(self.start);
        let ranges: Vec<_> = ranges.iter().map(|range| shifted(range.start)..shifted(range.end)).collect();
        self.source.prefetch(&ranges);
    }
}
