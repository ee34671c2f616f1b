//! Values of a fixed size, and values that Arrow lacks.

use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{Buffer, NullBuffer};
use arrow_data::ArrayDataBuilder;
use arrow_schema::{ArrowError, DataType};

/// A value that has no place in an Arrow array.
#[derive(Debug)]
pub(super) struct Refusal {
    /// Its index within the rows.
    pub(super) index: usize,
    pub(super) what: String,
}

impl Refusal {
    /// Returns the error for a column whose rows start with row `first` of the table.
    pub(super) fn in_column(self, name: &str, first: u64) -> ArrowError {
        let row = first + self.index as u64;
        ArrowError::ExternalError(format!("column '{name}', row {row}: {}", self.what).into())
    }

    pub(super) fn arrow(error: ArrowError) -> Self {
        Refusal { index: 0, what: error.to_string() }
    }
}

/// Returns items of a fixed size as an array. They are copied only if their memory is not aligned for them.
pub(super) fn fixed(
    data_type: DataType,
    count: usize,
    plain: Vec<u8>,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, Refusal> {
    let data = ArrayDataBuilder::new(data_type).len(count).add_buffer(Buffer::from_vec(plain)).nulls(nulls);
    data.align_buffers(true).build().map(make_array).map_err(Refusal::arrow)
}

/// Reverses the bytes of each item.
pub(super) fn swapped(mut plain: Vec<u8>, size: usize) -> Vec<u8> {
    match size {
        2 => plain.as_chunks_mut::<2>().0.iter_mut().for_each(|item| item.reverse()),
        4 => plain.as_chunks_mut::<4>().0.iter_mut().for_each(|item| item.reverse()),
        8 => plain.as_chunks_mut::<8>().0.iter_mut().for_each(|item| item.reverse()),
        _ => plain.chunks_exact_mut(size.max(1)).for_each(<[u8]>::reverse),
    }
    plain
}
