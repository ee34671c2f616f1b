//! Fields of a structure that have a default value.

use crate::numpy::Field;

/// Returns the fields of `fields` that have a value: all except padding.
pub(super) fn values(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| !field.is_padding())
}
