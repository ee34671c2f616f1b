//! Arrays in containers of every kind: their items in C order, all of them or a selection.
//!
//! | file | what it knows |
//! |---|---|
//! | `open` | the kinds of inputs: containers, `.npy` files, raw bytes |
//! | `typing` | dtype and shape: those of the caller, else those of the input |
//! | `copy` | selections, in slabs of bounded memory |
//! | `leaves` | the scalars of an item and their texts |
//! | `columns` | the columns of a table and their names |
//! | `text` | items as text, `.npy` or raw bytes, to any output |

#[cfg(feature = "csv")]
mod columns;
mod copy;
mod leaves;
mod open;
mod text;
mod typing;

use std::io::{self, Read};

use blosc_core::{Limits, memory};
use bloscpack_format::numpy::{NumpyMeta, Order};

#[cfg(feature = "csv")]
pub(crate) use self::columns::{field_names, plain_dtype};
#[cfg(feature = "csv")]
pub(crate) use self::leaves::{each_text, text_leaves};
pub(crate) use self::open::Opened;
#[cfg(feature = "csv")]
pub(crate) use self::text::csv_error;
pub use self::text::{ItemFormat, ItemWriter};
pub use self::typing::Typing;
pub(crate) use self::typing::plain_meta;
use self::typing::whole_items;
use crate::source::{ReadAt, Sequential};
use crate::{Archive, Error, UnpackOptions};

/// An array in a container of any kind, a `.npy` file or raw bytes.
///
/// ```
/// use bloscpack_io::{Array, PackOptions, Typing, UnpackOptions};
/// let plain: Vec<u8> = (0..100).collect();
/// let packed = bloscpack_io::pack_bytes(&plain, &PackOptions::new())?;
/// let typing = Typing { dtype: Some(bloscpack_format::numpy::Dtype::from_type_string("u1")?), shape: Some(vec![Some(10), None]), raw: false };
/// let array = Array::open(packed, &typing, Default::default())?;
/// let selection = "2:4,::-4".parse::<bloscpack_format::numpy::Slice>()?.select(&array.meta().shape)?;
/// let mut items = Vec::new();
/// array.copy_selection(&selection, &mut items, &UnpackOptions::new())?;
/// assert_eq!(items, [29, 25, 21, 39, 35, 31]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Array<R> {
    input: Opened<R>,
    meta: NumpyMeta,
    nbytes: u64,
}

impl<R: ReadAt> Array<R> {
    /// Opens a source. Dtype and shape are those of `typing`, else those of the input. Bytes without a known dtype are
    /// unsigned integers of the typesize. Bytes after the last whole item are none of the array's.
    ///
    /// # Errors
    /// As [`Archive::open_with_limits`]; [`Error::NotANumpyArray`] if the bytes are not the array that was asked for.
    pub fn open(source: R, typing: &Typing, limits: Limits) -> Result<Self, Error> {
        let input = Opened::open(source, typing, limits)?;
        let nbytes = input.exact_nbytes()?;
        let known = input.known()?;
        let meta = match typing.resolve(known.as_ref(), input.typesize(), nbytes)? {
            Some(meta) => meta,
            None => whole_items(known, input.typesize(), nbytes)?,
        };
        Ok(Array { input, meta, nbytes })
    }

    /// Dtype and shape, and the order in which the items are stored.
    pub fn meta(&self) -> &NumpyMeta {
        &self.meta
    }

    /// Bytes of all items.
    pub fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// Number of items.
    pub fn len(&self) -> u64 {
        self.nbytes.checked_div(self.meta.dtype.itemsize()).unwrap_or(0)
    }

    /// Whether it has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The container; `None` for `.npy` files and raw bytes.
    pub fn archive(&self) -> Option<&Archive<R>> {
        match &self.input {
            Opened::Archive(archive) => Some(archive),
            Opened::Plain { .. } => None,
        }
    }

    /// The items in the order in which they are stored, of an array in a frame in C order.
    ///
    /// # Errors
    /// [`Error::Io`].
    pub fn stored<'a>(&'a self, options: &UnpackOptions) -> Result<Box<dyn Read + 'a>, Error> {
        match &self.input {
            Opened::Archive(archive) => Ok(Box::new(archive.reader(options))),
            Opened::Plain { source, at, .. } => {
                let bytes = Sequential::new(source, *at).map_err(Error::io("reading the input"))?;
                Ok(Box::new(io::BufReader::with_capacity(memory::MIN_CHECKED, bytes.take(self.nbytes))))
            }
        }
    }

    /// Whether the items are stored in C order.
    pub fn is_in_order(&self) -> bool {
        self.meta.order == Order::C || self.meta.shape.iter().filter(|len| **len > 1).count() <= 1
    }
}
