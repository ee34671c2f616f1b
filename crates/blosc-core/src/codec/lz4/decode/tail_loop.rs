//! Decodes the last sequences of a block. In a block of a few bytes, these are all sequences.

use super::super::{END_LITERALS, LONG, MATCH_START_LIMIT, MIN_MATCH};
use super::cursor::{Cursor, long_match, more_literals};
use crate::codec::lz77::copy::{OVERRUN, copy_18, copy_few, copy_roomy, room};
use crate::kernels;

/// Maximum number of bytes that a sequence may write after the start of its literals, if they are few, and after the
/// start of a short match.
const ROOM: usize = 32;

/// Minimum number of bytes after the literals of every sequence but the last: two bytes of offset, a token, five
/// literals.
const BEHIND: usize = 3 + END_LITERALS;

/// Decodes sequences while there is room after the decoded bytes. Needs no room after `cursor.src`.
///
/// With the slow path alone, blocks of 128 bytes, as in small chunks, took up to twice the time: it copies exactly,
/// with calls, and has many branches.
#[inline(always)]
pub(super) fn tail_loop<'a>(cursor: Cursor<'a>, dst: &mut [u8], len: usize) -> Cursor<'a> {
    let Cursor { mut token, mut src, mut d } = cursor;
    let end = dst.len().min(len + (ROOM - MATCH_START_LIMIT));
    // No match may start after it. Each copy checks that it has room.
    let Some(last) = len.checked_sub(MATCH_START_LIMIT) else { return Cursor { token, src, d } };
    while d <= last {
        let short = &mut dst[..end];
        let literals = usize::from(token >> 4);
        if literals == LONG {
            let (rest, n) = many_literals(src, short, d, last - d);
            if n == 0 {
                break;
            }
            src = &src[src.len() - rest..];
            d += n;
            // The rest is a sequence without literals.
            token &= 0x0F;
            continue;
        }
        let (from, n) = (src, literals);
        if from.len() < n + BEHIND {
            break;
        }
        if n <= 8 {
            let (Some(word), Some(to)) = (from.first_chunk::<8>(), room::<8>(short, d)) else { break };
            *to = *word;
        } else {
            let (Some(word), Some(to)) = (from.first_chunk::<16>(), room::<16>(short, d)) else { break };
            *to = *word;
        }
        let at = d + n;
        if at > last {
            break;
        }
        let Some(tail) = from[n..].first_chunk::<4>() else { break };
        let offset = usize::from(u16::from_le_bytes([tail[0], tail[1]]));
        let Some(start) = at.checked_sub(offset) else { break };
        let length = MIN_MATCH + usize::from(token & 0x0F);
        if length < MIN_MATCH + LONG {
            if copy_18(short, start, at).is_none() {
                break;
            }
            token = tail[2];
            src = &from[n + 3..];
            d = at + length;
        } else {
            let more = usize::from(tail[2]);
            let length = length + more;
            if offset == 0 {
                break;
            }
            if more == 255 || length + OVERRUN > dst.len() - at || length > len - END_LITERALS - at {
                let Some((next, after, end)) = long_match(&from[n + 2..], dst, len, start, at) else { break };
                token = next;
                src = after;
                d = end;
                continue;
            }
            if copy_roomy(dst, start, at, length).is_none() {
                break;
            }
            token = tail[3];
            src = &from[n + 4..];
            d = at + length;
        }
    }
    Cursor { token, src, d }
}

/// Copies 15 literals or more, at most `most`, if they are not the last of the block. Returns the remaining length of
/// `src`, and the number of literals or 0.
#[inline(never)]
fn many_literals(src: &[u8], dst: &mut [u8], d: usize, most: usize) -> (usize, usize) {
    let Some((from, n)) = more_literals(src) else { return (0, 0) };
    if n > most || from.len() - n.min(from.len()) < BEHIND {
        return (0, 0);
    }
    if n > 32 {
        kernels::copy(&from[..n], &mut dst[d..d + n]);
    } else if room(dst, d).and_then(|to| copy_few(from, from, n, to)).is_none() {
        return (0, 0);
    }
    (from.len() - n, n)
}

/// Copies the literals at the end of `block`, if the cursor has reached them.
#[inline(always)]
pub(super) fn last_literals(block: &[u8], cursor: &Cursor<'_>, dst: &mut [u8], len: usize) -> Option<()> {
    let Cursor { token, src, d } = *cursor;
    let literals = usize::from(token >> 4);
    let (from, n) = if literals == LONG { more_literals(src)? } else { (src, literals) };
    // The last condition: a match before them must not have reached too far.
    if n != from.len() || n > len || d != len - n || d > 0 && n < END_LITERALS {
        return None;
    }
    if n <= 32
        && let Some(to) = room(dst, d)
    {
        return copy_few(block, from, n, to);
    }
    let to = dst.get_mut(d..len)?;
    match n {
        5..=8 => copy_ends::<4>(from, to),
        9..=16 => copy_ends::<8>(from, to),
        17..=32 => copy_ends::<16>(from, to),
        _ => {
            kernels::copy(from, to);
            Some(())
        }
    }
}

/// Copies `N` to twice `N` bytes, as two copies of `N` that may overlap.
#[inline(always)]
fn copy_ends<const N: usize>(from: &[u8], to: &mut [u8]) -> Option<()> {
    *to.first_chunk_mut::<N>()? = *from.first_chunk()?;
    *to.last_chunk_mut::<N>()? = *from.last_chunk()?;
    Some(())
}
