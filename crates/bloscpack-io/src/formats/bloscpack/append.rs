//! Edits a bloscpack file atomically: appends data, replaces the metadata.
//!
//! Appending fills up the last chunk and rewrites it. Readers follow the file from chunk to chunk, so no order of
//! in-place writes would keep the file readable if the process dies between two of them. Therefore the new file is
//! written next to the old one and replaces it atomically. The system copies the old chunks, and shares their blocks if
//! the file system supports that.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use blosc_core::{CParams, memory};
use bloscpack_format::Json;
use bloscpack_format::bloscpack::{ChunkPlan, DEFAULT_CHUNK_SIZE, Header, MetadataRewrite, Version, offsets};

use crate::archive::Archive;
use crate::ends::{Source, SourceKind};
use crate::formats::bloscpack::append_metadata::NewMetadata;
use crate::formats::bloscpack::chunk_run::{ChunkRun, Packed};
use crate::fs::atomic::AtomicFile;
use crate::fs::files::{as_opened, refuse_same_file};
use crate::fs::lock::open_locked;
use crate::options::Event;
use crate::source::counting::CountingReader;
use crate::{AppendOptions, Error, OpenOptions};

/// The result of appending.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AppendReport {
    /// Size of the file before, in bytes.
    pub before: u64,
    /// Size of the file after, in bytes.
    pub after: u64,
    /// Number of plain bytes appended.
    pub new_size: u64,
    /// Division into chunks of the appended bytes that did not fit into the last chunk. `None` if all did.
    pub surplus: Option<ChunkPlan>,
    /// The new header of the file.
    pub header: Header,
}

/// Appends the plain bytes of a source to the bloscpack file `archive`, whose metadata may be replaced in the same
/// step. An empty source changes nothing, unless there are metadata. Bytes after the old last chunk are dropped.
///
/// # Errors
/// [`Error::NotEnoughSpace`] if the offsets section has no room; [`Error::NoMetadataFound`],
/// [`Error::NoChangeInMetadata`] and [`Error::Format`] if the metadata cannot be replaced; [`Error::SameFile`];
/// [`Error::InputChanged`] if the source has fewer or more bytes than its size; the errors of unpacking if the file is
/// damaged between its chunks or in the last one. After an error, the file is unchanged.
pub fn append<'s>(
    archive: impl AsRef<Path>,
    new: impl Into<Source<'s>>,
    options: &AppendOptions,
) -> Result<AppendReport, Error> {
    append_source(archive.as_ref(), new.into(), options)
}

fn append_source(archive: &Path, new: Source<'_>, options: &AppendOptions) -> Result<AppendReport, Error> {
    let metadata = NewMetadata::of(options);
    match new.0 {
        SourceKind::Bytes(bytes) => edit(archive, bytes, Some(bytes.len() as u64), metadata, options),
        SourceKind::Reader(reader, size) => edit(archive, reader, size, metadata, options),
        SourceKind::Path(path) => {
            let file = File::open(&path).map_err(|error| Error::file("opening", &path, error))?;
            refuse_same_file(&file, archive)?;
            let (size, file) = as_opened(file);
            edit(archive, file, size, metadata, options)
        }
    }
}

/// Replaces the metadata of a bloscpack file, within the space reserved for it.
///
/// # Errors
/// [`Error::NoMetadataFound`] if the file has none; [`Error::NoChangeInMetadata`] if it is the same; [`Error::Format`]
/// if it does not fit, or if `changes` contain a checksum of another length. After an error, the file is unchanged.
pub fn rewrite_metadata(archive: impl AsRef<Path>, metadata: Json, changes: MetadataRewrite) -> Result<(), Error> {
    let metadata = NewMetadata::Replaced(&metadata, changes);
    edit(archive.as_ref(), io::empty(), Some(0), metadata, &AppendOptions::new()).map(|_| ())
}

