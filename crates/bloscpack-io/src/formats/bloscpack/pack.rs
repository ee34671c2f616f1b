//! Packs plain bytes to a bloscpack file.
//!
//! ```text
//! known size, seekable output:          header, metadata, offsets of -1 | chunk digest chunk digest ... | offsets again
//! known size, no offsets, any output:   header, metadata | chunk digest chunk digest ...
//! anything else:                        chunks to an unnamed spool file, then header, metadata, offsets | spool
//! ```
//!
//! The header contains the number of chunks, and the offsets precede the chunks. On an output that cannot seek, chunks
//! with offsets or of unknown number can only be written when all of them are known.

use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
#[cfg(feature = "write")]
use std::path::Path;

use blosc_core::{Limits, memory};
use bloscpack_format::bloscpack::{ChunkPlan, Header, MAX_CHUNK_SIZE, offsets};
use bloscpack_format::checksum::Digest;

use super::container::BloscpackFile;
use crate::ends::{Sink, SinkKind, Source, SourceKind};
use crate::error::ReadBackMismatch;
use crate::formats::bloscpack::chunk_run::Packed;
use crate::formats::bloscpack::content::{Content, PlainBytes, plain_checksum};
use crate::formats::bloscpack::front::{Front, plan};
#[cfg(feature = "write")]
use crate::fs::atomic::Output;
use crate::fs::files::as_opened;
#[cfg(feature = "write")]
use crate::fs::files::refuse_same_file;
use crate::fs::spool::{self, Spool};
use crate::in_memory::InMemoryFile;
use crate::options::Event;
use crate::read_back::compare;
use crate::{Archive, Error, PackOptions};

/// Maximum number of chunks, by the stated size of the input, for which an output in memory gets its offsets section
/// before the chunks. Their entries take 11 MiB, with the default room to append. The size may be wrong, so with more
/// chunks the section is written after them.
const MAX_RESERVED: u64 = 1 << 17;

/// The result of packing.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct PackReport {
    /// The header that was written.
    pub header: Header,
    /// The division of the input into chunks.
    pub plan: ChunkPlan,
    /// The offset of each chunk.
    pub chunk_positions: Vec<u64>,
    /// Number of plain bytes.
    pub nbytes: u64,
    /// Size of the output in bytes.
    pub cbytes: u64,
    /// The digest of all plain bytes. Empty unless [`PackOptions::plain_checksum`] or [`PackOptions::verify`] is set.
    pub plain_digest: Digest,
}

impl PackReport {
    pub(crate) fn new(front: Front, packed: &Packed, plain_digest: Digest) -> PackReport {
        let Front { header, plan, layout, .. } = front;
        let first_chunk = layout.first_chunk;
        let chunk_positions = packed.starts.iter().map(|start| first_chunk + start).collect();
        PackReport {
            header,
            plan,
            chunk_positions,
            nbytes: packed.nbytes,
            cbytes: first_chunk + packed.written,
            plain_digest,
        }
    }
}

/// Packs a source up to its end. An output file appears complete or not at all.
///
/// If the output is a writer, chunks are written to it immediately if the size of the source is known and there are no
/// offsets. Otherwise they are kept in an unnamed temporary file first.
///
/// ```
/// use bloscpack_io::{PackOptions, Sink, Source, pack};
/// let directory = std::env::temp_dir();
/// let path = directory.join(format!("pack-{}.blp", std::process::id()));
/// let report = pack(Source::bytes(&[7; 5000]), Sink::file(&path), &PackOptions::new().overwrite(true))?;
/// assert_eq!(report.nbytes, 5000);
/// std::fs::remove_file(&path).unwrap();
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
///
/// # Errors
/// [`Error::Encode`], [`Error::Argument`] and [`Error::PackParams`] for parameters out of range; [`Error::SameFile`],
/// [`Error::OutputExists`]; [`Error::InputChanged`] if the source has fewer or more bytes than its size;
/// [`Error::NotAsWritten`]; [`Error::File`], [`Error::Io`]; [`Error::Cancelled`].
pub fn pack<'s, 't>(
    source: impl Into<Source<'s>>,
    sink: impl Into<Sink<'t>>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    pack_ends(source.into(), sink.into(), options)
}

