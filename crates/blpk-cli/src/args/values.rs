//! Parsers of option values, with error messages. For options that the original has, the messages are those of the
//! original (Python's argparse).

use super::bad_value::BadValue;
use super::choice::choice;
use super::compress_format::CompressFormat;
use super::int::{Int, int};
use crate::size;
use blosc_core::{ChunkFormat, Codec, SplitMode};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::numpy::{Dtype, Slice};
use bloscpack_format::python_str_repr;
use bloscpack_format::zarr::Version;
use bloscpack_io::{ColumnFiles, ItemFormat};
use clap::builder::{OsStringValueParser, TypedValueParser};
use clap_complete::Shell;
use std::path::PathBuf;

/// The names of chunk formats.
pub(super) const CHUNK_FORMATS: [&str; 2] = ["blosc1", "blosc2"];

/// The names of the formats that `compress` writes.
pub(super) const COMPRESS_FORMATS: [&str; 2] = ["blp", "b2frame"];

/// The names of split modes.
pub(super) const SPLITMODES: [&str; 4] = ["always", "never", "auto", "forward"];

/// The names of the formats for converted columns.
pub(super) const COLUMN_FILES: [&str; 2] = ["npy", "b2nd"];
pub(super) const ZARR_FORMATS: [&str; 2] = ["2", "3"];

/// The names of item formats, with their values.
#[cfg(feature = "csv")]
pub(super) const ITEM_FORMATS: [(&str, ItemFormat); 4] =
    [("raw", ItemFormat::Raw), ("npy", ItemFormat::Npy), ("csv", ItemFormat::Csv), ("text", ItemFormat::Text)];
#[cfg(not(feature = "csv"))]
pub(super) const ITEM_FORMATS: [(&str, ItemFormat); 3] =
    [("raw", ItemFormat::Raw), ("npy", ItemFormat::Npy), ("text", ItemFormat::Text)];

/// The names of shells.
pub(super) const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

pub(super) fn nthreads(text: &str) -> Result<usize, BadValue> {
    let number = int("-n/--nthreads", text)?;
    number.to().filter(|n| (1..=256).contains(n)).ok_or_else(|| BadValue::Failure {
        long: "nthreads",
        short: "n",
        text: "must be 1 <= n <= 256".into(),
    })
}

/// Like `nthreads`, but accepts 0 for one thread per core.
pub(super) fn threads(text: &str) -> Result<usize, BadValue> {
    let number = int("-T/--threads", text)?;
    let invalid = || BadValue::Usage(format!("argument -T/--threads: must be 0 <= n <= 256, not {number}"));
    number.to().filter(|n| *n <= 256).ok_or_else(invalid)
}

/// Parses a typesize: a number, or a dtype whose item size is used.
pub(super) fn typesize(text: &str) -> Result<Int, BadValue> {
    int("-t/--typesize", text).or_else(|error| {
        let is_literal = text.trim_start().starts_with(['[', '{', '\'', '"']);
        let dtype = match is_literal {
            true => Dtype::parse(text).ok(),
            false => Dtype::from_type_string(text).ok(),
        };
        dtype.map(|dtype| Int::of_digits(dtype.itemsize().to_string())).ok_or(error)
    })
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
        false => Ok(Int::of_digits(digits)),
    }
}

pub(super) fn max_app_chunks(text: &str) -> Result<u64, BadValue> {
    // Each chunk reserves eight bytes of the file at once: a larger number would take more than 32 GiB.
    const MOST: u64 = u32::MAX as u64;
    let number = int("--max-app-chunks", text)?;
    let invalid = || BadValue::Usage(format!("argument --max-app-chunks: must be 0 <= n <= {MOST}, not {number}"));
    number.to().filter(|number| *number <= MOST).ok_or_else(invalid)
}

pub(super) fn memory(text: &str) -> Result<u64, BadValue> {
    let failure = |text| BadValue::Usage(format!("argument --memory: {text}"));
    let digits = size::parse_size(text).map_err(failure)?;
    match digits.parse() {
        Ok(0) | Err(_) => Err(failure(format!("must be > 0 and < 2**64, not {digits}"))),
        Ok(nbytes) => Ok(nbytes),
    }
}

/// Parses the length of an axis; `None` for -1, a length that follows from the number of bytes.
pub(super) fn shape(text: &str) -> Result<Option<u64>, BadValue> {
    if text.trim() == "-1" { Ok(None) } else { axis("--shape", text).map(Some) }
}

pub(super) fn axis_number(text: &str) -> Result<usize, BadValue> {
    let number = int("--axis", text)?;
    let invalid = || BadValue::Usage(format!("argument --axis: must be >= 0, not {number}"));
    number.to().ok_or_else(invalid)
}

