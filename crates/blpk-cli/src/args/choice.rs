//! Values that are one of a list of names.

use super::bad_value::BadValue;
use bloscpack_format::python_str_repr;

/// Returns the index of a name in the list.
pub(super) fn choice(argument: &str, text: &str, names: &[&str]) -> Result<usize, BadValue> {
    names.iter().position(|name| *name == text).ok_or_else(|| {
        let names = names.iter().map(|name| python_str_repr(name)).collect::<Vec<_>>().join(", ");
        let text = python_str_repr(text);
        BadValue::Usage(format!("argument {argument}: invalid choice: {text} (choose from {names})"))
    })
}
