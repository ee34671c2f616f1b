//! Rewriting a frame without dead bytes: its chunks as they are, in the order of their numbers.

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

/// What compacting did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactReport {
    /// Bytes of the frame before, its chunk files included, and what was behind it.
    pub before: u64,
    /// Bytes of it now.
    pub after: u64,
}

/// Rewrites a frame without deleted chunks, old indexes and what is behind its end. A contiguous one is replaced as a
/// whole; of a sparse one, the files that nothing refers to are removed. Chunks are copied, not decoded; one that many
/// numbers share is still one.
///
/// # Errors
/// The errors of opening and copying, also [`Error::Limit`] and [`Error::Cancelled`]; the frame is then as it was.
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

/// A frame into which the chunks of another are copied.
struct Copy<'a> {
    archive: &'a Archive<'a>,
    frame: &'a Frame,
    store: NewFrame,
    /// What the new index says where the old one says this. As many as there are chunks in the file.
    places: HashMap<u64, Entry>,
    /// Bytes of chunks that were copied.
    copied: u64,
    /// Where the next chunk goes, from the end of the header.
    end: u64,
}

/// C-Blosc2 does not open a frame in which a chunk starts within the last so many bytes of the data.
const MIN_ROOM: usize = blosc_core::Header::EXTENDED_LEN;

impl Copy<'_> {
    /// What the new index says of a chunk that the old one says to be at `at`.
    fn entry(&mut self, number: u64, at: u64) -> Result<Entry, Error> {
        if let Some(known) = self.places.get(&at) {
            return Ok(*known);
        }
        let mut bytes = self.archive.compressed_chunk(number)?;
        let offset = self.archive.chunk_position(number).unwrap_or(at);
        Chunk::parse(&bytes).map_err(|source| Error::Chunk { chunk: number, offset, source })?;
        let info = ChunkInfo::parse(&bytes)?;
        // Chunks that lie in each other, which no writer makes, would make more of the frame than there is.
        info.check(number, self.frame.header.cbytes.saturating_sub(self.copied), None)?;
        self.copied += u64::from(info.cbytes);
        let entry = match (info.special, self.frame.header.chunksize) {
            // An entry of the index says as much, and C-Blosc2 opens no frame whose first chunk is a header alone.
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

    /// Puts the frame in its place; how many bytes it has.
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

/// Every file that is no chunk of the frame goes, if its name is that of one; the index is written anew.
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
    // Without what may be behind the frame's end, or between its parts.
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
