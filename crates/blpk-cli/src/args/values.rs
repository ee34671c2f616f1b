//! How is the value of each option read, and what is said of a wrong one? The texts are the original's (Python's
//! argparse) where it had the option.

use crate::{python, size};
use blosc_core::{ChunkFormat, Codec, Filter, SplitMode};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::python_str_repr;
use clap_complete::Shell;
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

/// `--filter`: one that exists in either chunk format, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FilterArg(pub(crate) Option<Filter>);

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

pub(super) fn axis(text: &str) -> Result<u64, BadValue> {
    let length = text.trim().parse().ok().filter(|length| i64::try_from(*length).is_ok());
    length.ok_or_else(|| BadValue::Usage(format!("invalid length of an axis: {}", python_str_repr(text))))
}

pub(super) fn format(text: &str) -> Result<ChunkFormat, BadValue> {
    let formats = [ChunkFormat::Blosc1, ChunkFormat::Blosc2];
    choice("--format", text, &["blosc1", "blosc2"]).map(|index| formats[index])
}

pub(super) fn splitmode(text: &str) -> Result<SplitMode, BadValue> {
    let modes = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
    choice("--splitmode", text, &["always", "never", "auto", "forward"]).map(|index| modes[index])
}

pub(super) fn filter(text: &str) -> Result<FilterArg, BadValue> {
    const NAMES: [&str; 7] = ["none", "shuffle", "bitshuffle", "delta", "trunc-prec", "bytedelta", "int-trunc"];
    const IDS: [u8; 7] = [0, 1, 2, 3, 4, 35, 36];
    let (name, meta) = match text.split_once(':') {
        Some((name, meta)) => (name, Some(meta)),
        None => (text, None),
    };
    let id = IDS[choice("--filter", name, &NAMES)?];
    let invalid = |expected: &str| {
        let meta = python_str_repr(meta.unwrap_or_default());
        BadValue::Usage(format!("argument --filter: invalid meta value of {name}: {meta} ({expected})"))
    };
    // One byte, which some filters read as a signed number.
    let byte = match (name, meta.unwrap_or("0")) {
        ("trunc-prec" | "int-trunc", _) if meta.is_none() => {
            let text = format!("argument --filter: {name} needs a number of bits, as in {name}:10 or {name}:-4");
            return Err(BadValue::Usage(text));
        }
        ("trunc-prec" | "int-trunc", meta) => {
            meta.parse().map(i8::cast_unsigned).map_err(|_| invalid("-128 to 127"))?
        }
        ("shuffle" | "bytedelta", meta) => meta.parse().map_err(|_| invalid("0 to 255"))?,
        (_, meta) => meta.parse().ok().filter(|meta| *meta == 0).ok_or_else(|| invalid("it takes none"))?,
    };
    Ok(FilterArg(Filter::from_id(id, byte)))
}

/// One of the filters that every Blosc has.
pub(super) fn shuffle(text: &str) -> Result<FilterArg, BadValue> {
    choice("--filter", text, &["none", "shuffle", "bitshuffle"])?;
    filter(text)
}

pub(super) fn sample(text: &str) -> Result<Int, BadValue> {
    let failure = |text| BadValue::Usage(format!("argument --sample: {text}"));
    let digits = size::parse_size(text).map_err(failure)?;
    if digits.starts_with('-') { Err(failure("must be > 0".into())) } else { Ok(Int(digits)) }
}

pub(super) fn seconds(text: &str) -> Result<f64, BadValue> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.0..=3600.0).contains(seconds));
    let text = python_str_repr(text);
    seconds.ok_or_else(|| BadValue::Usage(format!("argument --seconds: invalid number of seconds: {text} (0 to 3600)")))
}

pub(super) fn shell(text: &str) -> Result<Shell, BadValue> {
    let shells = [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh];
    choice("shell", text, &["bash", "elvish", "fish", "powershell", "zsh"]).map(|index| shells[index])
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
        let filter = |text| filter(text).map(|FilterArg(filter)| filter.map(|filter| filter.to_string()));
        for text in ["trunc-prec:-12", "int-trunc:7", "shuffle", "shuffle:255", "bytedelta:4", "delta", "bitshuffle"] {
            assert_eq!(filter(text), Ok(Some(text.into())));
        }
        assert_eq!(filter("none"), Ok(None));
        assert_eq!(filter("shuffle:0"), Ok(Some("shuffle".into())));
        for text in ["shuffle:x", "shuffle:-1", "shuffle:256", "trunc-prec:200", "trunc-prec", "delta:1", "none:2"] {
            assert!(filter(text).is_err(), "{text}");
        }
        assert!(filter("trunc_prec:1").is_err());
    }
}
