//! Reads a ctable: its columns and their rows.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::bcolz::{Attrs, ROOTDIRS_FILE, RootDirs};

use super::carray::{Carray, attrs_of};
use super::container::OpenCarray;
use super::metadata_budget::MetadataBudget;
use super::replayed::Replayed;
use super::row_descr;
use super::store::Below;
use super::store::read_meta;
use crate::source::ReadDirectory;
use crate::{Archive, Error, OpenOptions};

/// A column of a table: a carray below the root.
pub type Column<D> = Carray<ColumnDirectory<D>>;

/// The directory of a column, read through the journal of an interrupted change of the table.
pub type ColumnDirectory<D> = Below<Arc<Replayed<D>>>;

/// A bcolz table: named carrays of the same length.
#[derive(Debug)]
pub struct Ctable<D> {
    dir: Arc<Replayed<D>>,
    names: Vec<String>,
    columns: Vec<Column<D>>,
    limits: Limits,
    attrs: OnceLock<Attrs>,
}

impl<D: ReadDirectory> Ctable<D> {
    /// Opens the table in a directory. Reads `__rootdirs__` and two small files per column. To open one column only,
    /// use [`Carray::open`] with [`Below::new`].
    ///
    /// # Errors
    /// [`Error::InFile`] if one of them is damaged; [`Error::ColumnLength`].
    pub fn open(dir: D) -> Result<Self, Error> {
        Ctable::open_with(dir, &OpenOptions::new())
    }

    /// [`Ctable::open`] with other options. The limits also apply to the columns.
    ///
    /// # Errors
    /// As [`Ctable::open`].
    pub fn open_with(dir: D, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let dir = Arc::new(Replayed::open_with(dir, options)?);
        let names = names(&dir, &limits)?;
        let mut columns: Vec<Column<D>> = Vec::new();
        let mut budget = MetadataBudget::new(limits);
        for name in &names {
            let column = Carray::open_beside(Below::new(dir.clone(), name), &mut budget)?;
            let expected = columns.first().map_or(column.len(), Carray::len);
            // A killed Python process can leave some columns longer. The length of the table is that of the first
            // column.
            if column.len() < expected {
                return Err(Error::ColumnLength { column: dir.name(name), found: column.len(), expected });
            }
            columns.push(column);
        }
        Ok(Ctable { dir, names, columns, limits, attrs: OnceLock::new() })
    }

    /// Returns the names of the columns in their order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the columns in their order.
    pub fn columns(&self) -> &[Column<D>] {
        &self.columns
    }

    /// Returns the column of this name.
    pub fn column(&self, name: &str) -> Option<&Column<D>> {
        let at = self.names.iter().position(|found| found == name)?;
        self.columns.get(at)
    }

    /// Returns the number of rows, which is that of the first column. 0 without columns.
    pub fn len(&self) -> u64 {
        self.columns.first().map_or(0, Carray::len)
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the dtype of a row in NumPy's `descr` notation: a field for each column, and `'|O'` for Python objects.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    pub fn row_descr(&self) -> Result<String, OutOfMemory> {
        let mut descr = memory::Text::default();
        // `finish` returns the error.
        let _ = row_descr::write(self.names.iter().zip(&self.columns), &mut descr);
        descr.finish()
    }

    /// Returns the directory.
    pub fn directory(&self) -> &D {
        self.dir.directory()
    }

    /// Returns the attributes of the table, see [`Carray::attrs`].
    ///
    /// # Errors
    /// [`Error::InFile`] if the file is damaged.
    pub fn attrs(&self) -> Result<&Attrs, Error> {
        attrs_of(&self.dir, &self.attrs, &self.limits)
    }

    /// Reads the plain bytes of a range of rows of every column, in the order of the columns.
    ///
    /// # Errors
    /// As [`Carray::copy_rows`].
    pub fn read_rows(&self, rows: Range<u64>) -> Result<Vec<Vec<u8>>, Error> {
        self.columns.iter().map(|column| column.read_rows(rows.clone())).collect()
    }

    /// Returns a column as an archive.
    ///
    /// # Errors
    /// [`Error::NoSuchColumn`]; else as [`Archive::open`].
    pub fn column_archive(&self, name: &str) -> Result<Archive<'_>, Error> {
        let column = self
            .column(name)
            .ok_or_else(|| Error::NoSuchColumn { column: name.into(), columns: self.names.clone() })?;
        let open = OpenCarray::open(Box::new(column.directory()), &self.limits)?;
        Ok(Archive::new(Box::new(open)).limits(self.limits))
    }
}

fn names(dir: &dyn ReadDirectory, limits: &Limits) -> Result<Vec<String>, Error> {
    Ok(read_meta(dir, ROOTDIRS_FILE, (limits, 1), RootDirs::parse)?.names)
}

/// Reads the names of the columns of the table in a directory, in their order. The columns are not opened.
///
/// # Errors
/// [`Error::InFile`] if the list is damaged or over the limits.
pub fn column_names(dir: &impl ReadDirectory, options: &OpenOptions) -> Result<Vec<String>, Error> {
    names(&Replayed::open_with(dir, options)?, &options.limits)
}

/// Returns the directory of a column of the table in a directory.
pub(crate) fn column_directory<D: ReadDirectory>(
    dir: D,
    name: &str,
    limits: &Limits,
) -> Result<ColumnDirectory<D>, Error> {
    let dir = Replayed::open_with(dir, &OpenOptions::new().limits(*limits))?;
    let columns = names(&dir, limits)?;
    match columns.iter().any(|column| column == name) {
        true => Ok(Below::new(Arc::new(dir), name)),
        false => Err(Error::NoSuchColumn { column: name.into(), columns }),
    }
}
