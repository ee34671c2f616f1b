//! Making and changing a ctable.

use std::fmt;
use std::io::Read;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{ATTRS_FILE, Attrs, PendingStep, ROOTDIRS_FILE, RootDirs};

use super::carray::{Place, start};
use super::column::Column;
use super::flush::{stage_attrs, together};
use super::params::CarrayParams;
use super::staging::{Change, Staging};
use crate::formats::bcolz::kept::Kept;
use crate::formats::bcolz::local::LocalDirectory;
use crate::formats::bcolz::store::Directory;
use crate::formats::bcolz::store::read_meta;
use crate::{Cancel, Error, OpenOptions, Threads};

/// A ctable that is being written. [`flush`](Self::flush) makes all changes since the last one true in all columns at once,
/// and durable; a process that is killed at any moment leaves the table as it was at the last flush. What was not flushed when
/// this is dropped, never was. Columns are added, removed and renamed at once, with all changes before. After an error of the
/// disk this is of no more use: the table is as it was at the last flush.
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
    pub(super) root: Arc<Staging<D>>,
    pub(super) names: Vec<String>,
    pub(super) columns: Vec<Column<D>>,
    pub(super) attrs: Option<Attrs>,
    pub(super) attrs_are_new: bool,
    failed: bool,
    place: Option<Place>,
}

/// Why there is always a column.
pub(super) const NO_COLUMNS: &str = "bcolz does not open a table without columns";

impl CtableWriter<LocalDirectory> {
    /// Starts a ctable that is to become the directory `path`, which appears as a whole by [`finish`](Self::finish). With
    /// `overwrite` it takes the place of a carray or ctable.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::Locked`]; [`Error::CarrayParams`], [`Error::Format`] if there are
    /// no such columns.
    pub fn create(path: impl AsRef<Path>, overwrite: bool, columns: &[(&str, CarrayParams)]) -> Result<Self, Error> {
        columns.iter().try_for_each(|(_, params)| params.meta().map(drop))?;
        let (place, dir) = Place::create(path.as_ref(), overwrite)?;
        Ok(CtableWriter { place: Some(place), ..CtableWriter::create_in(dir, columns)? })
    }

    /// Opens a ctable on the disk. If a change of it was interrupted, it is completed now.
    ///
    /// # Errors
    /// [`Error::Locked`] if somebody else is changing it, or a column of it; [`Error::File`], and as
    /// [`CtableWriter::with_directory`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        CtableWriter::open_with(path, &OpenOptions::new())
    }

    /// [`CtableWriter::open`] with other options. Limits bound what is there.
    ///
    /// # Errors
    /// As [`CtableWriter::open`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        CtableWriter::with_directory(LocalDirectory::open(path)?, options)
    }
}

impl<D: Directory> CtableWriter<D> {
    /// Changes the ctable in a directory. If a killed process of Python has left columns that are longer than the first one,
    /// they are cut to its length, with the next flush.
    ///
    /// # Errors
    /// [`Error::InFile`] with what is wrong with its metadata; [`Error::ColumnLength`] if a column has fewer rows than the
    /// first; [`Error::Pending`]; [`Error::Locked`].
    pub fn with_directory(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let root = Arc::new(Staging::open(dir, limits)?);
        let names = read_meta(&root.dir, ROOTDIRS_FILE, (&limits, 1), RootDirs::parse)?.names;
        let mut columns: Vec<Column<D>> = Vec::new();
        let mut kept = Kept::new(limits);
        for name in &names {
            let mut column = Column::open(root.clone(), name, &mut kept)?;
            let (found, expected) = (column.len(), columns.first().map_or(column.len(), Column::len));
            if found < expected {
                return Err(Error::ColumnLength { column: root.dir.name(name), found, expected });
            }
            column.resize(expected)?;
            columns.push(column);
        }
        Ok(CtableWriter::with(root, names, columns))
    }

    /// Makes a ctable in a directory that has none, and need not be there yet.
    ///
    /// # Errors
    /// [`Error::NotWritable`] if something is there, or there are no columns; else as [`CtableWriter::create`].
    pub fn create_in(dir: D, columns: &[(&str, CarrayParams)]) -> Result<Self, Error> {
        let names: Vec<String> = columns.iter().map(|(name, _)| (*name).to_owned()).collect();
        RootDirs { names: names.clone() }.check().map_err(FormatError::from)?;
        if names.is_empty() {
            return Err(Error::NotWritable { directory: dir.name(""), what: NO_COLUMNS });
        }
        let root = start(dir)?;
        let mut made = Vec::new();
        for (name, params) in columns {
            made.push(Column::create(root.clone(), name, params)?);
        }
        let table = CtableWriter::with(root, names, made);
        table.write_lists(&Attrs::default())?;
        Ok(table)
    }

    /// Writes what makes it a table: before there is the last file, it is none.
    pub(crate) fn write_lists(&self, attrs: &Attrs) -> Result<(), Error> {
        let attrs = stage_attrs(&self.root, attrs, ATTRS_FILE.into())?;
        let bytes = RootDirs { names: self.names.clone() }.to_bytes();
        let names = PendingStep::Move { from: self.root.stage(&bytes)?, to: ROOTDIRS_FILE.into() };
        self.root.commit(Change { steps: vec![attrs, names], ..Change::default() })
    }

