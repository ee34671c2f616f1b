//! The writes of an edit, in an order that changes a frame atomically.

use super::{Frame, FrameType, Header};
use crate::error::FormatError;
use blosc_core::memory;

/// The writes that turn the old frame into the changed one.
///
/// No byte of the old frame is overwritten before the commit. A process killed before the commit leaves the old frame,
/// followed by bytes that have no meaning. A process killed after it leaves the new frame.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Plan {
    /// The frame after all steps. Without steps, the unchanged frame.
    pub frame: Frame,
    /// The steps, in order. Empty if nothing changes.
    pub steps: Vec<Step>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Write `bytes` at `at`, counted from the frame's first byte. They extend past the current end of the frame.
    Write {
        /// The offset.
        at: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Create a chunk file. It replaces a file of that number left by an edit that was never committed.
    WriteFile {
        /// The file's number.
        number: u32,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// Set the length of the file to `len`, counted from the frame's first byte.
    SetLen {
        /// Its length.
        len: u64,
    },
    /// Make everything written so far durable: the frame's file, chunk files, their directory.
    Sync,
    /// **The commit**: write `bytes` at `at` with a single call. They lie within the header. Except for new contents of
    /// metalayers they lie within its first 87 bytes, and so within one sector if the frame starts at a sector
    /// boundary.
    Commit {
        /// The offset, counted from the frame's first byte.
        at: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// **The commit** by replacing a file: the frame's, or [`sframe::INDEX_FILE`](super::sframe::INDEX_FILE). Write a
    /// new file of these bytes, sync it and rename it. Used where the old bytes cannot stay in place.
    Replace {
        /// The whole content of the file.
        bytes: Vec<u8>,
    },
    /// Remove a chunk file that is no longer referenced. If this step is lost, an unused file remains.
    Remove {
        /// The number of the file.
        number: u32,
    },
}

/// Minimum distance from the start of a chunk to the end of the data: C-Blosc2 does not open a frame with less. A chunk
/// of Blosc1 can be shorter; dead bytes follow it.
pub(super) const MIN_ROOM: u64 = blosc_core::Header::EXTENDED_LEN as u64;

/// The result of an edit, from which the plan is made.
pub(super) struct Ending {
    /// The new frame, except for the sizes that depend on the positions of its parts.
    pub(super) frame: Frame,
    /// The header on disk; `None` for a frame that does not exist yet.
    pub(super) old_header: Option<Vec<u8>>,
    /// Chunks that the edit writes itself.
    pub(super) chunks: Vec<Step>,
    /// Offset of the new index: after the old frame and the chunks of the edit.
    pub(super) end: u64,
    /// Whether index or trailer have changed.
    pub(super) tail_changed: bool,
    /// Chunk files that the new frame does not refer to.
    pub(super) stale: Vec<u32>,
}

impl Ending {
    pub(super) fn plan(self) -> Result<Plan, FormatError> {
        let Self { mut frame, old_header, chunks: mut steps, end, tail_changed, stale } = self;
        let header = &mut frame.header;
        header.has_vlmetalayers = frame.trailer.vlmetalayers.iter().len() > 0;
        let trailer = frame.trailer.to_bytes()?;
        let in_place = header.frame_type == FrameType::Contiguous && header.nbytes > 0;
        if in_place && !tail_changed {
            commit(header, old_header.as_deref(), &mut steps)?;
            return Ok(Plan { frame, steps });
        }
        let mut tail = if header.nbytes > 0 { frame.index.encode()? } else { Vec::new() };
        memory::extend(&mut tail, &trailer)?;
        if in_place {
            header.cbytes = end - header.header_len();
            header.frame_len = end.saturating_add(tail.len() as u64);
            let len = header.frame_len;
            steps.extend([Step::Write { at: end, bytes: tail }, Step::SetLen { len }, Step::Sync]);
            commit(header, old_header.as_deref(), &mut steps)?;
            return Ok(Plan { frame, steps });
        }
        // Without chunks, C-Blosc2 looks for the trailer directly after the header. Writing it there would overwrite
        // the old frame. In a sparse frame the same is always true of the index.
        match header.frame_type {
            FrameType::Contiguous => header.cbytes = 0,
            // C-Blosc2 treats file numbers as offsets: it opens no frame in which one is past the end of the data. That
            // can happen in a frame that had many chunks and now has few.
            FrameType::Sparse => {
                let last = frame.index.numbers(FrameType::Sparse).last().map_or(0, |last| u64::from(*last) + MIN_ROOM);
                header.cbytes = header.cbytes.max(last);
            }
        }
        header.frame_len = header.header_len() + tail.len() as u64;
        let mut bytes = header.to_bytes()?;
        memory::extend(&mut bytes, &tail)?;
        steps.extend([Step::Sync, Step::Replace { bytes }]);
        steps.extend(stale.into_iter().map(|number| Step::Remove { number }));
        Ok(Plan { frame, steps })
    }
}

/// Adds the commit: the bytes of the header from the first that changes to the last.
fn commit(header: &Header, old: Option<&[u8]>, steps: &mut Vec<Step>) -> Result<(), FormatError> {
    let new = header.to_bytes()?;
    let differs = |at: &usize| old.is_none_or(|old| old.get(*at) != new.get(*at));
    let (first, last) = ((0..new.len()).find(differs), (0..new.len()).rfind(differs));
    if let (Some(first), Some(last)) = (first, last) {
        let bytes = memory::copy_of(new.get(first..=last).unwrap_or_default())?;
        steps.extend([Step::Commit { at: first as u64, bytes }, Step::Sync]);
    }
    Ok(())
}
