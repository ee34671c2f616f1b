//! Displays, locations, kinds and advice.

#![allow(clippy::unwrap_used)]

use std::error::Error as _;
use std::io;
use std::path::Path;

use blosc_core::{CorruptStream, DecodeError, ErrorKind, Limits};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::{Attrs, RootDirs, Sizes, check_name};

use super::{Advice, Error};

fn damaged_stream() -> Error {
    let source = CorruptStream::new(3, "the stream ends early");
    Error::Chunk { chunk: 7, offset: 1000, source: DecodeError::Stream { block: 2, stream: 1, offset: 40, source } }
}

#[test]
fn a_level_shows_only_itself() {
    let error = damaged_stream().in_file("d/data/__7.blp".into());
    let line = "d/data/__7.blp: chunk 7 at offset 1000: block 2, stream 1 at offset 40: byte 3 of the stream: the stream \
                ends early";
    assert_eq!(error.report().to_string(), line);
    let mut levels = vec![error.to_string()];
    let mut source = error.source();
    while let Some(error) = source {
        levels.push(error.to_string());
        source = error.source();
    }
    assert_eq!(levels.join(": "), line);
    assert!(levels.iter().all(|level| line.matches(level).count() == 1), "{levels:?}");
}

#[test]
fn locations_add_up() {
    let location = damaged_stream().in_file("d/data/__7.blp".into()).location();
    assert_eq!(location.file.as_deref(), Some(Path::new("d/data/__7.blp")));
    assert_eq!((location.chunk, location.block, location.offset), (Some(7), Some(2), Some(1043)));
    assert_eq!(Error::from(FormatError::UnsupportedVersion { found: 9 }).location().field, Some("format_version"));
}

/// A file that the format error already names is named once, for any name of its directory.
#[test]
fn files_are_named_once() {
    let attrs = |file: &str| Error::from(Attrs::parse(b"[").unwrap_err()).in_file(file.into()).report().to_string();
    assert_eq!(attrs("d/__attrs__"), "d/__attrs__, offset 1: the text is truncated");
    assert_eq!(attrs("d/other"), "d/other: __attrs__, offset 1: the text is truncated");
    let roots = Error::from(RootDirs::parse(b"{}").unwrap_err()).in_file("x: y/__rootdirs__".into());
    assert!(roots.report().to_string().starts_with("x: y/__rootdirs__: \""), "{}", roots.report());
    let sizes = Error::from(Sizes::parse(b"1").unwrap_err()).in_file("meta/sizes".into());
    assert_eq!(sizes.report().to_string(), "meta/sizes: not a JSON object");
    let twice = sizes.in_file("meta/sizes".into());
    assert_eq!(twice.report().to_string(), "meta/sizes: not a JSON object");
    assert_eq!(twice.kind(), ErrorKind::Damaged);
}

/// A name of a column is damage in a file, and a wrong argument without one.
#[test]
fn values_of_callers_are_no_damage() {
    let refused = || Error::from(FormatError::from(check_name("a/b").unwrap_err()));
    assert_eq!(refused().kind(), ErrorKind::InvalidInput);
    assert_eq!(refused().in_file("d/__rootdirs__".into()).kind(), ErrorKind::Damaged);
    assert_eq!(refused().in_file("d/other".into()).in_file("e".into()).kind(), ErrorKind::Damaged);
}

#[test]
fn advice_is_data() {
    let over = Limits::new().max_memory(1).check_memory("the index", 2).unwrap_err();
    let error = Error::from(over).in_file("f".into());
    assert_eq!(
        error.report().to_string(),
        "f: the index: 2, the limit is 1; raise Limits::max_memory if that is intended"
    );
    assert_eq!(error.advice(), Some(Advice::RaiseLimit(over)));
    assert_eq!(error.kind(), ErrorKind::Limit);
    let error = Error::NotAsWritten { source: Box::new(error) };
    let advice = "raise Limits::max_memory if that is intended; nothing was replaced; try again, and if it comes back, \
                  check this machine's memory and disk";
    let line = "verifying the output failed: f: the index: 2, the limit is 1; ".to_owned() + advice;
    assert_eq!(error.report().to_string(), line);
    assert_eq!(error.advice().unwrap().to_string(), advice);
}

/// An I/O error that wraps an error of this crate shows it once.
#[test]
fn wrapped_errors_are_shown_once() {
    let error = Error::reading(io::Error::from(damaged_stream()));
    let line = error.report().to_string();
    assert_eq!(line, format!("reading the input: {}", damaged_stream().report()));
    assert_eq!((error.kind(), error.location().chunk), (ErrorKind::Damaged, Some(7)));
}
