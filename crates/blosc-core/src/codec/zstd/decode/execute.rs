//! Copies the literals and matches of sequences that the fast path does not copy itself.

use crate::codec::lz77::copy::{OVERRUN, copy_18, copy_exact, copy_roomy};
use crate::kernels;

/// Literals, followed by a match.
#[derive(Clone, Copy)]
pub(super) struct Sequence {
    /// Number of literals.
    pub(super) literals: u32,
    /// Length of the match.
    pub(super) length: u32,
    /// Its offset. Any number: it is checked when it is used.
    pub(super) offset: u32,
}

/// The output of a frame.
pub(super) struct Output<'a> {
    /// Starts with the frame. Bytes after the decoded ones are scratch.
    pub(super) dst: &'a mut [u8],
    /// Number of decoded bytes.
    pub(super) d: usize,
    /// Uncompressed size of the frame, at most.
    pub(super) len: usize,
    /// Number of wanted bytes. Decoding may stop after them.
    pub(super) until: usize,
    /// Content that is followed by `dst`, as far as matches are concerned.
    pub(super) dict: &'a [u8],
}

/// Copies a sequence to the end of `dst[..end]`, and returns the remaining literals. Returns `None` if there is not enough room for
/// the overrun of copies, if the match starts in the dictionary, or if the sequence is invalid. Some bytes from
/// its start on may then have been written.
#[inline(never)]
pub(super) fn copy<'a>(dst: &mut [u8], end: usize, literals: &'a [u8], sequence: Sequence) -> Option<&'a [u8]> {
    let (literals, rest) = literals.split_at_checked(sequence.literals as usize)?;
    let to = end - sequence.length as usize;
    dst.get_mut(to - literals.len()..to)?.copy_from_slice(literals);
    copy_match(dst, to, sequence.offset as usize, sequence.length as usize)?;
    Some(rest)
}

/// Room that the fast path needs after the bytes that it decodes.
const FAST_ROOM: usize = 64;

/// Offsets below which short matches are copied by [`copy_18`].
const NEAR: usize = 32;

/// Minimum length of matches that are filled or copied in blocks. Shorter ones are copied in steps.
const LONG: usize = 512;

/// Copies a match to `dst[d..]`, like [`copy`].
#[inline(never)]
pub(super) fn copy_match(dst: &mut [u8], d: usize, offset: usize, length: usize) -> Option<()> {
    // Also true for an offset of 0.
    if offset.wrapping_sub(1) >= d || d + length + OVERRUN > dst.len() {
        return None;
    }
    let from = d - offset;
    if length <= 18 && offset < NEAR {
        copy_18(dst, from, d)
    } else if length > LONG {
        copy_exact(dst, from, d, length)
    } else {
        copy_roomy(dst, from, d, length)
    }
}

impl Output<'_> {
    /// Returns the length of `dst` for the fast path, which ends soon after the wanted bytes.
    #[inline(always)]
    pub(super) fn fast_room(&self) -> usize {
        self.dst.len().min(self.until.saturating_add(FAST_ROOM))
    }

    /// Copies a sequence near the end, or with a match in the dictionary. Returns `None` if it is invalid.
    #[cold]
    #[inline(never)]
    pub(super) fn careful(&mut self, literals: &mut &[u8], sequence: Sequence) -> Option<()> {
        let (length, offset) = (sequence.length as usize, sequence.offset as usize);
        self.literals(literals.split_off(..sequence.literals as usize)?)?;
        if length > self.len.checked_sub(self.d)? {
            return None;
        }
        let mut rest = length;
        if offset > self.d {
            let before = self.dict.len().checked_sub(offset - self.d)?;
            let n = rest.min(offset - self.d);
            self.dst.get_mut(self.d..self.d + n)?.copy_from_slice(&self.dict[before..before + n]);
            self.d += n;
            rest -= n;
        }
        if rest > 0 {
            copy_exact(self.dst, self.d.checked_sub(offset)?, self.d, rest)?;
            self.d += rest;
        }
        Some(())
    }

    /// Returns the next `n` bytes to decode to.
    pub(super) fn room(&mut self, n: usize) -> Option<&mut [u8]> {
        self.dst[..self.len].get_mut(self.d..)?.get_mut(..n)
    }

    /// Copies literals.
    pub(super) fn literals(&mut self, literals: &[u8]) -> Option<()> {
        kernels::copy(literals, self.room(literals.len())?);
        self.d += literals.len();
        Some(())
    }
}
