//! The public writer of a carray.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use blosc_core::Auto;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{Attrs, JOURNAL_FILE, ROOTDIRS_FILE, Sizes, Storage};

use super::assign::Assignment;
use super::column::Column;
use super::new::{NewRoot, start};
use super::params::CarrayParams;
use super::row_input::{RowInput, RowStream};
use super::staging::Staging;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::metadata_budget::MetadataBudget;
use crate::formats::bcolz::store::Directory;
use crate::fs::path::directory;
use crate::options::Observer;
use crate::{Cancel, Error, OpenOptions, Threads};

/// Creates or changes a carray. [`flush`](Self::flush) commits all changes since the last flush and makes them durable.
/// If the process is killed at any moment, the array of the last flush remains. Dropping the writer discards changes
/// that were not flushed. After an I/O error, the writer refuses further changes, and the array on disk is that of the
/// last flush.
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
    new_root: Option<NewRoot>,
}

impl CarrayWriter<LocalDirectory> {
    /// Creates a carray that [`finish`](Self::finish) moves to the directory `path` as a whole. With `overwrite` it
    /// replaces a carray or ctable.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::Locked`]; [`Error::CarrayParams`], [`Error::Format`] if the
    /// parameters are not valid.
    pub fn create(path: impl AsRef<Path>, overwrite: bool, params: &CarrayParams) -> Result<Self, Error> {
        params.meta()?;
        let (new_root, dir) = NewRoot::create(path.as_ref(), overwrite)?;
        Ok(CarrayWriter { new_root: Some(new_root), ..CarrayWriter::create_in(dir, params)? })
    }

    /// Opens a carray of the file system, and completes a change that was interrupted.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process is changing it; [`Error::File`], and as [`CarrayWriter::with_directory`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        CarrayWriter::open_with(path, &OpenOptions::new())
    }

    /// [`CarrayWriter::open`] with other options. The limits apply to reading.
    ///
    /// # Errors
    /// As [`CarrayWriter::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        fn inner(path: &Path, options: &OpenOptions) -> Result<CarrayWriter, Error> {
            let table = directory(path);
            if [JOURNAL_FILE, ROOTDIRS_FILE].iter().all(|file| table.join(file).exists()) {
                // Complete an interrupted change of the table that has this column.
                drop(Staging::open(LocalDirectory::open(table)?, options.limits)?);
            }
            CarrayWriter::with_directory(LocalDirectory::open(path)?, options)
        }
        inner(path.as_ref(), options)
    }
}

impl<D: Directory> CarrayWriter<D> {
    /// Opens the carray in a directory.
    ///
    /// # Errors
    /// [`Error::InFile`] if its metadata are damaged; [`Error::Pending`]; [`Error::Locked`].
    pub fn with_directory(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        Ok(CarrayWriter::with(Column::open(
            Arc::new(Staging::open(dir, limits)?),
            "",
            &mut MetadataBudget::new(limits),
        )?))
    }

    /// Creates a carray in a directory without one, which need not exist.
    ///
    /// # Errors
    /// [`Error::NotWritable`] if the directory has a carray or ctable; else as [`CarrayWriter::create`].
    pub fn create_in(dir: D, params: &CarrayParams) -> Result<Self, Error> {
        let root = start(dir)?;
        Ok(CarrayWriter::with(Column::create(root, "", params)?))
    }

    fn with(column: Column<D>) -> Self {
        CarrayWriter { column, failed: false, new_root: None }
    }

    /// Chooses the parameters of chunks for their data, for rows that are appended from a stream. Parameters that `auto` fixes stay,
    /// and the typesize is that of the dtype. `meta/storage` is not changed. `None` turns it off.
    #[must_use]
    pub fn auto(mut self, auto: impl Into<Option<Auto>>) -> Self {
        self.column.set_auto(auto.into(), &Observer::default());
        self
    }

