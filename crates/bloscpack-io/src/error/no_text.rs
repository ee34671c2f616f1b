//! Why items have no text.

use blosc_core::{OutOfMemory, memory};
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
}

impl NoText {
    pub(crate) fn dtype(dtype: &Dtype) -> Result<Self, OutOfMemory> {
        Ok(NoText::Dtype { dtype: memory::format(format_args!("{dtype}"))? })
    }

    pub(crate) fn fields(dtype: &Dtype) -> Result<Self, OutOfMemory> {
        Ok(NoText::Fields { dtype: memory::format(format_args!("{dtype}"))? })
    }
}
