//! The columns of a table of text, and their names.

use blosc_core::memory;
use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, Leaf, NumpyError};

use crate::error::{Error, NoText};

/// Maximum number of fields in a line: programs that read tables support no more.
const MAX_FIELDS: usize = 16_384;

/// Appends the names of the fields of a row to `head`. A row has items along `axes`, and each item consists of
/// `leaves`.
///
/// The name of a scalar is `base`, or `f0` without one. The name of a struct field is its own name after that of
/// `base`. If there are axes, the index of each item is appended: `f0_0`, `f0_1`, ….
pub(crate) fn field_names(
    base: Option<&str>,
    axes: &[u64],
    leaves: &[Leaf],
    head: &mut Vec<String>,
) -> Result<(), Error> {
    let items = axes.iter().try_fold(1_u64, |items, len| items.checked_mul(*len));
    let scalars = leaves.iter().try_fold(0_u64, |sum, leaf| sum.checked_add(leaf.len()));
    let fields = items.zip(scalars).and_then(|(items, scalars)| items.checked_mul(scalars));
    if fields.is_none_or(|fields| fields > MAX_FIELDS.saturating_sub(head.len()) as u64) {
        return Err(Error::NoText(NoText::Columns { max: MAX_FIELDS }));
    }
    for item in 0..items.unwrap_or(0) {
        for leaf in leaves {
            let name = match (base, leaf.name.as_str()) {
                (None, "") => memory::text_of("f0"),
                (Some(base), "") => memory::text_of(base),
                (None, field) => memory::text_of(field),
                (Some(base), field) => memory::format(format_args!("{base}.{field}")),
            }?;
            for scalar in 0..leaf.len() {
                let (item, scalar) = (place(item, axes), place(scalar, &leaf.axes));
                memory::push(head, memory::format(format_args!("{name}{item}{scalar}"))?)?;
            }
        }
    }
    Ok(())
}

/// Returns the indices of item `number` along the axes as a suffix: `_1_0`.
fn place(mut number: u64, axes: &[u64]) -> String {
    let mut at = Vec::with_capacity(axes.len());
    for len in axes.iter().rev() {
        at.push(number % (*len).max(1));
        number /= (*len).max(1);
    }
    at.iter().rev().map(|at| format!("_{at}")).collect()
}

/// Returns the dtype of a bcolz column, which must not be Python objects.
pub(crate) fn plain_dtype(dtype: Option<&Dtype>) -> Result<&Dtype, Error> {
    dtype.ok_or_else(|| FormatError::Numpy(NumpyError::Object).into())
}
