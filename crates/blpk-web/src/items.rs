//! Items for JavaScript's typed arrays.

use blosc_core::memory;
use bloscpack_format::Json;
use bloscpack_format::numpy::{ByteOrder, Dtype, Leaf, Scalar, ScalarKind};
use bloscpack_io::Error;

/// Changes big-endian items to little-endian ones, which all JavaScript engines use. Items with fields stay as they are.
pub(crate) fn to_little_endian(dtype: &Dtype, items: &mut [u8]) {
    let Some(scalar) = scalar_of(dtype) else { return };
    if scalar.byte_order() != ByteOrder::Big {
        return;
    }
    let unit = match scalar.kind() {
        ScalarKind::Complex => scalar.itemsize() as usize / 2,
        ScalarKind::Str => 4,
        _ => scalar.itemsize() as usize,
    };
    items.chunks_exact_mut(unit.max(1)).for_each(<[u8]>::reverse);
}

/// Returns the scalar of which all items consist.
pub(crate) fn scalar_of(dtype: &Dtype) -> Option<&Scalar> {
    match dtype {
        Dtype::Scalar(scalar) => Some(scalar),
        Dtype::Subarray(base, _) => scalar_of(base),
        _ => None,
    }
}

/// Returns the scalars of an item as JSON: name, axes, kind, size.
pub(crate) fn leaves(dtype: &Dtype) -> Result<Json, Error> {
    let Some(leaves) = dtype.leaves()? else { return Ok(Json::Null) };
    let object = |leaf: &Leaf| {
        let axes = leaf.axes.iter().map(|axis| Json::from(*axis as i64)).collect();
        Json::Object(vec![
            ("name".into(), Json::String(leaf.name.clone())),
            ("offset".into(), Json::Int(leaf.offset as i64)),
            ("axes".into(), Json::Array(axes)),
            ("dtype".into(), Json::String(leaf.scalar.to_string())),
            ("kind".into(), Json::String(leaf.scalar.kind().code().into())),
            ("itemsize".into(), Json::Int(leaf.scalar.itemsize().into())),
        ])
    };
    Ok(Json::Array(memory::collect(leaves.iter().map(object))?))
}
