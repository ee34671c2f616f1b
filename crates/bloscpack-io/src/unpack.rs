//! Unpacking: from a bloscpack file, a bare chunk or a frame to its plain bytes.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use blosc_core::{Chunk, DecodeError, Decoder, Header as ChunkHeader, memory};
use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::{Format, Json, detect};

use crate::container::Plain;
use crate::formats::bloscpack::chunks::{Chunks, FoundChunk, check_digest};
use crate::formats::bloscpack::prologue::Prologue;
use crate::fs::atomic::Output;
use crate::fs::files::refuse_same_file;
use crate::in_memory::InMemory;
use crate::options::Event;
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::ReadAt as _;
use crate::source::counted::Counted;
use crate::{Archive, Error, LocalSource, UnpackOptions};

/// Enough of a file to tell its format.
const PREFIX_LEN: usize = 64;

/// What was unpacked.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UnpackReport {
    /// The format that was found.
    pub format: Format,
    /// The bloscpack header, if it is such a file.
    pub header: Option<Header>,
    /// The header of its metadata section, if it has one.
    pub metadata_header: Option<MetadataHeader>,
    /// Its metadata.
    pub metadata: Option<Json>,
    /// Its offsets, as they stand in the file.
    pub offsets: Vec<i64>,
    /// Where its chunks are.
    pub chunk_positions: Vec<u64>,
    /// Bytes behind the last chunk, which mean nothing.
    pub trailing: u64,
    /// Plain bytes.
    pub nbytes: u64,
    /// Bytes of the input.
    pub cbytes: u64,
}

/// Unpacks the file `input` to the file `output`, which appears whole or not at all.
///
/// # Errors
/// [`Error::SameFile`], [`Error::OutputExists`], and all that [`unpack_stream`] may answer.
pub fn unpack_file(
    input: impl AsRef<Path>,
    output: impl AsRef<Path>,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    fn inner(input: &Path, output: &Path, options: &UnpackOptions) -> Result<UnpackReport, Error> {
        let source = LocalSource::open(input)?;
        refuse_same_file(source.file(), output)?;
        let unpacked = match Output::create(output, options.overwrite)? {
            Output::Stream(file) => unpack_source(source, file, options),
            Output::File(mut file) => {
                unpack_source(source, &mut file, options).and_then(|report| file.commit().map(|()| report))
            }
        };
        unpacked.map_err(|error| error.with_names(Some(input), Some(output)))
    }
    inner(input.as_ref(), output.as_ref(), options)
}

/// Unpacks what was opened at a path: a frame as an [`Archive`], everything else front to back.
fn unpack_source(source: LocalSource, output: impl Write, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    if is_frame(&source)? {
        unpack_archive(&Archive::open_with(source, &options.open_options())?, output, options)
    } else {
        unpack_stream(source.into_file(), output, options)
    }
}

/// Whether a source that can be read at any place is a frame.
pub(crate) fn is_frame(source: &LocalSource) -> Result<bool, Error> {
    // A pipe has no length and is not looked into.
    let len = source.file().len().map_err(Error::io("reading the input"))?.min(PREFIX_LEN as u64);
    let mut prefix = [0; PREFIX_LEN];
    let prefix = prefix.get_mut(..len as usize).unwrap_or_default();
    source.file().read_exact_at(0, prefix).map_err(Error::io("reading the input"))?;
    Ok(source.is_directory() || detect(prefix, Some(len)) == Some(Format::Blosc2Frame))
}

/// Unpacks an archive, and tells what it is.
pub(crate) fn unpack_archive(
    archive: &Archive<'_>,
    output: impl Write,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    let nbytes = archive.unpack(output, options)?;
    Ok(frame_report(archive, nbytes))
}

/// What there is to tell of a frame.
pub(crate) fn frame_report(archive: &Archive<'_>, nbytes: u64) -> UnpackReport {
    UnpackReport {
        format: archive.format(),
        header: None,
        metadata_header: None,
        metadata: None,
        offsets: Vec::new(),
        chunk_positions: Vec::new(),
        trailing: archive.frame().map_or(0, |frame| archive.cbytes().saturating_sub(frame.header.frame_len)),
        nbytes,
        cbytes: archive.cbytes(),
    }
}