/// Appends rows to the array in a bloscpack file: the plain bytes of items of the array's shape but for the first axis.
/// The shape in the metadata grows by `rows` in the same step. Metadata of the options are not used.
///
/// # Errors
/// [`Error::NotRows`] if `plain` has another size than the rows; [`Error::NotANumpyArray`] without axes, for several axes
/// in Fortran order, whose rows are all over the file, and if the file has more or fewer bytes than its array, such as
/// after [`append`]; as [`append`].
pub fn append_rows(
    archive: impl AsRef<Path>,
    rows: u64,
    plain: &[u8],
    options: &AppendOptions,
) -> Result<AppendReport, Error> {
    let nbytes = plain.len() as u64;
    edit(archive.as_ref(), plain, Some(nbytes), NewMetadata::Grown { rows, nbytes }, options)
}

fn edit(
    path: &Path,
    mut new: impl Read,
    size: Option<u64>,
    metadata: NewMetadata<'_>,
    options: &AppendOptions,
) -> Result<AppendReport, Error> {
    let file = open_locked(path, |path| File::open(path))?;
    let archive = Archive::open_with(&*file, &OpenOptions::new().limits(options.limits).walk(true))?;
    let Some(layout) = archive.layout() else {
        return Err(Error::Unsupported { format: archive.format() });
    };
    let old = archive.header().copied().unwrap_or_else(|| Header::new(Version::V3));
    let section = metadata.section(&archive)?;
    let mut tail = Tail::read(&archive, &old)?;
    if let Some(size) = size.filter(|&size| size > 0) {
        let plan = ChunkPlan::new(size.saturating_add(tail.refill.len() as u64), tail.chunk_size.into())?;
        tail.check_space(&old, plan.nchunks)?;
    }

    let mut first = [0];
    let first_len = CountingReader::new(&mut new).fill(&mut first)?;
    let before = archive.cbytes();
    if first_len == 0 {
        if let Some(expected) = size.filter(|size| *size > 0) {
            return Err(Error::InputChanged { expected, found: 0 });
        }
        if section.is_none() {
            return Ok(AppendReport { before, after: before, new_size: 0, surplus: None, header: old });
        }
        tail = tail.whole(&archive);
    }
    let mut output = AtomicFile::create(path, true)?;
    copy_start(&file, tail.keep, &mut output)?;
    let packed = match first_len {
        0 => Packed::default(),
        _ => tail.append(first.chain(new), size, &old, &mut output, options)?,
    };
    let header = tail.grown_header(old, &packed)?;
    let positions = (0..tail.kept).filter_map(|chunk| archive.chunk_position(chunk));
    let mut entries: Vec<i64> = memory::collect(positions.map(u64::cast_signed))?;
    memory::check_free(3 * packed.starts.len() * size_of::<i64>() + entries.len() * size_of::<i64>())?;
    entries.extend(packed.offsets(tail.keep));
    options.observer.tell(Event::Offsets(&entries));

    let mut parts = vec![(0, header.to_bytes()?)];
    if let Some(section) = &section {
        parts.push((layout.metadata.start, section.to_bytes()?));
    }
    if header.offsets {
        parts.push((layout.offsets.start, offsets::encode(&entries)?));
    }
    for (at, bytes) in parts {
        let written = output.seek(SeekFrom::Start(at)).and_then(|_| output.write_all(&bytes));
        written.map_err(Error::writing)?;
    }
    output.commit()?;
    let new_size = packed.nbytes.saturating_sub(tail.refill.len() as u64);
    let surplus = new_size.saturating_sub(tail.room);
    let surplus = (surplus > 0).then(|| ChunkPlan::new(surplus, tail.chunk_size.into())).transpose()?;
    Ok(AppendReport { before, after: tail.keep + packed.written, new_size, surplus, header })
}

/// Copies the first `len` bytes of `file`.
fn copy_start(mut file: &File, len: u64, output: &mut AtomicFile) -> Result<(), Error> {
    let copied = file.seek(SeekFrom::Start(0)).and_then(|_| io::copy(&mut file.take(len), output.writer()));
    match copied.map_err(Error::io("copying the file"))? {
        copied if copied < len => Err(Error::InputChanged { expected: len, found: copied }),
        _ => Ok(()),
    }
}

/// The position and parameters of the appended data.
struct Tail {
    /// Number of bytes of the file that stay unchanged.
    keep: u64,
    /// Number of chunks in these bytes.
    kept: u64,
    /// The plain bytes of a last chunk that is replaced. They are compressed again, followed by the new bytes.
    refill: Vec<u8>,
    /// Number of new bytes that fill up this chunk.
    room: u64,
    /// Uncompressed size of a chunk in bytes.
    chunk_size: u32,
}