pub(super) fn slice(text: &str) -> Result<Slice, BadValue> {
    text.parse().map_err(|error| BadValue::Usage(format!("argument --{error}")))
}

pub(super) fn item_format(text: &str) -> Result<ItemFormat, BadValue> {
    choice("--format", text, &ITEM_FORMATS.map(|(name, _)| name)).map(|index| ITEM_FORMATS[index].1)
}

/// Parses a dtype as NumPy writes it: a type string, or the `descr` of a struct. An invalid dtype is a failure rather
/// than a usage error, because most come from files.
pub(crate) fn dtype(text: &str) -> anyhow::Result<Dtype> {
    let parsed = match text.trim_start().starts_with(['[', '{']) {
        true => Dtype::parse(text).map_err(anyhow::Error::from),
        false => Dtype::from_type_string(text).map_err(anyhow::Error::from),
    };
    anyhow::Context::with_context(parsed, || format!("--dtype '{text}'"))
}

pub(super) fn chunkshape(text: &str) -> Result<u64, BadValue> {
    axis("--chunkshape", text)
}

pub(super) fn blockshape(text: &str) -> Result<u64, BadValue> {
    axis("--blockshape", text)
}

fn axis(argument: &str, text: &str) -> Result<u64, BadValue> {
    let length = text.trim().parse().ok().filter(|length| i64::try_from(*length).is_ok());
    let text = python_str_repr(text);
    length.ok_or_else(|| BadValue::Usage(format!("argument {argument}: invalid length of an axis: {text}")))
}

/// Accepts any name, even an empty one. A missing file is reported later, when the file is looked up.
pub(super) fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

pub(super) fn format(text: &str) -> Result<ChunkFormat, BadValue> {
    let formats = [ChunkFormat::Blosc1, ChunkFormat::Blosc2];
    choice("--format", text, &CHUNK_FORMATS).map(|index| formats[index])
}

pub(super) fn compress_format(text: &str) -> Result<CompressFormat, BadValue> {
    let formats = [CompressFormat::Blp, CompressFormat::B2frame];
    choice("--format", text, &COMPRESS_FORMATS).map(|index| formats[index])
}

pub(super) fn splitmode(text: &str) -> Result<SplitMode, BadValue> {
    let modes = [SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat];
    choice("--splitmode", text, &SPLITMODES).map(|index| modes[index])
}

pub(super) fn column_files(text: &str) -> Result<ColumnFiles, BadValue> {
    let files = [ColumnFiles::Npy, ColumnFiles::B2nd];
    choice("--columns-as", text, &COLUMN_FILES).map(|index| files[index])
}

pub(super) fn zarr_format(text: &str) -> Result<Version, BadValue> {
    choice("--zarr-format", text, &ZARR_FORMATS).map(|index| [Version::V2, Version::V3][index])
}

pub(super) fn sample(text: &str) -> Result<u64, BadValue> {
    let failure = |text| BadValue::Usage(format!("argument --sample: {text}"));
    let digits = size::parse_size(text).map_err(failure)?;
    if digits.starts_with('-') || digits == "0" {
        return Err(failure("must be > 0".into()));
    }
    // A number beyond 64 bits is larger than any input, and so means all of it.
    Ok(digits.parse().unwrap_or(u64::MAX))
}

pub(super) fn seconds(text: &str) -> Result<f64, BadValue> {
    duration("--seconds", text)
}

pub(super) fn time(text: &str) -> Result<f64, BadValue> {
    duration("--time", text)
}

fn duration(argument: &str, text: &str) -> Result<f64, BadValue> {
    let seconds = text.parse().ok().filter(|seconds: &f64| (0.0..=3600.0).contains(seconds));
    let text = python_str_repr(text);
    seconds
        .ok_or_else(|| BadValue::Usage(format!("argument {argument}: invalid number of seconds: {text} (0 to 3600)")))
}

pub(super) fn shell(text: &str) -> Result<Shell, BadValue> {
    let shells = [Shell::Bash, Shell::Elvish, Shell::Fish, Shell::PowerShell, Shell::Zsh];
    choice("shell", text, &SHELLS).map(|index| shells[index])
}

pub(super) fn blocksize(text: &str) -> Result<usize, BadValue> {
    let failure = |text| BadValue::Usage(format!("argument --blocksize: {text}"));
    let digits = size::parse_size(text).map_err(failure)?;
    digits.parse().map_err(|_| failure(format!("must be >= 0 and < 2**64, not {digits}")))
}

pub(super) fn chunk(text: &str) -> Result<u64, BadValue> {
    let number = int("--chunk", text)?;
    let invalid = || BadValue::Usage(format!("argument --chunk: must be >= 0, not {number}"));
    number.to().ok_or_else(invalid)
}
