//! `blpk info` of a `.npy` file.

use crate::describe;
use crate::json::{Object, number};
use crate::report::Report;
use crate::size::double_pretty_size;
use anyhow::Result;
use bloscpack_format::numpy::Order;
use bloscpack_io::{AnySource, Array};

/// Prints dtype, shape and order of the array.
pub(super) fn print(source: AnySource, report: &Report) -> Result<()> {
    let array = Array::open(source)?;
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