    /// [`auto`](Self::auto) with a receiver of the choices.
    pub(crate) fn auto_observed(mut self, auto: Option<Auto>, observer: &Observer) -> Self {
        self.column.set_auto(auto, observer);
        self
    }

    /// Returns the number of rows after the next flush.
    pub fn len(&self) -> u64 {
        self.column.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the dtype, the number of rows of a chunk, and the compression parameters.
    pub fn storage(&self) -> &Storage {
        &self.column.meta().meta().storage
    }

    /// Returns the sizes. The shape is that after the next flush. The byte counts are correct only after a flush.
    pub fn sizes(&self) -> &Sizes {
        &self.column.meta().meta().sizes
    }

    /// Appends rows from their uncompressed bytes.
    ///
    /// # Errors
    /// [`Error::NotRows`]; [`Error::NotWritable`] for Python objects; [`Error::CarrayParams`], [`Error::Encode`] if
    /// they cannot be compressed as `meta/storage` specifies; [`Error::InFile`].
    pub fn append(&mut self, rows: &[u8]) -> Result<(), Error> {
        let count = self.column.meta().rows_in(rows.len() as u64)?;
        self.check_growth(count)?;
        self.edit(|column| column.append(rows))
    }

    /// Appends all rows of `input`, compressed in parallel. Returns their number.
    ///
    /// # Errors
    /// As [`CarrayWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_stream(&mut self, input: impl Read, threads: &Threads, cancel: &Cancel) -> Result<u64, Error> {
        self.append_rows(RowStream(input), threads, cancel)
    }

    /// Appends rows in any form. Returns their number.
    pub(crate) fn append_rows(
        &mut self,
        input: impl RowInput,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        self.check_growth(0)?;
        self.edit(|column| input.append_to(column, threads, cancel))
    }

    /// Sets the switch that ends [`assign`](Self::assign) and [`resize`](Self::resize) with [`Error::Cancelled`].
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.column.set_cancel(cancel);
        self
    }

    /// Replaces every `step`th row of a range, starting with its first, by a row for each of them or by one row for
    /// all.
    ///
    /// # Errors
    /// [`Error::Range`], [`Error::Cancelled`], and as [`CarrayWriter::append`].
    pub fn assign(&mut self, rows: Range<u64>, step: NonZeroU64, plain: &[u8]) -> Result<(), Error> {
        self.column.check_writable()?;
        self.column.meta().check_rows(&rows, step, plain.len() as u64)?;
        self.edit(|column| column.assign(&Assignment::new(rows, step, plain)))
    }

    /// Sets the number of rows. New rows have the default value.
    ///
    /// # Errors
    /// As [`CarrayWriter::append`] if rows are added; [`Error::Format`] if there are too many.
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

    /// Returns the attributes as the next flush will write them.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn attrs(&mut self) -> Result<&Attrs, Error> {
        self.column.attrs()
    }

    /// Sets an attribute. Returns the old value.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        self.column.set_attr(name, Some(value))
    }

    /// Replaces all attributes.
    pub fn set_attrs(&mut self, attrs: Attrs) {
        self.column.set_attrs(attrs);
    }

    /// Removes an attribute. Returns its value.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        self.column.set_attr(name, None)
    }

    /// Commits all changes and waits until they are durable.
    ///
    /// # Errors
    /// [`Error::InFile`] with the error of the system; [`Error::EditFailed`] after an error.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.edit(Column::flush)
    }

    /// Flushes, and moves a carray that [`create`](CarrayWriter::create) has started to its target.
    ///
    /// # Errors
    /// As [`CarrayWriter::flush`]; [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        let CarrayWriter { column, new_root, .. } = self;
        drop(column);
        new_root.map_or(Ok(()), NewRoot::commit)
    }

    fn check_growth(&mut self, more: u64) -> Result<(), Error> {
        self.column.check_writable()?;
        self.column.meta().check_growth(more)
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
        f.debug_struct("CarrayWriter").field("meta", self.column.meta().meta()).finish_non_exhaustive()
    }
}
