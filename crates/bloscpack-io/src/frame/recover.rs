//! Salvaging a frame that was torn or damaged: which chunks still stand, and what is lost.
//!
//! A frame that opens is read by its index; one that does not, from the header on, chunk by chunk. Of the indexes that
//! are met on the way, which C-Blosc2 and we leave behind, the last one says in which order the chunks before it were, and
//! which were special values. Files of a sparse frame whose index is gone are taken in the order of their numbers.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::path::Path;

use blosc_core::{Chunk, Decoder, Limits, Special};
use bloscpack_format::frame::{
    ChunkInfo, ChunkRef, ChunkSize, Edit, Entry, Found, Frame, FrameType, Grid, Header, Index, Trailer, identify,
    sframe,
};

use super::local::NewFrame;
use super::params::FrameParams;
use super::writer::FrameWriter;
use crate::{Archive, Cancel, Error, LocalSource, ReadAt};

/// What was salvaged.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoverReport {
    /// Chunks in the new frame, those that stand in for lost ones not counted.
    pub chunks: u64,
    /// Plain bytes in the new frame.
    pub nbytes: u64,
    /// What was lost, or could not be made sure of.
    pub lost: Vec<Lost>,
}

/// Something that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// The index: order, deletions and special values are not known.
    Index,
    /// The vlmetalayers.
    VlMetalayers,
    /// The vlmetalayers are those of an older state of the frame.
    OldVlMetalayers,
    /// The index is that of an older state; chunks behind it stand at the end.
    OldIndex,
    /// A chunk of this number is not whole. In an array, zeros stand in for it.
    Chunk {
        /// Its number.
        chunk: u64,
        /// What is wrong.
        why: String,
    },
    /// Bytes from here on mean nothing.
    Bytes {
        /// Where they start, from the frame's first byte.
        from: u64,
        /// How many they are.
        len: u64,
    },
    /// An array has a chunk of each number; zeros stand in for these at its end.
    Missing {
        /// How many are missing.
        chunks: u64,
    },
    /// Chunks more than an array has are left out.
    TooMany {
        /// How many.
        chunks: u64,
    },
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lost::Index => f.write_str("the index is lost: special values, the order after changes, and deletions"),
            Lost::VlMetalayers => f.write_str("the vlmetalayers are lost, if there were any"),
            Lost::OldVlMetalayers => f.write_str("the vlmetalayers are those of an older state"),
            Lost::OldIndex => f.write_str("the index is that of an older state; chunks behind it are appended"),
            Lost::Chunk { chunk, why } => write!(f, "chunk {chunk} is lost: {why}"),
            Lost::Bytes { from, len } => write!(f, "{len} bytes from offset {from} on mean nothing"),
            Lost::Missing { chunks } => write!(f, "{chunks} chunks at the end of the array are lost: zeros instead"),
            Lost::TooMany { chunks } => write!(f, "{chunks} chunks are left out: the array has no room for them"),
        }
    }
}

/// A chunk that was found, or what stands in its place.
enum Salvaged {
    Chunk(Vec<u8>),
    Special(Special, u32),
    Lost,
}

/// Writes what still stands of the frame `input` to a new frame, contiguous or sparse as the old one is.
///
/// # Errors
/// [`Error::Format`] if not even the header stands; [`Error::OutputExists`], [`Error::File`], [`Error::Io`],
/// [`Error::Cancelled`].
pub fn recover(input: &Path, output: &Path, overwrite: bool, cancel: &Cancel) -> Result<RecoverReport, Error> {
    let source = LocalSource::open(input)?;
    crate::files::refuse_same_file(source.file(), output)?;
    let mut lost = Vec::new();
    let limits = Limits::new();
    let (header, trailer, chunks) = match Archive::open(&source) {
        Ok(archive) => {
            let frame = archive.frame().cloned().ok_or(Error::Unsupported { format: archive.format() })?;
            let mut chunks = Vec::new();
            for number in 0..frame.nchunks() {
                cancel.check()?;
                chunks.push(by_index(&archive, &frame, number, &mut lost));
            }
            (frame.header, frame.trailer, chunks)
        }
        Err(_) => {
            let header = read_header(&source)?;
            let walk = match header.frame_type {
                FrameType::Contiguous => Walk::along(&source, &header, limits, cancel)?,
                FrameType::Sparse => Walk::through(input)?,
            };
            let trailer = walk.trailer(&mut lost);
            (header.clone(), trailer, walk.chunks(&source, &header, &mut lost)?)
        }
    };
    write(header, trailer, chunks, output, overwrite, lost)
}

