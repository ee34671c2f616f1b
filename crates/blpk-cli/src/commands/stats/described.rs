//! An array with its statistics.

use bloscpack_format::numpy::NumpyMeta;
use bloscpack_io::ColumnStats;

/// An array or a column of a table, with its statistics.
pub(super) struct Described {
    /// The name of a column.
    pub(super) column: Option<String>,
    pub(super) meta: NumpyMeta,
    pub(super) nbytes: u64,
    pub(super) fields: Vec<ColumnStats>,
}
