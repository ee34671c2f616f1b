//! Tables: bcolz ctables in directories, described and read.
//!
//! A table is a snapshot of its directory. The functions of `table_edit` change the directory and replace the snapshot.

use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use bloscpack_io::bcolz::{Column, Ctable, LocalDirectory};
use bloscpack_io::bloscpack_format::bcolz::Dtype;
use bloscpack_io::bloscpack_format::numpy;
use bloscpack_io::{Cancel, Error, Limits, OpenOptions, UnpackOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::buffer::Buffer;
use crate::error::{OrRaise, unsupported};
use crate::run::{count, detached};
use crate::scatter::Scatter;
use crate::settings::limits;

/// A ctable of the file system.
pub(crate) type Local = Ctable<LocalDirectory>;
type LocalColumn = Column<LocalDirectory>;

/// A table, and how it is read.
#[pyclass(frozen, module = "blpk._core")]
pub(crate) struct Table {
    path: PathBuf,
    pub(crate) threads: usize,
    pub(crate) limits: Limits,
    snapshot: RwLock<Arc<Local>>,
    /// Held by the writer, so that threads that share the table wait for each other.
    pub(crate) writing: Mutex<()>,
}

/// Facts about a column: name, dtype, axes within a row, plain and compressed bytes, rows of a chunk.
type Facts = (String, String, Vec<u64>, u64, u64, u64);

impl Table {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the current snapshot.
    pub(crate) fn snapshot(&self) -> Arc<Local> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn open_options(&self) -> OpenOptions {
        OpenOptions::new().limits(self.limits)
    }

    /// Replaces the snapshot by the current content of the directory.
    pub(crate) fn reopen(&self) -> Result<(), Error> {
        let opened = Ctable::open_with(LocalDirectory::open(&self.path)?, &self.open_options())?;
        *self.snapshot.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(opened);
        Ok(())
    }

    fn unpack_options(&self, cancel: &Cancel) -> PyResult<UnpackOptions> {
        let threads = crate::run::threads(self.threads)?;
        Ok(UnpackOptions::new().limits(self.limits).threads(threads).cancel(cancel.clone()))
    }
}

/// Returns the column of this name.
pub(crate) fn column<'a>(py: Python<'_>, table: &'a Local, name: &str) -> PyResult<&'a LocalColumn> {
    let missing = || Error::NoSuchColumn { column: name.into(), columns: table.names().to_vec() };
    table.column(name).ok_or_else(missing).or_raise(py)
}

/// Returns a column whose rows have bytes.
fn readable<'a>(py: Python<'_>, table: &'a Local, name: &str) -> PyResult<&'a LocalColumn> {
    let found = column(py, table, name)?;
    match found.dtype() {
        Dtype::Object => Err(unsupported(py, object_column(name))),
        Dtype::Plain(_) => Ok(found),
    }
}

pub(crate) fn object_column(name: &str) -> String {
    format!("column '{name}' holds pickled Python objects, which are not read; select other columns by their names")
}

/// Returns the rows to read, which must exist.
pub(crate) fn check_rows(py: Python<'_>, table: &Local, rows: &Range<u64>) -> PyResult<()> {
    if rows.start <= rows.end && rows.end <= table.len() {
        return Ok(());
    }
    Err(Error::Range { unit: "rows", start: rows.start, end: rows.end, len: table.len() }).or_raise(py)
}

#[pymethods]
impl Table {
    #[new]
    #[pyo3(signature = (path, *, threads=1, limits=Limits::new()))]
    fn open(
        py: Python<'_>,
        path: PathBuf,
        #[pyo3(from_py_with = count)] threads: usize,
        #[pyo3(from_py_with = limits)] limits: Limits,
    ) -> PyResult<Self> {
        let options = OpenOptions::new().limits(limits);
        let opened = py.detach(|| Ctable::open_with(LocalDirectory::open(&path)?, &options)).or_raise(py)?;
        let snapshot = RwLock::new(Arc::new(opened));
        Ok(Table { path, threads, limits, snapshot, writing: Mutex::new(()) })
    }

    /// Reads the directory again, to see what other processes have changed.
    fn refresh(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.reopen()).or_raise(py)
    }

    fn __len__(&self) -> usize {
        usize::try_from(self.snapshot().len()).unwrap_or(usize::MAX)
    }

    /// Returns facts about each column. No data is read.
    fn columns(&self) -> Vec<Facts> {
        let table = self.snapshot();
        let facts = |(name, column): (&String, &LocalColumn)| {
            let dtype = match column.dtype() {
                Dtype::Object => "|O".to_owned(),
                Dtype::Plain(numpy::Dtype::Scalar(scalar)) => scalar.to_string(),
                Dtype::Plain(dtype) => dtype.to_string(),
            };
            let axes = column.shape().get(1..).unwrap_or_default().to_vec();
            (
                name.clone(),
                dtype,
                axes,
                column.nbytes(),
                u64::try_from(column.sizes().cbytes).unwrap_or(0),
                column.chunklen(),
            )
        };
        table.names().iter().zip(table.columns()).map(facts).collect()
    }

    /// Returns the attributes of the table or of a column as JSON.
    #[pyo3(signature = (column=None))]
    fn attrs(&self, py: Python<'_>, column: Option<&str>) -> PyResult<String> {
        let table = self.snapshot();
        let attrs = match column {
            None => py.detach(|| table.attrs()),
            Some(name) => {
                let column = self::column(py, &table, name)?;
                py.detach(|| column.attrs())
            }
        };
        let json = attrs.or_raise(py)?.to_json().map_err(Error::from).or_raise(py)?;
        Ok(json.dumps())
    }

    /// Refuses results that are larger than `max_nbytes` of the limits.
    fn check_output(&self, py: Python<'_>, nbytes: u64) -> PyResult<()> {
        // The expansion limit is checked chunk by chunk, while they are decoded.
        self.limits.check_output(nbytes, nbytes).map_err(Error::from).or_raise(py)
    }

    /// Reads every `step`th row of a range into one buffer for each column.
    fn read_columns(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        rows: (u64, u64, NonZeroU64),
        outputs: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let (table, cancel) = (self.snapshot(), Cancel::new());
        let ((start, end, step), options) = (rows, self.unpack_options(&cancel)?);
        check_rows(py, &table, &(start..end))?;
        if names.len() != outputs.len() {
            return Err(PyValueError::new_err("one buffer is needed for each column"));
        }
        let columns = names.iter().map(|name| readable(py, &table, name)).collect::<PyResult<Vec<_>>>()?;
        let mut buffers = outputs.iter().map(Buffer::write).collect::<PyResult<Vec<_>>>()?;
        let nbytes = buffers.iter_mut().map(|buffer| buffer.as_mut_slice().len()).sum();
        let work = || {
            columns.iter().zip(&mut buffers).try_for_each(|(column, buffer)| {
                let output = buffer.as_mut_slice();
                if step == NonZeroU64::MIN {
                    return column.read_rows_into(start..end, output, &options);
                }
                column.copy_rows(start..end, step, &mut &mut *output, &options)
            })
        };
        detached(py, nbytes, &cancel, work)?.or_raise(py)
    }

    /// Reads every `step`th row of a range into records of `stride` bytes. `fields` are the names of columns and their
    /// offsets within a record.
    fn read_records(
        &self,
        py: Python<'_>,
        fields: Vec<(String, usize)>,
        rows: (u64, u64, NonZeroU64),
        stride: usize,
        output: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (table, cancel) = (self.snapshot(), Cancel::new());
        let ((start, end, step), options) = (rows, self.unpack_options(&cancel)?);
        check_rows(py, &table, &(start..end))?;
        let mut places = Vec::new();
        for (name, offset) in &fields {
            let column = readable(py, &table, name)?;
            let size = usize::try_from(column.rows().atomsize()).unwrap_or(usize::MAX);
            let place = *offset..offset.saturating_add(size);
            if place.end > stride {
                return Err(PyValueError::new_err(format!("column '{name}' does not fit into the records")));
            }
            places.push((column, place));
        }
        let mut buffer = Buffer::write(output)?;
        let records = buffer.as_mut_slice();
        if (records.len() as u64) != (end - start).div_ceil(step.get()).saturating_mul(stride as u64) {
            return Err(PyValueError::new_err("the buffer does not have the size of the records"));
        }
        let nbytes = records.len();
        let work = || {
            places.into_iter().filter(|_| nbytes > 0).try_for_each(|(column, place)| {
                let mut scatter = Scatter::new(records, stride, place);
                column.copy_rows(start..end, step, &mut scatter, &options)
            })
        };
        // A few of many rows take as long as all.
        let span = (end - start).saturating_mul(stride as u64);
        detached(py, usize::try_from(span).unwrap_or(usize::MAX), &cancel, work)?.or_raise(py)
    }
}
