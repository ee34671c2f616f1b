//! Decodes most of a stream by copies of fixed width, as long as both sides have room for them.

use super::super::{MAX_LITERALS, NEAR};
use super::cursor::{Cursor, copy_match, long};
use crate::codec::lz77::copy::{OVERRUN, unlikely};
use std::hint::select_unpredictable;

/// What a step looks at behind its first opcode: 32 literals, a match of up to five bytes, the next opcode; and more, so
/// that bytes are read eight at a time.
const WINDOW: usize = 64;

/// What literals and a match of at most 32 bytes may take, and what [`copy_match`] writes behind a longer one.
pub(super) const ROOM: usize = MAX_LITERALS + OVERRUN;

/// Decodes from the start on and stops in front of whatever is unusual, wrong or near the end: gives where the bytes of
/// the opcode there begin, and how many bytes are decoded. (Two numbers are given back in registers. A `Cursor` is not, and
/// what it took to read it where it had just been written was a third of the time of a stream of 128 bytes.)
///
/// ```text
/// opcode < 32:  | n = opcode + 1 literals .. | match | e | low | h | l | next ..      one step
/// opcode >= 32:                        opcode: match | e | low | h | l | next ..      one step
/// ```
///
/// A wrong guess of the processor costs as much as the rest of a step. Whether literals come first and whether a match is
/// far (`h`, `l`) it guesses well, and runs ahead; whether there is a length byte `e` it does not, so that is computed. To
/// compute the first two as well made a step wait for the one before, and was slower: by 4 % and 2 %.
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
                // A run of 32 may go on.
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
        let (mut near, mut bytes, mut behind) = (near, bytes, 2 + usize::from(extended));
        if near == NEAR {
            near += usize::from(((bytes >> 8) as u16).swap_bytes());
            bytes >>= 16;
            behind += 2;
        }
        let length = usize::from(header >> 5) + 2 + usize::from(more);
        if !copy_match(dst, near + 1, done, length) {
            break;
        }
        opcode = (bytes >> 8) as u8;
        at += behind;
        done += length;
    }
    (at, done)
}
