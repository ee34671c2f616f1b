//! Rewrites a frame without dead bytes. Chunks are copied unchanged, in the order of their numbers.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use blosc_core::{Chunk, Limits, Special, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkSize, Entry, Frame, FrameType, Index, sframe};

use super::container::{OpenFrame, SparseIndex};
use super::local::LocalFrame;
use super::new::NewFrame;
use super::store::FrameStore as _;
use crate::{Archive, Cancel, Error, OpenOptions, ReadAt as _};

/// The result of compacting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactReport {
    /// Size of the frame before in bytes, including its chunk files and data after its end.
    pub before: u64,
    /// Size of the frame after in bytes.
    pub after: u64,
}

/// Rewrites a frame without deleted chunks, old indexes and data after its end. A contiguous frame is replaced
/// atomically. In a sparse frame, unreferenced files are removed. Chunks are copied, not decoded, and a chunk that the
/// index refers to many times is still stored once.
///
/// # Errors
/// The errors of opening and copying, also [`Error::Limit`] and [`Error::Cancelled`]. After an error, the frame is
/// unchanged.
pub fn compact(path: impl AsRef<Path>, options: &OpenOptions) -> Result<CompactReport, Error> {
    let (path, cancel, limits) = (path.as_ref(), &options.cancel, options.limits);
    if path.is_dir() { compact_sparse(path, cancel, limits) } else { compact_contiguous(path, cancel, limits) }
}

fn compact_contiguous(path: &Path, cancel: &Cancel, limits: Limits) -> Result<CompactReport, Error> {
    let store = LocalFrame::open(path)?;
    let archive = OpenFrame::in_store(&store, limits)?;
    let frame = expect_frame(&archive)?;
    let mut copy = Copy {
        archive: &archive,
        frame,
        store: NewFrame::create(path, FrameType::Contiguous, true)?,
        places: HashMap::new(),
        copied: 0,
        end: 0,
    };
    let index = frame.index.try_map(|chunk, entry| {
        cancel.check()?;
        match entry {
            Entry::Stored(at) => copy.entry(chunk, at),
            special => Ok(special),
        }
    })?;
    let after = copy.finish(&index)?;
    Ok(CompactReport { before: archive.cbytes(), after })
}

/// A new frame to which the chunks of another are copied.
struct Copy<'a> {
    archive: &'a Archive<'a>,
    frame: &'a Frame,
    store: NewFrame,
    /// The new index entry for each old position. One per chunk in the file.
    places: HashMap<u64, Entry>,
    /// Total size of the copied chunks in bytes.
    copied: u64,
    /// Position of the next chunk, relative to the end of the header.
    end: u64,
}

/// Minimum distance from the start of a chunk to the end of the data. C-Blosc2 does not open frames with a smaller one.
const MIN_ROOM: usize = blosc_core::Header::EXTENDED_LEN;

impl Copy<'_> {
    /// Returns the new index entry of the chunk at position `at` in the old frame, and copies the chunk if needed.
    fn entry(&mut self, number: u64, at: u64) -> Result<Entry, Error> {
        if let Some(known) = self.places.get(&at) {
            return Ok(*known);
        }
        let mut bytes = self.archive.compressed_chunk(number)?;
        let offset = self.archive.chunk_position(number).unwrap_or(at);
        Chunk::parse(&bytes).map_err(|source| Error::Chunk { chunk: number, offset, source })?;
        let info = ChunkInfo::parse(&bytes)?;
        // No writer makes overlapping chunks. Copying them could make the frame larger than it was.
        info.check(number, self.frame.header.cbytes.saturating_sub(self.copied), None)?;
        self.copied += u64::from(info.cbytes);
        let entry = match (info.special, self.frame.header.chunksize) {
            // An index entry holds the same information. Also, C-Blosc2 does not open a frame whose first chunk is only
            // a header.
            (Some(special), ChunkSize::Fixed(_)) if special != Special::Value => Entry::Special(special),
            _ => Entry::Stored(self.end),
        };
        if entry == Entry::Stored(self.end) {
            bytes.resize(bytes.len().max(MIN_ROOM), 0);
            self.write(self.end + self.frame.header.header_len(), &bytes)?;
            self.end += bytes.len() as u64;
        }
        self.places.insert(at, entry);
        Ok(entry)
    }

    fn write(&mut self, at: u64, bytes: &[u8]) -> Result<(), Error> {
        self.store.write_at(at, bytes).map_err(Error::io("writing the frame"))
    }

    /// Replaces the old frame. Returns the size of the new one in bytes.
    fn finish(mut self, index: &Index) -> Result<u64, Error> {
        let mut header = self.frame.header.try_clone()?;
        let mut tail = index.encode()?;
        memory::extend(&mut tail, &self.frame.trailer.to_bytes()?)?;
        header.cbytes = self.end;
        header.frame_len = header.header_len() + self.end + tail.len() as u64;
        self.write(header.header_len() + self.end, &tail)?;
        self.write(0, &header.to_bytes()?)?;
        self.store.commit()?;
        Ok(header.frame_len)
    }
}

/// Rewrites the index and removes every file that has the name of a chunk file but is not referenced.
fn compact_sparse(path: &Path, cancel: &Cancel, limits: Limits) -> Result<CompactReport, Error> {
    let mut store = LocalFrame::open(path)?;
    let SparseIndex { frame, .. } = SparseIndex::read(&store, &limits)?;
    let used = frame.index.numbers(FrameType::Sparse);
    let refuse = |error| Error::file("reading", path, error);
    let (mut before, mut after) = (0, 0);
    let mut leftover = Vec::new();
    for entry in fs::read_dir(path).map_err(refuse)? {
        cancel.check()?;
        let entry = entry.map_err(refuse)?;
        let Some(number) = entry.file_name().to_str().and_then(sframe::chunk_file_number) else { continue };
        let len = entry.metadata().map_err(refuse)?.len();
        before += len;
        if used.contains(&number) { after += len } else { memory::push(&mut leftover, number)? }
    }
    before += store.len().map_err(refuse)?;
    // The new file has no data after the frame's end or between its parts.
    let mut bytes = frame.header.try_clone()?;
    let (index, trailer) = (frame.index.encode()?, frame.trailer.to_bytes()?);
    bytes.frame_len = bytes.header_len() + (index.len() + trailer.len()) as u64;
    let mut bytes = bytes.to_bytes()?;
    memory::extend(&mut bytes, &index)?;
    memory::extend(&mut bytes, &trailer)?;
    store.replace(&bytes).map_err(Error::io("writing the frame"))?;
    for number in leftover {
        store.remove_chunk_file(number).map_err(Error::io("removing a chunk file"))?;
    }
    Ok(CompactReport { before, after: after + bytes.len() as u64 })
}

fn expect_frame<'a>(archive: &'a Archive<'_>) -> Result<&'a Frame, Error> {
    archive.frame().ok_or(Error::Unsupported { format: archive.format() })
}
