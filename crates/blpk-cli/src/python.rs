//! Python's `int(text)` and `float(text)`, which the original uses to parse numbers.
//!
//! Only ASCII digits are accepted here; Python accepts the digits of every script.

use bloscpack_io::describe::is_space;

/// `int(text)` as canonical decimal digits, because Python's integers have any size. `None` where Python reports
/// `invalid literal for int()`.
pub(crate) fn int(text: &str) -> Option<String> {
    let text = text.trim_matches(is_space);
    let (negative, digits) = match text.strip_prefix(['+', '-']) {
        Some(digits) => (text.starts_with('-'), digits),
        None => (false, text),
    };
    let digits = without_underscores(digits)?;
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let digits = digits.trim_start_matches('0');
    Some(match (digits, negative) {
        ("", _) => "0".into(),
        (digits, true) => format!("-{digits}"),
        (digits, false) => digits.into(),
    })
}

/// `float(text)`. `None` where Python reports `could not convert string to float`.
pub(crate) fn float(text: &str) -> Option<f64> {
    // Rust's grammar is the same, except for underscores and surrounding spaces.
    without_underscores(text.trim_matches(is_space))?.parse().ok()
}

/// Removes underscores. `None` if one is not between two digits, where alone Python allows it.
fn without_underscores(text: &str) -> Option<String> {
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let misplaced = |(at, _): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + 1..]);
        !is_digit(before.chars().next_back()) || !is_digit(after.chars().next())
    };
    let found = text.match_indices('_').any(misplaced);
    (!found).then(|| text.replace('_', ""))
}
