//! A carray that is being written, alone or as a column: what it is going to be, and where its chunks are until then.
//!
//! A chunk that readers of the state on the disk look at is staged; one that is behind it is written in its place at once, for
//! nobody asks for it before `meta/sizes` says so. Rows of the last chunk, until it is full, are in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use blosc_core::{Decoder, Encoder, Limits, max_cbytes};
use bloscpack_format::bcolz::{
    ATTRS_FILE, Attrs, ChunkFileHeader, DATA_DIR, Dtype, META_DIR, PendingStep, Rows, SIZES_FILE, STORAGE_FILE,
    Storage, chunk_file_name, quantize, staged_name,
};
use bloscpack_format::{FormatError, Json};

use super::params::{self, CarrayParams};
use super::staging::{Change, Staging, lock};
use crate::Error;
use crate::bcolz::carray::{Meta, read_attrs};
use crate::bcolz::store::{Below, Directory};
use crate::lock::Lock;

/// A carray that is being written.
pub(in crate::bcolz) struct Column<D: Directory> {
    pub(super) root: Arc<Staging<D>>,
    /// What its paths begin with: nothing, or the name of a column and `/`.
    pub(super) at: String,
    /// The metadata as they are going to be.
    pub(super) meta: Meta,
    /// The rows on the disk.
    pub(super) committed: Rows,
    /// The least row on the disk that is going to be another one, or not there.
    pub(super) changed_from: u64,
    /// The plain bytes of the last chunk, if it is not full, once they are needed.
    pub(super) tail: Option<Vec<u8>>,
    /// Whether they are other ones than those in its file.
    pub(super) tail_is_new: bool,
    /// By chunk, what is staged for it.
    pub(super) staged: BTreeMap<u64, Staged>,
    /// By chunk behind those on the disk, the compressed bytes of those that are written.
    pub(super) behind: BTreeMap<u64, u64>,
    /// How many chunk files there may be.
    pub(super) files: u64,
    pub(super) attrs: Option<Attrs>,
    pub(super) attrs_are_new: bool,
    encoder: Option<Encoder>,
    /// That of a column; a carray alone has that of the root.
    pub(super) lock: Option<Lock>,
}

/// A chunk that is staged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Staged {
    pub(super) number: u64,
    pub(super) cbytes: u64,
}

impl<D: Directory> Column<D> {
    /// Opens a carray: of a table, that of the name `at`.
    pub(super) fn open(root: Arc<Staging<D>>, at: &str) -> Result<Self, Error> {
        let (meta, lock) = match at {
            "" => (Meta::open(&root.dir)?, None),
            name => {
                let lock = lock(&root.dir, name)?;
                super::staging::complete(&Below::new(&root.dir, name))?;
                (Meta::open(&Below::new(&root.dir, name))?, Some(lock))
            }
        };
        Ok(Column { lock, ..Column::with_meta(root, at, meta) })
    }

    /// Makes a carray without rows, in a directory that is there or is made; it is one when `meta/storage` is there.
    pub(super) fn create(root: Arc<Staging<D>>, at: &str, params: &CarrayParams) -> Result<Self, Error> {
        let (storage, sizes) = params.meta()?;
        Column::create_with(root, at, Meta::new(storage, sizes)?, &Attrs::default())
    }

    pub(in crate::bcolz) fn create_with(
        root: Arc<Staging<D>>,
        at: &str,
        meta: Meta,
        attrs: &Attrs,
    ) -> Result<Self, Error> {
        let column = Column::with_meta(root, at, meta);
        let root = &column.root;
        for dir in ["", DATA_DIR, META_DIR] {
            let path = column.dir(dir);
            root.tried("creating", &path, root.dir.create_dir(&path))?;
        }
        let meta = &column.meta;
        for (file, bytes) in [
            (ATTRS_FILE, attrs.to_bytes()),
            (SIZES_FILE, meta.sizes.to_bytes()),
            (STORAGE_FILE, meta.storage.to_bytes()),
        ] {
            let (staged, path) = (staged_name(root.stage(&bytes)?), column.path(file));
            root.tried("creating", &path, root.dir.rename(&staged, &path))?;
        }
        for dir in [DATA_DIR, META_DIR, ""] {
            root.sync_dir(&column.dir(dir))?;
        }
        if let Some((parent, _)) = column.at.strip_suffix('/').map(|at| at.rsplit_once('/').unwrap_or(("", at))) {
            root.sync_dir(parent)?;
        }
        Ok(column)
    }

