//! Integers of any size.

use super::bad_value::BadValue;
use crate::python;
use bloscpack_format::python_str_repr;
use std::fmt;

/// An integer of any size, like Python's, stored as its digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Int(String);

impl Int {
    /// Creates an integer from decimal digits, with a minus sign if it is negative.
    pub(super) fn of_digits(digits: String) -> Int {
        Int(digits)
    }

    /// Converts the integer to `T`, if it fits.
    pub(crate) fn to<T: std::str::FromStr>(&self) -> Option<T> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Parses an integer as Python does.
pub(super) fn int(argument: &str, text: &str) -> Result<Int, BadValue> {
    let invalid = || BadValue::Usage(format!("argument {argument}: invalid int value: {}", python_str_repr(text)));
    python::int(text).map(Int).ok_or_else(invalid)
}
