//! Unpacking: from a bloscpack file or a bare chunk to its plain bytes.

use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use blosc_core::{Chunk, DecodeError, Decoder, Header as ChunkHeader};
use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::checksum::Checksum;
use bloscpack_format::{Format, Json, detect};

use crate::atomic::Output;
use crate::chunks::{Chunks, FoundChunk};
use crate::counted::Counted;
use crate::error::ChunkDigestMismatch;
use crate::files::refuse_same_file;
use crate::options::Event;
use crate::prologue::Prologue;
use crate::{Error, UnpackOptions, pipeline};

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
pub fn unpack_file(input: &Path, output: &Path, options: &UnpackOptions) -> Result<UnpackReport, Error> {
    let source = File::open(input).map_err(|error| Error::file("opening", input, error))?;
    refuse_same_file(&source, output)?;
    match Output::create(output, options.overwrite)? {
        Output::Stream(file) => unpack_stream(source, file, options),
        Output::File(mut file) => {
            let report = unpack_stream(source, &mut file, options)?;
            file.commit()?;
            Ok(report)
        }
    }
}

/// Unpacks from memory.
///
/// # Errors
/// As [`unpack_stream`].
pub fn unpack_bytes(packed: &[u8], options: &UnpackOptions) -> Result<(Vec<u8>, UnpackReport), Error> {
    let mut plain = Vec::new();
    let report = unpack_stream(packed, &mut plain, options)?;
    Ok((plain, report))
}

/// Unpacks a file to memory.
///
/// # Errors
/// As [`unpack_stream`].
pub fn unpack_bytes_from_file(input: &Path, options: &UnpackOptions) -> Result<(Vec<u8>, UnpackReport), Error> {
    let source = File::open(input).map_err(|error| Error::file("opening", input, error))?;
    let mut plain = Vec::new();
    let report = unpack_stream(source, &mut plain, options)?;
    Ok((plain, report))
}

/// Unpacks from any reader, front to back, to any writer. What has been written when an error occurs is not to be used.
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
        Some(format) => Err(Error::Unsupported { format }),
        // What starts like a bloscpack file is told why it is none.
        None if prefix.starts_with(b"blpk") => unpack_bloscpack(input, output, options),
        None => Err(Error::Unrecognised { found: prefix[..len.min(16)].to_vec() }),
    }
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
    let prologue = Prologue::read(&mut input)?;
    let header = &prologue.header;
    options.observer.tell(Event::Header(header));
    if let Some(metadata) = &prologue.metadata {
        options.observer.tell(Event::Metadata { header: metadata.section.header(), value: &metadata.value });
    }
    if header.offsets {
        options.observer.tell(Event::Offsets(&prologue.offsets));
    }

    let parallelism = options.threads.for_blocks(header.nchunks);
    let decoder = || Ok(Decoder::new().limits(options.limits).parallelism(parallelism));

    let mut chunks = Chunks::new(input, header);
    let (mut nbytes, mut chunk_positions) = (0, Vec::new());
    let spare = std::cell::RefCell::new(Vec::new());
    pipeline::run(
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
            chunk_positions.push(found.offset);
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

/// Compares the digest that was found behind a chunk with that of its bytes.
pub(crate) fn check_digest(checksum: Checksum, found: &FoundChunk, bytes: &[u8]) -> Result<(), Error> {
    let FoundChunk { number: chunk, offset, digest: stored, .. } = *found;
    match checksum.digest(bytes) {
        computed if computed == stored => Ok(()),
        computed => {
            let mismatch = ChunkDigestMismatch { chunk, offset, checksum, stored, computed };
            Err(Error::ChunkDigest(Box::new(mismatch)))
        }
    }
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
    let mut decoder = Decoder::new().limits(options.limits).parallelism(options.threads.for_blocks(Some(1)));
    let plain = match &options.threads {
        crate::Threads::Pool(pool) => pool.install(|| decoder.decompress(&chunk)),
        _ => decoder.decompress(&chunk),
    };
    let plain = plain.map_err(damaged)?;
    output.write_all(&plain).and_then(|()| output.flush()).map_err(Error::io("writing the output"))?;
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
