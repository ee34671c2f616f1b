//! Arrays of the `ndarray` crate.

use std::borrow::Cow;
use std::path::Path;

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::frame::{FrameType, Region};
use bloscpack_format::numpy::{Dtype, Order};
use ndarray::{Array, ArrayBase, Data, Dimension, ShapeBuilder};

use super::{Element, NumpyMeta, array_meta, check_len, pack_array};
use crate::error::ArrayRefusal;
#[cfg(feature = "write")]
use crate::formats::frame::{ArrayOptions, FrameParams, FrameWriter};
use crate::{Archive, Cancel, Error, Input, PackOptions, PackReport, Sink, Threads, UnpackOptions};

/// Packs an array, in Fortran order if it has this order in memory, else in C order.
///
/// # Errors
/// The errors of [`pack_array`].
pub fn pack_ndarray<'t, A: Element, S: Data<Elem = A>, D: Dimension>(
    array: &ArrayBase<S, D>,
    sink: impl Into<Sink<'t>>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    let (bytes, meta) = to_bytes(array)?;
    pack_array(&bytes, &meta, sink, options)
}

/// Unpacks an array of items of type `A`, in either byte order, with the dimensions of `D`. The items are decoded
/// directly into the array.
///
/// # Errors
/// [`Error::ItemType`] and [`Error::Dimensions`] if the item type or the dimensions differ; the errors of
/// [`unpack_array`](super::unpack_array).
pub fn unpack_ndarray<'a, A: Element, D: Dimension>(
    input: impl Into<Input<'a>>,
    options: &UnpackOptions,
) -> Result<Array<A, D>, Error> {
    let archive = Archive::open_with(input, &options.open_options())?;
    let meta = array_meta(&archive)?;
    archive.check_output(archive.nbytes(), &options.limits)?;
    read(meta, archive.nbytes(), &mut |mut bytes| archive.unpack(&mut bytes, options).map(drop))
}

/// Writes an array to a contiguous frame, a file that appears complete or not at all. The array replaces the typesize
/// of `params`.
///
/// # Errors
/// [`Error::OutputExists`]; the errors of [`FrameWriter::create_array`] and [`FrameWriter::write_items`].
#[cfg(feature = "write")]
pub fn ndarray_to_frame<A: Element, S: Data<Elem = A>, D: Dimension>(
    array: &ArrayBase<S, D>,
    output: impl AsRef<Path>,
    overwrite: bool,
    options: &ArrayOptions,
    params: FrameParams,
    threads: &Threads,
) -> Result<(), Error> {
    let (bytes, meta) = to_bytes(array)?;
    let params = params.typesize(size_of::<A>() as u32);
    let cut = options.array(&meta)?;
    let mut writer = FrameWriter::create_array(output.as_ref(), FrameType::Contiguous, overwrite, cut, params)?;
    writer.write_items(&crate::Array::plain(&*bytes, 0, meta)?, threads, &Cancel::new())?;
    writer.finish()
}

/// Reads a region of the array in an archive. If `region` is `None`, reads the whole array, which need not be in a
/// frame.
///
/// # Errors
/// [`Error::NotANumpyArray`] if the archive is not an array; [`Error::ItemType`] and [`Error::Dimensions`] if the item
/// type or the dimensions differ; the errors of [`Archive::read_slice`] and [`Archive::read_range`].
pub fn read_ndarray<A: Element, D: Dimension>(
    archive: &Archive<'_>,
    region: Option<&Region>,
) -> Result<Array<A, D>, Error> {
    let Some(meta) = archive.numpy().cloned() else {
        return Err(Error::not_an_array(ArrayRefusal::NoDescription));
    };
    let options = archive.serial_options();
    match region {
        Some(region) => {
            let len = archive.expect_grid()?.nbytes_of(region)?;
            archive.check_output(len, &options.limits)?;
            let meta = NumpyMeta { shape: region.extents(), ..meta };
            read(meta, len, &mut |mut bytes| archive.copy_slice(region, &mut bytes, &options))
        }
        None => {
            let len = archive.nbytes();
            check_len(&meta, len).map_err(Error::not_an_array)?;
            archive.check_output(len, &options.limits)?;
            read(meta, len, &mut |mut bytes| archive.copy_range_with(0..len, &mut bytes, &options))
        }
    }
}

/// Returns the bytes of the items and their description. They have the array's own memory order if that is C or Fortran
/// order. Items are not copied if their memory already is these bytes.
fn to_bytes<A: Element, S: Data<Elem = A>, D: Dimension>(
    array: &ArrayBase<S, D>,
) -> Result<(Cow<'_, [u8]>, NumpyMeta), Error> {
    let fortran = !array.is_standard_layout() && array.t().is_standard_layout();
    let in_order = fortran || array.is_standard_layout();
    let items = if in_order { array.as_slice_memory_order() } else { None };
    let bytes = match items.and_then(A::as_bytes) {
        Some(bytes) => Cow::Borrowed(bytes),
        None => {
            let mut bytes = memory::with_capacity(array.len() * size_of::<A>())?;
            let ordered = if fortran { array.t() } else { array.view() };
            for row in ordered.rows() {
                match row.as_slice().and_then(A::as_bytes) {
                    Some(row) => memory::extend(&mut bytes, row)?,
                    None => row.iter().for_each(|item| item.put(&mut bytes)),
                }
            }
            Cow::Owned(bytes)
        }
    };
    let dtype = dtype::<A>('<')?;
    let shape = array.shape().iter().map(|&axis| axis as u64).collect();
    let order = if fortran { Order::F } else { Order::C };
    Ok((bytes, NumpyMeta { dtype, shape, order }))
}

/// Reads the array that `meta` describes. `fill` writes the `nbytes` bytes of its items.
fn read<A: Element, D: Dimension>(
    meta: NumpyMeta,
    nbytes: u64,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>,
) -> Result<Array<A, D>, Error> {
    let NumpyMeta { dtype: found, shape, order } = meta;
    let expected = dtype::<A>('<')?;
    let is_swapped = found != expected && found == dtype::<A>('>')?;
    if found != expected && !is_swapped {
        return Err(Error::ItemType { found, expected });
    }
    let mut dimensions = D::zeros(D::NDIM.unwrap_or(shape.len()));
    if dimensions.ndim() != shape.len() {
        return Err(Error::Dimensions { found: shape.len(), expected: dimensions.ndim() });
    }
    for (dimension, axis) in dimensions.slice_mut().iter_mut().zip(shape) {
        // The size was checked, so an axis that does not fit `usize` can only occur in an array without items. Then 0
        // is used.
        *dimension = usize::try_from(axis).unwrap_or(0);
    }
    let nbytes = usize::try_from(nbytes).map_err(|_| OutOfMemory::new(usize::MAX))?;
    let items = A::read(nbytes / size_of::<A>().max(1), &mut |bytes| {
        fill(bytes)?;
        if is_swapped {
            bytes.chunks_exact_mut(A::NUMBER.max(1)).for_each(<[u8]>::reverse);
        }
        Ok(())
    })?;
    let array = Array::from_shape_vec(dimensions.set_f(order == Order::F), items);
    array.map_err(Error::not_an_array)
}

/// Returns the dtype of the type in a byte order.
fn dtype<A: Element>(byte_order: char) -> Result<Dtype, Error> {
    let dtype = Dtype::from_type_string(&format!("{byte_order}{}", A::CODE));
    dtype.map_err(|error| bloscpack_format::FormatError::from(error).into())
}
