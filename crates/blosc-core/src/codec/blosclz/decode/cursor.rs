//! The position of the decoder in a stream, and the decoding of matches.

use super::super::NEAR;
use crate::codec::lz77::copy::{OVERRUN, copy_exact, copy_long, copy_pattern};

/// The position of the decoder: `opcode`, the byte before `at`, is decoded next.
#[derive(Clone, Copy)]
pub(super) struct Cursor {
    pub(super) opcode: u8,
    pub(super) at: usize,
    /// Number of decoded bytes.
    pub(super) done: usize,
}

/// Returns the sum of the length bytes from `at` on, of which only the last is not 255, and their end.
pub(super) fn extension(src: &[u8], at: usize) -> Option<(usize, usize)> {
    let full = src.get(at..)?.iter().take_while(|&&byte| byte == 255).count();
    let last = src.get(at + full)?;
    Some((full.saturating_mul(255).saturating_add(usize::from(*last)), at + full + 1))
}

/// Returns the distance encoded at `at`, the opcode after it, and the position after that opcode.
#[inline(always)]
pub(super) fn distance(src: &[u8], opcode: usize, at: usize) -> Option<(usize, u8, usize)> {
    let &[low, next] = src.get(at..)?.first_chunk()?;
    let near = (opcode & 31) << 8 | usize::from(low);
    if near < NEAR {
        return Some((near + 1, next, at + 2));
    }
    let &[high, low, next] = src.get(at + 1..)?.first_chunk()?;
    Some((NEAR + 1 + (usize::from(high) << 8 | usize::from(low)), next, at + 4))
}

/// Decodes a match with more than one length byte. The match must end within `dst[..len]`.
#[inline(never)]
pub(super) fn long(cursor: Cursor, src: &[u8], dst: &mut [u8], len: usize) -> Option<Cursor> {
    let Cursor { opcode, at, done } = cursor;
    let opcode = usize::from(opcode);
    let (more, at) = extension(src, at)?;
    let length = more.saturating_add(9);
    let (distance, next, at) = distance(src, opcode, at)?;
    let from = done.checked_sub(distance)?;
    if length > len - done {
        return None;
    }
    if distance < length && distance > 1 && length + OVERRUN <= dst.len() - done {
        copy_long(dst, from, done, length)?;
    } else {
        copy_exact(dst, from, done, length)?;
    }
    Some(Cursor { opcode: next, at, done: done + length })
}

/// Copies a match of at most 263 bytes. Requires `ROOM - MAX_LITERALS` bytes from `to` on.
#[inline(always)]
pub(super) fn copy_match(dst: &mut [u8], distance: usize, to: usize, length: usize) -> bool {
    let Some(last) = dst.len().checked_sub(OVERRUN) else { return false };
    let from = to.wrapping_sub(distance);
    // One comparison for both: `from` wraps around if a match starts before the output.
    if from > last || to > last {
        return false;
    }
    if distance >= 16 {
        step(dst, from, to);
        step(dst, from + 16, to + 16);
        if length > 32 {
            if length > last - to {
                return false;
            }
            if length > 64 && distance >= length {
                let (done, room) = dst.split_at_mut(to);
                room[..length].copy_from_slice(&done[from..from + length]);
                return true;
            }
            let mut k = 32;
            while k < length {
                step(dst, from + k, to + k);
                step(dst, from + k + 16, to + k + 16);
                k += 32;
            }
        }
    } else {
        return copy_pattern(dst, from, to, length).is_some();
    }
    true
}

#[inline(always)]
fn step(bytes: &mut [u8], from: usize, to: usize) {
    bytes.copy_within(from..from + 16, to);
}
