//! Reads rows one at a time. The last chunk is cached, so that rows close to each other do not decode it repeatedly.

use blosc_core::Decoder;

use super::carray::Carray;
use crate::Error;
use crate::source::ReadDirectory;

/// Reads single rows of a carray, and caches the plain bytes of the chunk of the last row.
#[derive(Debug)]
pub struct Cursor<'a, D> {
    carray: &'a Carray<D>,
    decoder: Decoder,
    /// The number of the cached chunk, and the bytes of its rows.
    kept: Option<(u64, Vec<u8>)>,
}

impl<D: ReadDirectory> Carray<D> {
    /// Returns a reader of single rows. [`Carray::read_row`] decodes less of a chunk, but does so again for each row.
    pub fn cursor(&self) -> Cursor<'_, D> {
        Cursor { carray: self, decoder: Decoder::new().limits(self.limits), kept: None }
    }
}

impl<D: ReadDirectory> Cursor<'_, D> {
    /// Reads the plain bytes of one row. For Python objects, this is a pickle.
    ///
    /// # Errors
    /// [`Error::Range`] if there is no such row; [`Error::InFile`] if a chunk file is missing or damaged.
    pub fn row(&mut self, row: u64) -> Result<&[u8], Error> {
        let (meta, rows) = (&self.carray.meta, self.carray.meta.rows);
        if row >= rows.len() {
            return Err(Error::Range { unit: "rows", start: row, end: row.saturating_add(1), len: rows.len() });
        }
        let chunk = rows.chunk_of(row);
        if self.kept.as_ref().is_none_or(|(kept, _)| *kept != chunk) {
            self.kept = None;
            let plain = meta.decode_rows(&self.carray.dir, &mut self.decoder, &self.carray.limits, chunk)?;
            self.kept = Some((chunk, plain));
        }
        let plain = self.kept.as_ref().map_or(&[][..], |(_, plain)| plain);
        if meta.is_object() {
            return Ok(plain);
        }
        // A chunk has less than 2 GiB.
        let atomsize = rows.atomsize() as usize;
        let at = (row - rows.rows_of(chunk).start) as usize * atomsize;
        Ok(plain.get(at..at + atomsize).unwrap_or_default())
    }
}
