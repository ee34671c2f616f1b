//! Types for the items of an array.

use blosc_core::{OutOfMemory, memory};
use bytemuck::{AnyBitPattern, NoUninit, Zeroable};
use num_complex::Complex;

use crate::Error;

/// A type for the items of an array.
///
/// | types | dtypes |
/// |---|---|
/// | `bool` | `bool` |
/// | `i8` to `i64`, `u8` to `u64` | `int8` to `int64`, `uint8` to `uint64` |
/// | `f32`, `f64` | `float32`, `float64` |
/// | `num_complex::Complex<f32>`, `Complex<f64>` | `complex64`, `complex128` |
/// | `half::f16`, with the feature `half` | `float16` |
///
/// The size of an item in memory is the size of its bytes.
pub trait Element: Copy {
    /// NumPy's code of the type, without the byte order.
    const CODE: &'static str;

    /// Size in bytes of each number in an item: a complex number has two numbers. Each is stored in the byte order of
    /// the dtype.
    const NUMBER: usize = size_of::<Self>();

    /// Appends the item's little-endian bytes.
    fn put(self, bytes: &mut Vec<u8>);

    /// Returns the item with these little-endian bytes. Their number must be the size of the type.
    fn get(bytes: &[u8]) -> Self;

    /// Returns the little-endian bytes of contiguous items without copying, if their memory has this form. By default
    /// returns `None`, and [`Element::put`] is called for each item.
    fn as_bytes(items: &[Self]) -> Option<&[u8]> {
        let _ = items;
        None
    }

    /// Reads `len` items. `fill` writes their little-endian bytes over zeros. By default, [`Element::get`] is called
    /// for each item. Types with the same form in memory and in the file are written in place.
    ///
    /// # Errors
    /// The error of `fill`; [`Error::OutOfMemory`].
    fn read(len: usize, fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error> {
        let size = size_of::<Self>().max(1);
        let mut bytes = memory::zeroed(len.checked_mul(size).ok_or(OutOfMemory::new(usize::MAX))?)?;
        fill(&mut bytes)?;
        Ok(memory::collect(bytes.chunks_exact(size).map(Self::get))?)
    }
}

/// Returns the bytes of items on little-endian machines.
fn bytes_of<T: NoUninit>(items: &[T]) -> Option<&[u8]> {
    cfg!(target_endian = "little").then(|| bytemuck::cast_slice(items))
}

/// Reads items that `fill` writes in place. On big-endian machines, `to_native` then converts each.
fn read_in_place<T: NoUninit + AnyBitPattern + Zeroable>(
    len: usize,
    fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>,
    to_native: impl Fn(&T) -> T,
) -> Result<Vec<T>, Error> {
    let mut items: Vec<T> = memory::zeroed(len)?;
    fill(bytemuck::cast_slice_mut(&mut items))?;
    if cfg!(target_endian = "big") {
        items.iter_mut().for_each(|item| *item = to_native(item));
    }
    Ok(items)
}

macro_rules! numbers {
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
                bytes_of(items)
            }

            fn read(len: usize, fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error> {
                read_in_place(len, fill, |item: &Self| Self::from_le_bytes(item.to_ne_bytes()))
            }
        }
    )*};
}

numbers!("i1" i8, "i2" i16, "i4" i32, "i8" i64, "u1" u8, "u2" u16, "u4" u32, "u8" u64, "f4" f32, "f8" f64);

macro_rules! complex_numbers {
    ($($code:literal $part:ty),*) => {$(
        impl Element for Complex<$part> {
            const CODE: &'static str = $code;
            const NUMBER: usize = size_of::<$part>();

            fn put(self, bytes: &mut Vec<u8>) {
                self.re.put(bytes);
                self.im.put(bytes);
            }

            fn get(bytes: &[u8]) -> Self {
                let (re, im) = bytes.split_at_checked(Self::NUMBER).unwrap_or_default();
                Complex::new(Element::get(re), Element::get(im))
            }

            fn as_bytes(items: &[Self]) -> Option<&[u8]> {
                bytes_of(items)
            }

            fn read(len: usize, fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error> {
                let part = |part: $part| <$part>::from_le_bytes(part.to_ne_bytes());
                read_in_place(len, fill, |item: &Self| Complex::new(part(item.re), part(item.im)))
            }
        }
    )*};
}

complex_numbers!("c8" f32, "c16" f64);

impl Element for bool {
    const CODE: &'static str = "b1";

    fn put(self, bytes: &mut Vec<u8>) {
        bytes.push(self.into());
    }

    fn get(bytes: &[u8]) -> Self {
        bytes != [0]
    }

    fn as_bytes(items: &[Self]) -> Option<&[u8]> {
        bytes_of(items)
    }
}

#[cfg(feature = "half")]
mod half {
    use half::f16;
    use half::slice::HalfFloatSliceExt as _;
    use half::vec::HalfBitsVecExt as _;

    use super::{Element, Error};

    impl Element for f16 {
        const CODE: &'static str = "f2";

        fn put(self, bytes: &mut Vec<u8>) {
            bytes.extend(self.to_le_bytes());
        }

        fn get(bytes: &[u8]) -> Self {
            f16::from_bits(Element::get(bytes))
        }

        fn as_bytes(items: &[Self]) -> Option<&[u8]> {
            u16::as_bytes(items.reinterpret_cast())
        }

        fn read(len: usize, fill: &mut dyn FnMut(&mut [u8]) -> Result<(), Error>) -> Result<Vec<Self>, Error> {
            Ok(u16::read(len, fill)?.reinterpret_into())
        }
    }
}
