//! Reasons as data: the sources of variants of [`Error`](super::Error).

use blosc_core::{ErrorKind, OutOfMemory, memory};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::numpy::Dtype;

/// The reason why items cannot be written as text or as columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoText {
    /// A scalar of this dtype has no text form.
    #[error("items of dtype {dtype} have no text")]
    Dtype {
        /// The dtype in NumPy's notation.
        dtype: String,
    },
    /// A table cannot show the fields of this dtype as columns.
    #[error("the fields of dtype {dtype} cannot be distinguished")]
    Fields {
        /// The dtype in NumPy's notation.
        dtype: String,
    },
    /// A row has more fields than a line of text may have.
    #[error("the rows have more than {max} items")]
    Columns {
        /// Maximum number of fields.
        max: usize,
    },
    /// This build does not include CSV.
    #[error("bloscpack-io was built without the feature csv")]
    NoCsv,
}

impl NoText {
    pub(crate) fn dtype(dtype: &Dtype) -> Result<Self, OutOfMemory> {
        Ok(NoText::Dtype { dtype: memory::format(format_args!("{dtype}"))? })
    }

    pub(crate) fn fields(dtype: &Dtype) -> Result<Self, OutOfMemory> {
        Ok(NoText::Fields { dtype: memory::format(format_args!("{dtype}"))? })
    }
}

/// The reason why an input is not the requested array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayRefusal {
    /// A bloscpack file without metadata.
    #[error("the file has no metadata")]
    NoMetadata,
    /// A container without a dtype and shape.
    #[error("the archive has no dtype")]
    NoDescription,
    /// A container that is not a b2nd array.
    #[error("the {what} is not a b2nd array")]
    NotB2nd {
        /// `file` or `frame`.
        what: &'static str,
    },
    /// The selection has a different number of axes than the array.
    #[error("{expected} axes, but the selection has {found}")]
    SelectionAxes {
        /// Number of axes of the selection.
        found: usize,
        /// Number of axes of the array.
        expected: usize,
    },
    /// A dtype or shape for a table, whose columns have their own.
    #[error("a table keeps the dtypes and shapes of its columns")]
    Table,
    /// A dtype or shape for the conversion of a whole table.
    #[error("a table keeps its columns' dtypes and shapes; convert one column for others")]
    Columns,
    /// More axes than the format supports.
    #[error("{found} axes, expected at most {max}")]
    Axes {
        /// Number of axes of the array.
        found: usize,
        /// Maximum number of axes.
        max: usize,
    },
    /// Items of a size that the format does not support.
    #[error("items of {found} bytes")]
    ItemSize {
        /// Size of an item in bytes.
        found: u64,
    },
    /// Rows for an array without axes.
    #[error("a zero-dimensional array has no rows")]
    NoRows,
    /// A different shape for items in Fortran order.
    #[error("its items are in Fortran order, so its shape cannot be changed")]
    FortranOrder,
    /// The dtype and shape of the array do not match the number of bytes.
    #[error("{found} bytes, but its dtype and shape require {}", nbytes(*.expected))]
    Size {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes by dtype and shape. `None` if it is 2^64 or more.
        expected: Option<u64>,
    },
    /// The dtype and shape from the caller do not match the number of bytes.
    #[error("{found} bytes, but dtype and shape require {}", nbytes(*.expected))]
    TypedSize {
        /// Number of bytes found.
        found: u64,
        /// Number of bytes by dtype and shape. `None` if it is 2^64 or more.
        expected: Option<u64>,
    },
    /// More than one axis without a length.
    #[error("only one axis can be inferred")]
    OpenAxes,
    /// The number of bytes is not a multiple of the size of the other axes.
    #[error(
        "{found} bytes are not a multiple of {}, the itemsize times the other axes",
        .row.map_or("more than 2**64".into(), |row| row.to_string())
    )]
    OpenAxis {
        /// Number of bytes found.
        found: u64,
        /// Size of the other axes in bytes. `None` if it is 2^64 or more.
        row: Option<u64>,
    },
}

impl ArrayRefusal {
    /// Returns whether the container or the request of the caller is at fault.
    pub(super) fn kind(&self) -> ErrorKind {
        match self {
            Self::NoMetadata | Self::NoDescription | Self::NotB2nd { .. } | Self::Size { .. } => ErrorKind::Damaged,
            Self::SelectionAxes { .. }
            | Self::Table
            | Self::Columns
            | Self::Axes { .. }
            | Self::ItemSize { .. }
            | Self::NoRows
            | Self::FortranOrder
            | Self::TypedSize { .. }
            | Self::OpenAxes
            | Self::OpenAxis { .. } => ErrorKind::InvalidInput,
        }
    }
}

/// The reason why an array cannot be divided into such chunks or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutRefusal {
    /// A block is longer than a chunk along an axis.
    #[error("blocks of {block} items along an axis do not fit into chunks of {chunk}")]
    Blocks {
        /// Number of items of a block along the axis.
        block: u32,
        /// Number of items of a chunk along the axis.
        chunk: u32,
    },
    /// A chunk or block has more bytes than the format allows.
    #[error("it exceeds {max} bytes")]
    Size {
        /// Maximum number of bytes.
        max: u64,
    },
    /// The number of axes of the shape differs from that of the array.
    #[error("it has {found} axes, but the array has {expected}")]
    Axes {
        /// Number of axes of the shape.
        found: usize,
        /// Number of axes of the array.
        expected: usize,
    },
}

/// The difference between a written output and the data read back, if reading succeeded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadBackMismatch {
    /// The digests of the uncompressed bytes differ.
    #[error("the {} of its uncompressed bytes is {found}, expected {expected}", .checksum.name())]
    Digest {
        /// The checksum.
        checksum: Checksum,
        /// The digest of the bytes read back.
        found: Digest,
        /// The digest of the bytes before compression.
        expected: Digest,
    },
    /// The output is a pipe or a device, which cannot be read back.
    #[error("'{}' is not a regular file", .0.display())]
    NotRegularFile(std::path::PathBuf),
}

fn nbytes(nbytes: Option<u64>) -> String {
    nbytes.map_or("more than fit a file".into(), |nbytes| nbytes.to_string())
}
