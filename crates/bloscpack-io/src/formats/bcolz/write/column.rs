//! A carray that is being written, alone or as a column: what it is going to be, and where its chunks are until then.
//!
//! A chunk that readers of the state on the disk look at is staged; one that is behind it is written in its place at once, for
//! nobody asks for it before `meta/sizes` says so. Rows of the last chunk, until it is full, are in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use blosc_core::Encoder;
use bloscpack_format::bcolz::{
    ATTRS_FILE, Attrs, DATA_DIR, Dtype, META_DIR, Rows, SIZES_FILE, STORAGE_FILE, chunk_file_name, staged_name,
};
use bloscpack_format::{FormatError, Json};

use super::params::CarrayParams;
use super::staging::{Staging, lock};
use crate::Error;
use crate::formats::bcolz::carray::Meta;
use crate::formats::bcolz::kept::Kept;
use crate::formats::bcolz::store::read_attrs;
use crate::formats::bcolz::store::{Below, Directory};
use crate::fs::lock::Lock;

/// A carray that is being written.
pub(crate) struct Column<D: Directory> {
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
    pub(super) encoder: Option<Encoder>,
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
    /// Opens a carray: of a table, that of the name `at`, whose metadata are kept with those of others.
    pub(super) fn open(root: Arc<Staging<D>>, at: &str, kept: &mut Kept) -> Result<Self, Error> {
        let (meta, lock) = match at {
            "" => (Meta::open_beside(&root.dir, kept)?, None),
            name => {
                let lock = lock(&root.dir, name)?;
                super::staging::complete(&Below::new(&root.dir, name), &root.limits)?;
                (Meta::open_beside(&Below::new(&root.dir, name), kept)?, Some(lock))
            }
        };
        let mut column = Column { lock, ..Column::with_meta(root, at, meta) };
        // Who was killed while they were removed has left the first of them.
        while column.root.dir.open(&column.path(&chunk_file_name(column.files))).is_ok() {
            column.files += 1;
        }
        Ok(column)
    }

    /// Makes a carray without rows, in a directory that is there or is made; it is one when `meta/storage` is there.
    pub(super) fn create(root: Arc<Staging<D>>, at: &str, params: &CarrayParams) -> Result<Self, Error> {
        let (storage, sizes) = params.meta()?;
        Column::create_with(root, at, Meta::new(storage, sizes)?, &Attrs::default())
    }

    pub(crate) fn create_with(root: Arc<Staging<D>>, at: &str, meta: Meta, attrs: &Attrs) -> Result<Self, Error> {
        let column = Column::with_meta(root, at, meta);
        let root = &column.root;
        for dir in ["", DATA_DIR, META_DIR] {
            let path = column.dir(dir);
            root.tried("creating", &path, root.dir.create_dir(&path))?;
        }
        let meta = &column.meta;
        let mut moves = Vec::new();
        for (file, bytes) in [
            (ATTRS_FILE, attrs.to_bytes()?),
            (SIZES_FILE, meta.sizes.to_bytes()),
            (STORAGE_FILE, meta.storage.to_bytes()),
        ] {
            moves.push((root.stage(&bytes)?, column.path(file)));
        }
        root.sync()?;
        for (number, path) in moves {
            root.tried("creating", &path, root.dir.rename(&staged_name(number), &path))?;
        }
        for dir in [DATA_DIR, META_DIR, ""] {
            root.sync_later(column.dir(dir));
        }
        if let Some((parent, _)) = column.at.strip_suffix('/').map(|at| at.rsplit_once('/').unwrap_or(("", at))) {
            root.sync_later(parent.into());
        }
        root.sync()?;
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

    pub(crate) fn len(&self) -> u64 {
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

    /// The attributes as they are going to be.
    pub(super) fn attrs(&mut self) -> Result<&mut Attrs, Error> {
        match self.attrs {
            Some(ref mut attrs) => Ok(attrs),
            None => {
                let attrs = match self.dir("").as_str() {
                    "" => read_attrs(&self.root.dir, &self.root.limits)?,
                    name => read_attrs(&Below::new(&self.root.dir, name), &self.root.limits)?,
                };
                Ok(self.attrs.insert(attrs))
            }
        }
    }

    pub(super) fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        let old = self.attrs()?.set(name, value)?;
        self.attrs_are_new = true;
        Ok(old)
    }

    pub(super) fn set_attrs(&mut self, attrs: Attrs) {
        self.attrs = Some(attrs);
        self.attrs_are_new = true;
    }

    pub(super) fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        let old = self.attrs()?.remove(name);
        self.attrs_are_new |= old.is_some();
        Ok(old)
    }
}
