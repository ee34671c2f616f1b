//! Verifying: everything that can be checked is checked, nothing is written.

use std::io::{self, Read};
use std::path::Path;

use bloscpack_format::bloscpack::offsets::UNKNOWN;
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_format::{Format, detect};

use crate::source::Input;
use crate::source::counted::Counted;
use crate::unpack::{frame_report, is_frame, spooled};
use crate::{Archive, Error, LocalSource, UnpackOptions, UnpackReport, unpack_stream};

/// Verifies a file or the directory of a sparse frame: header and metadata, the digest and the content of every chunk,
/// and that the offsets point to the chunks.
///
/// # Errors
/// What [`unpack_stream`] and [`Archive::verify`] answer, and [`Error::Offset`].
pub fn verify_file(path: impl AsRef<Path>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    fn inner(path: &Path, options: &UnpackOptions) -> Result<UnpackReport, Error> {
        let source = LocalSource::open(path)?;
        let verified = match is_frame(&source)? {
            true => verify_frame(source, options),
            false => verify_stream(source.into_file(), options),
        };
        verified.map_err(|error| error.with_names(Some(path), None))
    }
    inner(path.as_ref(), options)
}

/// [`verify_file`] for any reader.
///
/// # Errors
/// As [`verify_file`].
pub fn verify_stream(mut input: impl Read, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let mut prefix = [0; PREFIX_LEN];
    let len = Counted::new(&mut input).fill(&mut prefix)?;
    let input = prefix.get(..len).unwrap_or_default().chain(input);
    if detect(prefix.get(..len).unwrap_or_default(), None) == Some(Format::Blosc2Frame) {
        return verify_frame(spooled(input)?, options);
    }
    let report = unpack_stream(input, io::sink(), options)?;
    for (chunk, (&found, &expected)) in (0..).zip(report.offsets.iter().zip(&report.chunk_positions)) {
        // All entries are unknown if writing was cut short before they were filled in; the data is whole all the same.
        if found != expected.cast_signed() && found != UNKNOWN {
            return Err(Error::Offset { chunk, found, expected });
        }
    }
    Ok(report)
}

fn verify_frame<'a>(source: impl Into<Input<'a>>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let archive = Archive::open_with(source, &options.open_options())?;
    archive.verify(options)?;
    Ok(frame_report(&archive, archive.nbytes()))
}
