//! Fields of a structure that have a default value.

use crate::numpy::Field;

/// The fields of `fields` that have a value: padding has none.
pub(super) fn values(fields: &[Field]) -> impl Iterator<Item = &Field> {
    fields.iter().filter(|field| !field.is_padding())
}