    fn with_meta(root: Arc<Staging<D>>, at: &str, meta: Meta) -> Self {
        Column {
            root,
            at: if at.is_empty() { String::new() } else { format!("{at}/") },
            committed: meta.rows,
            changed_from: u64::MAX,
            tail: None,
            tail_is_new: false,
            staged: BTreeMap::new(),
            behind: BTreeMap::new(),
            files: meta.rows.nchunks(),
            attrs: None,
            attrs_are_new: false,
            encoder: None,
            lock: None,
            meta,
        }
    }

    pub(in crate::bcolz) fn len(&self) -> u64 {
        self.meta.rows.len()
    }

    /// The path of a file, below the root.
    pub(super) fn path(&self, file: &str) -> String {
        format!("{}{file}", self.at)
    }

    /// The path of a directory, below the root.
    pub(super) fn dir(&self, dir: &str) -> String {
        let path = self.path(dir);
        path.strip_suffix('/').unwrap_or(&path).into()
    }

    /// Where the bytes of a chunk are now.
    pub(super) fn file_of(&self, chunk: u64) -> String {
        match self.staged.get(&chunk) {
            Some(staged) => staged_name(staged.number),
            None => self.path(&chunk_file_name(chunk)),
        }
    }

    /// Refuses what cannot be done with an array of Python objects.
    pub(super) fn refuse_objects(&self) -> Result<(), Error> {
        match self.meta.storage.dtype {
            Dtype::Object => Err(Error::NotWritable {
                directory: self.root.dir.name(&self.dir("")),
                what: "Python objects are read and removed, but no new ones written",
            }),
            Dtype::Plain(_) => Ok(()),
        }
    }

    /// Refuses new rows that cannot be written; before anything is changed.
    pub(super) fn check_writable(&mut self) -> Result<(), Error> {
        self.refuse_objects()?;
        self.encoder().map(|_| ())
    }

    /// How many rows so many bytes are.
    pub(super) fn rows_in(&self, nbytes: usize) -> Result<u64, Error> {
        let (found, atomsize) = (nbytes as u64, self.meta.rows.atomsize());
        if found.is_multiple_of(atomsize) {
            return Ok(found / atomsize);
        }
        Err(Error::NotRows { found, atomsize, rows: None })
    }

    /// Refuses so many more rows, if they are too many.
    pub(super) fn check_growth(&self, more: u64) -> Result<(), Error> {
        self.meta.rows.with_len(self.len().saturating_add(more)).map_err(FormatError::from)?;
        Ok(())
    }

    pub(super) fn set_len(&mut self, len: u64) -> Result<(), Error> {
        self.meta.rows = self.meta.rows.with_len(len).map_err(FormatError::from)?;
        if let Some(rows) = self.meta.sizes.shape.first_mut() {
            *rows = len;
        }
        Ok(())
    }

    fn encoder(&mut self) -> Result<&mut Encoder, Error> {
        match self.encoder {
            Some(ref mut encoder) => Ok(encoder),
            None => Ok(self.encoder.insert(params::encoder(&self.meta.storage)?)),
        }
    }

    /// The plain bytes of the first rows of a chunk whose bytes are in a file.
    pub(super) fn plain(&self, chunk: u64, rows: u64) -> Result<Vec<u8>, Error> {
        let (path, limits) = (self.file_of(chunk), Limits::new());
        let decode = || -> Result<Vec<u8>, Error> {
            let bytes = self.meta.read_chunk_file(&self.root.dir, &path, chunk, &limits)?;
            // A chunk has less than 2 GiB.
            let nbytes = (rows * self.meta.rows.atomsize()) as usize;
            let decoded = self.meta.decode_fetched(&mut Decoder::new(), &bytes, std::slice::from_ref(&(0..nbytes)));
            decoded.map_err(|source| Error::Chunk { chunk, offset: ChunkFileHeader::LEN as u64, source })
        };
        decode().map_err(|error| error.in_file(&self.root.dir, &path))
    }

    /// The plain bytes of the last chunk, if it is not full.
    pub(super) fn load_tail(&mut self) -> Result<&mut Vec<u8>, Error> {
        if self.tail.is_none() {
            let full = self.meta.rows.full_chunks();
            let tail = match self.meta.rows.rows_in(full) {
                0 => Vec::new(),
                rows => self.plain(full, rows)?,
            };
            self.tail = Some(tail);
        }
        Ok(self.tail.get_or_insert_default())
    }

