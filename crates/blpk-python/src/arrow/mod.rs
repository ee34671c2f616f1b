//! Tables as Arrow streams: batches of bounded size, decoded when the consumer asks for them.
//!
//! A consumer may pull batches from any thread, attached to the interpreter or not, so nothing here uses the
//! interpreter after the capsule is made.
//!
//! | file | content |
//! |---|---|
//! | `layout` | the Arrow type of each dtype |
//! | `convert` | rows as Arrow arrays |
//! | `time` | dates and spans of time |
//! | `value` | values of a fixed size, and values that Arrow lacks |

mod convert;
mod layout;
mod time;
mod value;

use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchOptions, RecordBatchReader};
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use bloscpack_io::bloscpack_format::bcolz::Dtype;
use bloscpack_io::{Error, Limits, OutOfMemory, UnpackOptions};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error::unsupported;
use crate::settings::in_range;
use crate::table::{Local, Table, check_rows, column, object_column};
use layout::Layout;

/// Rows of a batch, unless chunks have more.
const BATCH_ROWS: u64 = 1 << 16;

/// Uncompressed bytes of a batch. A single row may have more.
const BATCH_BYTES: u64 = 32 << 20;

/// Selected columns of a snapshot, with their Arrow types.
struct Selection {
    table: Arc<Local>,
    columns: Vec<(String, Layout)>,
    schema: SchemaRef,
}

impl Selection {
    /// Returns the columns of these names. `binary` names columns of bytes that are not text.
    fn new(py: Python<'_>, table: &Table, names: Vec<String>, binary: &HashSet<String>) -> PyResult<Self> {
        let table = table.snapshot();
        let (mut columns, mut fields) = (Vec::new(), Vec::new());
        for name in names {
            let found = column(py, &table, &name)?;
            let Dtype::Plain(dtype) = found.dtype() else {
                return Err(unsupported(py, object_column(&name)));
            };
            let axes = found.shape().get(1..).unwrap_or_default();
            let layout = Layout::of_rows(dtype, axes, binary.contains(&name)).map_err(|what| {
                unsupported(py, format!("column '{name}' of dtype {dtype} has no Arrow type: {what}"))
            })?;
            fields.push(Field::new(&name, layout.data_type(), true));
            columns.push((name, layout));
        }
        Ok(Selection { table, columns, schema: Arc::new(Schema::new(fields)) })
    }

    /// Returns the rows of a batch: whole chunks where they fit, so that no block is decoded twice.
    fn batch_rows(&self) -> u64 {
        let of_names = || self.columns.iter().filter_map(|(name, _)| self.table.column(name));
        let row: u64 = of_names().map(|column| column.rows().atomsize()).fold(0, u64::saturating_add);
        let chunk = of_names().map(|column| column.chunklen()).max().unwrap_or(1).max(1);
        let most = (BATCH_BYTES / row.max(1)).max(1);
        match chunk <= most {
            true => chunk * (BATCH_ROWS.min(most) / chunk).max(1),
            false => most.min(BATCH_ROWS),
        }
    }
}

/// The rows of a selection, batch by batch.
struct Batches {
    selection: Selection,
    rows: Range<u64>,
    batch: u64,
    threads: usize,
    limits: Limits,
}

impl Batches {
    fn read(&self, rows: Range<u64>) -> Result<RecordBatch, ArrowError> {
        // Requested for each batch: after a fork between two batches, the child must not wait for threads of its parent.
        let threads = crate::run::threads(self.threads)
            .map_err(|_| ArrowError::MemoryError("starting threads: the system has no more".into()))?;
        let options = UnpackOptions::new().limits(self.limits).threads(threads);
        let count = usize::try_from(rows.end - rows.start).map_err(|_| out_of_memory(&OutOfMemory::new(usize::MAX)))?;
        let mut arrays = Vec::with_capacity(self.selection.columns.len());
        for (name, layout) in &self.selection.columns {
            // The schema was made of the columns of the same snapshot.
            let Some(column) = self.selection.table.column(name) else { continue };
            let plain = column.read_rows_with(rows.clone(), &options).map_err(|error| failed(&error))?;
            arrays.push(layout.array(plain, count).map_err(|refusal| refusal.in_column(name, rows.start))?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(count));
        RecordBatch::try_new_with_options(self.selection.schema.clone(), arrays, &options)
    }
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rows.is_empty() {
            return None;
        }
        // The first batch ends where a chunk ends.
        let end = (self.rows.start / self.batch + 1).saturating_mul(self.batch).min(self.rows.end);
        let batch = self.read(self.rows.start..end);
        // The stream ends after an error.
        self.rows.start = if batch.is_ok() { end } else { self.rows.end };
        Some(batch)
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        self.selection.schema.clone()
    }
}

fn failed(error: &Error) -> ArrowError {
    ArrowError::ExternalError(error.report().to_string().into())
}

fn out_of_memory(error: &OutOfMemory) -> ArrowError {
    ArrowError::MemoryError(error.to_string())
}

/// Returns a capsule with a stream of the rows of these columns.
#[pyfunction(signature = (table, names, binary, start, end, batch_rows=None))]
pub(crate) fn table_stream<'py>(
    py: Python<'py>,
    table: &Table,
    names: Vec<String>,
    binary: HashSet<String>,
    start: u64,
    end: u64,
    #[pyo3(from_py_with = in_range)] batch_rows: Option<u64>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let selection = Selection::new(py, table, names, &binary)?;
    check_rows(py, &selection.table, &(start..end))?;
    let batch = match batch_rows {
        Some(0) => return Err(PyValueError::new_err("batch_rows must be at least 1")),
        Some(rows) => rows,
        None => selection.batch_rows(),
    };
    let batches = Batches { selection, rows: start..end, batch, threads: table.threads, limits: table.limits };
    let stream = FFI_ArrowArrayStream::new(Box::new(batches));
    // A stream that no consumer took is released with the capsule.
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

/// Returns a capsule with the schema of these columns.
#[pyfunction]
pub(crate) fn table_schema<'py>(
    py: Python<'py>,
    table: &Table,
    names: Vec<String>,
    binary: HashSet<String>,
) -> PyResult<Bound<'py, PyCapsule>> {
    let selection = Selection::new(py, table, names, &binary)?;
    let schema = FFI_ArrowSchema::try_from(selection.schema.as_ref());
    let schema = schema.map_err(|error| unsupported(py, error.to_string()))?;
    PyCapsule::new_with_value(py, schema, c"arrow_schema")
}
