//! The distribution of rows over chunks, and the sizes of the chunks.

use super::{BcolzError, Dtype, MAX_CHUNK_NBYTES, Sizes, Storage};
use std::ops::Range;

/// The distribution of a carray's rows over chunks: `chunklen` in each but the last, which has the rest.
///
/// With Python objects each row is a chunk of its own, of any size, and `atomsize` is meaningless.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rows {
    len: u64,
    chunklen: u64,
    atomsize: u64,
}

/// A run of rows in one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRows {
    /// The chunk.
    pub chunk: u64,
    /// The rows, counted from the first of the chunk.
    pub rows: Range<u64>,
}

impl Rows {
    /// Creates `len` rows of `atomsize` bytes in chunks of `chunklen` rows.
    ///
    /// # Errors
    ///
    /// [`BcolzError::AtomSize`], [`BcolzError::ChunkLen`] or [`BcolzError::TooManyRows`] if the size of a row, of a
    /// chunk or of all rows is invalid.
    pub fn new(len: u64, chunklen: u64, atomsize: u64) -> Result<Self, BcolzError> {
        let max = MAX_CHUNK_NBYTES;
        if !(1..=max).contains(&atomsize) {
            return Err(BcolzError::AtomSize { found: Some(atomsize), max });
        }
        if !(1..=max / atomsize).contains(&chunklen) {
            return Err(BcolzError::ChunkLen { chunklen, atomsize, max });
        }
        if len > i64::MAX.cast_unsigned() / atomsize {
            return Err(BcolzError::TooManyRows { len, atomsize });
        }
        Ok(Rows { len, chunklen, atomsize })
    }

    /// Returns the rows that the metadata of a carray describes.
    ///
    /// # Errors
    ///
    /// As [`Rows::new`]; [`BcolzError::ObjectShape`].
    pub fn of(sizes: &Sizes, storage: &Storage) -> Result<Self, BcolzError> {
        let ndim = sizes.shape.len();
        match &storage.dtype {
            Dtype::Object if ndim != 1 => Err(BcolzError::ObjectShape { ndim }),
            dtype @ Dtype::Object => Rows::new(sizes.rows(), 1, dtype.itemsize()),
            dtype => Rows::new(sizes.rows(), storage.chunklen, atomsize(dtype, sizes.atom_shape())?),
        }
    }

