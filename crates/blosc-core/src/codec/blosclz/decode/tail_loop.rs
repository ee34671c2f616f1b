//! Decodes the last opcodes of a stream. In a stream of a few bytes, these are all opcodes.

use super::super::MIN_MATCH;
use super::cursor::{Cursor, copy_match, distance, long};
use crate::codec::lz77::copy::{OVERRUN, copy_few, room};

/// Decodes from `cursor` on. Returns `None` at the end of the stream, otherwise the position of an unusual or invalid
/// opcode.
///
/// Reads nothing past the end of the stream, but may write past `dst[..len]`. It stops where the rest of `dst` is too
/// short for copies of fixed width. The slow path took twice the time for streams of 128 bytes.
#[inline(always)]
pub(super) fn tail_loop(cursor: Cursor, src: &[u8], dst: &mut [u8], len: usize) -> Option<Cursor> {
    let Cursor { mut opcode, mut at, mut done } = cursor;
    let stop = |opcode, at, done| Some(Cursor { opcode, at, done });
    let Some(last) = dst.len().checked_sub(OVERRUN) else { return stop(opcode, at, done) };
    while done <= last {
        if opcode < 32 {
            let n = usize::from(opcode) + 1;
            let rest = src.len() - at;
            if n > rest || n > len - done {
                break;
            }
            let Some(to) = room(dst, done) else { break };
            if copy_few(src, &src[at..], n, to).is_none() {
                break;
            }
            if n == rest {
                if done + n != len {
                    break;
                }
                return None;
            }
            at += n;
            done += n;
            opcode = src[at];
            at += 1;
            continue;
        }
        let mut length = usize::from(opcode >> 5) + MIN_MATCH - 1;
        let mut after = at;
        if length == 9 {
            let Some(&more) = src.get(at) else { break };
            if more == 255 {
                let Some(next) = long(Cursor { opcode, at, done }, src, dst, len) else { break };
                Cursor { opcode, at, done } = next;
                continue;
            }
            length += usize::from(more);
            after += 1;
        }
        let Some((distance, next, after)) = distance(src, usize::from(opcode), after) else { break };
        if length > len - done || !copy_match(dst, distance, done, length) {
            break;
        }
        opcode = next;
        at = after;
        done += length;
    }
    stop(opcode, at, done)
}