/// A chunk of a frame that opens.
fn by_index<R: ReadAt>(archive: &Archive<R>, frame: &Frame, number: u64, lost: &mut Vec<Lost>) -> Salvaged {
    let read = || -> Result<Salvaged, Error> {
        if let ChunkRef::Special { special, nbytes } = frame.chunk(number)? {
            return Ok(Salvaged::Special(special, nbytes));
        }
        archive.check_chunk(number)?;
        Ok(Salvaged::Chunk(archive.compressed_chunk(number)?))
    };
    read().unwrap_or_else(|error| {
        lost.push(Lost::Chunk { chunk: number, why: error.to_string() });
        Salvaged::Lost
    })
}

fn read_header(source: &LocalSource) -> Result<Header, Error> {
    let reading = Error::io("reading the input");
    let len = source.len().map_err(&reading)?;
    let mut needed = len.min(Header::FIXED_LEN as u64);
    loop {
        let mut bytes = vec![0; needed as usize];
        source.read_exact_at(0, &mut bytes).map_err(&reading)?;
        match Header::parse(&bytes) {
            Ok(header) => return Ok(header),
            Err(error) => match error.bytes_needed().filter(|more| *more > needed && *more <= len) {
                Some(more) => needed = more,
                None => return Err(error.into()),
            },
        }
    }
}

/// What stands in the data of a frame whose index or trailer does not.
#[derive(Default)]
struct Walk {
    /// Where each chunk is: a place from the end of the header, or the number of a file; and its length.
    chunks: Vec<(u64, u64)>,
    /// The last index, and how many chunks stand before it.
    index: Option<(Index, usize)>,
    trailer: Option<Trailer>,
    /// Whether something stands behind the trailer.
    trailer_is_old: bool,
    /// What could not be made sense of.
    rest: Option<(u64, u64)>,
    files: BTreeMap<u64, Vec<u8>>,
}

/// The bytes that a trailer may take; more are not looked at.
const MAX_TRAILER: u64 = 64 << 20;

impl Walk {
    fn along(source: &LocalSource, header: &Header, limits: Limits, cancel: &Cancel) -> Result<Walk, Error> {
        let reading = Error::io("reading the input");
        let (start, len) = (header.header_len(), source.len().map_err(&reading)?);
        let read = |at: u64, wanted: u64| -> Result<Vec<u8>, Error> {
            // No more than there are.
            let mut bytes = vec![0; wanted.min(len.saturating_sub(at)) as usize];
            source.read_exact_at(at, &mut bytes).map_err(&reading)?;
            Ok(bytes)
        };
        let (mut walk, mut places, mut at) = (Walk::default(), Vec::new(), start);
        while at < len {
            cancel.check()?;
            let head = read(at, blosc_core::Header::EXTENDED_LEN as u64)?;
            let window = ChunkInfo::parse(&head).map_or(MAX_TRAILER, |info| info.cbytes.into());
            let bytes = read(at, window)?;
            let step = match identify(&bytes, header, &places, limits) {
                Found::Chunk(info) if u64::from(info.cbytes) <= len - at => {
                    places.push(at - start);
                    walk.chunks.push((at - start, info.cbytes.into()));
                    u64::from(info.cbytes)
                }
                Found::Index { len } => {
                    let any = Header { chunksize: ChunkSize::Variable, nbytes: header.nbytes.max(1), ..header.clone() };
                    walk.index = Index::decode(&bytes, &any, limits).ok().map(|index| (index, places.len()));
                    len.into()
                }
                Found::Trailer { len } => {
                    let trailer = Trailer::parse(bytes.get(..len as usize).unwrap_or_default());
                    walk.trailer = trailer.ok();
                    walk.trailer_is_old = at + len < source.len().map_err(&reading)?;
                    len
                }
                Found::Chunk(_) | Found::Nothing => break,
            };
            at += step;
        }
        walk.rest = (at < len).then_some((at, len - at));
        Ok(walk)
    }

    /// The files of a sparse frame whose index cannot be read, in the order of their numbers.
    fn through(directory: &Path) -> Result<Walk, Error> {
        let refuse = |error| Error::file("reading", directory, error);
        let mut walk = Walk::default();
        for entry in fs::read_dir(directory).map_err(refuse)? {
            let entry = entry.map_err(refuse)?;
            let Some(number) = entry.file_name().to_str().and_then(sframe::chunk_file_number) else { continue };
            let bytes = fs::read(entry.path()).map_err(refuse)?;
            walk.files.insert(number.into(), bytes);
        }
        walk.chunks = walk.files.iter().map(|(number, bytes)| (*number, bytes.len() as u64)).collect();
        Ok(walk)
    }

    fn trailer(&self, lost: &mut Vec<Lost>) -> Trailer {
        match &self.trailer {
            Some(trailer) => {
                lost.extend(self.trailer_is_old.then_some(Lost::OldVlMetalayers));
                trailer.clone()
            }
            None => {
                lost.push(Lost::VlMetalayers);
                Trailer::default()
            }
        }
    }

