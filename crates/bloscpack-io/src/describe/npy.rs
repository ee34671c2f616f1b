//! A `.npy` file as text.

use blosc_core::OutOfMemory;
use bloscpack_format::numpy::Order;

use super::size::double_pretty_size;
use super::text::block;
use crate::Array;

/// Returns dtype, shape and order of an array.
///
/// # Errors
/// [`OutOfMemory`].
pub fn npy(array: &Array<'_>) -> Result<String, OutOfMemory> {
    let meta = array.meta();
    let shape: Vec<String> = meta.shape.iter().map(u64::to_string).collect();
    let fields = [
        ("dtype", meta.dtype.to_descr()?),
        ("shape", format!("[{}]", shape.join(", "))),
        ("order", if meta.order == Order::C { "'C'" } else { "'F'" }.into()),
        ("nbytes", double_pretty_size(array.nbytes())),
    ];
    Ok(block("NumpyArray", &fields))
}
