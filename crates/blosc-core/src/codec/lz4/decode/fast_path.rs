//! Decodes most of a block with copies of fixed width, while input and output have room for them.

use super::super::{LONG, MATCH_START_LIMIT, MIN_MATCH};
use super::cursor::{Cursor, long_match, more_literals};
use crate::codec::lz77::copy::{OVERRUN, copy_18, copy_roomy, room, unlikely};
use crate::kernels;

/// Maximum number of bytes that a sequence may write after the start of its literals, and after the start of a short
/// match. This is more than necessary, so that short and long matches have the same limit.
pub(super) const ROOM: usize = OVERRUN;

/// Number of input bytes that a step reads: 14 literals, the offset, one more length byte, the next token.
const WINDOW: usize = 18;

/// Decodes sequences while input and output have room for copies of fixed width.
///
/// Stops before anything unusual, invalid or near the end, so the slow path decodes the same bytes again. The exception
/// is a match that reaches too far, which is detected after it. Without `DICT` there is no dictionary and no code for
/// one.
///
/// A step depends on little but the previous token: seven or eight cycles. Branching on sequences without literals
/// avoids that dependency. On planes where nineteen of twenty sequences have none, and branches are predicted well,
/// this gained 5 to 20 %. It lost 10 to 80 % on others, and choosing at run time cost the gain. Computing whether there
/// is a length byte, without a branch, lost 5 to 30 %.
#[inline(always)]
pub(super) fn fast_path<'a, const DICT: bool>(
    cursor: Cursor<'a>,
    dst: &mut [u8],
    len: usize,
    dict: &[u8],
) -> Cursor<'a> {
    let Cursor { token, src, d } = cursor;
    let (rest, packed) = steps::<DICT>(token, src, d, dst, len, dict);
    Cursor { token: packed as u8, src: &src[src.len() - rest..], d: (packed >> 8) as usize }
}

/// [`fast_path`] that returns the remaining length of `src`, and `d` and the token in one number. These are returned in
/// two registers, while a [`Cursor`] is stored and loaded.
#[inline(never)]
fn steps<const DICT: bool>(
    token: u8,
    mut src: &[u8],
    mut d: usize,
    dst: &mut [u8],
    len: usize,
    dict: &[u8],
) -> (usize, u64) {
    let mut token = u32::from(token);
    // No match then starts after `dst.len() - ROOM`, so the check of the room also enforces the format's limit.
    let end = dst.len().min(len + (ROOM - MATCH_START_LIMIT));
    let dst = &mut dst[..end];
    let Some(last) = dst.len().checked_sub(ROOM) else { return (src.len(), (d as u64) << 8 | u64::from(token)) };
    while d <= last {
        let Some(head) = src.first_chunk::<WINDOW>() else { break };
        let literals = (token >> 4) as usize;
        if literals == LONG {
            unlikely();
            let Some((from, n)) = more_literals(src) else { break };
            if n > last - d || copy_literals(from, dst, d, n).is_none() {
                break;
            }
            src = &from[n..];
            d += n;
            // The rest is a sequence without literals.
            token &= 0x0F;
            continue;
        }
        let Some(to) = room::<16>(dst, d) else { break };
        to.copy_from_slice(&head[..16]);
        let at = d + literals;
        if at > last {
            break;
        }
        let tail = &head[literals..];
        let Some(&offset) = tail.first_chunk() else { break };
        let short = (token & 0x0F) as usize;
        let offset = usize::from(u16::from_le_bytes(offset));
        let Some(from) = at.checked_sub(offset) else {
            // A short match that ends within the dictionary is a single copy too.
            if DICT
                && short < LONG
                && let Some(from) = (dict.len() + at).checked_sub(offset)
                && let Some(&word) = dict.get(from..).and_then(|x| x.first_chunk::<18>())
                && let Some(to) = room(dst, at)
            {
                *to = word;
                token = u32::from(tail[2]);
                src = &src[literals + 3..];
                d = at + MIN_MATCH + short;
                continue;
            }
            break;
        };
        if short < LONG {
            // Loaded before the copies, so that the next sequence does not wait for them.
            let next = u32::from(tail[2]);
            if copy_18(dst, from, at).is_none() {
                break;
            }
            token = next;
            src = &src[literals + 3..];
            d = at + MIN_MATCH + short;
            continue;
        }
        let (more, next) = (usize::from(tail[2]), u32::from(tail[3]));
        // The literals are done.
        token &= 0x0F;
        src = &src[literals..];
        d = at;
        if from == d {
            break;
        }
        let length = MIN_MATCH + LONG + more;
        if more < 255 && length + OVERRUN <= dst.len() - d {
            if copy_roomy(dst, from, d, length).is_none() {
                break;
            }
            token = next;
            src = &src[4..];
            d += length;
        } else {
            let Some((next, after, end)) = long_match(&src[2..], dst, len, from, d) else { break };
            token = u32::from(next);
            src = after;
            d = end;
        }
    }
    (src.len(), (d as u64) << 8 | u64::from(token))
}

/// Copies `n` literals if `from` has 32 bytes after them.
#[inline(always)]
fn copy_literals(from: &[u8], dst: &mut [u8], d: usize, n: usize) -> Option<()> {
    if n > from.len().checked_sub(32)? {
        return None;
    }
    *room(dst, d)? = *from.first_chunk::<32>()?;
    if n > 32 {
        *room(dst, d + 32)? = *from[32..].first_chunk::<32>()?;
        if n > 64 {
            return copy_rest(from.get(64..n)?, dst.get_mut(d + 64..d + n)?);
        }
    }
    Some(())
}

/// Copies the literals after the first 64: one call in the loop.
#[inline(never)]
fn copy_rest(from: &[u8], to: &mut [u8]) -> Option<()> {
    kernels::copy(from, to);
    Some(())
}