    /// The chunks in the order that is known.
    fn chunks(&self, source: &LocalSource, header: &Header, lost: &mut Vec<Lost>) -> Result<Vec<Salvaged>, Error> {
        let mut order: Vec<Entry> = Vec::new();
        let behind = match &self.index {
            Some((index, before)) => {
                order.extend((0..index.len()).filter_map(|chunk| index.get(chunk).ok()));
                if *before < self.chunks.len() {
                    lost.push(Lost::OldIndex);
                }
                *before
            }
            None => {
                lost.push(Lost::Index);
                0
            }
        };
        order.extend(self.chunks.iter().skip(behind).map(|(at, _)| Entry::Stored(*at)));
        if let Some((from, len)) = self.rest {
            lost.push(Lost::Bytes { from, len });
        }
        let lens: BTreeMap<u64, u64> = self.chunks.iter().copied().collect();
        let mut salvaged = Vec::new();
        for (number, entry) in (0..).zip(order) {
            salvaged.push(match entry {
                Entry::Special(special) => match header.chunksize {
                    ChunkSize::Fixed(size) => Salvaged::Special(special, size),
                    ChunkSize::Variable | ChunkSize::Unset => {
                        lost.push(Lost::Chunk { chunk: number, why: "a special value of unknown size".into() });
                        Salvaged::Lost
                    }
                },
                Entry::Stored(at) => {
                    let bytes = match self.files.get(&at) {
                        Some(bytes) => bytes.clone(),
                        None => {
                            let mut bytes = vec![0; lens.get(&at).copied().unwrap_or(0) as usize];
                            let place = header.header_len() + at;
                            source.read_exact_at(place, &mut bytes).map_err(Error::io("reading the input"))?;
                            bytes
                        }
                    };
                    match stands(&bytes, header) {
                        Ok(()) => Salvaged::Chunk(bytes),
                        Err(why) => {
                            lost.push(Lost::Chunk { chunk: number, why });
                            Salvaged::Lost
                        }
                    }
                }
            });
        }
        Ok(salvaged)
    }
}

/// Whether a chunk can be decoded.
fn stands(bytes: &[u8], header: &Header) -> Result<(), String> {
    let mut decoder = Decoder::new().super_chunk_typesize(header.typesize as usize);
    if let Ok(Some(array)) = bloscpack_format::frame::B2nd::of(&header.metalayers) {
        decoder = decoder.blockshape(&array.blockshape.iter().map(|len| *len as usize).collect::<Vec<_>>());
    }
    let decoded = Chunk::parse(bytes).and_then(|chunk| match chunk.repeated_value() {
        Some(_) => Ok(()),
        None => decoder.decompress(&chunk).map(drop),
    });
    decoded.map_err(|error| error.to_string())
}

/// Puts what was salvaged into a new frame.
fn write(
    header: Header,
    trailer: Trailer,
    mut chunks: Vec<Salvaged>,
    output: &Path,
    overwrite: bool,
    mut lost: Vec<Lost>,
) -> Result<RecoverReport, Error> {
    let array = bloscpack_format::frame::B2nd::of(&header.metalayers)?;
    let grid = array.map(|array| Grid::new(&array, header.typesize)).transpose()?;
    if let Some(grid) = &grid {
        let (found, expected) = (chunks.len() as u64, grid.nchunks());
        if found < expected {
            lost.push(Lost::Missing { chunks: expected - found });
            chunks.extend((found..expected).map(|_| Salvaged::Lost));
        } else if found > expected {
            lost.push(Lost::TooMany { chunks: found - expected });
            chunks.truncate(expected as usize);
        }
    }
    let store = NewFrame::create(output, header.frame_type, overwrite)?;
    let params = FrameParams::of(&header).unwrap_or(FrameParams::new(header.typesize));
    let mut writer = FrameWriter::with_edit(store, Edit::create(header, trailer), params);
    let mut kept = 0;
    for chunk in chunks {
        match (chunk, &grid) {
            (Salvaged::Chunk(chunk), _) => writer.append_chunk(&chunk)?,
            (Salvaged::Special(special, nbytes), _) => writer.append_special(special, nbytes)?,
            (Salvaged::Lost, Some(grid)) => {
                writer.append_special(Special::Zeros, grid.chunk_nbytes() as u32)?;
                continue;
            }
            (Salvaged::Lost, None) => continue,
        }
        kept += 1;
    }
    let nbytes = writer.frame()?.header.nbytes;
    writer.finish()?;
    Ok(RecoverReport { chunks: kept, nbytes, lost })
}
