//! Options for opening a container.

use blosc_core::Limits;
use bloscpack_format::numpy::Dtype;

use crate::Cancel;

/// Options for opening a container, to read or to change it.
///
/// ```
/// use bloscpack_io::{Archive, Limits, OpenOptions, PackOptions, pack_bytes};
/// let packed = pack_bytes(&[7; 1000], &PackOptions::new())?;
/// let options = OpenOptions::new().limits(Limits::new().max_memory(1 << 20));
/// assert_eq!(Archive::open_with(packed, &options)?.nbytes(), 1000);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct OpenOptions {
    pub(crate) limits: Limits,
    pub(crate) cancel: Cancel,
    pub(crate) walk: bool,
    pub(crate) column: Option<String>,
    pub(crate) typing: Typing,
}

impl OpenOptions {
    /// Default limits. An array has the dtype and shape that the container describes.
    pub fn new() -> Self {
        OpenOptions::default()
    }

    /// Reads the headers of all chunks of a bloscpack file at once, without using its offsets.
    pub fn walk(mut self, walk: bool) -> Self {
        self.walk = walk;
        self
    }

    /// The column of a ctable, or the path of an array in a Zarr group, for [`LocalSource::open_with`](crate::LocalSource::open_with),
    /// [`read_attributes`](crate::read_attributes) and [`edit_attribute`](crate::edit_attribute). These refuse other
    /// containers, which have no columns. [`Archive::open_with`](crate::Archive::open_with) and
    /// [`Array::open_with`](crate::Array::open_with) use the path for an [`Input`](crate::Input) that is a Zarr group.
    /// They and other functions ignore the option for any other container.
    pub fn column<'n>(mut self, name: impl Into<Option<&'n str>>) -> Self {
        self.column = name.into().map(str::to_owned);
        self
    }

    /// The dtype and shape of an [`Array`](crate::Array).
    pub fn typing(mut self, typing: Typing) -> Self {
        self.typing = typing;
        self
    }
}

/// The dtype and shape that the caller gives to the bytes of an input. `None` takes them from the input.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Typing {
    /// The dtype of the items.
    pub dtype: Option<Dtype>,
    /// The items along each axis. One of them may be `None`: it follows from the number of bytes.
    pub shape: Option<Vec<Option<u64>>>,
    /// Reads the input as raw bytes, even if it looks like a container.
    pub raw: bool,
}

impl Typing {
    /// The dtype and shape of the input.
    pub fn new() -> Self {
        Typing::default()
    }

    /// The dtype of the items.
    pub fn dtype(mut self, dtype: impl Into<Option<Dtype>>) -> Self {
        self.dtype = dtype.into();
        self
    }

    /// The items along each axis. One of them may be `None`: it follows from the number of bytes.
    pub fn shape(mut self, shape: impl Into<Option<Vec<Option<u64>>>>) -> Self {
        self.shape = shape.into();
        self
    }

    /// Reads the input as raw bytes, even if it looks like a container.
    pub fn raw(mut self, raw: bool) -> Self {
        self.raw = raw;
        self
    }
}
