//! Changing a frame: which chunk comes where, and what becomes of the index and the header by it.
//!
//! | file | what it knows |
//! |---|---|
//! | `change` | new chunks, their places, new orders |
//! | `order` | chunks with other numbers |
//! | `layers` | metalayers, vlmetalayers |
//! | `sizes` | what the sizes in the header become |

mod change;
mod layers;
mod order;
mod sizes;

pub use self::change::{ChunkPlace, NewChunk, Slot};

use self::change::Change;
use super::layout::no_such_chunk;
use super::plan::{Ending, Plan, Step};
use super::{ChunkInfo, ChunkRef, Frame, Header, Index, Trailer};
use crate::error::FormatError;
use std::collections::BTreeSet;

/// A change of a frame, of one chunk or of many, that is committed as a whole.
///
/// New chunks go behind the old frame, the new index and the new trailer behind them: until the header is overwritten they
/// are bytes behind a frame, which mean nothing. The old index and trailer then become dead bytes in the data, as deleted
/// chunks are; every Blosc2 reads such frames. Each commit leaves about the size of the index behind, so append many chunks
/// by one edit where you can.
///
/// A contiguous frame that is to be changed must be the last in its file: what is behind it goes. The caller writes a
/// chunk's bytes where it is told to, at any time before the steps of the [`Plan`]. After an error an edit is to be
/// dropped: nothing of the frame was written.
///
/// ```
/// use blosc_core::{CParams, Limits};
/// use bloscpack_format::frame::{ChunkInfo, ChunkPlace, Edit, Frame, FrameType, Header, NewChunk, Step, Trailer};
///
/// let chunk = blosc_core::compress(&[7; 4000], &CParams::blosc2().typesize(4))?;
/// let mut edit = Edit::create(Header::new(FrameType::Contiguous, 4), Trailer::default());
/// let place = edit.append(NewChunk::Stored(ChunkInfo::parse(&chunk)?))?;
/// assert_eq!(place, Some(ChunkPlace::At(97)));
///
/// let mut file = vec![0; 97];
/// file.extend(&chunk);
/// for step in edit.finish()?.steps {
///     match step {
///         Step::Write { at, bytes } => { assert_eq!(at, file.len() as u64); file.extend(bytes) }
///         Step::Commit { at, bytes } => file[at as usize..][..bytes.len()].copy_from_slice(&bytes),
///         _ => {}
///     }
/// }
/// assert_eq!(Frame::parse(&file, Limits::new())?.header.nbytes, 4000);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Edit {
    frame: Frame,
    /// As it is on the disk; `None` for a frame that is not there yet.
    old_header: Option<Vec<u8>>,
    /// Contiguous: where the next chunk goes.
    end: u64,
    /// Sparse: no number below is free for the next chunk's file.
    next_number: u64,
    /// Sparse: the numbers that the frame on the disk refers to.
    used: BTreeSet<u32>,
    chunks: Vec<Step>,
    stale: BTreeSet<u32>,
    tail_changed: bool,
    /// Whether the header has become longer, which it can only where nothing is behind it.
    grown: bool,
    max_chunks: u64,
}

/// 2²³ chunks, 64 MiB of index: as many as an index of one repeated entry is written out for, unless told otherwise.
const DEFAULT_MAX_CHUNKS: u64 = 1 << 23;

impl Edit {
    /// Changes a frame that is on the disk.
    ///
    /// # Errors
    ///
    /// What [`Header::to_bytes`] refuses, so none if the frame was parsed.
    pub fn new(frame: Frame) -> Result<Self, FormatError> {
        let old_header = Some(frame.header.to_bytes()?);
        let end = frame.header.frame_len;
        let used = frame.index.numbers(frame.header.frame_type);
        Ok(Self { old_header, end, used, ..Self::start(frame) })
    }

    /// Makes a frame that is not there yet; `header` says what its chunks are to be, its sizes do not count. Put it where
    /// readers find it only when it is whole: this has nothing to fall back to.
    #[must_use]
    pub fn create(header: Header, trailer: Trailer) -> Self {
        let header = Header { nbytes: 0, cbytes: 0, ..header };
        Self { tail_changed: true, ..Self::start(Frame { header, index: Index::default(), trailer }) }
    }

    fn start(frame: Frame) -> Self {
        Self {
            end: frame.header.header_len(),
            old_header: None,
            next_number: 0,
            used: BTreeSet::new(),
            chunks: Vec::new(),
            stale: BTreeSet::new(),
            tail_changed: false,
            grown: false,
            max_chunks: DEFAULT_MAX_CHUNKS,
            frame,
        }
    }

    /// Sets for how many chunks an index is written out that is stored as one repeated entry.
    #[must_use]
    pub fn max_chunks(self, max_chunks: u64) -> Self {
        Self { max_chunks, ..self }
    }

