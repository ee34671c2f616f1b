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
    B2nd, ChunkInfo, ChunkRef, ChunkSize, Edit, Entry, Found, FrameType, Grid, Header, Index, Trailer, identify, sframe,
};

use super::local::NewFrame;
use super::params::FrameParams;
use super::writer::FrameWriter;
use crate::{Archive, Cancel, Error, LocalSource, ReadAt as _};

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

/// What a chunk of the new frame is to be.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// A chunk of a frame that opens.
    Numbered(u64),
    /// So many bytes from a place on, counted from the end of the header.
    At(u64, u64),
    /// A chunk file.
    File(u32),
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
    if let Ok(archive) = Archive::open(&source) {
        let frame = archive.frame().ok_or(Error::Unsupported { format: archive.format() })?;
        let slots = (0..frame.nchunks()).map(|number| match frame.chunk(number) {
            Ok(ChunkRef::Special { special, nbytes }) => Slot::Special(special, nbytes),
            _ => Slot::Numbered(number),
        });
        let read = |slot: Slot| match slot {
            Slot::Numbered(number) => archive.compressed_chunk(number),
            _ => Ok(Vec::new()),
        };
        let new = Salvage { header: &frame.header, trailer: frame.trailer.clone(), read: &read, cancel };
        return new.write(slots.collect(), output, overwrite, lost);
    }
    let header = read_header(&source)?;
    let walk = match header.frame_type {
        FrameType::Contiguous => Walk::along(&source, &header, Limits::new(), cancel)?,
        FrameType::Sparse => Walk::through(input)?,
    };
    let trailer = walk.trailer(&mut lost);
    let slots = walk.slots(&header, &mut lost);
    let read = |slot: Slot| match slot {
        Slot::At(at, len) => {
            // As many as were found there.
            let mut bytes = vec![0; len as usize];
            let read = source.read_exact_at(header.header_len() + at, &mut bytes);
            read.map_err(Error::io("reading the input")).map(|()| bytes)
        }
        Slot::File(number) => {
            let path = input.join(sframe::chunk_file_name(number));
            fs::read(&path).map_err(|error| Error::file("reading", &path, error))
        }
        _ => Ok(Vec::new()),
    };
    Salvage { header: &header, trailer, read: &read, cancel }.write(slots, output, overwrite, lost)
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
            walk.chunks.push((number.into(), entry.metadata().map_err(refuse)?.len()));
        }
        walk.chunks.sort_unstable();
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
    fn slots(&self, header: &Header, lost: &mut Vec<Lost>) -> Vec<Slot> {
        let mut order: Vec<Entry> = Vec::new();
        let behind = match &self.index {
            Some((index, before)) => {
                order.extend((0..index.len()).filter_map(|chunk| index.get(chunk).ok()));
                lost.extend((*before < self.chunks.len()).then_some(Lost::OldIndex));
                *before
            }
            None => {
                lost.push(Lost::Index);
                0
            }
        };
        order.extend(self.chunks.iter().skip(behind).map(|(at, _)| Entry::Stored(*at)));
        lost.extend(self.rest.map(|(from, len)| Lost::Bytes { from, len }));
        let lens: BTreeMap<u64, u64> = self.chunks.iter().copied().collect();
        let slot = |(number, entry)| match (entry, header.chunksize, header.frame_type) {
            (Entry::Special(special), ChunkSize::Fixed(size), _) => Slot::Special(special, size),
            (Entry::Special(_), ..) => {
                lost.push(Lost::Chunk { chunk: number, why: "a special value of unknown size".into() });
                Slot::Lost
            }
            (Entry::Stored(at), _, FrameType::Contiguous) => Slot::At(at, lens.get(&at).copied().unwrap_or(0)),
            // Numbers of files have 32 bits.
            (Entry::Stored(number), _, FrameType::Sparse) => Slot::File(number as u32),
        };
        (0..).zip(order).map(slot).collect()
    }
}

/// What the new frame is made of.
struct Salvage<'a> {
    header: &'a Header,
    trailer: Trailer,
    /// The compressed bytes of a chunk.
    read: &'a dyn Fn(Slot) -> Result<Vec<u8>, Error>,
    cancel: &'a Cancel,
}

impl Salvage<'_> {
    /// Puts what stands into a new frame, a chunk at a time.
    fn write(
        self,
        mut slots: Vec<Slot>,
        output: &Path,
        overwrite: bool,
        mut lost: Vec<Lost>,
    ) -> Result<RecoverReport, Error> {
        let array = B2nd::of(&self.header.metalayers)?;
        let grid = array.as_ref().map(|array| Grid::new(array, self.header.typesize)).transpose()?;
        if let Some(grid) = &grid {
            let (found, expected) = (slots.len() as u64, grid.nchunks());
            if found < expected {
                lost.push(Lost::Missing { chunks: expected - found });
                slots.extend((found..expected).map(|_| Slot::Lost));
            } else if found > expected {
                lost.push(Lost::TooMany { chunks: found - expected });
                slots.truncate(expected as usize);
            }
        }
        let mut decoder = Decoder::new().super_chunk_typesize(self.header.typesize as usize);
        if let Some(array) = &array {
            decoder = decoder.blockshape(&array.blockshape.iter().map(|len| *len as usize).collect::<Vec<_>>());
        }
        let store = NewFrame::create(output, self.header.frame_type, overwrite)?;
        // Chunks are copied as they are: how new ones would be compressed does not matter.
        let params = FrameParams::of(self.header).unwrap_or(FrameParams::new(self.header.typesize));
        let edit = Edit::create(self.header.clone(), self.trailer);
        let mut writer = FrameWriter::with_edit(store, edit, params);
        let mut kept = 0;
        for (number, slot) in (0..).zip(slots) {
            self.cancel.check()?;
            let chunk = match slot {
                Slot::Special(special, nbytes) => {
                    writer.append_special(special, nbytes)?;
                    kept += 1;
                    continue;
                }
                Slot::Lost => None,
                stored => match (self.read)(stored).map_err(|error| error.to_string()).and_then(|chunk| {
                    stands(&chunk, &mut decoder, grid.as_ref())?;
                    Ok(chunk)
                }) {
                    Ok(chunk) => Some(chunk),
                    Err(why) => {
                        lost.push(Lost::Chunk { chunk: number, why });
                        None
                    }
                },
            };
            match (chunk, &grid) {
                (Some(chunk), _) => {
                    writer.append_chunk(&chunk)?;
                    kept += 1;
                }
                (None, Some(grid)) => writer.append_special(Special::Zeros, grid.chunk_nbytes() as u32)?,
                (None, None) => {}
            }
        }
        let nbytes = writer.frame()?.header.nbytes;
        writer.finish()?;
        Ok(RecoverReport { chunks: kept, nbytes, lost })
    }
}

/// Whether a chunk can be decoded, and has the size that all chunks of an array have.
fn stands(bytes: &[u8], decoder: &mut Decoder, grid: Option<&Grid>) -> Result<(), String> {
    let decoded = Chunk::parse(bytes).and_then(|chunk| {
        if chunk.repeated_value().is_none() {
            decoder.decompress(&chunk)?;
        }
        Ok(chunk.header().nbytes())
    });
    let found = decoded.map_err(|error| error.to_string())?;
    match grid.map(Grid::chunk_nbytes).filter(|expected| *expected != found) {
        Some(expected) => Err(format!("nbytes is {found}, expected {expected}")),
        None => Ok(()),
    }
}
