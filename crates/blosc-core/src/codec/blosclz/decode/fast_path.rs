//! Decodes most of a stream with copies of fixed width, while input and output have room for them.

use super::super::{MAX_LITERALS, NEAR};
use super::cursor::{Cursor, copy_match, long};
use crate::codec::lz77::copy::{OVERRUN, unlikely};
use std::hint::select_unpredictable;

/// Number of bytes that a step reads after its first opcode: 32 literals, a match of up to five bytes, the next opcode.
/// The rest lets a step read bytes eight at a time.
const WINDOW: usize = 64;

/// Room for literals and a match of at most 32 bytes, and for what [`copy_match`] writes past the end of a longer one.
pub(super) const ROOM: usize = MAX_LITERALS + OVERRUN;

/// Decodes from the start and stops before anything unusual, invalid or near the end.
///
/// Returns the position after the opcode where it stopped and the number of decoded bytes. (Two numbers are returned in
/// registers. A `Cursor` is returned in memory; reading it right after it was written took a third of the time of a
/// stream of 128 bytes.)
///
/// ```text
/// opcode < 32:  | n = opcode + 1 literals .. | match | e | low | h | l | next ..      one step
/// opcode >= 32:                        opcode: match | e | low | h | l | next ..      one step
/// ```
///
/// A branch misprediction costs as much as the rest of a step. Whether literals come first and whether a match is far
/// (`h`, `l`) is predicted well, so these are branches and speculation runs ahead. Whether there is a length byte `e`
/// is predicted badly, so that is computed without a branch. Computing the first two as well made each step wait for
/// the previous one, and was slower by 4 % and 2 %.
#[inline(never)]
pub(super) fn fast_path(src: &[u8], dst: &mut [u8]) -> (usize, usize) {
    let (mut at, mut done) = (1, 0);
    let (Some(last_at), Some(last)) = (src.len().checked_sub(WINDOW), dst.len().checked_sub(ROOM)) else {
        return (at, done);
    };
    let mut opcode = src[0] & 0x1F;
    while at <= last_at && done <= last {
        let Some(window) = src[at..at + WINDOW].first_chunk::<WINDOW>() else { break };
        let mut tail = 0;
        if opcode < 32 {
            dst[done..done + MAX_LITERALS].copy_from_slice(&window[..MAX_LITERALS]);
            let n = usize::from(opcode & 31) + 1;
            opcode = window[n];
            at += n + 1;
            done += n;
            tail = n + 1;
            if opcode < 32 {
                // Another literal run may follow a run of 32.
                continue;
            }
        }
        let header = opcode;
        let Some(bytes) = window[tail..tail + 8].first_chunk() else { break };
        let bytes = u64::from_le_bytes(*bytes);
        let extended = header >= 7 << 5;
        let more = select_unpredictable(extended, bytes as u8, 0);
        if more == 255 {
            unlikely();
            let Some(next) = long(Cursor { opcode, at, done }, src, dst, dst.len()) else { break };
            Cursor { opcode, at, done } = next;
            continue;
        }
        let bytes = select_unpredictable(extended, bytes >> 8, bytes);
        let near = usize::from(header & 31) << 8 | usize::from(bytes as u8);
        let (mut near, mut bytes, mut after) = (near, bytes, 2 + usize::from(extended));
        if near == NEAR {
            near += usize::from(((bytes >> 8) as u16).swap_bytes());
            bytes >>= 16;
            after += 2;
        }
        let length = usize::from(header >> 5) + 2 + usize::from(more);
        if !copy_match(dst, near + 1, done, length) {
            break;
        }
        opcode = (bytes >> 8) as u8;
        at += after;
        done += length;
    }
    (at, done)
}