fn pack_ends(source: Source<'_>, sink: Sink<'_>, options: &PackOptions) -> Result<PackReport, Error> {
    let sink = sink.emptied();
    match source.0 {
        SourceKind::Bytes(bytes) => pack_reader(bytes, Some(bytes.len() as u64), sink, options),
        SourceKind::Reader(reader, size) => pack_reader(reader, size, sink, options),
        SourceKind::Path(input) => {
            let file = File::open(&input).map_err(|error| Error::file("opening", &input, error))?;
            #[cfg(feature = "write")]
            if let SinkKind::Path(output) = &sink.0 {
                refuse_same_file(&file, output)?;
            }
            let (size, file) = as_opened(file);
            pack_reader(file, size, sink, options).map_err(|error| error.with_names(Some(&input), None))
        }
    }
}

fn pack_reader(
    input: impl Read,
    size: Option<u64>,
    sink: Sink<'_>,
    options: &PackOptions,
) -> Result<PackReport, Error> {
    let content = PlainBytes { input, size };
    match sink.0 {
        #[cfg(feature = "write")]
        SinkKind::Path(output) => pack_to_file(content, &output, options),
        SinkKind::Writer(writer) => pack_to_writer(content, writer, options),
        SinkKind::Memory(bytes) => {
            let mut packed = InMemoryFile::reusing(std::mem::take(bytes));
            let report = match size {
                Some(size) if plan(options, size)?.nchunks <= MAX_RESERVED => {
                    pack_seekable(content, size, &mut packed, options)
                }
                _ => pack_to_writer(content, &mut packed, options),
            }?;
            *bytes = packed.into_inner();
            Ok(report)
        }
    }
}

/// Packs bytes in memory.
///
/// # Errors
/// [`Error::Encode`], [`Error::Argument`] and [`Error::PackParams`] for parameters out of range.
pub fn pack_bytes(plain: &[u8], options: &PackOptions) -> Result<Vec<u8>, Error> {
    let mut packed = Vec::new();
    pack(plain, &mut packed, options)?;
    Ok(packed)
}

/// Packs to a writer without seeking.
fn pack_to_writer(content: impl Content, mut output: impl Write, options: &PackOptions) -> Result<PackReport, Error> {
    let report = match content.size() {
        Some(size) if !options.offsets => {
            let front = Front::new(options, size)?;
            front.write(&mut output, &[], options)?;
            let (packed, digest) = content.write_chunks(front.plan.chunk_size, &mut output, options)?;
            PackReport::new(front, &packed, digest)
        }
        _ => pack_spooled(content, &mut output, options)?,
    };
    output.flush().map_err(Error::writing)?;
    Ok(report)
}

/// Packs to a file.
#[cfg(feature = "write")]
pub(crate) fn pack_to_file(content: impl Content, output: &Path, options: &PackOptions) -> Result<PackReport, Error> {
    let packed = match Output::create(output, options.overwrite)? {
        Output::Stream(_) if options.verify => {
            Err(Error::NotAsWritten { source: ReadBackMismatch::NotRegularFile(output.to_owned()).into() })
        }
        Output::Stream(file) => pack_to_writer(content, file, options),
        Output::File(mut file) => {
            let packed = match content.size() {
                Some(size) => pack_seekable(content, size, &mut file, options),
                None => pack_spooled(content, &mut file, options),
            };
            packed.and_then(|report| {
                if options.verify {
                    let PackOptions { threads, cancel, .. } = options;
                    let written = BloscpackFile::open(Box::new(file.reopen()?), false, &Limits::new());
                    let written = written.map(|open| Archive::new(Box::new(open)));
                    compare(written, plain_checksum(options), &report.plain_digest, threads, cancel)?;
                }
                file.commit().map(|()| report)
            })
        }
    };
    packed.map_err(|error| error.with_names(None, Some(output)))
}

