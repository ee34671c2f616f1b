//! Arrays: plain bytes with a dtype, a shape and an order, which the metadata carries.
//!
//! | from and to | |
//! |---|---|
//! | bytes and a [`NumpyMeta`] | [`pack_array`], [`unpack_array`], [`pack_array_to_file`], [`unpack_array_from_file`] |
//! | `.npy` files | [`pack_npy_file`], [`unpack_npy_file`] |
//! | arrays of the `ndarray` crate (feature `ndarray`) | `pack_ndarray`, `unpack_ndarray`, and `…_to_file`, `…_from_file` |
//!
//! Arrays of the `ndarray` crate also go to frames and come out of any archive, in part too: `ndarray_to_frame`,
//! `read_ndarray`.
//!
//! What is written, the original bloscpack's `unpack_ndarray_*` functions read, and the other way round.

#[cfg(feature = "ndarray")]
mod arrays;
mod npy;

use std::fs::File;
use std::path::Path;

use blosc_core::OutOfMemory;
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, Kind};

#[cfg(feature = "ndarray")]
pub use arrays::{
    Element, ndarray_to_frame, pack_ndarray, pack_ndarray_to_file, read_ndarray, unpack_ndarray,
    unpack_ndarray_from_file,
};
pub use bloscpack_format::numpy::NumpyMeta;
pub use npy::{pack_npy_file, unpack_npy_file};

use crate::{
    Archive, Error, PackOptions, PackReport, UnpackOptions, pack_bytes, pack_bytes_to_file, unpack_bytes,
    unpack_bytes_from_file,
};

/// Packs the bytes of an array, which lie in `meta.order`. The typesize and the metadata of `options` are set by the
/// array; the chunk size is rounded down to whole items.
///
/// # Errors
/// [`Error::NotANumpyArray`] if there are more or fewer bytes than the shape says; what [`pack_bytes`] answers.
pub fn pack_array(bytes: &[u8], meta: &NumpyMeta, options: &PackOptions) -> Result<Vec<u8>, Error> {
    check_len(meta, bytes.len() as u64)?;
    pack_bytes(bytes, &for_array(options, meta)?)
}

/// The bytes of a packed array, and what they mean.
///
/// # Errors
/// [`Error::NotANumpyArray`] if the file does not hold an array, or not all of it; what [`unpack_bytes`] answers.
pub fn unpack_array(packed: &[u8], options: &UnpackOptions) -> Result<(Vec<u8>, NumpyMeta), Error> {
    let meta = array_meta(&Archive::open_with(packed, &options.open_options())?)?;
    let (bytes, _) = unpack_bytes(packed, options)?;
    check_len(&meta, bytes.len() as u64)?;
    Ok((bytes, meta))
}

/// [`pack_array`] to a file, which appears whole or not at all.
///
/// # Errors
/// As [`pack_array`], and what [`pack_bytes_to_file`] answers.
pub fn pack_array_to_file(
    bytes: &[u8],
    meta: &NumpyMeta,
    output: impl AsRef<Path>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    check_len(meta, bytes.len() as u64)?;
    pack_bytes_to_file(bytes, output.as_ref(), &for_array(options, meta)?)
}

/// [`unpack_array`] from a file.
///
/// # Errors
/// As [`unpack_array`].
pub fn unpack_array_from_file(input: impl AsRef<Path>, options: &UnpackOptions) -> Result<(Vec<u8>, NumpyMeta), Error> {
    fn inner(input: &Path, options: &UnpackOptions) -> Result<(Vec<u8>, NumpyMeta), Error> {
        let file = File::open(input).map_err(|error| Error::file("opening", input, error))?;
        let meta = array_meta(&Archive::open_with(&file, &options.open_options())?)?;
        let (bytes, _) = unpack_bytes_from_file(input, options)?;
        check_len(&meta, bytes.len() as u64)?;
        Ok((bytes, meta))
    }
    inner(input.as_ref(), options)
}

/// What the bytes of an archive mean, and that it has as many.
fn array_meta(archive: &Archive<'_>) -> Result<NumpyMeta, Error> {
    let Some(metadata) = archive.metadata() else {
        return Err(Error::NotANumpyArray { what: "the file has no metadata".into() });
    };
    let meta = NumpyMeta::from_json(metadata).map_err(|error| match error {
        FormatError::OutOfMemory(error) => error.into(),
        error => Error::NotANumpyArray { what: error.to_string() },
    })?;
    check_len(&meta, archive.nbytes())?;
    Ok(meta)
}

fn check_len(meta: &NumpyMeta, found: u64) -> Result<(), Error> {
    match meta.nbytes() {
        Some(expected) if expected == found => Ok(()),
        expected => {
            let expected = expected.map_or("more than fit a file".into(), |expected| expected.to_string());
            Err(Error::NotANumpyArray { what: format!("{found} bytes, but its dtype and shape make {expected}") })
        }
    }
}

/// The options for an array.
fn for_array(options: &PackOptions, meta: &NumpyMeta) -> Result<PackOptions, OutOfMemory> {
    Ok(for_items(options, &meta.dtype).metadata(Some(meta.to_json()?)))
}

/// The options for the items of an array: whole ones in each chunk, taken apart by the filters.
pub(crate) fn for_items(options: &PackOptions, dtype: &Dtype) -> PackOptions {
    let itemsize = dtype.itemsize().max(1);
    let chunk_size = match options.chunk_size / itemsize * itemsize {
        0 => itemsize,
        whole => whole,
    };
    let params = options.params.typesize(typesize(dtype));
    options.clone().params(params).chunk_size(chunk_size)
}

/// What the filters work on: an item, or, where that is larger than a chunk can say, a character of it.
fn typesize(dtype: &Dtype) -> usize {
    match (usize::try_from(dtype.itemsize()), dtype) {
        (Ok(itemsize @ 1..=255), _) => itemsize,
        (_, Dtype::Scalar(scalar)) if scalar.kind() == Kind::Str => 4,
        _ => 1,
    }
}
