//! How is the value of each option read, and what is said of a wrong one? The texts are the original's (Python's
//! argparse) where it had the option.

use crate::{python, size};
use blosc_core::{Codec, SplitMode};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;
use std::fmt;

/// A value that is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BadValue {
    /// The command line is wrong: usage, exit code 2.
    Usage(String),
    /// As the original has it: exit code 1, and a text that starts with the option as it was typed.
    Failure {
        /// The option's name, of which an abbreviation may have been typed.
        long: &'static str,
        /// Its letter.
        short: &'static str,
        /// What follows the option's name.
        text: String,
    },
}

impl fmt::Display for BadValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadValue::Usage(text) => f.write_str(text),
            BadValue::Failure { long, text, .. } => write!(f, "--{long} {text}"),
        }
    }
}

impl std::error::Error for BadValue {}

/// An integer of any size, as Python has them: its digits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Int(String);

impl Int {
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

/// A half-open range, either end of which may have been left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) start: Option<u64>,
    pub(crate) end: Option<u64>,
}

/// `--format`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkFormat {
    Blosc1,
    Blosc2,
}

/// `--filter`, a name that exists in either chunk format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FilterName {
    pub(crate) name: &'static str,
    pub(crate) meta: Option<i8>,
}

pub(super) fn nthreads(text: &str) -> Result<usize, BadValue> {
    let number = int("-n/--nthreads", text)?;
    number.to().filter(|n| (1..=256).contains(n)).ok_or_else(|| BadValue::Failure {
        long: "nthreads",
        short: "n",
        text: "must be 1 <= n <= 256".into(),
    })
}

pub(super) fn typesize(text: &str) -> Result<Int, BadValue> {
    int("-t/--typesize", text)
}

pub(super) fn clevel(text: &str) -> Result<u8, BadValue> {
    let level = int("-l/--clevel", text)?;
    let choices = (0..10).map(|level| level.to_string()).collect::<Vec<_>>().join(", ");
    let invalid = || BadValue::Usage(format!("argument -l/--clevel: invalid choice: {level} (choose from {choices})"));
    level.to().filter(|level| *level <= 9).ok_or_else(invalid)
}

pub(super) fn codec(text: &str) -> Result<Codec, BadValue> {
    let names = Codec::ALL.map(Codec::name);
    choice("-c/--codec", text, &names).map(|index| Codec::ALL[index])
}

pub(super) fn checksum(text: &str) -> Result<Checksum, BadValue> {
    let names = Checksum::ALL.map(Checksum::name);
    choice("-k/--checksum", text, &names).map(|index| Checksum::ALL[index])
}

pub(super) fn chunk_size(text: &str) -> Result<Int, BadValue> {
    let failure = |text| BadValue::Failure { long: "chunk-size", short: "z", text };
    let digits = size::parse_size(text).map_err(|error| failure(format!("error: {error}")))?;
    match digits.starts_with('-') {
        true => Err(failure("must be > 0".into())),
        false => Ok(Int(digits)),
    }
}

pub(super) fn format(text: &str) -> Result<ChunkFormat, BadValue> {
    let formats = [ChunkFormat::Blosc1, ChunkFormat::Blosc2];
    choice("--format", text, &["blosc1", "blosc2"]).map(|index| formats[index])
}

pub(super) fn splitmode(text: &str) -> Result<SplitMode, BadValue> {
    let modes = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
    choice("--splitmode", text, &["always", "never", "auto", "forward"]).map(|index| modes[index])
}

pub(super) fn filter(text: &str) -> Result<FilterName, BadValue> {
    const NAMES: [&str; 7] = ["none", "shuffle", "bitshuffle", "delta", "trunc-prec", "bytedelta", "int-trunc"];
    let (name, meta) = match text.split_once(':') {
        Some((name, meta)) => (name, Some(meta)),
        None => (text, None),
    };
    let index = choice("--filter", name, &NAMES)?;
    let invalid = |meta| BadValue::Usage(format!("argument --filter: invalid meta value: {}", python_str_repr(meta)));
    let meta = meta.map(|meta| meta.parse().map_err(|_| invalid(meta))).transpose()?;
    Ok(FilterName { name: NAMES[index], meta })
}

pub(super) fn blocksize(text: &str) -> Result<usize, BadValue> {
    let blocksize = int("--blocksize", text)?;
    let invalid = || BadValue::Usage(format!("argument --blocksize: must be >= 0, not {blocksize}"));
    blocksize.to().ok_or_else(invalid)
}

pub(super) fn chunk(text: &str) -> Result<u64, BadValue> {
    let number = int("--chunk", text)?;
    let invalid = || BadValue::Usage(format!("argument --chunk: must be >= 0, not {number}"));
    number.to().ok_or_else(invalid)
}

pub(super) fn range_of_items(text: &str) -> Result<Range, BadValue> {
    range("--items", text)
}

pub(super) fn range_of_bytes(text: &str) -> Result<Range, BadValue> {
    range("--bytes", text)
}

fn range(argument: &str, text: &str) -> Result<Range, BadValue> {
    let end = |text: &str| if text.is_empty() { Some(None) } else { text.parse().ok().map(Some) };
    let range = text.split_once("..").and_then(|(a, b)| Some(Range { start: end(a)?, end: end(b)? }));
    match range {
        Some(Range { start: Some(start), end: Some(end) }) if start > end => {
            Err(BadValue::Usage(format!("argument {argument}: the range {start}..{end} runs backwards")))
        }
        Some(range) => Ok(range),
        None => {
            let text = python_str_repr(text);
            Err(BadValue::Usage(format!("argument {argument}: invalid range: {text} (A..B, A.., ..B or ..)")))
        }
    }
}

fn int(argument: &str, text: &str) -> Result<Int, BadValue> {
    let invalid = || BadValue::Usage(format!("argument {argument}: invalid int value: {}", python_str_repr(text)));
    python::int(text).map(Int).ok_or_else(invalid)
}

/// The index of a name in the list.
fn choice(argument: &str, text: &str, names: &[&str]) -> Result<usize, BadValue> {
    names.iter().position(|name| *name == text).ok_or_else(|| {
        let names = names.iter().map(|name| python_str_repr(name)).collect::<Vec<_>>().join(", ");
        let text = python_str_repr(text);
        BadValue::Usage(format!("argument {argument}: invalid choice: {text} (choose from {names})"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_open_ends() {
        let range = |text| range("--items", text).map(|Range { start, end }| (start, end));
        assert_eq!(range("3..7"), Ok((Some(3), Some(7))));
        assert_eq!(range("3.."), Ok((Some(3), None)));
        assert_eq!(range("..7"), Ok((None, Some(7))));
        assert_eq!(range(".."), Ok((None, None)));
        for text in ["", "3", "3...7", "-1..2", "a..b", "3..=7", "7..3", "0..18446744073709551616"] {
            assert!(range(text).is_err(), "{text}");
        }
    }

    #[test]
    fn filters_have_a_meta_value() {
        assert_eq!(filter("trunc-prec:-12"), Ok(FilterName { name: "trunc-prec", meta: Some(-12) }));
        assert_eq!(filter("shuffle"), Ok(FilterName { name: "shuffle", meta: None }));
        assert!(filter("shuffle:x").is_err());
        assert!(filter("trunc_prec").is_err());
    }
}
