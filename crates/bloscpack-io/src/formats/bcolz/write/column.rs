//! A carray that is being changed, alone or as a column: rows are appended, replaced, removed, and committed.

use blosc_core::{Auto, memory};
use std::cmp::Ordering;
use std::io::Read;
use std::sync::Arc;

use bloscpack_format::bcolz::{Attrs, ChunkFileHeader, Dtype};
use bloscpack_format::{FormatError, Json};

use super::assign::Assignment;
use super::attrs::AttrsEdit;
use super::chunker::{RowChunker, StreamChunk};
use super::chunks::{Chunks, chunk_file};
use super::default_rows::{check_default_rows, default_row, repeated};
use super::flush::{Prepared, together};
use super::last_chunk::LastChunk;
use super::meta::MetaEdit;
use super::params::CarrayParams;
use super::staging::Staging;
use super::subdirectory::Subdirectory;
use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::metadata_budget::MetadataBudget;
use crate::formats::bcolz::store::Directory;
use crate::options::Observer;
use crate::{Cancel, Error, Threads};

/// A carray with the changes since the last flush. Full chunks are written at once, the last one stays in memory until
/// it is full or flushed. After an error it must be dropped.
pub(crate) struct Column<D: Directory> {
    dir: Subdirectory<D>,
    meta: MetaEdit,
    chunks: Chunks,
    tail: LastChunk,
    attrs: AttrsEdit,
    auto: Option<Auto>,
    observer: Observer,
    cancel: Cancel,
}

impl<D: Directory> Column<D> {
    /// Opens the carray in the directory `name` of `root`, or in `root` itself for an empty name.
    pub(super) fn open(root: Arc<Staging<D>>, name: &str, budget: &mut MetadataBudget) -> Result<Self, Error> {
        let dir = Subdirectory::open(root, name)?;
        let meta = dir.read(|found| Meta::open_beside(found, budget))?;
        let chunks = Chunks::open(&dir, meta.rows.nchunks());
        Ok(Column::with(dir, MetaEdit::new(meta), chunks))
    }

    /// Creates a carray without rows in the directory `name` of `root`, which is created if it does not exist.
    pub(super) fn create(root: Arc<Staging<D>>, name: &str, params: &CarrayParams) -> Result<Self, Error> {
        let (storage, sizes) = params.meta()?;
        Column::create_with(root, name, Meta::new(storage, sizes)?, &Attrs::default())
    }

    /// [`Column::create`] with these metadata and attributes.
    pub(crate) fn create_with(root: Arc<Staging<D>>, name: &str, meta: Meta, attrs: &Attrs) -> Result<Self, Error> {
        let dir = Subdirectory::new(root, name);
        let meta = MetaEdit::create(&dir, meta, attrs)?;
        let chunks = Chunks::new(meta.rows().nchunks());
        Ok(Column::with(dir, meta, chunks))
    }

    fn with(dir: Subdirectory<D>, meta: MetaEdit, chunks: Chunks) -> Self {
        Column {
            dir,
            meta,
            chunks,
            tail: LastChunk::default(),
            attrs: AttrsEdit::default(),
            auto: None,
            observer: Observer::default(),
            cancel: Cancel::new(),
        }
    }

    /// Sets the switch that ends assignments and growing.
    pub(super) fn set_cancel(&mut self, cancel: Cancel) {
        self.cancel = cancel;
    }

    /// Sets what is chosen for the chunks of streams, and the receiver of the choices.
    pub(super) fn set_auto(&mut self, auto: Option<Auto>, observer: &Observer) {
        self.auto = auto;
        self.observer = observer.clone();
    }

    /// Returns the number of rows after the next flush.
    pub(crate) fn len(&self) -> u64 {
        self.meta.len()
    }

    /// Returns the metadata after the next flush.
    pub(super) fn meta(&self) -> &MetaEdit {
        &self.meta
    }

    /// Releases the lock of a column before its directory gets another name.
    pub(super) fn unlock(&mut self) {
        self.dir.unlock();
    }

    /// Follows the directory of a column to its new name.
    pub(super) fn moved_to(&mut self, name: &str) -> Result<(), Error> {
        self.dir.moved_to(name)
    }

    /// Refuses new rows if they could not be written, before anything is changed.
    pub(super) fn check_writable(&mut self) -> Result<(), Error> {
        if self.meta.meta().storage.dtype == Dtype::Object {
            return Err(Error::NotWritable {
                directory: self.dir.root().dir.name(&self.dir.dir("")),
                what: "Python objects can be read and removed, but not written",
            });
        }
        self.chunks.encoder(&self.meta.meta().storage).map(drop)
    }

