//! Rows of a carray that is being written: appended, in place of others, removed.

use blosc_core::{OutOfMemory, memory};
use std::cmp::Ordering;
use std::num::NonZeroU64;
use std::ops::Range;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ChunkRows, dflt};

use super::chunks::chunk_file;
use super::column::Column;
use super::params;
use crate::Error;
use crate::formats::bcolz::store::Directory;

impl<D: Directory> Column<D> {
    /// Appends rows. Their bytes are whole rows.
    pub(super) fn append(&mut self, mut bytes: &[u8]) -> Result<(), Error> {
        let rows = self.meta.rows;
        // A chunk has less than 2 GiB.
        let (size, atomsize) = (rows.chunk_nbytes() as usize, rows.atomsize());
        while !bytes.is_empty() {
            let tail = self.load_tail()?;
            let room = size.saturating_sub(tail.len());
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            let full = tail.len() + now.len() == size;
            if !full {
                memory::extend(tail, now)?;
            }
            // A tail that is empty is not copied into.
            let whole = match full {
                true => {
                    let mut whole = std::mem::take(tail);
                    memory::extend(&mut whole, now)?;
                    Some(whole)
                }
                false => None,
            };
            let chunk = self.meta.rows.full_chunks();
            self.tail_is_new = !full;
            self.set_len(self.len() + now.len() as u64 / atomsize)?;
            if let Some(whole) = whole {
                self.write_chunk(chunk, whole)?;
            }
            bytes = later;
        }
        Ok(())
    }

    /// Refuses rows that are not there, or bytes that are neither theirs nor one row for all of them.
    pub(super) fn check_rows(&self, rows: &Range<u64>, step: NonZeroU64, nbytes: usize) -> Result<(), Error> {
        let (len, atomsize) = (self.len(), self.meta.rows.atomsize());
        if rows.start > rows.end || rows.end > len {
            return Err(Error::Range { unit: "rows", start: rows.start, end: rows.end, len });
        }
        let (found, count) = (nbytes as u64, (rows.end - rows.start).div_ceil(step.get()));
        if found != count * atomsize && found != atomsize {
            return Err(Error::NotRows { found, atomsize, rows: Some(count) });
        }
        Ok(())
    }

    /// Puts rows in place of every `step`th of a range, which were checked.
    pub(super) fn assign(&mut self, rows: Range<u64>, step: NonZeroU64, bytes: &[u8]) -> Result<(), Error> {
        let (all, first) = (self.meta.rows, rows.start);
        let atomsize = all.atomsize() as usize;
        if rows.is_empty() || bytes.is_empty() {
            return Ok(());
        }
        let one = bytes.len() == atomsize;
        let mut atoms = bytes.chunks_exact(atomsize).cycle();
        self.changed_from = self.changed_from.min(first);
        for ChunkRows { chunk, rows } in all.parts(rows) {
            let base = all.rows_of(chunk).start;
            // Rows of this chunk from `rows.start` on that are not selected, before the first that is.
            let skipped = match (base + rows.start - first) % step {
                0 => 0,
                before => step.get() - before,
            };
            let Some(start) = rows.start.checked_add(skipped).filter(|start| *start < rows.end) else { continue };
            let in_tail = all.rows_in(chunk) < all.chunklen();
            let whole = rows == (0..all.chunklen()) && step == NonZeroU64::MIN && !one;
            let mut plain = match (in_tail, whole) {
                (true, _) => std::mem::take(self.load_tail()?),
                (_, true) => memory::zeroed(all.chunk_nbytes() as usize)?,
                _ => self.plain(chunk, all.rows_in(chunk))?,
            };
            // Steps between rows of one chunk; a larger one has only one row in it.
            let stride = usize::try_from(step.get()).unwrap_or(usize::MAX);
            let selected =
                plain.chunks_exact_mut(atomsize).take(rows.end as usize).skip(start as usize).step_by(stride);
            for (to, from) in selected.zip(&mut atoms) {
                to.copy_from_slice(from);
            }
            if in_tail {
                self.tail = Some(plain);
                self.tail_is_new = true;
            } else {
                self.write_chunk(chunk, plain)?;
            }
        }
        Ok(())
    }

    /// Lets there be so many rows: new ones have the default value.
    pub(super) fn resize(&mut self, len: u64) -> Result<(), Error> {
        match len.cmp(&self.len()) {
            Ordering::Less => self.shrink(len),
            Ordering::Equal => Ok(()),
            Ordering::Greater => self.grow(len),
        }
    }