    /// Returns the same layout with another number of rows.
    ///
    /// # Errors
    ///
    /// [`BcolzError::TooManyRows`].
    pub fn with_len(self, len: u64) -> Result<Self, BcolzError> {
        Rows::new(len, self.chunklen, self.atomsize)
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the rows of a whole chunk; 1 for Python objects.
    #[must_use]
    pub fn chunklen(&self) -> u64 {
        self.chunklen
    }

    /// Returns the size of a row in bytes.
    #[must_use]
    pub fn atomsize(&self) -> u64 {
        self.atomsize
    }

    /// Returns the size of all rows in bytes.
    #[must_use]
    pub fn nbytes(&self) -> u64 {
        self.len * self.atomsize
    }

    /// Returns the size of a whole chunk in bytes.
    #[must_use]
    pub fn chunk_nbytes(&self) -> u64 {
        self.chunklen * self.atomsize
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn nchunks(&self) -> u64 {
        self.len.div_ceil(self.chunklen)
    }

    /// Returns the number of chunks that have all `chunklen` rows.
    #[must_use]
    pub fn full_chunks(&self) -> u64 {
        self.len / self.chunklen
    }

    /// Returns the rows of chunk `chunk`; an empty range at the end if there is no such chunk.
    #[must_use]
    pub fn rows_of(&self, chunk: u64) -> Range<u64> {
        let start = chunk.saturating_mul(self.chunklen).min(self.len);
        start..start.saturating_add(self.chunklen).min(self.len)
    }

    /// Returns the number of rows of chunk `chunk`: `chunklen`, or the rest in the last chunk.
    #[must_use]
    pub fn rows_in(&self, chunk: u64) -> u64 {
        let rows = self.rows_of(chunk);
        rows.end - rows.start
    }

    /// Returns the valid uncompressed sizes of the file of chunk `chunk`. It is the size of a whole chunk. The file of
    /// the last chunk may be smaller, but must contain its rows. It may have more rows if rows were removed, or if
    /// `meta/sizes` is not yet updated.
    #[must_use]
    pub fn nbytes_allowed(&self, chunk: u64) -> std::ops::RangeInclusive<u64> {
        self.rows_in(chunk) * self.atomsize..=self.chunk_nbytes()
    }

    /// Returns the chunk that contains row `row`.
    #[must_use]
    pub fn chunk_of(&self, row: u64) -> u64 {
        row / self.chunklen
    }

    /// Returns the chunks that contain `rows`. Rows past the end are ignored.
    #[must_use]
    pub fn chunks_of(&self, rows: Range<u64>) -> Range<u64> {
        let end = rows.end.min(self.len);
        if rows.start >= end {
            return 0..0;
        }
        self.chunk_of(rows.start)..self.chunk_of(end - 1) + 1
    }

    /// Splits `rows` at the ends of chunks. Rows past the end are ignored.
    pub fn parts(&self, rows: Range<u64>) -> impl Iterator<Item = ChunkRows> + use<> {
        let (all, end) = (*self, rows.end.min(self.len));
        self.chunks_of(rows.clone()).map(move |chunk| {
            let within = all.rows_of(chunk);
            let first = rows.start.max(within.start) - within.start;
            ChunkRows { chunk, rows: first..end.min(within.end) - within.start }
        })
    }
}

/// Returns the size in bytes of a row with these axes.
fn atomsize(dtype: &Dtype, atom_shape: &[u64]) -> Result<u64, BcolzError> {
    let multiply = |size: u64, len: &u64| size.checked_mul(*len);
    // An axis of length 0 makes the row empty, whatever the other axes are.
    let size = match atom_shape.contains(&0) {
        true => Some(0),
        false => atom_shape.iter().try_fold(dtype.itemsize(), multiply),
    };
    size.ok_or(BcolzError::AtomSize { found: None, max: MAX_CHUNK_NBYTES })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_chunk_has_what_is_left() {
        for (len, nchunks, full, last) in [(0, 0, 0, 0), (1, 1, 0, 1), (99, 1, 0, 99), (100, 1, 1, 100), (101, 2, 1, 1)]
        {
            let rows = Rows::new(len, 100, 4).unwrap();
            assert_eq!((rows.nchunks(), rows.full_chunks(), rows.nbytes()), (nchunks, full, len * 4));
            assert_eq!(rows.rows_in(rows.nchunks().saturating_sub(1)), last);
            assert_eq!(rows.rows_in(rows.nchunks()), 0);
            assert_eq!(rows.nbytes_allowed(nchunks), 0..=400);
        }
    }

    #[test]
    fn parts_follow_each_other() {
        for (len, chunklen) in [(0, 3), (1, 3), (3, 3), (10, 3), (10, 1), (10, 100)] {
            let rows = Rows::new(len, chunklen, 8).unwrap();
            for start in 0..=len + 2 {
                for stop in 0..=len + 2 {
                    let mut found = Vec::new();
                    for part in rows.parts(start..stop) {
                        assert!(!part.rows.is_empty() && part.rows.end <= rows.rows_in(part.chunk));
                        found.extend(part.rows.map(|row| rows.rows_of(part.chunk).start + row));
                    }
                    assert_eq!(found, (start..stop.min(len)).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn numbers_that_cannot_be() {
        let max = MAX_CHUNK_NBYTES;
        assert!(Rows::new(u64::MAX >> 1, max, 1).is_ok());
        assert!(Rows::new(0, 1, max).is_ok());
        assert_eq!(Rows::new(0, 1, 0), Err(BcolzError::AtomSize { found: Some(0), max }));
        assert_eq!(Rows::new(0, 1, max + 1), Err(BcolzError::AtomSize { found: Some(max + 1), max }));
        for chunklen in [0, max / 8 + 1, u64::MAX] {
            assert_eq!(Rows::new(0, chunklen, 8), Err(BcolzError::ChunkLen { chunklen, atomsize: 8, max }));
        }
        let len = 1 << 60;
        assert_eq!(Rows::new(len, 1, 8), Err(BcolzError::TooManyRows { len, atomsize: 8 }));
    }
}
