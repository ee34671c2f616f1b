//! Making and changing a carray.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use blosc_core::Limits;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Attrs, META_DIR, PENDING_FILE, ROOTDIRS_FILE, STORAGE_FILE, Sizes, Storage};

use super::column::Column;
use super::params::CarrayParams;
use super::staging::{Staging, lock};
use crate::formats::bcolz::kept::Kept;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::root::is_bcolz;
use crate::formats::bcolz::store::Directory;
use crate::fs::lock::Lock;
use crate::fs::new_directory::NewDirectory;
use crate::fs::place::directory;
use crate::source::ReadDirectory as _;
use crate::{Cancel, Error, OpenOptions, Threads};

/// A carray that is being written. [`flush`](Self::flush) makes all changes since the last one true, and durable; a process
/// that is killed at any moment leaves the array as it was at the last flush. What was not flushed when this is dropped,
/// never was. After an error of the disk this is of no more use: the array is as it was at the last flush.
///
/// ```
/// use bloscpack_format::bcolz::Dtype;
/// use bloscpack_io::bcolz::{Carray, CarrayParams, CarrayWriter, LocalDirectory};
/// # let dir = tempfile::tempdir()?;
/// # let path = &dir.path().join("prices");
/// let params = CarrayParams::new(Dtype::parse("uint32")?).expectedlen(1_000_000);
/// let mut prices = CarrayWriter::create(path, false, &params)?;
/// prices.append(&[1, 0, 0, 0, 2, 0, 0, 0])?;
/// prices.set_attr("unit", "cent".into())?;
/// prices.finish()?;
///
/// let mut prices = CarrayWriter::open(path)?;
/// prices.assign(0..1, std::num::NonZeroU64::MIN, &[9, 0, 0, 0])?;
/// prices.resize(3)?;
/// prices.flush()?;
/// let found = Carray::open(LocalDirectory::open(path)?)?.read_rows(0..3)?;
/// assert_eq!(found, [9, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CarrayWriter<D: Directory = LocalDirectory> {
    column: Column<D>,
    failed: bool,
    place: Option<Place>,
}

/// Where a directory that is being made is to be.
pub(crate) struct Place {
    new: NewDirectory,
    /// Those of the directory that it takes the place of, and of the columns of that.
    _locks: Vec<Lock>,
}

impl Place {
    /// Starts a directory beside its place.
    pub(crate) fn create(path: &Path, overwrite: bool) -> Result<(Self, LocalDirectory), Error> {
        let new = NewDirectory::create(path, overwrite, is_bcolz)?;
        let locks = if path.is_dir() { lock_all(&LocalDirectory::new(path))? } else { Vec::new() };
        let dir = LocalDirectory::new(new.path());
        Ok((Place { new, _locks: locks }, dir))
    }

    pub(crate) fn commit(self) -> Result<(), Error> {
        self.new.commit()
    }
}

/// Locks a directory with all that is a column of it, or may be: whose list is damaged is replaced all the same.
fn lock_all(old: &LocalDirectory) -> Result<Vec<Lock>, Error> {
    let mut locks = vec![lock(old, "")?];
    let names = old.list("").map_err(|error| Error::io("listing")(error).in_file(old.name("")))?;
    for name in names {
        if old.list(&format!("{name}/{META_DIR}")).is_ok() {
            locks.push(lock(old, &name)?);
        }
    }
    Ok(locks)
}

impl CarrayWriter<LocalDirectory> {
    /// Starts a carray that is to become the directory `path`, which appears as a whole by [`finish`](Self::finish). With
    /// `overwrite` it takes the place of a carray or ctable.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::Locked`]; [`Error::CarrayParams`], [`Error::Format`] if there is no
    /// such carray.
    pub fn create(path: impl AsRef<Path>, overwrite: bool, params: &CarrayParams) -> Result<Self, Error> {
        params.meta()?;
        let (place, dir) = Place::create(path.as_ref(), overwrite)?;
        Ok(CarrayWriter { place: Some(place), ..CarrayWriter::create_in(dir, params)? })
    }

    /// Opens a carray on the disk. If a change of it was interrupted, it is completed now.
    ///
    /// # Errors
    /// [`Error::Locked`] if somebody else is changing it; [`Error::File`], and as [`CarrayWriter::with_directory`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        CarrayWriter::open_with(path, &OpenOptions::new())
    }

    /// [`CarrayWriter::open`] with other options. Limits bound what is there.
    ///
    /// # Errors
    /// As [`CarrayWriter::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        fn inner(path: &Path, options: &OpenOptions) -> Result<CarrayWriter, Error> {
            let table = directory(path);
            if [PENDING_FILE, ROOTDIRS_FILE].iter().all(|file| table.join(file).exists()) {
                // A change of the table that this is a column of.
                drop(Staging::open(LocalDirectory::open(table)?, options.limits)?);
            }
            CarrayWriter::with_directory(LocalDirectory::open(path)?, options)
        }
        inner(path.as_ref(), options)
    }
}

impl<D: Directory> CarrayWriter<D> {
    /// Changes the carray in a directory.
    ///
    /// # Errors
    /// [`Error::InFile`] with what is wrong with its metadata; [`Error::Pending`]; [`Error::Locked`].
    pub fn with_directory(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        Ok(CarrayWriter::with(Column::open(Arc::new(Staging::open(dir, limits)?), "", &mut Kept::new(limits))?))
    }

