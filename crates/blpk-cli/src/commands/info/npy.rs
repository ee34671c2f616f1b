//! `blpk info` of a `.npy` file.

use crate::describe;
use crate::json::{Object, number};
use crate::npy::Npy;
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::Result;
use bloscpack_format::numpy::Order;
use std::fs::File;

/// Prints dtype, shape and order of the array.
pub(super) fn print(file: File, report: &Report) -> Result<()> {
    let array = Npy::open(file)?;
    let meta = array.meta();
    let shape: Vec<String> = meta.shape.iter().map(u64::to_string).collect();
    let fields = [
        ("dtype", meta.dtype.to_descr()?),
        ("shape", format!("[{}]", shape.join(", "))),
        ("order", if meta.order == Order::C { "'C'" } else { "'F'" }.into()),
        ("nbytes", double_pretty_size(array.nbytes())),
    ];
    report.normal(describe::block("NumpyArray", &fields));
    Ok(())
}

/// The same as an object.
pub(super) fn object(file: File) -> Result<Object> {
    let array = Npy::open(file)?;
    Ok(Object::new("npy")
        .with("nbytes", number(array.nbytes()))
        .with("cbytes", number(array.len()))
        .with("typesize", number(array.meta().dtype.itemsize()))
        .with("nchunks", number(0))
        .with_array(array.meta())?)
}