    /// Refuses rows of the default value if they could not be made, before anything is changed.
    pub(super) fn check_default_rows(&self) -> Result<(), Error> {
        check_default_rows(self.meta.meta(), &self.dir.root().limits)
    }

    /// Appends the bytes of whole rows.
    pub(super) fn append(&mut self, mut rows: &[u8]) -> Result<(), Error> {
        // A chunk has less than 2 GiB.
        let size = self.meta.rows().chunk_nbytes() as usize;
        while !rows.is_empty() {
            self.load_tail()?;
            let room = size.saturating_sub(self.tail.nbytes());
            let (now, later) = rows.split_at(room.min(rows.len()));
            let full = self.tail.append(now, size)?;
            self.appended(now.len() as u64 / self.meta.rows().atomsize(), full)?;
            rows = later;
        }
        Ok(())
    }

    /// Appends the rows of `input`, compressed in parallel. Returns their number.
    pub(crate) fn append_stream(&mut self, input: impl Read, threads: &Threads, cancel: &Cancel) -> Result<u64, Error> {
        self.load_tail()?;
        let tail = self.tail.take();
        let (rows, storage) = (self.meta.rows(), self.meta.meta().storage.clone());
        let (chunk_nbytes, limits) = (rows.chunk_nbytes(), self.dir.root().limits);
        let (auto, observer) = (self.auto, self.observer.clone());
        let stream = RowChunker { storage: &storage, auto, observer: &observer, chunk_nbytes, limits, threads, cancel };
        let mut chunk = rows.full_chunks();
        let nbytes = stream.run(&tail, input, |found| {
            match found {
                StreamChunk::File(bytes) => self.chunks.write_file(&self.dir, &mut self.meta, chunk, &bytes)?,
                StreamChunk::Tail(plain) => self.tail.put(plain),
            }
            chunk += 1;
            Ok(())
        })?;
        let count = self.meta.rows_in(nbytes)?;
        if count > 0 {
            self.meta.set_len(rows.len() + count)?;
            self.tail.extended();
        }
        Ok(count)
    }

    /// Appends a chunk file unchanged, after full chunks. It must hold at least `rows` rows.
    pub(crate) fn append_file(&mut self, bytes: &[u8], rows: u64) -> Result<(), Error> {
        let chunk = self.meta.rows().full_chunks();
        self.chunks.write_file(&self.dir, &mut self.meta, chunk, bytes)?;
        self.tail.forget();
        self.meta.set_len(self.len() + rows)
    }

    /// [`append_file`](Self::append_file) of a full chunk without the header of its file.
    pub(crate) fn append_chunk(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let mut file = Vec::new();
        memory::extend(&mut file, &ChunkFileHeader::NEW.to_bytes())?;
        memory::extend(&mut file, chunk)?;
        self.append_file(&file, self.meta.rows().chunklen())
    }

    /// Returns the size of a full chunk in uncompressed bytes.
    pub(crate) fn chunk_nbytes(&self) -> u64 {
        self.meta.rows().chunk_nbytes()
    }

    /// Replaces rows, which the caller has checked.
    pub(super) fn assign(&mut self, new: &Assignment<'_>) -> Result<(), Error> {
        let Some(first) = new.first() else { return Ok(()) };
        let all = self.meta.rows();
        let atomsize = all.atomsize() as usize;
        let mut atoms = new.atoms(atomsize);
        self.meta.change_from(first);
        for part in new.chunks(all) {
            self.cancel.check()?;
            let chunk = part.chunk();
            let in_tail = all.rows_in(chunk) < all.chunklen();
            let mut plain = if in_tail {
                self.load_tail()?;
                self.tail.take()
            } else if part.is_whole() {
                memory::zeroed(all.chunk_nbytes() as usize)?
            } else {
                self.chunks.read(&self.dir, &self.meta, chunk, all.rows_in(chunk))?
            };
            part.apply(&mut plain, atomsize, &mut atoms);
            if in_tail {
                self.tail.change(plain);
            } else {
                self.write_chunk(chunk, plain)?;
            }
        }
        Ok(())
    }

    /// Sets the number of rows. New rows have the default value.
    pub(super) fn resize(&mut self, len: u64) -> Result<(), Error> {
        match len.cmp(&self.len()) {
            Ordering::Less => self.shrink(len),
            Ordering::Equal => Ok(()),
            Ordering::Greater => self.grow(len),
        }
    }