/// Unpacks from memory.
///
/// # Errors
/// As [`unpack_stream`].
pub fn unpack_bytes(packed: &[u8], options: &UnpackOptions) -> Result<(Vec<u8>, UnpackReport), Error> {
    let mut plain = InMemory::new(&options.limits, packed.len() as u64);
    let report = unpack_stream(packed, &mut plain, options).map_err(|error| plain.explain(error))?;
    Ok((plain.bytes, report))
}

/// Unpacks a file to memory.
///
/// # Errors
/// As [`unpack_stream`].
pub fn unpack_bytes_from_file(
    input: impl AsRef<Path>,
    options: &UnpackOptions,
) -> Result<(Vec<u8>, UnpackReport), Error> {
    fn inner(input: &Path, options: &UnpackOptions) -> Result<(Vec<u8>, UnpackReport), Error> {
        let source = LocalSource::open(input)?;
        let stored = source.stored().map_err(Error::io("reading the input"))?;
        let mut plain = InMemory::new(&options.limits, stored);
        let report = unpack_source(source, &mut plain, options).map_err(|error| plain.explain(error))?;
        Ok((plain.bytes, report))
    }
    inner(input.as_ref(), options)
}

/// Unpacks from any reader, front to back, to any writer. A frame, whose index is at its end, is put to a temporary file
/// first. What has been written when an error occurs is not to be used.
///
/// # Errors
/// [`Error::Unrecognised`] and [`Error::Unsupported`] for other formats; [`Error::Truncated`], [`Error::Format`],
/// [`Error::Chunk`], [`Error::ChunkDigest`], [`Error::ChunkSize`] and [`Error::MoreData`] for damaged files;
/// [`Error::Io`]; [`Error::Cancelled`].
pub fn unpack_stream(mut input: impl Read, output: impl Write, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let mut prefix = [0; PREFIX_LEN];
    let len = Counted::new(&mut input).fill(&mut prefix)?;
    let prefix = &prefix[..len];
    let total = if len < PREFIX_LEN { Some(len as u64) } else { None };
    let input = Counted::new(prefix.chain(input));
    match detect(prefix, total) {
        Some(Format::Bloscpack { .. }) => unpack_bloscpack(input, output, options),
        Some(format @ (Format::Blosc1Chunk | Format::Blosc2Chunk)) => unpack_chunk(input, output, options, format),
        Some(Format::Blosc2Frame) => {
            unpack_archive(&Archive::open_with(spooled(input)?, &options.open_options())?, output, options)
        }
        Some(format) => Err(Error::Unsupported { format }),
        // What starts like a bloscpack file is told why it is none.
        None if prefix.starts_with(b"blpk") => unpack_bloscpack(input, output, options),
        None => Err(Error::Unrecognised { found: prefix[..len.min(16)].to_vec() }),
    }
}

/// All of a reader in a temporary file without a name.
pub(crate) fn spooled(mut input: impl Read) -> Result<File, Error> {
    let mut spool = tempfile::tempfile().map_err(Error::io("creating a temporary file"))?;
    io::copy(&mut input, &mut spool).map_err(Error::io("copying the input to a temporary file"))?;
    Ok(spool)
}

/// A chunk on its way: compressed bytes and the buffer for the plain ones. Both are used again.
struct Work {
    found: FoundChunk,
    bytes: Vec<u8>,
    plain: Vec<u8>,
}

