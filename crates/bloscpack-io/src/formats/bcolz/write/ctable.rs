//! The public writer of a ctable.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use blosc_core::Auto;
use bloscpack_format::Json;
use bloscpack_format::bcolz::{ATTRS_FILE, Attrs};

use super::assign::Assignment;
use super::attrs::{AttrsEdit, stage_attrs};
use super::column::Column;
use super::columns::Columns;
use super::flush::together;
use super::new::NewRoot;
use super::params::CarrayParams;
use super::row_input::{RowInput, RowStream};
use super::staging::{Change, Staging};
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::store::Directory;
use crate::options::Observer;
use crate::{Cancel, Error, OpenOptions, Threads};

/// Creates or changes a ctable. [`flush`](Self::flush) commits all changes since the last flush, in all columns at
/// once, and makes them durable. If the process is killed at any moment, the table of the last flush remains. Dropping
/// the writer discards changes that were not flushed. Columns are added, removed and renamed immediately, together with
/// all earlier changes. After an I/O error, the writer refuses further changes, and the table on disk is that of the
/// last flush.
///
/// ```
/// use bloscpack_format::bcolz::Dtype;
/// use bloscpack_io::bcolz::{CarrayParams, Ctable, CtableWriter, LocalDirectory};
/// # let dir = tempfile::tempdir()?;
/// # let path = &dir.path().join("bars");
/// let u1 = CarrayParams::new(Dtype::parse("uint8")?);
/// let mut bars = CtableWriter::create(path, false, &[("open", u1.clone()), ("close", u1)])?;
/// bars.append(&[&[1, 2, 3], &[4, 5, 6]])?;
/// bars.finish()?;
///
/// let mut bars = CtableWriter::open(path)?;
/// bars.resize(2)?;
/// bars.rename_column("close", "last")?;
/// let bars = Ctable::open(LocalDirectory::open(path)?)?;
/// assert_eq!(bars.names(), ["open", "last"]);
/// assert_eq!(bars.read_rows(0..2)?, [[1, 2], [4, 5]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CtableWriter<D: Directory = LocalDirectory> {
    columns: Columns<D>,
    attrs: AttrsEdit,
    failed: bool,
    new_root: Option<NewRoot>,
}

impl CtableWriter<LocalDirectory> {
    /// Creates a ctable that [`finish`](Self::finish) moves to the directory `path` as a whole. With `overwrite` it
    /// replaces a carray or ctable.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::Locked`]; [`Error::CarrayParams`], [`Error::Format`] if the
    /// columns are not valid.
    pub fn create(path: impl AsRef<Path>, overwrite: bool, columns: &[(&str, CarrayParams)]) -> Result<Self, Error> {
        columns.iter().try_for_each(|(_, params)| params.meta().map(drop))?;
        let (new_root, dir) = NewRoot::create(path.as_ref(), overwrite)?;
        Ok(CtableWriter { new_root: Some(new_root), ..CtableWriter::create_in(dir, columns)? })
    }

    /// Opens a ctable of the file system, and completes a change that was interrupted.
    ///
    /// # Errors
    /// [`Error::Locked`] if another process is changing it, or a column of it; [`Error::File`], and as
    /// [`CtableWriter::with_directory`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        CtableWriter::open_with(path, &OpenOptions::new())
    }

    /// [`CtableWriter::open`] with other options. The limits apply to reading.
    ///
    /// # Errors
    /// As [`CtableWriter::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        CtableWriter::with_directory(LocalDirectory::open(path)?, options)
    }
}

impl<D: Directory> CtableWriter<D> {
    /// Opens the ctable in a directory. A killed Python process can leave columns that are longer than the first. The
    /// next flush cuts them to its length.
    ///
    /// # Errors
    /// [`Error::InFile`] if its metadata are damaged; [`Error::ColumnLength`] if a column has fewer rows than the
    /// first; [`Error::Pending`]; [`Error::Locked`].
    pub fn with_directory(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let root = Arc::new(Staging::open(dir, options.limits)?);
        Ok(CtableWriter::of(Columns::open(root)?))
    }

    /// Creates a ctable in a directory without one, which need not exist.
    ///
    /// # Errors
    /// [`Error::NotWritable`] if the directory has a carray or ctable, or if there are no columns; else as
    /// [`CtableWriter::create`].
    pub fn create_in(dir: D, columns: &[(&str, CarrayParams)]) -> Result<Self, Error> {
        let table = CtableWriter::of(Columns::create(dir, columns)?);
        table.write_lists(&Attrs::default())?;
        Ok(table)
    }

    /// Creates a writer for columns that exist in `root`. The directory becomes a table by
    /// [`write_lists`](Self::write_lists).
    pub(crate) fn with(root: Arc<Staging<D>>, names: Vec<String>, columns: Vec<Column<D>>) -> Self {
        CtableWriter::of(Columns::new(root, names, columns))
    }

    fn of(columns: Columns<D>) -> Self {
        CtableWriter { columns, attrs: AttrsEdit::default(), failed: false, new_root: None }
    }

