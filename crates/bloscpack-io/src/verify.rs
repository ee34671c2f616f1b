//! Verifying: everything that can be checked is checked, nothing is written.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use bloscpack_format::bloscpack::offsets::UNKNOWN;

use crate::{Error, UnpackOptions, UnpackReport, unpack_stream};

/// Verifies a file: its header and metadata, the digest and the content of every chunk, and that the offsets point to
/// the chunks.
///
/// # Errors
/// What [`unpack_stream`] answers, and [`Error::Offset`].
pub fn verify_file(path: &Path, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let file = File::open(path).map_err(|error| Error::file("opening", path, error))?;
    verify_stream(file, options)
}

/// [`verify_file`] for any reader.
///
/// # Errors
/// As [`verify_file`].
pub fn verify_stream(input: impl Read, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let report = unpack_stream(input, io::sink(), options)?;
    for (chunk, (&found, &expected)) in (0..).zip(report.offsets.iter().zip(&report.chunk_positions)) {
        // All entries are unknown if writing was cut short before they were filled in; the data is whole all the same.
        if found != expected.cast_signed() && found != UNKNOWN {
            return Err(Error::Offset { chunk, found, expected });
        }
    }
    Ok(report)
}