/// Packs to an output that can seek.
pub(crate) fn pack_seekable(
    content: impl Content,
    size: u64,
    output: &mut (impl Write + Seek),
    options: &PackOptions,
) -> Result<PackReport, Error> {
    let front = Front::new(options, size)?;
    front.write(output, &[], options)?;
    let (packed, digest) = content.write_chunks(front.plan.chunk_size, output, options)?;
    let front = fill_front(front, &packed, output, options)?;
    Ok(PackReport::new(front, &packed, digest))
}

/// Writes what was not known before the chunks: the typesize, if it was chosen, and the offsets to their section, if
/// there is one. Seeks to the end.
pub(crate) fn fill_front<W: Write + Seek>(
    front: Front,
    packed: &Packed,
    output: &mut W,
    options: &PackOptions,
) -> Result<Front, Error> {
    let written = front.header.typesize;
    let front = front.with_typesize(packed.typesize);
    let is_changed = front.header.typesize != written;
    if is_changed {
        front.rewrite_header(output)?;
    }
    if front.header.offsets {
        memory::check_free(packed.starts.len() * size_of::<i64>())?;
        let entries = packed.offsets(front.layout.first_chunk);
        options.observer.tell(Event::Offsets(&entries));
        let bytes = offsets::encode(&entries)?;
        let written = output.seek(SeekFrom::Start(front.layout.offsets.start));
        written.and_then(|_| output.write_all(&bytes)).map_err(Error::writing)?;
    }
    if is_changed || front.header.offsets {
        output.seek(SeekFrom::End(0)).map_err(Error::writing)?;
    }
    Ok(front)
}

/// Packs the chunks to a spool file, then writes the parts before the chunks, and the spool.
fn pack_spooled(content: impl Content, output: &mut impl Write, options: &PackOptions) -> Result<PackReport, Error> {
    let chunk_size = spooled_chunk_size(options)?;
    let mut spool = create_spool()?;
    let (packed, digest) = content.write_chunks(chunk_size, &mut spool, options)?;
    let front = unspool(spool, &packed, output, options)?;
    Ok(PackReport::new(front, &packed, digest))
}

/// Returns the chunk size for input of unknown size. A plan for more bytes than fit into one chunk keeps the chunk
/// size, if it is valid.
pub(crate) fn spooled_chunk_size(options: &PackOptions) -> Result<u32, Error> {
    Ok(plan(options, MAX_CHUNK_SIZE.into())?.chunk_size)
}

/// Creates an unnamed temporary file for chunks whose number is not known yet.
pub(crate) fn create_spool() -> Result<BufWriter<Spool>, Error> {
    let spool = spool::create("writing to a temporary file")?;
    Ok(BufWriter::with_capacity(1 << 16, spool))
}

/// Writes the parts before the chunks, and the chunks from the spool file.
pub(crate) fn unspool(
    spool: BufWriter<Spool>,
    packed: &Packed,
    output: &mut impl Write,
    options: &PackOptions,
) -> Result<Front, Error> {
    let spooling = Error::io("writing to a temporary file");
    let front = Front::new(options, packed.nbytes)?;
    let front = front.with_typesize(packed.typesize);
    let entries = if options.offsets { packed.offsets(front.layout.first_chunk) } else { Vec::new() };
    front.write(output, &entries, options)?;
    let mut spool = spool.into_inner().map_err(|error| spooling(error.into_error()))?;
    spool.seek(SeekFrom::Start(0)).map_err(&spooling)?;
    io::copy(&mut spool, output).map_err(Error::writing)?;
    Ok(front)
}
