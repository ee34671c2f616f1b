//! The rows that are appended to a carray: uncompressed bytes, or chunks that another module provides.

use std::io::Read;

use super::column::Column;
use crate::formats::bcolz::store::Directory;
use crate::{Cancel, Error, Threads};

/// Rows that append themselves to a carray. It is empty, or all its chunks are full, unless the rows are a stream.
pub(crate) trait RowInput {
    /// Appends all rows. Returns their number.
    fn append_to<D: Directory>(self, column: &mut Column<D>, threads: &Threads, cancel: &Cancel) -> Result<u64, Error>;
}

/// The uncompressed bytes of rows.
pub(crate) struct RowStream<R>(pub(crate) R);

impl<R: Read> RowInput for RowStream<R> {
    fn append_to<D: Directory>(self, column: &mut Column<D>, threads: &Threads, cancel: &Cancel) -> Result<u64, Error> {
        column.append_stream(self.0, threads, cancel)
    }
}
