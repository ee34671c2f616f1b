//! Sizes as text: `1.0M (1048576B)`, `-z 1.5K`. Printing matches the original exactly; parsing accepts more units.

use crate::python;
use bloscpack_format::python_str_repr;
pub(crate) use bloscpack_io::describe::{double_pretty_size, pretty_size};

/// The units by letter: powers of 1024, upper case only.
const UNITS: [(char, u64); 5] = [('B', 1), ('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30), ('T', 1 << 40)];

/// The value of `-z max`: the maximum uncompressed size of a chunk.
const MAX: u32 = bloscpack_format::bloscpack::MAX_CHUNK_SIZE;

/// Parses a size as typed for `-z`: `max`, a number and a unit, or an integer. Returns decimal digits, because Python's
/// integers have any size. Sizes that the original accepts keep their meaning, and wrong ones give the original's
/// error.
pub(crate) fn parse_size(text: &str) -> Result<String, String> {
    original_size(text).or_else(|error| size_with_unit(text).ok_or(error))
}

/// Parses units that the original does not know, in either case and with the meaning of GNU's tools: `64k`, `64Ki` and
/// `64KiB` are powers of 1024, `64KB` of 1000.
fn size_with_unit(text: &str) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let (rest, is_decimal) =
        match (lower.strip_suffix("ib").or_else(|| lower.strip_suffix('i')), lower.strip_suffix('b')) {
            (Some(rest), _) => (rest, false),
            (None, Some(rest)) => (rest, true),
            (None, None) => (lower.as_str(), false),
        };
    let unit_of = |(power, letter)| Some((rest.strip_suffix(letter)?, power));
    let (number, power) = [(1, 'k'), (2, 'm'), (3, 'g'), (4, 't')].into_iter().find_map(unit_of)?;
    let unit = if is_decimal { 1000_u64 } else { 1024 }.pow(power);
    let nbytes = (python::float(number)? * unit as f64).trunc();
    (nbytes.is_finite() && nbytes >= 0.0).then(|| format!("{:.0}", nbytes + 0.0))
}

/// Parses a size as the original does; the error is Python's text.
fn original_size(text: &str) -> Result<String, String> {
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
    // A float prints exactly without decimals. Adding 0.0 turns -0.0 into 0.0.
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
            match original_size(&text) {
                Ok(size) => assert_eq!(expected["value"], size, "{text:?}"),
                Err(error) => assert_eq!(expected["error"], error, "{text:?}"),
            }
        }
    }

    #[test]
    fn more_units_are_read() {
        for (text, size) in [
            ("1k", "1024"),
            ("1K", "1024"),
            ("64KiB", "65536"),
            ("64kib", "65536"),
            ("64Ki", "65536"),
            ("1MB", "1000000"),
            ("1mb", "1000000"),
            ("1M", "1048576"),
            ("1 MiB", "1048576"),
            ("1.5GB", "1500000000"),
            ("0.5kB", "500"),
            ("2t", "2199023255552"),
        ] {
            assert_eq!(parse_size(text).as_deref(), Ok(size), "{text}");
        }
        // Texts that neither parser accepts keep the original's errors.
        for text in ["x", "xk", "-1k", "nanMB", "1PB", "1.5", "1KBB", "KiB", "ib", "i", "1i", "1iB", "2K "] {
            assert_eq!(parse_size(text), original_size(text), "{text}");
            assert!(parse_size(text).is_err(), "{text}");
        }
    }

    #[test]
    fn all_that_the_original_reads_means_the_same() {
        for (text, expected) in table("parse_size") {
            if let Some(size) = expected["value"].as_str() {
                assert_eq!(parse_size(&text).as_deref(), Ok(size), "{text:?}");
            }
        }
    }

    #[test]
    fn an_empty_size_is_refused() {
        // The original ends with an IndexError.
        assert_eq!(parse_size("").unwrap_err(), "invalid literal for int() with base 10: ''");
    }
}