    /// Makes a carray in a directory that has none, and need not be there yet.
    ///
    /// # Errors
    /// [`Error::NotWritable`] if something is there; else as [`CarrayWriter::create`].
    pub fn create_in(dir: D, params: &CarrayParams) -> Result<Self, Error> {
        let root = start(dir)?;
        Ok(CarrayWriter::with(Column::create(root, "", params)?))
    }

    fn with(column: Column<D>) -> Self {
        CarrayWriter { column, failed: false, place: None }
    }

    /// How many rows there are going to be.
    pub fn len(&self) -> u64 {
        self.column.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a row is, and how it is compressed.
    pub fn storage(&self) -> &Storage {
        &self.column.meta.storage
    }

    /// The shape that is going to be. What is counted besides is right after a flush.
    pub fn sizes(&self) -> &Sizes {
        &self.column.meta.sizes
    }

    /// Appends rows: their plain bytes.
    ///
    /// # Errors
    /// [`Error::NotRows`]; [`Error::NotWritable`] for Python objects; [`Error::CarrayParams`], [`Error::Encode`] if they
    /// cannot be compressed as `meta/storage` says; [`Error::InFile`].
    pub fn append(&mut self, rows: &[u8]) -> Result<(), Error> {
        let count = self.column.rows_in(rows.len())?;
        self.check_growth(count)?;
        self.edit(|column| column.append(rows))
    }

    /// Appends all rows that `input` gives, compressed by many threads. How many there were.
    ///
    /// # Errors
    /// As [`CarrayWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_stream(&mut self, input: impl Read, threads: &Threads, cancel: &Cancel) -> Result<u64, Error> {
        self.check_growth(0)?;
        self.edit(|column| column.append_stream(input, threads, cancel))
    }

    /// Puts rows in place of every `step`th of a range, from its first on: as many as these are, or one for all of them.
    ///
    /// # Errors
    /// [`Error::Range`], and as [`CarrayWriter::append`].
    pub fn assign(&mut self, rows: Range<u64>, step: NonZeroU64, plain: &[u8]) -> Result<(), Error> {
        self.column.check_writable()?;
        self.column.check_rows(&rows, step, plain.len())?;
        self.edit(|column| column.assign(rows, step, plain))
    }

    /// Lets there be `len` rows: rows behind go, new ones have the default value.
    ///
    /// # Errors
    /// As [`CarrayWriter::append`] if they become more; [`Error::Format`] if they become too many.
    pub fn resize(&mut self, len: u64) -> Result<(), Error> {
        if let Some(more) = len.checked_sub(self.len()).filter(|more| *more > 0) {
            self.check_growth(more)?;
            self.column.check_default_rows()?;
        }
        self.edit(|column| column.resize(len))
    }

    /// Removes the last `rows` rows.
    ///
    /// # Errors
    /// [`Error::Range`] if there are fewer; [`Error::EditFailed`].
    pub fn trim(&mut self, rows: u64) -> Result<(), Error> {
        let len = self.len();
        let kept = len.checked_sub(rows).ok_or(Error::Range { unit: "rows", start: 0, end: rows, len })?;
        self.edit(|column| column.resize(kept))
    }

    /// The attributes as they are going to be.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn attrs(&mut self) -> Result<&Attrs, Error> {
        Ok(self.column.attrs()?)
    }

    /// Sets an attribute. Returns the old one.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        self.column.set_attr(name, value)
    }

    /// Lets these be the attributes.
    pub fn set_attrs(&mut self, attrs: Attrs) {
        self.column.set_attrs(attrs);
    }

    /// Removes an attribute, and returns it.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        self.column.remove_attr(name)
    }

    /// Makes all changes true, and waits until they are on the disk.
    ///
    /// # Errors
    /// [`Error::InFile`] with what the system says; [`Error::EditFailed`] after an error.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.edit(Column::flush)
    }

    /// Flushes, and if the carray was made by [`create`](CarrayWriter::create), puts it in its place.
    ///
    /// # Errors
    /// As [`CarrayWriter::flush`]; [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        let CarrayWriter { column, place, .. } = self;
        drop(column);
        place.map_or(Ok(()), Place::commit)
    }

    fn check_growth(&mut self, more: u64) -> Result<(), Error> {
        self.column.check_writable()?;
        self.column.check_growth(more)
    }

    fn edit<T>(&mut self, change: impl FnOnce(&mut Column<D>) -> Result<T, Error>) -> Result<T, Error> {
        if self.failed {
            return Err(Error::EditFailed);
        }
        let done = change(&mut self.column);
        self.failed = done.is_err();
        done
    }
}

impl<D: Directory> fmt::Debug for CarrayWriter<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CarrayWriter").field("meta", &self.column.meta).finish_non_exhaustive()
    }
}

/// A directory in which nothing of bcolz is, ready to be written.
pub(super) fn start<D: Directory>(dir: D) -> Result<Arc<Staging<D>>, Error> {
    dir.create_dir("").map_err(|error| Error::io("creating")(error).in_file(dir.name("")))?;
    let root = Staging::open(dir, Limits::new())?;
    if [ROOTDIRS_FILE, STORAGE_FILE].iter().any(|file| root.dir.open(file).is_ok()) {
        return Err(Error::NotWritable { directory: root.dir.name(""), what: "there is a carray or ctable already" });
    }
    Ok(Arc::new(root))
}