    /// Compresses a chunk and writes it where nobody looks yet.
    pub(super) fn write_chunk(&mut self, chunk: u64, plain: Vec<u8>) -> Result<(), Error> {
        self.encoder()?;
        let Some(encoder) = &mut self.encoder else { return Err(Error::EditFailed) };
        let bytes = chunk_file(encoder, &self.meta.storage, plain)?;
        self.place(chunk, &bytes)
    }

    /// Writes a chunk file where nobody looks yet.
    pub(super) fn place(&mut self, chunk: u64, bytes: &[u8]) -> Result<(), Error> {
        let cbytes = bytes.len().saturating_sub(ChunkFileHeader::LEN) as u64;
        let old = self.cbytes_of(chunk);
        if chunk < self.committed.nchunks() {
            let number = match self.staged.get(&chunk) {
                Some(staged) => staged.number,
                None => self.root.number()?,
            };
            self.root.write(&staged_name(number), bytes)?;
            self.staged.insert(chunk, Staged { number, cbytes });
        } else {
            self.root.write(&self.path(&chunk_file_name(chunk)), bytes)?;
            self.behind.insert(chunk, cbytes);
            self.files = self.files.max(chunk.saturating_add(1));
        }
        self.count(cbytes, old);
        Ok(())
    }

    /// The compressed bytes of a chunk that is there; of one that is not, none.
    pub(super) fn cbytes_of(&self, chunk: u64) -> u64 {
        let known = self.staged.get(&chunk).map(|staged| staged.cbytes).or(self.behind.get(&chunk).copied());
        let on_disk = || {
            let there = chunk < self.committed.nchunks();
            let path = self.path(&chunk_file_name(chunk));
            let len = if there { self.root.dir.open(&path).and_then(|file| file.len()).unwrap_or(0) } else { 0 };
            len.saturating_sub(ChunkFileHeader::LEN as u64)
        };
        known.unwrap_or_else(on_disk)
    }

    /// Keeps `cbytes` of `meta/sizes` about right.
    pub(super) fn count(&mut self, new: u64, old: u64) {
        let sizes = &mut self.meta.sizes;
        sizes.cbytes = sizes.cbytes.saturating_add_unsigned(new).saturating_sub_unsigned(old);
    }

    /// The attributes as they are going to be.
    pub(super) fn attrs(&mut self) -> Result<&mut Attrs, Error> {
        match self.attrs {
            Some(ref mut attrs) => Ok(attrs),
            None => {
                let attrs = match self.dir("").as_str() {
                    "" => read_attrs(&self.root.dir)?,
                    name => read_attrs(&Below::new(&self.root.dir, name))?,
                };
                Ok(self.attrs.insert(attrs))
            }
        }
    }

    pub(super) fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        let old = self.attrs()?.set(name, value);
        self.attrs_are_new = true;
        Ok(old)
    }

    pub(super) fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        let old = self.attrs()?.remove(name);
        self.attrs_are_new |= old.is_some();
        Ok(old)
    }

    /// Commits this one alone.
    pub(in crate::bcolz) fn flush(&mut self) -> Result<(), Error> {
        let prepared = self.prepare()?;
        let change = super::flush::together(vec![prepared], Vec::new());
        self.root.commit(change)?;
        self.committed();
        Ok(())
    }

    /// A change of the attributes alone, as a step.
    pub(super) fn stage_attrs(&mut self) -> Result<Option<PendingStep>, Error> {
        let Some(attrs) = self.attrs.as_ref().filter(|_| self.attrs_are_new) else { return Ok(None) };
        super::flush::stage_attrs(&self.root, attrs, self.path(ATTRS_FILE)).map(Some)
    }
}

/// The bytes of a chunk file.
pub(super) fn chunk_file(encoder: &mut Encoder, storage: &Storage, mut plain: Vec<u8>) -> Result<Vec<u8>, Error> {
    quantize(&mut plain, &storage.dtype, storage.cparams.quantize);
    let mut bytes = ChunkFileHeader::NEW.to_bytes().to_vec();
    bytes.resize(ChunkFileHeader::LEN + max_cbytes(plain.len()), 0);
    let cbytes = encoder.compress_into(&plain, bytes.get_mut(ChunkFileHeader::LEN..).unwrap_or_default())?;
    bytes.truncate(ChunkFileHeader::LEN + cbytes);
    Ok(bytes)
}

/// A change that concerns nothing but these steps.
pub(super) fn change_of(steps: Vec<PendingStep>) -> Change {
    Change { visible: steps.len(), steps, sizes: Vec::new() }
}