    /// Adds rows of the default value up to `len` rows, after checking that they can be written.
    pub(crate) fn fill(&mut self, len: u64) -> Result<(), Error> {
        self.check_writable()?;
        self.grow(len)
    }

    /// Removes the rows from `len` on.
    pub(crate) fn shrink(&mut self, len: u64) -> Result<(), Error> {
        let old = self.meta.rows();
        self.meta.set_len(len)?;
        let new = self.meta.rows();
        match new.rows_in(new.full_chunks()) {
            rows @ 1.. if new.full_chunks() == old.full_chunks() => {
                self.tail.truncate((rows * new.atomsize()) as usize);
            }
            _ => self.tail.forget(),
        }
        self.meta.change_from(len);
        for chunk in new.nchunks()..old.nchunks() {
            self.chunks.remove(&self.dir, &mut self.meta, chunk);
        }
        Ok(())
    }

    fn grow(&mut self, len: u64) -> Result<(), Error> {
        let rows = self.meta.rows();
        rows.with_len(len).map_err(FormatError::from)?;
        self.check_default_rows()?;
        let row = default_row(self.meta.meta())?;
        let mut left = len - rows.len();
        // At most two chunks are compressed: the last one, up to its end, and a full one, which is written many times.
        let first = left.min(rows.chunklen() - rows.len() % rows.chunklen());
        self.append_repeated(&row, first)?;
        left -= first;
        if left >= rows.chunklen() {
            let storage = &self.meta.meta().storage;
            let plain = repeated(&row, rows.chunklen() as usize)?;
            let bytes = chunk_file(self.chunks.encoder(storage)?, storage, plain)?;
            while left >= rows.chunklen() {
                self.cancel.check()?;
                self.append_file(&bytes, rows.chunklen())?;
                left -= rows.chunklen();
            }
        }
        self.append_repeated(&row, left)
    }

    /// Appends `count` copies of one row, for which the last chunk has room.
    fn append_repeated(&mut self, row: &[u8], count: u64) -> Result<(), Error> {
        if count == 0 {
            return Ok(());
        }
        self.load_tail()?;
        let full = self.tail.append_repeated(row, count as usize, self.meta.rows().chunk_nbytes() as usize)?;
        self.appended(count, full)
    }

    /// Counts rows that were appended to the tail, and writes `full`, the chunk that they have filled up.
    fn appended(&mut self, count: u64, full: Option<Vec<u8>>) -> Result<(), Error> {
        let chunk = self.meta.rows().full_chunks();
        self.meta.set_len(self.len() + count)?;
        full.map_or(Ok(()), |plain| self.write_chunk(chunk, plain))
    }

    fn load_tail(&mut self) -> Result<(), Error> {
        self.tail.load(&self.dir, &self.meta, &self.chunks)
    }

    fn write_chunk(&mut self, chunk: u64, plain: Vec<u8>) -> Result<(), Error> {
        self.chunks.write(&self.dir, &mut self.meta, chunk, plain)
    }

    /// Returns the attributes after the next flush.
    pub(super) fn attrs(&mut self) -> Result<&Attrs, Error> {
        self.attrs.get(&self.dir)
    }

    /// Sets an attribute, or removes it if `value` is `None`. Returns the old value.
    pub(super) fn set_attr(&mut self, name: &str, value: Option<Json>) -> Result<Option<Json>, Error> {
        self.attrs.set(&self.dir, name, value)
    }

    /// Replaces all attributes.
    pub(super) fn set_attrs(&mut self, attrs: Attrs) {
        self.attrs.replace(attrs);
    }

    /// Writes all new files, and returns the steps that commit them.
    pub(super) fn prepare(&mut self) -> Result<Prepared, Error> {
        if let Some(plain) = self.tail.to_write() {
            self.write_chunk(self.meta.rows().full_chunks(), plain)?;
            self.tail.written();
        }
        Prepared::stage(&self.dir, &mut self.meta, &self.chunks, &self.attrs)
    }

    /// Notes that the prepared changes were committed.
    pub(super) fn committed(&mut self) {
        self.meta.committed();
        self.chunks.committed(self.meta.rows().nchunks());
        self.attrs.committed();
    }

    /// Commits the changes of this carray alone.
    pub(crate) fn flush(&mut self) -> Result<(), Error> {
        let prepared = self.prepare()?;
        self.dir.root().commit(together(vec![prepared], Vec::new()))?;
        self.committed();
        Ok(())
    }
}
