//! Edits of a frame: positions of new chunks, and their effect on the index and the header.
//!
//! | file | contents |
//! |---|---|
//! | `change` | new chunks, their positions, new orders |
//! | `order` | renumbering of chunks |
//! | `layers` | metalayers, vlmetalayers |
//! | `sizes` | updates of the sizes in the header |

mod change;
mod layers;
mod order;
mod sizes;

pub use self::change::{ChunkTarget, NewChunk, NewOrder};

use self::change::Change;
use super::layout::no_such_chunk;
use super::plan::{Ending, Plan, Step};
use super::{ChunkInfo, ChunkRef, Frame, Header, Index, Trailer};
use crate::error::FormatError;
use std::collections::BTreeSet;

/// A change of one or more chunks of a frame that is committed as a whole.
///
/// New chunks are written after the old frame, followed by the new index and the new trailer. Until the header is
/// overwritten they are bytes past the end of the frame, which have no meaning. The old index and trailer then become
/// dead bytes in the data, like deleted chunks; every Blosc2 reads such frames. Each commit leaves dead bytes of about
/// the size of the index, so append many chunks in one edit where possible.
///
/// A contiguous frame to be changed must be the last in its file: bytes after it are lost. The caller writes a chunk's
/// bytes to the position it gets, at any time before the steps of the [`Plan`]. Drop an edit after an error: nothing of
/// the frame was overwritten.
///
/// ```
/// use blosc_core::{CParams, Limits};
/// use bloscpack_format::frame::{ChunkInfo, ChunkTarget, Edit, Frame, FrameType, Header, NewChunk, Step, Trailer};
///
/// let chunk = blosc_core::compress(&[7; 4000], &CParams::blosc2().typesize(4))?;
/// let mut edit = Edit::create(Header::new(FrameType::Contiguous, 4), Trailer::default());
/// let place = edit.append(NewChunk::Stored(ChunkInfo::parse(&chunk)?))?;
/// assert_eq!(place, Some(ChunkTarget::At(97)));
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
    /// The header on disk; `None` for a frame that does not exist yet.
    old_header: Option<Vec<u8>>,
    /// Contiguous: offset of the next chunk.
    end: u64,
    /// Sparse: no lower number is free for the next chunk's file.
    next_number: u64,
    /// Sparse: the numbers that the frame on disk refers to.
    used: BTreeSet<u32>,
    chunks: Vec<Step>,
    stale: BTreeSet<u32>,
    tail_changed: bool,
    /// Whether the header has become longer, which is possible only if nothing follows it.
    grown: bool,
    max_chunks: u64,
}

/// Default limit for expanding an index of one repeated entry: 2²³ chunks, 64 MiB of index.
const DEFAULT_MAX_CHUNKS: u64 = 1 << 23;

impl Edit {
    /// Starts an edit of a frame on disk.
    ///
    /// # Errors
    ///
    /// The errors of [`Header::to_bytes`]. There are none if the frame was parsed.
    pub fn new(frame: Frame) -> Result<Self, FormatError> {
        let old_header = Some(frame.header.to_bytes()?);
        let end = frame.header.frame_len;
        let used = frame.index.numbers(frame.header.frame_type);
        Ok(Self { old_header, end, used, ..Self::start(frame) })
    }

    /// Starts a frame that does not exist yet. `header` describes its chunks; the sizes in it are ignored. Publish the
    /// file only when it is complete, because there is no old frame to fall back to.
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

    /// Sets the limit for expanding an index of one repeated entry, in chunks.
    #[must_use]
    pub fn max_chunks(self, max_chunks: u64) -> Self {
        Self { max_chunks, ..self }
    }

    /// Returns the frame after the edit, except for `frame_len` and `cbytes`.
    #[must_use]
    pub fn frame(&self) -> &Frame {
        &self.frame
    }

    /// Returns the bytes of a chunk that the edit writes itself: a special value that the index cannot express. They
    /// are among the steps of the plan, and not on disk before it is executed. `None` for any other chunk.
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

    /// Adds a chunk at the end. Returns the position to write it to, unless nothing is written. If the previous chunk
    /// is short, or this one too long, chunk sizes become variable.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert).
    pub fn append(&mut self, chunk: NewChunk) -> Result<Option<ChunkTarget>, FormatError> {
        let (at, chunk) = (self.frame.nchunks(), chunk.without_header());
        self.size_rule(Change::Insert(at), chunk)?;
        let (entry, place) = self.place(at, chunk)?;
        self.frame.index.push(entry, self.max_chunks)?;
        Ok(place)
    }

    /// Inserts a chunk before number `at`, or at the end. Returns the position to write it to, unless it is a special
    /// value.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`](super::FrameError::NoSuchChunk); [`FormatError::OutOfRange`] for a chunk without
    /// uncompressed bytes; [`FrameError::TooMany`](super::FrameError::TooMany) if there are no file numbers left, or if
    /// an index that repeats one entry would be expanded to too many chunks;
    /// [`FrameError::Encode`](super::FrameError::Encode) for a special value whose item size does not divide its size;
    /// [`FrameError::MetalayersFixed`](super::FrameError::MetalayersFixed) after
    /// [`add_metalayer`](Self::add_metalayer).
    pub fn insert(&mut self, at: u64, chunk: NewChunk) -> Result<Option<ChunkTarget>, FormatError> {
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

    /// Replaces a chunk. `old` describes the stored chunk; it may be `None` for a special value.
    ///
    /// # Errors
    ///
    /// As [`insert`](Self::insert); [`FrameError::NoSize`](super::FrameError::NoSize) if `old` is required but `None`.
    pub fn update(
        &mut self,
        at: u64,
        old: Option<ChunkInfo>,
        chunk: NewChunk,
    ) -> Result<Option<ChunkTarget>, FormatError> {
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

    /// Removes a chunk. Its bytes remain until the frame is compacted. `old` is as for [`update`](Self::update).
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`](super::FrameError::NoSuchChunk), [`FrameError::NoSize`](super::FrameError::NoSize),
    /// [`FrameError::TooMany`](super::FrameError::TooMany); [`FormatError::OutOfRange`] if no uncompressed bytes would
    /// be left for the other chunks, or bytes without a chunk, because the header of the frame has another total than its
    /// chunks.
    pub fn delete(&mut self, at: u64, old: Option<ChunkInfo>) -> Result<(), FormatError> {
        let nchunks = self.frame.nchunks();
        let slot = usize::try_from(at).ok().filter(|_| at < nchunks).ok_or_else(|| no_such_chunk(at, nchunks))?;
        let old = self.old_chunk(at, old)?;
        self.check_total(old.nbytes, nchunks - 1)?;
        self.forget(at, old)?;
        self.frame.index.to_mut(self.max_chunks)?.remove(slot);
        Ok(())
    }

    /// Returns the writes to perform, once the chunks have been written where [`append`](Self::append),
    /// [`insert`](Self::insert) and [`update`](Self::update) said.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`], [`FormatError::LimitExceeded`] or
    /// [`FrameError::TooMany`](super::FrameError::TooMany) if a part has become larger than the format allows.
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
