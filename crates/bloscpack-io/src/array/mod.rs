//! Arrays in containers of any kind: reads their items in C order, all of them or a selection.
//!
//! | file | content |
//! |---|---|
//! | `typing` | dtype and shape, from the caller or else from the input |
//! | `copy` | selections, in slabs of bounded memory |
//! | `items` | regions, for writers of other arrays |
//! | `rows` | rows in C order, for sequential readers |
//! | `leaves` | the scalars of an item and their texts |
//! | `columns` | the columns of a table and their names |
//! | `text` | items as text, `.npy` or raw bytes, to any output |

#[cfg(feature = "csv")]
mod columns;
mod copy;
mod items;
mod leaves;
mod rows;
mod text;
mod typing;

use std::io::Write;
use std::ops::Range;

use bloscpack_format::numpy::{NumpyMeta, Order, Selection};

#[cfg(feature = "csv")]
pub(crate) use self::columns::{field_names, plain_dtype};
#[cfg(feature = "csv")]
pub(crate) use self::leaves::{each_text, text_leaves};
pub(crate) use self::rows::RowReader;
#[cfg(feature = "csv")]
pub(crate) use self::text::csv_error;
pub use self::text::{ItemFormat, ItemWriter};
pub(crate) use self::typing::plain_meta;
use self::typing::whole_items;
use crate::formats::npy::PlainFile;
use crate::open::open;
use crate::source::{Input, ReadAt};
use crate::{Archive, Error, OpenOptions, PlainReader, UnpackOptions};

/// An array in a container of any kind, a `.npy` file or raw bytes.
///
/// ```
/// use bloscpack_io::{Array, OpenOptions, PackOptions, Typing, UnpackOptions};
/// let plain: Vec<u8> = (0..100).collect();
/// let packed = bloscpack_io::pack_bytes(&plain, &PackOptions::new())?;
/// let typing = Typing::new().dtype(bloscpack_format::numpy::Dtype::from_type_string("u1")?).shape(vec![Some(10), None]);
/// let array = Array::open_with(packed, &OpenOptions::new().typing(typing))?;
/// let selection = "2:4,::-4".parse::<bloscpack_format::numpy::Slice>()?.select(&array.meta().shape)?;
/// let mut items = Vec::new();
/// array.copy_selection(&selection, &mut items, &UnpackOptions::new())?;
/// assert_eq!(items, [29, 25, 21, 39, 35, 31]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Array<'a> {
    archive: Archive<'a>,
    meta: NumpyMeta,
    nbytes: u64,
}

impl<'a> Array<'a> {
    /// Opens an input: a container, or a `.npy` file. Bytes without a known dtype are unsigned integers of the
    /// typesize. Bytes after the last complete item are not part of the array.
    ///
    /// # Errors
    /// As [`Archive::open`].
    pub fn open(input: impl Into<Input<'a>>) -> Result<Self, Error> {
        Array::open_with(input, &OpenOptions::new())
    }

    /// [`Array::open`] with other options. The dtype and shape come from the options, or else from the input. If the
    /// options have a dtype, an input of unknown format is read as raw bytes.
    ///
    /// # Errors
    /// As [`Archive::open_with`]; [`Error::NotANumpyArray`] if the bytes do not match the requested dtype and shape.
    pub fn open_with(input: impl Into<Input<'a>>, options: &OpenOptions) -> Result<Self, Error> {
        let typing = &options.typing;
        let archive = open(input.into(), typing.accepted(), options)?;
        let (known, typesize, nbytes) = (known(&archive)?, archive.typesize() as u64, archive.nbytes());
        let meta = match typing.resolve(known.as_ref(), typesize, nbytes)? {
            Some(meta) => meta,
            None => whole_items(known, typesize, nbytes)?,
        };
        // Without the bytes after the last complete item.
        let nbytes = meta.nbytes().unwrap_or(nbytes);
        Ok(Array { archive, meta, nbytes })
    }

    /// Opens an array of uncompressed items that start at offset `at` of `source`.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the source has fewer bytes than the items; [`Error::Io`].
    pub fn plain(source: impl ReadAt + 'a, at: u64, meta: NumpyMeta) -> Result<Self, Error> {
        let archive = Archive::new(Box::new(PlainFile::items(Box::new(source), at, &meta)?));
        Ok(Array { nbytes: archive.nbytes(), archive, meta })
    }