    /// The frame as it is going to be, but for `frame_len` and `cbytes`.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// The bytes of a chunk that the edit makes itself, a special value where it cannot do without: they are among the steps of
    /// the plan, and on no disk before. `None` for any other.
    #[must_use]
    pub fn made(&self, chunk: ChunkRef) -> Option<&[u8]> {
        self.chunks.iter().find_map(|step| match (step, chunk) {
            (Step::Write { at: start, bytes }, ChunkRef::Stored { at, .. }) => {
                bytes.get(usize::try_from(at.checked_sub(*start)?).ok()?..).filter(|bytes| !bytes.is_empty())
            }
            (Step::WriteFile { number: made, bytes }, ChunkRef::File { number, .. }) => {
                (*made == number).then_some(bytes.as_slice())
            }
            _ => None,
        })
    }

    /// Adds a chunk behind the last, and says where it is to be written, if it is. Where that one is short, or this one too long, chunk sizes vary from now on.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn append(&mut self, chunk: NewChunk) -> Result<Option<ChunkPlace>, FormatError> {
        let (at, chunk) = (self.frame.nchunks(), chunk.without_header());
        self.size_rule(Change::Insert(at), chunk)?;
        let (entry, place) = self.place(at, chunk)?;
        self.frame.index.push(entry, self.max_chunks)?;
        Ok(place)
    }

    /// Inserts a chunk in front of number `at`, or behind the last; a place to write it, unless it is a special value.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`](super::FrameError::NoSuchChunk); [`FormatError::OutOfRange`] for a chunk without plain bytes;
    /// [`FrameError::TooMany`](super::FrameError::TooMany) if there are no numbers for files left, or if an index that repeats one entry would have to
    /// be written out for too many chunks; [`FrameError::Encode`](super::FrameError::Encode) for a special value that its size is no multiple of;
    /// [`FrameError::MetalayersFixed`](super::FrameError::MetalayersFixed) after [`add_metalayer`](Self::add_metalayer).
    pub fn insert(&mut self, at: u64, chunk: NewChunk) -> Result<Option<ChunkPlace>, FormatError> {
        let nchunks = self.frame.nchunks();
        if at == nchunks {
            return self.append(chunk);
        }
        let slot = usize::try_from(at).ok().filter(|_| at < nchunks).ok_or_else(|| no_such_chunk(at, nchunks))?;
        let chunk = chunk.without_header();
        self.size_rule(Change::Insert(at), chunk)?;
        let (entry, place) = self.place(at, chunk)?;
        self.frame.index.to_mut(self.max_chunks)?.insert(slot, entry.to_i64());
        Ok(place)
    }

    /// Gives a chunk's number to another. `old` is what is stored there now; it may be `None` for a special value.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert); [`FrameError::NoSize`](super::FrameError::NoSize) if `old` is needed and not given.
    pub fn update(
        &mut self,
        at: u64,
        old: Option<ChunkInfo>,
        chunk: NewChunk,
    ) -> Result<Option<ChunkPlace>, FormatError> {
        let nchunks = self.frame.nchunks();
        let slot = usize::try_from(at).ok().filter(|_| at < nchunks).ok_or_else(|| no_such_chunk(at, nchunks))?;
        let (old, chunk) = (self.old_chunk(at, old)?, chunk.without_header());
        self.size_rule(Change::Update(at), chunk)?;
        self.forget(at, old)?;
        let (entry, place) = self.place(at, chunk)?;
        let entries = self.frame.index.to_mut(self.max_chunks)?;
        entries.get_mut(slot).into_iter().for_each(|old| *old = entry.to_i64());
        Ok(place)
    }

    /// Removes a chunk; its bytes stay where they are until the frame is compacted. `old` as for
    /// [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`](super::FrameError::NoSuchChunk), [`FrameError::NoSize`](super::FrameError::NoSize), [`FrameError::TooMany`](super::FrameError::TooMany).
    pub fn delete(&mut self, at: u64, old: Option<ChunkInfo>) -> Result<(), FormatError> {
        let nchunks = self.frame.nchunks();
        let slot = usize::try_from(at).ok().filter(|_| at < nchunks).ok_or_else(|| no_such_chunk(at, nchunks))?;
        let old = self.old_chunk(at, old)?;
        self.forget(at, old)?;
        self.frame.index.to_mut(self.max_chunks)?.remove(slot);
        Ok(())
    }

    /// What to write, once the chunks are where [`append`](Self::append), [`insert`](Self::insert) and
    /// [`update`](Self::update) said.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`], [`FormatError::LimitExceeded`], [`FrameError::TooMany`](super::FrameError::TooMany) if a part has become larger
    /// than the format can say.
    pub fn finish(mut self) -> Result<Plan, FormatError> {
        let used: BTreeSet<u32> = self.frame.index.numbers(self.frame.header.frame_type);
        self.stale.retain(|number| !used.contains(number));
        Ending {
            frame: self.frame,
            old_header: self.old_header,
            chunks: self.chunks,
            end: self.end,
            tail_changed: self.tail_changed,
            stale: self.stale.into_iter().collect(),
        }
        .plan()
    }
}
