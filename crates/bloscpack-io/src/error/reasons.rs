//! Reasons of errors, as data: the sources of variants of [`Error`](super::Error).

use blosc_core::{OutOfMemory, memory};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::numpy::Dtype;

/// Why items cannot be written as text or told apart by columns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoText {
    /// A scalar of this dtype has no text.
    #[error("items of dtype {dtype} have no text")]
    Dtype {
        /// The dtype, as NumPy spells it.
        dtype: String,
    },
    /// A table cannot show the fields of this dtype as columns.
    #[error("the fields of dtype {dtype} cannot be told apart")]
    Fields {
        /// The dtype, as NumPy spells it.
        dtype: String,
    },
    /// A row has more fields than a line of text may have.
    #[error("the rows have more than {max} items")]
    Columns {
        /// Maximum number of fields.
        max: usize,
    },
    /// This build writes no CSV.
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

/// Why an input is not the array that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayRefusal {
    /// A bloscpack file without metadata.
    #[error("the file has no metadata")]
    NoMetadata,
    /// A container without a dtype and shape.
    #[error("the archive does not say what its items are")]
    NoDescription,
    /// A container that is not a b2nd array.
    #[error("the {what} is not a b2nd array")]
    NotB2nd {
        /// `file` or `frame`.
        what: &'static str,
    },
    /// A selection for an array with another number of axes.
    #[error("{expected} axes, but the selection has {found}")]
    SelectionAxes {
        /// Axes of the selection.
        found: usize,
        /// Axes of the array.
        expected: usize,
    },
    /// A dtype or shape for a table, whose columns have their own.
    #[error("a table keeps the dtypes and shapes of its columns")]
    Table,
    /// A dtype or shape for the conversion of a whole table.
    #[error("a table keeps its columns' dtypes and shapes; convert one column for others")]
    Columns,
    /// More axes than the format has.
    #[error("{found} axes, expected at most {max}")]
    Axes {
        /// Axes of the array.
        found: usize,
        /// Maximum number of axes.
        max: usize,
    },
    /// Items of a size that the format does not have.
    #[error("items of {found} bytes")]
    ItemSize {
        /// Bytes of an item.
        found: u64,
    },
    /// Another shape for items in Fortran order.
    #[error("its items are in Fortran order, so its shape cannot be changed")]
    FortranOrder,
    /// A dtype and shape of the array for more or fewer bytes than there are.
    #[error("{found} bytes, but its dtype and shape make {}", nbytes(*.expected))]
    Size {
        /// Bytes that there are.
        found: u64,
        /// Bytes by dtype and shape; `None` if they are 2^64 or more.
        expected: Option<u64>,
    },
    /// A dtype and shape of the caller for more or fewer bytes than there are.
    #[error("{found} bytes, but dtype and shape make {}", nbytes(*.expected))]
    TypedSize {
        /// Bytes that there are.
        found: u64,
        /// Bytes by dtype and shape; `None` if they are 2^64 or more.
        expected: Option<u64>,
    },
    /// More than one axis without a length.
    #[error("only one axis can be inferred")]
    OpenAxes,
    /// No length of the open axis makes the bytes that there are.
    #[error(
        "{found} bytes are no multiple of the {} that the other axes make",
        .row.map_or("more than 2**64".into(), |row| row.to_string())
    )]
    OpenAxis {
        /// Bytes that there are.
        found: u64,
        /// Bytes that the other axes make; `None` if they are 2^64 or more.
        row: Option<u64>,
    },
}

/// Why an array cannot be cut into such chunks or blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CutRefusal {
    /// A block is longer than a chunk along an axis.
    #[error("blocks of {block} items along an axis do not fit into chunks of {chunk}")]
    Blocks {
        /// Items of a block along the axis.
        block: u32,
        /// Items of a chunk along the axis.
        chunk: u32,
    },
    /// A chunk or block has more bytes than the format allows.
    #[error("it takes more than {max} bytes")]
    Size {
        /// Maximum number of bytes.
        max: u64,
    },
    /// The shape has another number of axes than the array.
    #[error("it has {found} axes, but the array has {expected}")]
    Axes {
        /// Axes of the shape.
        found: usize,
        /// Axes of the array.
        expected: usize,
    },
}

/// Why an output that was read again is not what was written, if no error is the reason.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadBackMismatch {
    /// The digests of the uncompressed bytes differ.
    #[error("its plain bytes have the {} {found}, not {expected}", .checksum.name())]
    Digest {
        /// The checksum.
        checksum: Checksum,
        /// The digest of the bytes that were read.
        found: Digest,
        /// The digest of the bytes that were compressed.
        expected: Digest,
    },
    /// The output is a pipe or a device, which cannot be read again.
    #[error("'{}' is not a regular file", .0.display())]
    NotRegularFile(std::path::PathBuf),
}

fn nbytes(nbytes: Option<u64>) -> String {
    nbytes.map_or("more than fit a file".into(), |nbytes| nbytes.to_string())
}
