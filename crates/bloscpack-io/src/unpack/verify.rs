//! Verification: checks everything that can be checked, and writes nothing.

use std::io::{self, Read};

use bloscpack_format::bloscpack::offsets::UNKNOWN;
use bloscpack_format::detect::PREFIX_LEN;
use bloscpack_format::{Format, detect};

use super::report::UnpackReport;
use super::{is_frame, spooled, unpack_reader};
use crate::ends::{Source, SourceKind};
use crate::source::Input;
use crate::source::counting::CountingReader;
use crate::{Archive, Error, LocalSource, UnpackOptions};

/// Verifies a source: the header and metadata, the digest and content of every chunk, and that the offsets point to the
/// chunks. Nothing is written.
///
/// # Errors
/// The errors of [`unpack`](super::unpack) and [`Archive::verify`], and [`Error::Offset`].
pub fn verify<'s>(source: impl Into<Source<'s>>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    fn inner(source: Source<'_>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
        match source.0 {
            SourceKind::Bytes(bytes) if is_frame(&bytes)? => verify_frame(bytes, options),
            SourceKind::Bytes(bytes) => verify_reader(bytes, options),
            SourceKind::Reader(reader, _) => verify_reader(reader, options),
            SourceKind::Path(path) => {
                let source = LocalSource::open(&path)?;
                let verified = match source.is_directory() || is_frame(source.file())? {
                    true => verify_frame(source, options),
                    false => verify_reader(source.into_file(), options),
                };
                verified.map_err(|error| error.with_names(Some(&path), None))
            }
        }
    }
    inner(source.into(), options)
}

fn verify_reader(mut input: impl Read, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let mut prefix = [0; PREFIX_LEN];
    let len = CountingReader::new(&mut input).fill(&mut prefix)?;
    let input = prefix.get(..len).unwrap_or_default().chain(input);
    if detect(prefix.get(..len).unwrap_or_default(), None) == Some(Format::Blosc2Frame) {
        return verify_frame(spooled(input)?, options);
    }
    let report = unpack_reader(input, io::sink(), options)?;
    for (chunk, (&found, &expected)) in (0..).zip(report.offsets.iter().zip(&report.chunk_positions)) {
        // All entries are unknown if writing stopped before they were filled in. The data is complete nevertheless.
        if found != expected.cast_signed() && found != UNKNOWN {
            return Err(Error::Offset { chunk, found, expected });
        }
    }
    Ok(report)
}

fn verify_frame<'a>(source: impl Into<Input<'a>>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let archive = Archive::open_with(source, &options.open_options())?;
    archive.verify(options)?;
    Ok(UnpackReport::of_frame(&archive, archive.nbytes()))
}