    pub(crate) fn view(&self) -> View<'_> {
        View { archive: &self.archive, meta: &self.meta }
    }

    /// Returns the dtype and shape, and the order in which the items are stored.
    pub fn meta(&self) -> &NumpyMeta {
        &self.meta
    }

    /// Returns the size of all items in bytes.
    pub fn nbytes(&self) -> u64 {
        self.nbytes
    }

    /// Returns the number of items.
    pub fn len(&self) -> u64 {
        self.nbytes.checked_div(self.meta.dtype.itemsize()).unwrap_or(0)
    }

    /// Returns whether the array has no items.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the container.
    pub fn archive(&self) -> &Archive<'a> {
        &self.archive
    }

    /// Returns a reader of the items in the order in which they are stored, and of the bytes after the last complete
    /// item. For an array in a frame, this is C order.
    pub fn stored(&self, options: &UnpackOptions) -> PlainReader<'_> {
        self.archive.reader(options)
    }

    /// Writes the selected items to `output` in C order. Only the blocks that hold a selected item are decoded. In
    /// addition to the chunks in flight, at most 32 MiB of items, or a quarter of
    /// [`Limits::max_memory`](crate::Limits::max_memory), are in memory. A selection of more than twice that from a
    /// bloscpack array in Fortran order goes through a temporary file.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if the selection has another number of axes than the array, or an item outside an axis;
    /// else as [`Archive::copy_range`].
    pub fn copy_selection(
        &self,
        selection: &Selection,
        output: &mut impl Write,
        options: &UnpackOptions,
    ) -> Result<(), Error> {
        self.view().copy_part(selection, 0..u64::MAX, output, options)
    }

    /// Reads the selected items into `items`, in C order. Only the blocks that hold a selected item are decoded. In
    /// addition to `items`, the chunks in flight are in memory.
    ///
    /// # Errors
    /// As [`Array::copy_selection`]; [`Error::Format`] if `items` has another size than the selected items.
    pub fn read_into(&self, selection: &Selection, items: &mut [u8], options: &UnpackOptions) -> Result<(), Error> {
        self.view().read_into(selection, items, options)
    }

    /// Writes a range of the items, numbered in C order.
    ///
    /// # Errors
    /// [`Error::Range`] if the range is not within the items; else as [`Array::copy_selection`].
    pub fn copy_items(&self, items: Range<u64>, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        let len = self.len();
        if items.start > items.end || items.end > len {
            return Err(Error::Range { unit: "items", start: items.start, end: items.end, len });
        }
        self.view().copy_part(&Selection::all(&self.meta.shape), items, output, options)
    }

    /// Writes a range of the stored bytes, which may include those after the last complete item.
    ///
    /// # Errors
    /// As [`Archive::copy_range`].
    pub fn copy_bytes(&self, range: Range<u64>, output: &mut impl Write, options: &UnpackOptions) -> Result<(), Error> {
        self.archive.copy_range_with(range, output, options)
    }
}

/// The plain bytes of an archive as the array `meta`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) archive: &'a Archive<'a>,
    pub(crate) meta: &'a NumpyMeta,
}

/// Returns whether items are stored in C order.
pub(crate) fn are_in_order(meta: &NumpyMeta) -> bool {
    meta.order == Order::C || meta.shape.iter().filter(|len| **len > 1).count() <= 1
}

/// Returns the array that an input describes. An array in a frame has a shape even without a dtype. Raw bytes are
/// unsigned integers.
pub(crate) fn known(archive: &Archive<'_>) -> Result<Option<NumpyMeta>, Error> {
    match (archive.numpy(), archive.array()) {
        (None, None) if archive.uncompressed().is_some() => Ok(Some(plain_meta(1, archive.nbytes())?)),
        (None, Some(array)) => {
            let plain = plain_meta(archive.typesize() as u64, archive.nbytes())?;
            Ok(Some(NumpyMeta { shape: array.shape.clone(), ..plain }))
        }
        (numpy, _) => Ok(numpy.cloned()),
    }
}
