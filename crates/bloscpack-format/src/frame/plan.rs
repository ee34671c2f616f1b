//! What has to be written, and in which order, so that a frame changes as a whole or not at all.

use super::{Frame, FrameType, Header};
use crate::error::FormatError;
use blosc_core::memory;

/// The writes that make a changed frame of the old one.
///
/// Nothing that the old frame consists of is written to before its commit, so a process killed before leaves the old
/// frame (and bytes behind it, which mean nothing), one killed later the new.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub struct Plan {
    /// The frame as it is when all steps are done. Without steps, as it was.
    pub frame: Frame,
    /// What to do, in this order. Empty if nothing changes.
    pub steps: Vec<Step>,
}

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Write `bytes` at `at`, counted from the frame's first byte; they reach behind the frame as it is now.
    Write {
        /// Where.
        at: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// Make a chunk file, in place of one of that number if an edit that was never committed left it.
    WriteFile {
        /// The file's number.
        number: u32,
        /// Its content.
        bytes: Vec<u8>,
    },
    /// Let the file end at `len`, counted from the frame's first byte.
    SetLen {
        /// Its length.
        len: u64,
    },
    /// Wait until everything written so far is on the disk: the frame's file, chunk files, their directory.
    Sync,
    /// **The commit**: write `bytes` at `at` by one call. They lie within the header, and but for new contents of
    /// metalayers within its first 87 bytes, so in one sector if the frame starts at one.
    Commit {
        /// Where, counted from the frame's first byte.
        at: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// **The commit** where there is nothing to leave in its place: put a file of these bytes in place of the frame's, or
    /// of [`sframe::INDEX_FILE`](super::sframe::INDEX_FILE), by writing another, syncing it and renaming it.
    Replace {
        /// All of the file.
        bytes: Vec<u8>,
    },
    /// Remove a chunk file, which nothing refers to any more. Losing this step leaves a file that means nothing.
    Remove {
        /// Its number.
        number: u32,
    },
}

/// C-Blosc2 does not open a frame in which a chunk starts within the last so many bytes of the data, as a chunk of Blosc1
/// can: dead bytes follow that.
pub(super) const MIN_ROOM: u64 = blosc_core::Header::EXTENDED_LEN as u64;

/// What an edit has to say about the frame that it ends in.
pub(super) struct Ending {
    /// The new frame, but for the sizes that follow from where its parts come to lie.
    pub(super) frame: Frame,
    /// The header as it is on the disk; `None` for a frame that is not there yet.
    pub(super) old_header: Option<Vec<u8>>,
    /// Chunks that the edit makes itself.
    pub(super) chunks: Vec<Step>,
    /// Where the index goes: behind the old frame and the chunks of the edit.
    pub(super) end: u64,
    /// Whether index or trailer are other than they were.
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
        // Without chunks, C-Blosc2 looks for the trailer behind the header, where it cannot be put without harm: the old
        // frame is there. In a sparse frame that is true of the index, always.
        match header.frame_type {
            FrameType::Contiguous => header.cbytes = 0,
            // C-Blosc2 takes the numbers of files for places, and opens no frame in which one lies behind the data, as one
            // of few chunks that had many does.
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

/// The bytes of the header from the first that changes to the last.
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
