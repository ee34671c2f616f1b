//! Arrays: plain bytes with a dtype, a shape and an order, described by the metadata of a bloscpack file.
//!
//! | array | functions |
//! |---|---|
//! | bytes and a [`NumpyMeta`] | [`pack_array`], [`unpack_array`] |
//! | arrays of the `ndarray` crate (feature `ndarray`), also of complex numbers and `half::f16` | `pack_ndarray`, `unpack_ndarray` |
//! | the same arrays in a frame, or a region of any archive | `ndarray_to_frame`, `read_ndarray` |
//! | `.npy` files | [`convert`](crate::convert) |
//!
//! The files are compatible with the `pack_ndarray_*` and `unpack_ndarray_*` functions of the original bloscpack.

#[cfg(feature = "ndarray")]
mod arrays;
#[cfg(feature = "ndarray")]
mod element;

use blosc_core::OutOfMemory;
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, ScalarKind};

#[cfg(all(feature = "ndarray", feature = "write"))]
pub use arrays::ndarray_to_frame;
#[cfg(feature = "ndarray")]
pub use arrays::{pack_ndarray, read_ndarray, unpack_ndarray};
pub use bloscpack_format::numpy::NumpyMeta;
#[cfg(feature = "ndarray")]
pub use element::Element;

use crate::error::ArrayRefusal;
use crate::in_memory::{InMemory, Stored};
use crate::{Archive, Error, Input, PackOptions, PackReport, Sink, UnpackOptions, pack};

/// Packs the bytes of an array, which are in the order of `meta`. The array replaces the typesize and the metadata of
/// `options`. The chunk size is rounded down to whole items.
///
/// # Errors
/// [`Error::ArraySize`] if the number of bytes does not match the array; the errors of [`pack`].
pub fn pack_array<'t>(
    bytes: &[u8],
    meta: &NumpyMeta,
    sink: impl Into<Sink<'t>>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    check_len(meta, bytes.len() as u64)?;
    pack(bytes, sink, &for_array(options, meta)?)
}

/// Unpacks an array. Returns its bytes and their description.
///
/// # Errors
/// [`Error::NotANumpyArray`] if the file does not contain a complete array; the errors of [`Archive::open_with`] and
/// [`Archive::unpack`].
pub fn unpack_array<'a>(input: impl Into<Input<'a>>, options: &UnpackOptions) -> Result<(Vec<u8>, NumpyMeta), Error> {
    let archive = Archive::open_with(input, &options.open_options())?;
    let meta = array_meta(&archive)?;
    let stored = Stored::new(archive.cbytes());
    let mut plain = InMemory::new(&options.limits, &stored);
    archive.unpack(&mut plain, options).map_err(|error| plain.explain(error))?;
    Ok((plain.bytes, meta))
}

/// Returns the array that an archive describes, after checking its size.
fn array_meta(archive: &Archive<'_>) -> Result<NumpyMeta, Error> {
    let Some(metadata) = archive.metadata() else {
        return Err(Error::not_an_array(ArrayRefusal::NoMetadata));
    };
    let meta = NumpyMeta::from_json(metadata).map_err(|error| match error {
        FormatError::OutOfMemory(error) => error.into(),
        error => Error::not_an_array(error),
    })?;
    check_len(&meta, archive.nbytes()).map_err(Error::not_an_array)?;
    Ok(meta)
}

fn check_len(meta: &NumpyMeta, found: u64) -> Result<(), Error> {
    let expected = meta.nbytes();
    if expected == Some(found) { Ok(()) } else { Err(Error::ArraySize { found, expected }) }
}

/// Returns the options for packing an array.
fn for_array(options: &PackOptions, meta: &NumpyMeta) -> Result<PackOptions, OutOfMemory> {
    Ok(for_items(options, &meta.dtype).metadata(Some(meta.to_json()?)))
}

/// Returns the options for packing the items of an array: chunks of whole items, and their size as the typesize.
pub(crate) fn for_items(options: &PackOptions, dtype: &Dtype) -> PackOptions {
    let itemsize = dtype.itemsize().max(1);
    let chunk_size = match options.chunk_size / itemsize * itemsize {
        0 => itemsize,
        whole => whole,
    };
    let params = options.params.typesize(typesize(dtype));
    options.clone().params(params).chunk_size(chunk_size)
}

/// Returns the typesize for filters: the size of an item, or of one character if an item is too large for a chunk
/// header.
fn typesize(dtype: &Dtype) -> usize {
    match (usize::try_from(dtype.itemsize()), dtype) {
        (Ok(itemsize @ 1..=255), _) => itemsize,
        (_, Dtype::Scalar(scalar)) if scalar.kind() == ScalarKind::Str => 4,
        _ => 1,
    }
}