    /// Writes the attributes and the list of columns. The directory is a ctable once it has the list.
    pub(crate) fn write_lists(&self, attrs: &Attrs) -> Result<(), Error> {
        let root = self.columns.root();
        let attrs = stage_attrs(root, attrs, ATTRS_FILE.into())?;
        let names = self.columns.stage_names()?;
        root.commit(Change { steps: vec![attrs, names], ..Change::default() })
    }

    /// Chooses the parameters of chunks for their data, for rows that are appended from streams, as
    /// [`CarrayWriter::auto`](super::CarrayWriter::auto).
    #[must_use]
    pub fn auto(mut self, auto: impl Into<Option<Auto>>) -> Self {
        let auto = auto.into();
        self.columns.iter_mut().for_each(|column| column.set_auto(auto, &Observer::default()));
        self
    }

    /// [`auto`](Self::auto) with a receiver of the choices.
    pub(crate) fn auto_observed(mut self, auto: Option<Auto>, observer: &Observer) -> Self {
        self.columns.iter_mut().for_each(|column| column.set_auto(auto, observer));
        self
    }

    /// Sets the switch that ends [`resize`](Self::resize) with [`Error::Cancelled`].
    #[must_use]
    pub fn cancel(mut self, cancel: &Cancel) -> Self {
        self.columns.iter_mut().for_each(|column| column.set_cancel(cancel.clone()));
        self
    }

    /// Returns the names of the columns in their order.
    pub fn names(&self) -> &[String] {
        self.columns.names()
    }

    /// Returns the number of rows after the next flush.
    pub fn len(&self) -> u64 {
        self.columns.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends rows: the uncompressed bytes of each column, in the order of the columns.
    ///
    /// # Errors
    /// [`Error::ColumnCount`]; [`Error::NotRows`] if the columns differ in their number of rows; else as
    /// [`CarrayWriter::append`](super::CarrayWriter::append).
    pub fn append(&mut self, rows: &[&[u8]]) -> Result<(), Error> {
        self.check_columns(rows.len())?;
        let mut count = None;
        for (column, rows) in self.columns.iter_mut().zip(rows) {
            let nbytes = rows.len() as u64;
            let (found, atomsize) = (column.meta().rows_in(nbytes)?, column.meta().rows().atomsize());
            let expected = *count.get_or_insert(found);
            if found != expected {
                return Err(Error::NotRows { found: nbytes, atomsize, rows: Some(expected) });
            }
            column.check_writable()?;
            column.meta().check_growth(found)?;
        }
        self.edit(|table| table.columns.iter_mut().zip(rows).try_for_each(|(column, rows)| column.append(rows)))
    }

    /// Appends the rows of each column from a stream, one column after the other. Returns the number of rows.
    ///
    /// # Errors
    /// As [`CtableWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_streams<R: Read>(
        &mut self,
        inputs: impl IntoIterator<Item = R, IntoIter: ExactSizeIterator>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        self.append_columns(inputs.into_iter().map(RowStream), threads, cancel)
    }

    /// Appends the rows of each column in any form, one column after the other. Returns the number of rows.
    pub(crate) fn append_columns(
        &mut self,
        inputs: impl ExactSizeIterator<Item = impl RowInput>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        self.check_columns(inputs.len())?;
        self.columns.iter_mut().try_for_each(Column::check_writable)?;
        self.edit(|table| {
            let mut count = None;
            for (column, input) in table.columns.iter_mut().zip(inputs) {
                let found = input.append_to(column, threads, cancel)?;
                let (expected, atomsize) = (*count.get_or_insert(found), column.meta().rows().atomsize());
                if found != expected {
                    return Err(Error::NotRows { found: found * atomsize, atomsize, rows: Some(expected) });
                }
            }
            Ok(count.unwrap_or(0))
        })
    }

    /// Replaces every `step`th row of a range in one column, by a row for each of them or by one row for all.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`], and as [`CarrayWriter::assign`](super::CarrayWriter::assign).
    pub fn assign(&mut self, name: &str, rows: Range<u64>, step: NonZeroU64, plain: &[u8]) -> Result<(), Error> {
        let column = self.columns.get(name)?;
        column.check_writable()?;
        column.meta().check_rows(&rows, step, plain.len() as u64)?;
        self.edit(|table| table.columns.get(name)?.assign(&Assignment::new(rows, step, plain)))
    }

    /// Sets the number of rows. New rows have the default value of their column.
    ///
    /// # Errors
    /// As [`CarrayWriter::resize`](super::CarrayWriter::resize).
    pub fn resize(&mut self, len: u64) -> Result<(), Error> {
        if let Some(more) = len.checked_sub(self.len()).filter(|more| *more > 0) {
            for column in self.columns.iter_mut() {
                column.check_writable()?;
                column.meta().check_growth(more)?;
                column.check_default_rows()?;
            }
        }
        self.edit(|table| table.columns.iter_mut().try_for_each(|column| column.resize(len)))
    }

