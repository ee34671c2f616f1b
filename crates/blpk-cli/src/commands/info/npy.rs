//! `blpk info` of a `.npy` file.

use crate::json::{Object, number};
use crate::report::Report;
use anyhow::Result;
use bloscpack_io::{AnySource, Array, describe};

/// Prints dtype, shape and order of the array.
pub(super) fn print(source: AnySource, report: &Report) -> Result<()> {
    report.normal(describe::npy(&Array::open(source)?)?);
    Ok(())
}

/// Returns the same as an object.
pub(super) fn object(source: AnySource) -> Result<Object> {
    let array = Array::open(source)?;
    Ok(Object::new("npy")
        .with("nbytes", number(array.nbytes()))
        .with("cbytes", number(array.archive().cbytes()))
        .with("typesize", number(array.meta().dtype.itemsize()))
        .with("nchunks", number(0))
        .with_array(array.meta())?)
}
