//! How are sizes printed and read? `1.0M (1048576B)`, `-z 1.5K`: to the letter as the original does it.

use crate::python;
use bloscpack_format::{python_float_repr, python_str_repr};

/// The units by the letter that stands for them: powers of 1024, upper case only.
const UNITS: [(char, u64); 5] = [('B', 1), ('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30), ('T', 1 << 40)];

/// What `-z max` means: the most plain bytes that a chunk holds.
const MAX: u32 = bloscpack_format::bloscpack::MAX_CHUNK_SIZE;

/// `0B`, `1023.0B`, `9.77K`: in the largest unit that is not more, to two decimals.
pub(crate) fn pretty_size(nbytes: u64) -> String {
    let Some((letter, unit)) = UNITS.into_iter().rev().find(|(_, unit)| nbytes >= *unit) else {
        return "0B".into();
    };
    // Exact but for sizes beyond 2^53, where both divisions round to nearest; rounding to two decimals goes by the
    // exact value, ties to even, in both languages.
    let rounded = format!("{:.2}", nbytes as f64 / unit as f64);
    let rounded = rounded.parse().map_or(rounded, python_float_repr);
    format!("{rounded}{letter}")
}

/// `1.0M (1048576B)`.
pub(crate) fn double_pretty_size(nbytes: u64) -> String {
    format!("{} ({nbytes}B)", pretty_size(nbytes))
}

/// A size as typed for `-z`: `max`, a number and a unit, or an integer. In decimal digits, for what Python reads has
/// any size; the error is Python's text.
pub(crate) fn parse_size(text: &str) -> Result<String, String> {
    if text == "max" {
        return Ok(MAX.to_string());
    }
    let unit = UNITS.into_iter().find_map(|(letter, unit)| Some((text.strip_suffix(letter)?, unit)));
    let Some((number, unit)) = unit else {
        let invalid = || format!("invalid literal for int() with base 10: {}", python_str_repr(text));
        return python::int(text).ok_or_else(invalid);
    };
    let number = python::float(number)
        .ok_or_else(|| format!("could not convert string to float: {}", python_str_repr(number)))?;
    let nbytes = number * unit as f64;
    if nbytes.is_nan() {
        return Err("cannot convert float NaN to integer".into());
    }
    if nbytes.is_infinite() {
        return Err("cannot convert float infinity to integer".into());
    }
    // Without decimals a float prints exactly; adding zero turns the negative one into the other.
    Ok(format!("{:.0}", nbytes.trunc() + 0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testdata::serde_json::Value;

    fn table(name: &str) -> Vec<(String, Value)> {
        let table: Value = testdata::serde_json::from_str(include_str!("../tests/data/python_texts.json")).unwrap();
        let rows = table[name].as_array().unwrap();
        assert!(!rows.is_empty());
        rows.iter().map(|row| (row[0].as_str().unwrap().to_owned(), row[1].clone())).collect()
    }

    #[test]
    fn sizes_are_printed_as_by_python() {
        for (size, text) in table("pretty_size") {
            assert_eq!(pretty_size(size.parse().unwrap()), text, "{size}");
        }
        for (size, text) in table("double_pretty_size") {
            assert_eq!(double_pretty_size(size.parse().unwrap()), text, "{size}");
        }
    }

    #[test]
    fn sizes_are_read_as_by_python() {
        for (text, expected) in table("parse_size") {
            match parse_size(&text) {
                Ok(size) => assert_eq!(expected["value"], size, "{text:?}"),
                Err(error) => assert_eq!(expected["error"], error, "{text:?}"),
            }
        }
    }

    #[test]
    fn an_empty_size_is_refused() {
        // The original dies of an IndexError.
        assert_eq!(parse_size("").unwrap_err(), "invalid literal for int() with base 10: ''");
    }
}