fn unpack_bloscpack<R: Read>(
    mut input: Counted<R>,
    mut output: impl Write,
    options: &UnpackOptions,
) -> Result<UnpackReport, Error> {
    let prologue = Prologue::read(&mut input, &options.limits)?;
    let header = &prologue.header;
    options.observer.tell(Event::Header(header));
    if let Some(metadata) = &prologue.metadata {
        options.observer.tell(Event::Metadata { header: metadata.section.header(), value: &metadata.value });
    }
    if header.offsets {
        options.observer.tell(Event::Offsets(&prologue.offsets));
    }

    let parallelism = options.threads.for_blocks(header.nchunks);
    // What is written on is no output in memory.
    let limits = options.limits.max_nbytes(usize::MAX);
    let decoder = || Ok(Decoder::new().limits(limits).parallelism(parallelism).cancel(options.cancel.clone()));
    let weigh = |work: &Work| {
        let FoundChunk { nbytes, cbytes, .. } = work.found;
        Weight::of_chunk(nbytes.max(cbytes), &options.threads, &limits, || cbytes)
    };

    let mut chunks = Chunks::new(input, header, &limits);
    let (mut nbytes, mut chunk_positions) = (0, Vec::new());
    let spare = std::cell::RefCell::new(Vec::new());
    pipeline::run_within(
        (&limits, &weigh),
        &options.threads,
        &options.cancel,
        decoder,
        || {
            let (mut bytes, plain) = spare.borrow_mut().pop().unwrap_or_default();
            let found = chunks.next(&mut bytes)?;
            Ok(found.map(|found| Work { found, bytes, plain }))
        },
        |decoder: &mut Decoder, mut work| {
            decode(decoder, header, &mut work)?;
            Ok(work)
        },
        |Work { found, bytes, plain }| {
            output.write_all(&plain).map_err(Error::io("writing the output"))?;
            nbytes += plain.len() as u64;
            memory::push(&mut chunk_positions, found.offset)?;
            let FoundChunk { number: chunk, last, nbytes, cbytes, digest, .. } = found;
            options.observer.tell(Event::Chunk { chunk, last, nbytes, cbytes, digest: &digest });
            spare.borrow_mut().push((bytes, plain));
            Ok(())
        },
    )?;
    let end = chunks.position();
    let trailing = chunks.finish()?;
    output.flush().map_err(Error::io("writing the output"))?;
    let (metadata_header, metadata) =
        prologue.metadata.map(|metadata| (*metadata.section.header(), metadata.value)).unzip();
    Ok(UnpackReport {
        format: Format::Bloscpack { version: header.version.number() },
        header: Some(prologue.header),
        metadata_header,
        metadata,
        offsets: prologue.offsets,
        chunk_positions,
        trailing,
        nbytes,
        cbytes: end + trailing,
    })
}

/// Checks the digest of a chunk and decodes it.
fn decode(decoder: &mut Decoder, header: &Header, work: &mut Work) -> Result<(), Error> {
    let Work { found, bytes, plain } = work;
    check_digest(header.checksum, found, bytes)?;
    let decoded = Chunk::parse(bytes).and_then(|chunk| decoder.decompress_to(&chunk, plain));
    decoded.map_err(|source| Error::Chunk { chunk: found.number, offset: found.offset, source })
}

/// A file that is one chunk and nothing else.
fn unpack_chunk<R: Read>(
    mut input: Counted<R>,
    mut output: impl Write,
    options: &UnpackOptions,
    format: Format,
) -> Result<UnpackReport, Error> {
    let damaged = |source| Error::Chunk { chunk: 0, offset: 0, source };
    let mut bytes = Vec::new();
    input.append(ChunkHeader::LEN as u64, &mut bytes)?;
    if let Err(DecodeError::HeaderTooShort { needed, .. }) = ChunkHeader::parse(&bytes) {
        input.append((needed - bytes.len()) as u64, &mut bytes)?;
    }
    let header = ChunkHeader::parse(&bytes).map_err(damaged)?;
    input.append((header.cbytes() - bytes.len()) as u64, &mut bytes)?;
    let chunk = Chunk::parse(&bytes).map_err(damaged)?;
    let cbytes = input.position();
    if input.skip(u64::MAX)? > 0 {
        return Err(Error::MoreData { offset: cbytes, found: "more data", nchunks: 1 });
    }
    let limits = options.limits.max_nbytes(usize::MAX);
    let parallelism = options.threads.for_blocks(Some(1));
    let mut decoder = Decoder::new().limits(limits).parallelism(parallelism).cancel(options.cancel.clone());
    let plain = match (chunk.repeated_value(), &options.threads) {
        (Some(value), _) => limits
            .check_chunk(header.nbytes() as u64)
            .map_err(DecodeError::Limit)
            .and_then(|()| Ok(Plain::Repeat { value: memory::copy_of(value)?, range: 0..header.nbytes() })),
        (None, crate::Threads::Pool(pool)) => pool.install(|| decoder.decompress(&chunk)).map(Plain::Bytes),
        _ => decoder.decompress(&chunk).map(Plain::Bytes),
    };
    let plain = plain.map_err(|source| damaged(source).or_cancelled())?;
    plain.write_to(&mut output).and_then(|()| output.flush()).map_err(Error::io("writing the output"))?;
    Ok(UnpackReport {
        format,
        header: None,
        metadata_header: None,
        metadata: None,
        offsets: Vec::new(),
        chunk_positions: vec![0],
        trailing: 0,
        nbytes: plain.len() as u64,
        cbytes,
    })
}