    /// Refuses rows of the default value that there cannot be, or that would take too much memory: a chunk of them, of which
    /// nothing need be there.
    pub(super) fn check_default_rows(&self) -> Result<(), Error> {
        let (storage, sizes, limits) = (&self.meta.storage, &self.meta.sizes, &self.root.limits);
        dflt::check(&storage.dflt, &storage.dtype, sizes.atom_shape()).map_err(FormatError::from)?;
        // A row, which may be a whole chunk, all of them, and what they become.
        let memory = 3 * self.meta.rows.chunk_nbytes();
        limits.check_unearned(memory, 0)?;
        Ok(limits.check_memory("rows of the default value", memory)?)
    }

    /// The bytes of a row of the default value.
    fn default_row(&self) -> Result<Vec<u8>, Error> {
        let (storage, sizes) = (&self.meta.storage, &self.meta.sizes);
        let value = dflt::to_bytes(&storage.dflt, &storage.dtype, sizes.atom_shape()).map_err(FormatError::from)?;
        // A row has less than 2 GiB.
        Ok(memory::collect(value.iter().copied().cycle().take(self.meta.rows.atomsize() as usize))?)
    }

    fn grow(&mut self, len: u64) -> Result<(), Error> {
        self.meta.rows.with_len(len).map_err(FormatError::from)?;
        let rows = self.meta.rows;
        self.check_default_rows()?;
        let row = self.default_row()?;
        let mut left = len - self.len();
        // At most two chunks: up to the end of the last one, and a full one.
        let first = left.min(rows.chunklen() - self.len() % rows.chunklen());
        self.append_rows(&row, first)?;
        left -= first;
        if left >= rows.chunklen() {
            let mut encoder = params::encoder(&self.meta.storage)?;
            let bytes = chunk_file(&mut encoder, &self.meta.storage, repeated(&row, rows.chunklen() as usize)?)?;
            while left >= rows.chunklen() {
                self.place(self.meta.rows.full_chunks(), &bytes)?;
                self.set_len(self.len() + rows.chunklen())?;
                left -= rows.chunklen();
            }
        }
        self.append_rows(&row, left)
    }

    /// Appends the same row so many times, which the last chunk has room for.
    fn append_rows(&mut self, row: &[u8], count: u64) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        let (chunk, size) = (self.meta.rows.full_chunks(), self.meta.rows.chunk_nbytes());
        let mut plain = std::mem::take(self.load_tail()?);
        extend_repeated(&mut plain, row, count as usize)?;
        let full = plain.len() as u64 == size;
        self.tail_is_new = !full;
        self.set_len(self.len() + count)?;
        if full {
            return self.write_chunk(chunk, plain);
        }
        self.tail = Some(plain);
        Ok(())
    }

    /// Removes the rows from `len` on.
    pub(crate) fn shrink(&mut self, len: u64) -> Result<(), Error> {
        let (old, atomsize) = (self.meta.rows, self.meta.rows.atomsize());
        self.set_len(len)?;
        let new = self.meta.rows;
        let kept = new.rows_in(new.full_chunks());
        match &mut self.tail {
            // The last chunk is the same one, and still not full.
            Some(tail) if new.full_chunks() == old.full_chunks() && kept > 0 => {
                tail.truncate((kept * atomsize) as usize);
            }
            // What is in memory is no more; what there is instead is in a file.
            tail => {
                *tail = None;
                self.tail_is_new = false;
            }
        }
        if len < self.committed.len() {
            self.changed_from = self.changed_from.min(len);
        }
        for chunk in new.nchunks()..old.nchunks() {
            let gone = self.cbytes_of(chunk);
            self.count(0, gone);
            self.staged.remove(&chunk);
            self.behind.remove(&chunk);
        }
        Ok(())
    }

    /// Appends a chunk file as it is, behind full ones. It holds `rows` rows, or more.
    pub(crate) fn append_file(&mut self, bytes: &[u8], rows: u64) -> Result<(), Error> {
        self.place(self.meta.rows.full_chunks(), bytes)?;
        self.tail = None;
        self.set_len(self.len() + rows)
    }

    /// Lets there be `len` rows, which are more, of the default value.
    pub(crate) fn fill(&mut self, len: u64) -> Result<(), Error> {
        self.check_writable()?;
        self.grow(len)
    }
}

/// Adds the same bytes so many times, copying what was copied already.
fn extend_repeated(bytes: &mut Vec<u8>, one: &[u8], count: usize) -> Result<(), OutOfMemory> {
    let (start, nbytes) = (bytes.len(), one.len() * count);
    if nbytes == 0 {
        return Ok(());
    }
    memory::reserve(bytes, nbytes)?;
    bytes.extend_from_slice(one);
    while let done @ 1.. = bytes.len() - start
        && done < nbytes
    {
        bytes.extend_from_within(start..start + done.min(nbytes - done));
    }
    Ok(())
}

/// `count` copies of the same bytes.
fn repeated(one: &[u8], count: usize) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = Vec::new();
    extend_repeated(&mut bytes, one, count)?;
    Ok(bytes)
}
