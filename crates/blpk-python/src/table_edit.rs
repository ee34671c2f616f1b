//! Changes of tables. Each call is one writer, which commits before the call returns: after a crash, the table has the
//! change as a whole or not at all.

use std::path::PathBuf;
use std::sync::PoisonError;

use bloscpack_io::bcolz::{CarrayParams, CtableWriter};
use bloscpack_io::bloscpack_format::Json;
use bloscpack_io::bloscpack_format::bcolz::{Dtype, Shuffle};
use bloscpack_io::{Auto, Cancel, Error, FilterPipeline, Threads};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::buffer::Buffer;
use crate::error::OrRaise;
use crate::run::detached;
use crate::settings::{Settings, in_range};
use crate::table::Table;

/// A column to create: name, dtype, axes within a row.
type NewColumn = (String, String, Vec<u64>);

impl Table {
    /// Changes the table by a writer, commits, and takes a new snapshot.
    fn edit<T: Send>(
        &self,
        py: Python<'_>,
        nbytes: usize,
        auto: Option<Auto>,
        change: impl FnOnce(&mut CtableWriter, &Threads, &Cancel) -> Result<T, Error> + Send,
    ) -> PyResult<T> {
        let (threads, cancel) = (crate::run::threads(self.threads)?, Cancel::new());
        let work = || {
            let _one_writer = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
            let mut writer = CtableWriter::open_with(self.path(), &self.open_options())?.auto(auto).cancel(&cancel);
            let done = change(&mut writer, &threads, &cancel)?;
            writer.finish()?;
            self.reopen()?;
            Ok::<T, Error>(done)
        };
        detached(py, nbytes, &cancel, work)?.or_raise(py)
    }
}

impl Settings {
    /// Returns the parameters of a column.
    fn carray(
        &self,
        py: Python<'_>,
        (_, dtype, axes): &NewColumn,
        chunklen: Option<u64>,
        expectedlen: Option<u64>,
    ) -> PyResult<CarrayParams> {
        let dtype = Dtype::parse(dtype).or_refuse(py)?;
        let mut params = CarrayParams::new(dtype).atom_shape(axes).shuffle(self.shuffle()?);
        if let Some(codec) = self.codec {
            params = params.codec(codec);
        }
        if let Some(clevel) = self.clevel {
            params = params.clevel(clevel);
        }
        if let Some(expectedlen) = expectedlen {
            params = params.expectedlen(expectedlen);
        }
        Ok(match chunklen {
            Some(chunklen) => params.chunklen(chunklen),
            None => params,
        })
    }

    /// Returns the filter that the metadata of a column can name.
    fn shuffle(&self) -> PyResult<Shuffle> {
        let Some(filters) = self.filters else { return Ok(Shuffle::default()) };
        let names = [
            (FilterPipeline::none(), Shuffle::None),
            (FilterPipeline::shuffle(), Shuffle::Byte),
            (FilterPipeline::bitshuffle(), Shuffle::Bit),
        ];
        let found = names.into_iter().find(|(pipeline, _)| *pipeline == filters).map(|(_, shuffle)| shuffle);
        found.ok_or_else(|| PyValueError::new_err("filters of a table are 'none', 'shuffle' or 'bitshuffle'"))
    }

    /// Returns the automatic choice for new chunks. A given codec, level or filter is kept.
    fn automatic(&self) -> Option<Auto> {
        self.auto.map(|goal| Auto::new(goal).codec(self.codec).clevel(self.clevel).filters(self.filters))
    }
}

/// Creates a table without rows.
#[pyfunction(signature = (path, columns, *, overwrite=false, chunklen=None, expectedlen=None, **kwargs))]
pub(crate) fn create_table(
    py: Python<'_>,
    path: PathBuf,
    columns: Vec<NewColumn>,
    overwrite: bool,
    #[pyo3(from_py_with = in_range)] chunklen: Option<u64>,
    #[pyo3(from_py_with = in_range)] expectedlen: Option<u64>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let settings = Settings::take(kwargs)?;
    let params = |column: &NewColumn| settings.carray(py, column, chunklen, expectedlen);
    let params = columns.iter().map(params).collect::<PyResult<Vec<_>>>()?;
    let columns: Vec<_> = columns.iter().map(|(name, ..)| name.as_str()).zip(params).collect();
    py.detach(|| CtableWriter::create(&path, overwrite, &columns)?.finish()).or_raise(py)
}

/// Appends rows: one buffer for each column, in the order of the columns. Returns the number of rows appended.
#[pyfunction(signature = (table, rows, **kwargs))]
pub(crate) fn append_rows(
    py: Python<'_>,
    table: &Table,
    rows: Vec<Bound<'_, PyAny>>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<u64> {
    let auto = Settings::take(kwargs)?.automatic();
    let buffers = rows.iter().map(Buffer::read).collect::<PyResult<Vec<_>>>()?;
    let nbytes = buffers.iter().map(|buffer| buffer.as_slice().len()).sum();
    table.edit(py, nbytes, auto, |writer, threads, cancel| {
        writer.append_streams(buffers.iter().map(Buffer::as_slice), threads, cancel)
    })
}

/// Sets the number of rows. New rows have the default value of their column.
#[pyfunction]
pub(crate) fn resize_table(py: Python<'_>, table: &Table, #[pyo3(from_py_with = in_range)] rows: u64) -> PyResult<()> {
    table.edit(py, usize::MAX, None, |writer, _, _| writer.resize(rows))
}

/// Sets an attribute of the table or of a column to a JSON value, or removes it.
#[pyfunction(signature = (table, column, name, json))]
pub(crate) fn set_table_attr(
    py: Python<'_>,
    table: &Table,
    column: Option<&str>,
    name: &str,
    json: Option<&str>,
) -> PyResult<()> {
    let value = json.map(Json::parse).transpose().or_refuse(py)?;
    table.edit(py, 0, None, |writer, _, _| {
        match (column, value) {
            (Some(column), value) => writer.set_column_attr(column, name, value)?,
            (None, Some(value)) => writer.set_attr(name, value)?,
            (None, None) => writer.remove_attr(name)?,
        };
        Ok(())
    })
}

/// Adds a column with its rows, at a position or at the end.
#[pyfunction(signature = (table, column, rows, at=None, *, chunklen=None, **kwargs))]
pub(crate) fn add_column(
    py: Python<'_>,
    table: &Table,
    column: NewColumn,
    rows: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = in_range)] at: Option<usize>,
    #[pyo3(from_py_with = in_range)] chunklen: Option<u64>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<()> {
    let expectedlen = Some(table.snapshot().len()).filter(|len| *len > 0);
    let params = Settings::take(kwargs)?.carray(py, &column, chunklen, expectedlen)?;
    let (name, buffer) = (column.0, Buffer::read(rows)?);
    let bytes = buffer.as_slice();
    table.edit(py, bytes.len(), None, |writer, threads, cancel| {
        writer.add_column(&name, at, &params, bytes, threads, cancel)
    })
}

/// Removes a column and its files.
#[pyfunction]
pub(crate) fn delete_column(py: Python<'_>, table: &Table, name: &str) -> PyResult<()> {
    table.edit(py, 0, None, |writer, _, _| writer.delete_column(name, false))
}

/// Renames a column.
#[pyfunction]
pub(crate) fn rename_column(py: Python<'_>, table: &Table, name: &str, to: &str) -> PyResult<()> {
    table.edit(py, 0, None, |writer, _, _| writer.rename_column(name, to))
}
