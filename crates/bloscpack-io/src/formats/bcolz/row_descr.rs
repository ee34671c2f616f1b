//! The dtype of the rows of a table in NumPy's `descr` notation.

use std::fmt::{self, Write};

use bloscpack_format::write_str_repr;

use super::carray::Carray;
use crate::source::ReadDirectory;

/// Writes the `descr` of rows with these columns: a field for each, and `'|O'` for Python objects.
pub(super) fn write<'a, D: ReadDirectory + 'a>(
    columns: impl Iterator<Item = (&'a String, &'a Carray<D>)>,
    descr: &mut impl Write,
) -> fmt::Result {
    descr.write_char('[')?;
    for (index, (name, column)) in columns.enumerate() {
        descr.write_str(if index == 0 { "" } else { ", " })?;
        write_field(name, column, descr)?;
    }
    descr.write_char(']')
}

fn write_field<D: ReadDirectory>(name: &str, column: &Carray<D>, descr: &mut impl Write) -> fmt::Result {
    descr.write_char('(')?;
    write_str_repr(name, descr)?;
    match column.dtype().as_plain() {
        Some(dtype) => write!(descr, ", {dtype}")?,
        None => descr.write_str(", '|O'")?,
    }
    let axes: Vec<String> = column.shape().iter().skip(1).map(u64::to_string).collect();
    match axes.as_slice() {
        [] => {}
        [axis] => write!(descr, ", ({axis},)")?,
        axes => write!(descr, ", ({})", axes.join(", "))?,
    }
    descr.write_char(')')
}
