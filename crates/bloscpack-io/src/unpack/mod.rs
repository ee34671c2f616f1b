//! Unpacks and verifies files of any format, also from a pipe.
//!
//! | file | content |
//! |---|---|
//! | `bloscpack`, `chunk` | these formats, read from start to end |
//! | `verify` | checks everything and writes nothing |
//! | `report` | the report of unpacking and verifying |
//!
//! Frames need random access. Files and bytes in memory have it. From a reader, frames go through a temporary file.

mod bloscpack;
mod chunk;
mod report;
mod verify;

use std::io::{self, Read, Write};
#[cfg(feature = "write")]
use std::path::Path;

use bloscpack_format::{Format, detect};

pub use self::report::UnpackReport;
pub use self::verify::verify;
use crate::ends::{Sink, SinkKind, Source, SourceKind};
use crate::formats::zarr;
#[cfg(feature = "write")]
use crate::fs::atomic::Output;
#[cfg(feature = "write")]
use crate::fs::files::refuse_same_file;
use crate::fs::spool::{self, Spool};
use crate::in_memory::{InMemory, Stored, StoredReader};
use crate::peek;
use crate::source::ReadAt;
use crate::source::counting::CountingReader;
use crate::{Archive, Error, LocalSource, UnpackOptions};

/// Number of bytes that are enough to detect the format of a file.
const PREFIX_LEN: usize = 64;

/// Unpacks a source: a bloscpack file, a bare chunk or a frame. A file appears whole or not at all.
///
/// # Errors
/// [`Error::Unrecognised`] and [`Error::Unsupported`] for other formats; [`Error::Truncated`], [`Error::Format`],
/// [`Error::Chunk`], [`Error::ChunkDigest`], [`Error::ChunkSize`] and [`Error::MoreData`] for damaged files;
/// [`Error::SameFile`], [`Error::OutputExists`]; [`Error::Limit`]; [`Error::File`], [`Error::Io`]; [`Error::Cancelled`].
pub fn unpack<'s, 't>(
    source: impl Into<Source<'s>>,
    sink: impl Into<Sink<'t>>,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    unpack_ends(source.into(), sink.into(), options)
}

/// Unpacks from memory and returns the uncompressed bytes.
///
/// # Errors
/// As [`unpack`].
pub fn unpack_bytes(packed: &[u8], options: &UnpackOptions) -> Result<(Vec<u8>, UnpackReport), Error> {
    let mut plain = Vec::new();
    let report = unpack(packed, &mut plain, options)?;
    Ok((plain, report))
}

/// An opened source.
enum Opened<'a> {
    Local(LocalSource),
    Bytes(&'a [u8]),
    Stream(Box<dyn Read + 'a>),
}

impl Opened<'_> {
    fn unpack(self, stored: &Stored, output: impl Write, options: &UnpackOptions) -> Result<UnpackReport, Error> {
        match self {
            Opened::Local(source) if source.is_directory() || is_frame(source.file())? => {
                unpack_opened(&Archive::open_with(source, &options.open_options())?, stored, output, options)
            }
            Opened::Local(source) => unpack_reader(source.into_file(), output, options),
            Opened::Bytes(bytes) if is_frame(&bytes)? => {
                unpack_opened(&Archive::open_with(bytes, &options.open_options())?, stored, output, options)
            }
            Opened::Bytes(bytes) => unpack_reader(bytes, output, options),
            Opened::Stream(inner) => unpack_reader(StoredReader { inner, read: 0, stored }, output, options),
        }
    }
}

fn unpack_ends(source: Source<'_>, sink: Sink<'_>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let sink = sink.emptied();
    match source.0 {
        SourceKind::Bytes(bytes) => unpack_to(Opened::Bytes(bytes), bytes.len() as u64, sink, options),
        SourceKind::Reader(reader, size) => unpack_to(Opened::Stream(reader), size.unwrap_or(0), sink, options),
        SourceKind::Path(path) => {
            let source = LocalSource::open(&path)?;
            #[cfg(feature = "write")]
            if let SinkKind::Path(output) = &sink.0 {
                refuse_same_file(source.file(), output)?;
            }
            let stored = source.file().len().map_err(Error::reading)?;
            let unpacked = unpack_to(Opened::Local(source), stored, sink, options);
            unpacked.map_err(|error| error.with_names(Some(&path), None))
        }
    }
}