    /// Adds a column at position `at`, or at the end, with the rows of `input`. Their number must be that of the other
    /// columns, if there are any. An existing file or directory of that name is not touched.
    ///
    /// # Errors
    /// [`Error::Format`] if the name is not valid; [`Error::NotWritable`] if it is taken; [`Error::NotRows`]; else as
    /// [`CarrayWriter::append_stream`](super::CarrayWriter::append_stream).
    pub fn add_column(
        &mut self,
        name: &str,
        at: Option<usize>,
        params: &CarrayParams,
        input: impl Read,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        params.meta()?;
        let names = self.columns.names_with(name, at)?;
        self.edit(|table| {
            table.flush_all()?;
            table.columns.add(names, name, params, |column| column.append_stream(input, threads, cancel))
        })
    }

    /// Removes a column from the table. With `keep`, its directory stays as an array of its own.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::NotWritable`] if it is the only one; [`Error::InFile`].
    pub fn delete_column(&mut self, name: &str, keep: bool) -> Result<(), Error> {
        self.columns.get(name)?;
        self.columns.check_removal()?;
        self.edit(|table| {
            table.flush_all()?;
            table.columns.remove(name, keep)
        })
    }

    /// Renames a column and its directory.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::Format`] if the name is not valid; [`Error::NotWritable`] if it is taken;
    /// [`Error::InFile`].
    pub fn rename_column(&mut self, from: &str, to: &str) -> Result<(), Error> {
        self.columns.get(from)?;
        if from == to {
            return Ok(());
        }
        let names = self.columns.names_renamed(from, to)?;
        self.edit(|table| {
            table.flush_all()?;
            table.columns.rename(names, from, to)
        })
    }

    /// Returns the attributes of the table as the next flush will write them.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn attrs(&mut self) -> Result<&Attrs, Error> {
        self.attrs.get(&self.columns.dir())
    }

    /// Sets an attribute of the table. Returns the old value.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn set_attr(&mut self, name: &str, value: Json) -> Result<Option<Json>, Error> {
        self.attrs.set(&self.columns.dir(), name, Some(value))
    }

    /// Replaces all attributes of the table.
    pub fn set_attrs(&mut self, attrs: Attrs) {
        self.attrs.replace(attrs);
    }

    /// Removes an attribute of the table. Returns its value.
    ///
    /// # Errors
    /// [`Error::InFile`] if their file is damaged.
    pub fn remove_attr(&mut self, name: &str) -> Result<Option<Json>, Error> {
        self.attrs.set(&self.columns.dir(), name, None)
    }

    /// Returns the attributes of a column as the next flush will write them.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::InFile`] if their file is damaged.
    pub fn column_attrs(&mut self, column: &str) -> Result<&Attrs, Error> {
        self.columns.get(column)?.attrs()
    }

    /// Sets an attribute of a column, or removes it if `value` is `None`. Returns the old value.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; [`Error::InFile`] if their file is damaged.
    pub fn set_column_attr(&mut self, column: &str, name: &str, value: Option<Json>) -> Result<Option<Json>, Error> {
        self.columns.get(column)?.set_attr(name, value)
    }

    /// Replaces all attributes of a column.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`].
    pub fn set_column_attrs(&mut self, column: &str, attrs: Attrs) -> Result<(), Error> {
        self.columns.get(column)?.set_attrs(attrs);
        Ok(())
    }

    /// Commits all changes, in all columns at once, and waits until they are durable.
    ///
    /// # Errors
    /// [`Error::InFile`] with the error of the system; [`Error::EditFailed`] after an error.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.edit(CtableWriter::flush_all)
    }

    /// Flushes, and moves a ctable that [`create`](CtableWriter::create) has started to its target.
    ///
    /// # Errors
    /// As [`CtableWriter::flush`]; [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        let CtableWriter { columns, new_root, .. } = self;
        // The locks of the columns are released before that of the table.
        let root = columns.root().clone();
        drop((columns, root));
        new_root.map_or(Ok(()), NewRoot::commit)
    }

    fn flush_all(&mut self) -> Result<(), Error> {
        let prepared = self.columns.prepare()?;
        let attrs = self.attrs.stage(&self.columns.dir())?;
        self.columns.root().commit(together(prepared, attrs.into_iter().collect()))?;
        self.columns.committed();
        self.attrs.committed();
        Ok(())
    }

    fn edit<T>(&mut self, change: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.failed {
            return Err(Error::EditFailed);
        }
        let done = change(self);
        self.failed = done.is_err();
        done
    }

    fn check_columns(&self, found: usize) -> Result<(), Error> {
        let expected = self.columns.count();
        if found == expected { Ok(()) } else { Err(Error::ColumnCount { found, expected }) }
    }
}

impl<D: Directory> fmt::Debug for CtableWriter<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CtableWriter").field("names", &self.names()).field("len", &self.len()).finish_non_exhaustive()
    }
}