impl Tail {
    /// Checks the last chunk and decides whether it stays.
    fn read(archive: &Archive<'_>, header: &Header) -> Result<Tail, Error> {
        let last = archive.nchunks().saturating_sub(1);
        let plain = archive.chunk(last)?;
        let all = Tail { keep: 0, kept: 0, refill: Vec::new(), room: 0, chunk_size: DEFAULT_CHUNK_SIZE }.whole(archive);
        let without_last = Tail { keep: archive.chunk_position(last).unwrap_or(0), kept: last, ..all };
        Ok(match header.chunk_size {
            // If the header does not contain the chunk size, chunks may have any size.
            None => Tail { keep: archive.end(), kept: last + 1, ..without_last },
            // The only chunk of an empty file is empty and is replaced.
            Some(0) => without_last,
            Some(chunk_size) => match u64::from(chunk_size).saturating_sub(plain.len() as u64) {
                0 => Tail { keep: archive.end(), kept: last + 1, chunk_size, ..without_last },
                room => Tail { refill: plain, room, chunk_size, ..without_last },
            },
        })
    }

    /// Returns the same position, but with all old chunks kept.
    fn whole(self, archive: &Archive<'_>) -> Tail {
        Tail { keep: archive.end(), kept: archive.nchunks(), refill: Vec::new(), ..self }
    }

    /// Returns by how much the number of chunks grows if `new_chunks` follow the kept ones. Fails if the offsets
    /// section has no room for them.
    fn check_space(&self, header: &Header, new_chunks: u64) -> Result<u64, Error> {
        let nchunks = self.kept.saturating_add(new_chunks);
        let needed = nchunks.saturating_sub(header.nchunks.unwrap_or(nchunks));
        match header.max_app_chunks {
            room if header.offsets && needed > room => Err(Error::NotEnoughSpace { needed, room }),
            _ => Ok(needed),
        }
    }

    /// Compresses the refill and `new` to the output.
    fn append(
        &self,
        new: impl Read,
        size: Option<u64>,
        header: &Header,
        output: &mut AtomicFile,
        options: &AppendOptions,
    ) -> Result<Packed, Error> {
        let typesize = options.typesize.unwrap_or(usize::from(header.typesize.max(1)));
        let params = CParams::new().codec(options.codec).clevel(options.clevel).filters(options.filters);
        let run = ChunkRun {
            params: params.typesize(typesize),
            auto: options.auto,
            checksum: header.checksum,
            chunk_size: self.chunk_size,
            size: size.map(|size| size.saturating_add(self.refill.len() as u64)),
            threads: &options.threads,
            cancel: &options.cancel,
            observer: &options.observer,
        };
        let refill = self.refill.len() as u64;
        run.run(self.refill.as_slice().chain(new), output).map_err(|error| match error {
            Error::InputChanged { expected, found } => {
                Error::InputChanged { expected: expected.saturating_sub(refill), found: found.saturating_sub(refill) }
            }
            error => error,
        })
    }

    /// Returns the header after appending the chunks of `packed` to the kept ones.
    fn grown_header(&self, old: Header, packed: &Packed) -> Result<Header, Error> {
        let Some(full) = (packed.starts.len() as u64).checked_sub(1) else { return Ok(old) };
        let added = self.check_space(&old, full + 1)?;
        // At most the size of a chunk, because all other chunks are full.
        let last_chunk = (packed.nbytes - full * u64::from(self.chunk_size)) as u32;
        let chunk_size = match old.chunk_size {
            Some(0) if full == 0 => Some(last_chunk),
            Some(_) => Some(self.chunk_size),
            None => None,
        };
        let mut header = old;
        header.chunk_size = chunk_size;
        header.last_chunk = old.last_chunk.map(|_| last_chunk);
        header.nchunks = old.nchunks.map(|_| self.kept + full + 1);
        header.max_app_chunks = if old.offsets { old.max_app_chunks - added } else { old.max_app_chunks };
        Ok(header)
    }
}
