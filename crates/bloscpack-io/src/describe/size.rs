//! Sizes as text: `1.0M (1048576B)`. Printing matches the original of `blpk` exactly.

use bloscpack_format::python_float_repr;

/// The units by letter: powers of 1024, upper case only.
const UNITS: [(char, u64); 5] = [('B', 1), ('K', 1 << 10), ('M', 1 << 20), ('G', 1 << 30), ('T', 1 << 40)];

/// Formats a size in the largest unit that does not exceed it, rounded to two decimals: `0B`, `1023.0B`, `9.77K`.
pub fn pretty_size(nbytes: u64) -> String {
    let Some((letter, unit)) = UNITS.into_iter().rev().find(|(_, unit)| nbytes >= *unit) else {
        return "0B".into();
    };
    // The division is exact up to 2^53; beyond that, both languages round to nearest. Rounding to two decimals uses the
    // exact value, ties to even, in both languages.
    let rounded = format!("{:.2}", nbytes as f64 / unit as f64);
    let rounded = rounded.parse().map_or(rounded, python_float_repr);
    format!("{rounded}{letter}")
}

/// `1.0M (1048576B)`.
pub fn double_pretty_size(nbytes: u64) -> String {
    format!("{} ({nbytes}B)", pretty_size(nbytes))
}
