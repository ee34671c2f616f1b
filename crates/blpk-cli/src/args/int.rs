//! Integers of any size.

use super::bad_value::BadValue;
use crate::python;
use bloscpack_format::python_str_repr;
use std::fmt;

/// An integer of any size, as Python has them: its digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Int(String);

impl Int {
    /// The integer with these decimal digits, and a minus sign if it is negative.
    pub(super) fn of_digits(digits: String) -> Int {
        Int(digits)
    }

    /// The number, if it is one that fits.
    pub(crate) fn to<T: std::str::FromStr>(&self) -> Option<T> {
        self.0.parse().ok()
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Reads an integer as Python does.
pub(super) fn int(argument: &str, text: &str) -> Result<Int, BadValue> {
    let invalid = || BadValue::Usage(format!("argument {argument}: invalid int value: {}", python_str_repr(text)));
    python::int(text).map(Int).ok_or_else(invalid)
}
