//! Arrays of the `ndarray` crate.

use std::borrow::Cow;
use std::path::Path;

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::frame::{FrameType, Region};
use bloscpack_format::numpy::{Dtype, Order};
use ndarray::{Array, ArrayBase, Data, Dimension, ShapeBuilder};

use super::{NumpyMeta, pack_array, unpack_array};
use crate::formats::frame::{ArrayOptions, FrameParams, FrameWriter};
use crate::{Archive, Cancel, Error, Input, PackOptions, PackReport, Sink, Threads, UnpackOptions};

/// A type that items of an array can have: `bool`, the integers and the floats.
pub trait Element: Copy {
    /// NumPy's code of the type, without the byte order.
    const CODE: &'static str;

    /// Appends the item's little-endian bytes.
    fn put(self, bytes: &mut Vec<u8>);

    /// The item with these little-endian bytes, as many as the type has.
    fn get(bytes: &[u8]) -> Self;

    /// The little-endian bytes of items that lie one after the other, if they are so in memory: then none is copied. By
    /// default `None`, and [`Element::put`] is called for each item.
    fn as_bytes(items: &[Self]) -> Option<&[u8]> {
        let _ = items;
        None
    }

    /// The items whose little-endian bytes these are; bytes after the last whole item mean nothing. By default
    /// [`Element::get`] is called for each item.
    ///
    /// # Errors
    /// [`OutOfMemory`].
    fn from_bytes(bytes: &[u8]) -> Result<Vec<Self>, OutOfMemory> {
        memory::collect(bytes.chunks_exact(size_of::<Self>().max(1)).map(Self::get))
    }
}

macro_rules! elements {
    ($($code:literal $element:ty),*) => {$(
        impl Element for $element {
            const CODE: &'static str = $code;

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                bytes.first_chunk().map_or_else(Self::default, |bytes| Self::from_le_bytes(*bytes))
            }

            fn as_bytes(items: &[Self]) -> Option<&[u8]> {
                cfg!(target_endian = "little").then(|| bytemuck::cast_slice(items))
            }

            fn from_bytes(bytes: &[u8]) -> Result<Vec<Self>, OutOfMemory> {
                let (whole, _) = bytes.as_chunks::<{ size_of::<$element>() }>();
                if cfg!(target_endian = "big") {
                    return memory::collect(whole.iter().map(|bytes| Self::from_le_bytes(*bytes)));
                }
                let mut items: Vec<Self> = memory::zeroed(whole.len())?;
                bytemuck::cast_slice_mut(&mut items).copy_from_slice(whole.as_flattened());
                Ok(items)
            }
        }
    )*};
}

elements!("i1" i8, "i2" i16, "i4" i32, "i8" i64, "u1" u8, "u2" u16, "u4" u32, "u8" u64, "f4" f32, "f8" f64);

impl Element for bool {
    const CODE: &'static str = "b1";

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    fn get(bytes: &[u8]) -> Self {
        bytes != [0]
    }
}

/// Packs an array, in Fortran order if it is so in memory, else in C order.
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

/// Unpacks an array whose items have type `A`, of either byte order, and whose shape has the dimensions of `D`.
///
/// # Errors
/// [`Error::NotANumpyArray`] if items or dimensions are others; the errors of [`unpack_array`].
pub fn unpack_ndarray<'a, A: Element, D: Dimension>(
    input: impl Into<Input<'a>>,
    options: &UnpackOptions,
) -> Result<Array<A, D>, Error> {
    let (bytes, meta) = unpack_array(input, options)?;
    from_bytes(bytes, meta)
}

/// Makes a contiguous frame of an array, a file that appears whole or not at all. The typesize of `params` is set by the
/// array.
///
/// # Errors
/// [`Error::OutputExists`]; what [`FrameWriter::create_array`] and [`FrameWriter::write_items`] answer.
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

/// A region of the array that an archive is; all of it if `region` is `None`, which need not be in a frame then.
///
/// # Errors
/// [`Error::NotANumpyArray`] if it is no array, or its items or dimensions are others; what [`Archive::read_slice`] and
/// [`Archive::read_range`] answer.
pub fn read_ndarray<A: Element, D: Dimension>(
    archive: &Archive<'_>,
    region: Option<&Region>,
) -> Result<Array<A, D>, Error> {
    let Some(meta) = archive.numpy().cloned() else {
        return Err(Error::not_an_array("the archive does not say what its items are"));
    };
    match region {
        Some(region) => from_bytes(archive.read_slice(region)?, NumpyMeta { shape: region.extents(), ..meta }),
        None => from_bytes(archive.read_range(0..archive.nbytes())?, meta),
    }
}

/// The items' bytes in the order that the array lies in, if that is one of the two, and what they mean. They are not copied if
/// they lie so in memory.
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
            if fortran {
                array.t().iter().for_each(|item| item.put(&mut bytes));
            } else {
                array.iter().for_each(|item| item.put(&mut bytes));
            }
            Cow::Owned(bytes)
        }
    };
    let dtype = dtype::<A>('<')?;
    let shape = array.shape().iter().map(|&axis| axis as u64).collect();
    let order = if fortran { Order::F } else { Order::C };
    Ok((bytes, NumpyMeta { dtype, shape, order }))
}

/// The array that the bytes are.
fn from_bytes<A: Element, D: Dimension>(mut bytes: Vec<u8>, meta: NumpyMeta) -> Result<Array<A, D>, Error> {
    let NumpyMeta { dtype: found, shape, order } = meta;
    if found == dtype::<A>('>')? && found != dtype::<A>('<')? {
        bytes.chunks_exact_mut(size_of::<A>()).for_each(<[u8]>::reverse);
    } else if found != dtype::<A>('<')? {
        return Err(Error::not_an_array(format!("its dtype is {}, expected {}", found, dtype::<A>('<')?)));
    }
    let items = A::from_bytes(&bytes)?;
    let mut dimensions = D::zeros(D::NDIM.unwrap_or(shape.len()));
    if dimensions.ndim() != shape.len() {
        let (found, expected) = (shape.len(), dimensions.ndim());
        return Err(Error::not_an_array(format!("it has {found} dimensions, expected {expected}")));
    }
    for (dimension, axis) in dimensions.slice_mut().iter_mut().zip(shape) {
        // An axis that does not fit makes more bytes than were found, which has been checked; or none, and is 0.
        *dimension = usize::try_from(axis).unwrap_or(0);
    }
    let array = Array::from_shape_vec(dimensions.set_f(order == Order::F), items);
    array.map_err(Error::not_an_array)
}

/// The type's dtype in a byte order.
fn dtype<A: Element>(byte_order: char) -> Result<Dtype, Error> {
    let dtype = Dtype::from_type_string(&format!("{byte_order}{}", A::CODE));
    dtype.map_err(|error| bloscpack_format::FormatError::from(error).into())
}
