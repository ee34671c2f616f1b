//! How is most of a block decoded? By copies of fixed width, as long as both sides have room for them.

use super::copy::{OVERRUN, copy_18, copy_exact, copy_long, copy_steps, room, unlikely};
use super::decode::{Place, extension};
use super::{END_LITERALS, LONG, MATCH_START_LIMIT, MIN_MATCH};

/// What a sequence may write behind the start of its match, if that is short, and behind the start of its literals.
const ROOM: usize = 64;
const SHORT_ROOM: usize = 32;

/// What a step looks at: 14 literals, the offset, one more length byte, the next token.
const WINDOW: usize = 18;

/// Decodes sequences as long as both sides have room for copies of fixed width.
///
/// Stops in front of whatever is unusual, wrong or near the end: the careful decoder meets the same bytes again. A match
/// that is too long for the block it may have written; then it has stopped behind it. Without `DICT` there is no
/// dictionary, and no code for one.
#[inline(always)]
pub(super) fn wide<'a, const DICT: bool>(
    place: Place<'a>,
    dst: &mut [u8],
    len: usize,
    dict: &[u8],
) -> Place<'a> {
    // The last match starts at `dst.len() - ROOM` at most, which is what the format says and what there is room for.
    let end = dst.len().min(len + (ROOM - MATCH_START_LIMIT));
    let dst = &mut dst[..end];
    let Place { token, mut src, mut d } = place;
    let mut token = u32::from(token);
    let Some(last) = dst.len().checked_sub(ROOM) else { return place };
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
            // What is left is a sequence without literals.
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
            // A short match that ends within the dictionary is one copy too.
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
            // Loaded before the copies, so that the next sequence need not wait for them.
            let next = u32::from(tail[2]);
            if copy_18(dst, from, at).is_none() {
                break;
            }
            token = next;
            src = &src[literals + 3..];
            d = at + MIN_MATCH + short;
            continue;
        }
        let next = u32::from(tail[3]);
        let more = usize::from(tail[2]);
        d = at;
        src = &src[literals..];
        token &= 0x0F;
        unlikely();
        if from == d {
            break;
        }
        let length = MIN_MATCH + LONG + more;
        if more < 255 && length + ROOM <= dst.len() - d {
            if copy_steps(dst, from, d, length).is_none() {
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
    Place { token: token as u8, src, d }
}

/// [`wide`] for the last bytes of a block.
///
/// Behind the literals of any sequence but the last are two bytes of offset, a token, and five literals: eight literals
/// can be copied, and if there are more, sixteen.
#[inline(always)]
pub(super) fn near_end<'a>(place: Place<'a>, dst: &mut [u8], len: usize) -> Place<'a> {
    let end = dst.len().min(len + (SHORT_ROOM - MATCH_START_LIMIT));
    let Place { mut token, mut src, mut d } = place;
    let Some(last) = end.checked_sub(SHORT_ROOM) else { return place };
    while d <= last {
        let literals = usize::from(token >> 4);
        if literals == LONG || src.len() < literals + 8 {
            break;
        }
        let Some(word) = src.first_chunk::<8>() else { break };
        let Some(to) = room::<8>(&mut dst[..end], d) else { break };
        *to = *word;
        if literals > 8 {
            let (Some(word), Some(to)) = (src.first_chunk::<16>(), room::<16>(&mut dst[..end], d)) else { break };
            *to = *word;
        }
        let at = d + literals;
        if at > last {
            break;
        }
        let Some(tail) = src[literals..].first_chunk::<4>() else { break };
        let offset = usize::from(u16::from_le_bytes([tail[0], tail[1]]));
        let short = usize::from(token & 0x0F);
        let Some(from) = at.checked_sub(offset) else { break };
        if short < LONG {
            if copy_18(&mut dst[..end], from, at).is_none() {
                break;
            }
            token = tail[2];
            src = &src[literals + 3..];
            d = at + MIN_MATCH + short;
        } else {
            let more = usize::from(tail[2]);
            let length = MIN_MATCH + LONG + more;
            if offset == 0 || more == 255 || length + ROOM > dst.len() - at || copy_steps(dst, from, at, length).is_none() {
                break;
            }
            token = tail[3];
            src = &src[literals + 4..];
            d = at + length;
        }
    }
    Place { token, src, d }
}

/// Copies the literals that a block ends with, if that is what `place` is in front of.
#[inline(always)]
pub(super) fn last_literals(block: &[u8], place: &Place<'_>, dst: &mut [u8], len: usize) -> Option<()> {
    let Place { token, src, d } = *place;
    let literals = usize::from(token >> 4);
    let (from, n) = if literals == LONG { more_literals(src)? } else { (src, literals) };
    // No match has reached into them.
    if n != from.len() || d + n != len || d > 0 && n < END_LITERALS {
        return None;
    }
    if n <= 8 && let Some(word) = block.last_chunk::<8>() && let Some(to) = room::<8>(dst, d) {
        *to = (u64::from_le_bytes(*word) >> (8 * (8 - n) & 63)).to_le_bytes();
    } else if n <= 16 && let Some(word) = block.last_chunk::<16>() && let Some(to) = room::<16>(dst, d) {
        *to = (u128::from_le_bytes(*word) >> (8 * (16 - n) & 127)).to_le_bytes();
    } else {
        dst.get_mut(d..len)?.copy_from_slice(from);
    }
    Some(())
}

/// The number of literals, 15 or more, and what follows the length bytes.
#[inline(always)]
fn more_literals(src: &[u8]) -> Option<(&[u8], usize)> {
    let (&more, from) = src.split_first()?;
    if more < 255 {
        return Some((from, LONG + usize::from(more)));
    }
    let (more, from) = extension(src)?;
    Some((from, more.saturating_add(LONG)))
}

/// Copies `n` literals if `from` goes on for 32 bytes behind them.
#[inline(always)]
fn copy_literals(from: &[u8], dst: &mut [u8], d: usize, n: usize) -> Option<()> {
    if n > from.len().checked_sub(32)? {
        return None;
    }
    *room(dst, d)? = *from.first_chunk::<32>()?;
    if n > 32 {
        *room(dst, d + 32)? = *from[32..].first_chunk::<32>()?;
        if n > 64 {
            dst.get_mut(d + 64..d + n)?.copy_from_slice(from.get(64..n)?);
        }
    }
    Some(())
}

/// Copies a match of 19 bytes or more, whose length bytes `src` starts with; gives the next token, what follows it, and
/// the match's end.
#[inline(never)]
fn long_match<'a>(src: &'a [u8], dst: &mut [u8], len: usize, from: usize, at: usize) -> Option<(u8, &'a [u8], usize)> {
    let (more, after) = extension(src)?;
    let (&next, after) = after.split_first()?;
    let length = more.saturating_add(MIN_MATCH + LONG);
    if length > len - at - END_LITERALS {
        return None;
    }
    if length + OVERRUN <= dst.len() - at {
        copy_long(dst, from, at, length)?;
    } else {
        copy_exact(dst, from, at, length)?;
    }
    Some((next, after, at + length))
}