    pub(crate) fn with(root: Arc<Staging<D>>, names: Vec<String>, columns: Vec<Column<D>>) -> Self {
        CtableWriter { root, names, columns, attrs: None, attrs_are_new: false, failed: false, place: None }
    }

    /// The names of the columns in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many rows there are going to be.
    pub fn len(&self) -> u64 {
        self.columns.first().map_or(0, Column::len)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends rows: the plain bytes of each column, in the order of the columns.
    ///
    /// # Errors
    /// [`Error::ColumnCount`]; [`Error::NotRows`] if they are not as many of each column; else as
    /// [`CarrayWriter::append`](super::CarrayWriter::append).
    pub fn append(&mut self, rows: &[&[u8]]) -> Result<(), Error> {
        self.check_columns(rows.len())?;
        let mut count = None;
        for (column, rows) in self.columns.iter_mut().zip(rows) {
            let (found, atomsize) = (column.rows_in(rows.len())?, column.meta.rows.atomsize());
            let expected = *count.get_or_insert(found);
            if found != expected {
                return Err(Error::NotRows { found: rows.len() as u64, atomsize, rows: Some(expected) });
            }
            column.check_writable()?;
            column.check_growth(found)?;
        }
        self.edit(|table| table.columns.iter_mut().zip(rows).try_for_each(|(column, rows)| column.append(rows)))
    }

    /// Appends what the inputs give, each the rows of a column, one column after the other. How many rows there were.
    ///
    /// # Errors
    /// As [`CtableWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_streams<R: Read>(
        &mut self,
        inputs: impl IntoIterator<Item = R, IntoIter: ExactSizeIterator>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        let inputs = inputs.into_iter();
        self.check_columns(inputs.len())?;
        self.columns.iter_mut().try_for_each(Column::check_writable)?;
        self.edit(|table| {
            let mut count = None;
            for (column, input) in table.columns.iter_mut().zip(inputs) {
                let (found, atomsize) = (column.append_stream(input, threads, cancel)?, column.meta.rows.atomsize());
                let expected = *count.get_or_insert(found);
                if found != expected {
                    return Err(Error::NotRows { found: found * atomsize, atomsize, rows: Some(expected) });
                }
            }
            Ok(count.unwrap_or(0))
        })
    }

    /// Puts rows in place of every `step`th of a range in one column: as many as these are, or one for all of them.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`], and as [`CarrayWriter::assign`](super::CarrayWriter::assign).
    pub fn assign(&mut self, name: &str, rows: Range<u64>, step: NonZeroU64, plain: &[u8]) -> Result<(), Error> {
        let column = self.column(name)?;
        column.check_writable()?;
        column.check_rows(&rows, step, plain.len())?;
        self.edit(|table| table.column(name)?.assign(rows, step, plain))
    }

    /// Lets there be `len` rows: rows behind go, new ones have the default value of their column.
    ///
    /// # Errors
    /// As [`CarrayWriter::resize`](super::CarrayWriter::resize).
    pub fn resize(&mut self, len: u64) -> Result<(), Error> {
        if let Some(more) = len.checked_sub(self.len()).filter(|more| *more > 0) {
            for column in &mut self.columns {
                column.check_writable()?;
                column.check_growth(more)?;
                column.check_default_rows()?;
            }
        }
        self.edit(|table| table.columns.iter_mut().try_for_each(|column| column.resize(len)))
    }

    /// Makes all changes true, in all columns at once, and waits until they are on the disk.
    ///
    /// # Errors
    /// [`Error::InFile`] with what the system says; [`Error::EditFailed`] after an error.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.edit(CtableWriter::flush_all)
    }

    /// Flushes, and if the ctable was made by [`create`](CtableWriter::create), puts it in its place.
    ///
    /// # Errors
    /// As [`CtableWriter::flush`]; [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        let CtableWriter { root, columns, place, .. } = self;
        drop((columns, root));
        place.map_or(Ok(()), Place::commit)
    }

    pub(super) fn flush_all(&mut self) -> Result<(), Error> {
        let prepared = self.columns.iter_mut().map(Column::prepare).collect::<Result<Vec<_>, _>>()?;
        let attrs = self.attrs.as_ref().filter(|_| self.attrs_are_new);
        let attrs = attrs.map(|attrs| stage_attrs(&self.root, attrs, ATTRS_FILE.into())).transpose()?;
        self.root.commit(together(prepared, attrs.into_iter().collect()))?;
        self.columns.iter_mut().for_each(Column::committed);
        self.attrs_are_new = false;
        Ok(())
    }

    pub(super) fn column(&mut self, name: &str) -> Result<&mut Column<D>, Error> {
        let at = self.names.iter().position(|found| found == name);
        let column = at.and_then(|at| self.columns.get_mut(at));
        column.ok_or_else(|| Error::NoSuchColumn { column: name.into(), columns: self.names.clone() })
    }

    pub(super) fn edit<T>(&mut self, change: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        if self.failed {
            return Err(Error::EditFailed);
        }
        let done = change(self);
        self.failed = done.is_err();
        done
    }

    fn check_columns(&self, found: usize) -> Result<(), Error> {
        let expected = self.columns.len();
        if found == expected { Ok(()) } else { Err(Error::ColumnCount { found, expected }) }
    }
}

impl<D: Directory> fmt::Debug for CtableWriter<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CtableWriter").field("names", &self.names).field("len", &self.len()).finish_non_exhaustive()
    }
}
