//! `--items` and `--bytes`: half-open ranges with open ends.

use super::bad_value::BadValue;
use bloscpack_format::python_str_repr;

/// A half-open range, either end of which may have been left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: Option<End>,
    pub(crate) end: Option<End>,
}

/// An end of a range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    FromStart(u64),
    /// Counted from the end, as in `-10`. With fewer items than that, the first one.
    FromEnd(u64),
}

impl End {
    fn parse(text: &str) -> Option<End> {
        match text.strip_prefix('-') {
            // `u64::from_str` takes a plus sign.
            Some(digits) if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse().ok().map(End::FromEnd),
            Some(_) => None,
            None => text.parse().ok().map(End::FromStart),
        }
    }

    /// Returns the position for a length of `len`.
    pub(crate) fn within(self, len: u64) -> u64 {
        match self {
            End::FromStart(number) => number,
            End::FromEnd(number) => len.saturating_sub(number),
        }
    }
}

pub(super) fn items(text: &str) -> Result<Range, BadValue> {
    range("--items", text)
}

pub(super) fn bytes(text: &str) -> Result<Range, BadValue> {
    range("--bytes", text)
}

fn range(argument: &str, text: &str) -> Result<Range, BadValue> {
    let end = |text: &str| if text.is_empty() { Some(None) } else { End::parse(text).map(Some) };
    let range = text.split_once("..").and_then(|(a, b)| Some(Range { start: end(a)?, end: end(b)? }));
    match range {
        Some(Range { start: Some(End::FromStart(start)), end: Some(End::FromStart(end)) }) if start > end => {
            Err(BadValue::Usage(format!("argument {argument}: the range {start}..{end} ends before it starts")))
        }
        Some(range) => Ok(range),
        None => {
            let text = python_str_repr(text);
            Err(BadValue::Usage(format!("argument {argument}: invalid range: {text} (A..B, A.., ..B or ..)")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_open_ends() {
        let range = |text| range("--items", text).map(|Range { start, end }| (start, end));
        let (from, before) = (|n| Some(End::FromStart(n)), |n| Some(End::FromEnd(n)));
        assert_eq!(range("3..7"), Ok((from(3), from(7))));
        assert_eq!(range("3.."), Ok((from(3), None)));
        assert_eq!(range("..7"), Ok((None, from(7))));
        assert_eq!(range(".."), Ok((None, None)));
        assert_eq!(range("-10.."), Ok((before(10), None)));
        assert_eq!(range("..-5"), Ok((None, before(5))));
        assert_eq!(range("-3..2"), Ok((before(3), from(2))));
        assert_eq!([from(3), before(3), before(9)].map(|operand| operand.unwrap().within(5)), [3, 2, 0]);
        for text in ["", "3", "3...7", "-+1..2", "--1..", "a..b", "3..=7", "7..3", "0..18446744073709551616"] {
            assert!(range(text).is_err(), "{text}");
        }
    }
}