/// Unpacks an opened source. `size` is its size in bytes if that is known, else 0.
fn unpack_to(source: Opened<'_>, size: u64, sink: Sink<'_>, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let stored = Stored::new(size);
    match sink.0 {
        SinkKind::Writer(writer) => source.unpack(&stored, writer, options),
        #[cfg(feature = "write")]
        SinkKind::Path(output) => {
            unpack_to_file(source, &stored, &output, options).map_err(|error| error.with_names(None, Some(&output)))
        }
        SinkKind::Memory(bytes) => {
            let mut plain = InMemory::new(&options.limits, &stored);
            let report = source.unpack(&stored, &mut plain, options).map_err(|error| plain.explain(error))?;
            *bytes = plain.bytes;
            Ok(report)
        }
    }
}

#[cfg(feature = "write")]
fn unpack_to_file(
    source: Opened<'_>,
    stored: &Stored,
    output: &Path,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    match Output::create(output, options.overwrite)? {
        Output::Stream(file) => source.unpack(stored, file, options),
        Output::File(mut file) => {
            let report = source.unpack(stored, &mut file, options)?;
            file.commit().map(|()| report)
        }
    }
}

/// Unpacks an opened container, whose chunks may be in other files than the one that was opened.
fn unpack_opened(
    archive: &Archive<'_>,
    stored: &Stored,
    output: impl Write,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    stored.at_least(archive.stored_for(archive.nbytes(), &options.limits));
    unpack_archive(archive, output, options)
}

/// Returns whether a file or bytes in memory are a frame or another container that needs random access.
pub(super) fn is_frame(source: &impl ReadAt) -> Result<bool, Error> {
    // A pipe has no length and is not examined.
    let len = source.len().map_err(Error::reading)?.min(PREFIX_LEN as u64);
    let mut prefix = [0; PREFIX_LEN];
    let prefix = prefix.get_mut(..len as usize).unwrap_or_default();
    source.read_exact_at(0, prefix).map_err(Error::reading)?;
    Ok(detect(prefix, Some(len)) == Some(Format::Blosc2Frame)
        || zarr::is_zip(prefix) && peek::format_of(source).map_err(Error::reading)?.is_some())
}

/// Unpacks an archive and returns its report.
fn unpack_archive(archive: &Archive<'_>, output: impl Write, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let nbytes = archive.unpack(output, options)?;
    Ok(UnpackReport::of_frame(archive, nbytes))
}

/// Unpacks from start to end. A frame, whose index is at its end, is first copied to a temporary file.
fn unpack_reader(mut input: impl Read, output: impl Write, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let mut prefix = [0; PREFIX_LEN];
    let len = CountingReader::new(&mut input).fill(&mut prefix)?;
    let prefix = &prefix[..len];
    let total = if len < PREFIX_LEN { Some(len as u64) } else { None };
    let input = CountingReader::new(prefix.chain(input));
    match detect(prefix, total) {
        Some(Format::Bloscpack { .. }) => bloscpack::unpack(input, output, options),
        Some(format @ (Format::Blosc1Chunk | Format::Blosc2Chunk)) => chunk::unpack(input, output, options, format),
        Some(Format::Blosc2Frame) => {
            unpack_archive(&Archive::open_with(spooled(input)?, &options.open_options())?, output, options)
        }
        Some(format) => Err(Error::Unsupported { format }),
        // A file that starts like a bloscpack file gets the error of its parser.
        None if prefix.starts_with(b"blpk") => bloscpack::unpack(input, output, options),
        None => Err(Error::Unrecognised { found: prefix[..len.min(16)].to_vec() }),
    }
}

/// Copies a reader to an unnamed temporary file.
pub(super) fn spooled(mut input: impl Read) -> Result<Spool, Error> {
    let mut spool = spool::create("creating a temporary file")?;
    io::copy(&mut input, &mut spool).map_err(Error::reading)?;
    Ok(spool)
}
