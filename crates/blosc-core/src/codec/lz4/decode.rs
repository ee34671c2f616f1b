//! Decoding one block into a buffer of known size.

use crate::codec::CorruptStream;

use super::copy::{OVERRUN, copy_18, copy_exact, copy_long, copy_roomy, room, unlikely};
use super::{END_LITERALS, LONG, MATCH_START_LIMIT, MIN_MATCH};

/// Decodes `src` into exactly `dst[..len]`.
///
/// Refused is what the reference decoder refuses: besides what cannot be decoded at all, a match that starts in the
/// last [`MATCH_START_LIMIT`] bytes or reaches into the last [`END_LITERALS`]. So is an offset of 0, which the
/// reference decoder lets pass, though the format has no meaning for it.
///
/// # Errors
///
/// [`CorruptStream`] unless all of `src` decodes to `len` bytes, and if `dst` is shorter than that. `dst` may then hold
/// part of the result.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8], len: usize) -> Result<(), CorruptStream> {
    let Some(dst) = dst.get_mut(..len) else {
        return Err(CorruptStream::new(0, "no room for the decoded bytes"));
    };
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let place = wide::<false>(Place { token, src: rest, d: 0 }, dst, &[]);
    careful::<false>(src.len(), place, dst, &[]).map(|_| ())
}

/// [`decompress`] for a block whose matches may reach into `dict`, thought in front of it.
///
/// # Errors
///
/// As [`decompress`].
pub(crate) fn decompress_with_dict(src: &[u8], dst: &mut [u8], len: usize, dict: &[u8]) -> Result<(), CorruptStream> {
    let Some(dst) = dst.get_mut(..len) else {
        return Err(CorruptStream::new(0, "no room for the decoded bytes"));
    };
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let mut place = Place { token, src: rest, d: 0 };
    while let Some(next) = careful::<true>(src.len(), wide::<true>(place, dst, dict), dst, dict)? {
        place = next;
    }
    Ok(())
}

/// Where decoding stands: in front of the literals that `token` announces.
struct Place<'a> {
    token: u8,
    /// What follows the token.
    src: &'a [u8],
    /// How many bytes are decoded.
    d: usize,
}

/// What a match whose length is in the token may take, the block not ending with it. Literals are copied by 16.
const ROOM: usize = 18 + END_LITERALS;

/// Decodes sequences as long as both sides have room for copies of fixed width.
///
/// Stops in front of whatever is unusual, wrong or near the end: [`careful`] meets the same bytes again. Without `DICT`
/// there is no dictionary, and no code for one.
#[inline(never)]
fn wide<'a, const DICT: bool>(place: Place<'a>, dst: &mut [u8], dict: &[u8]) -> Place<'a> {
    let Place { mut token, mut src, mut d } = place;
    let Some(last) = dst.len().checked_sub(ROOM) else { return Place { token, src, d } };
    while d <= last {
        // 14 literals, the offset, one more length byte, the next token.
        let Some(head) = src.first_chunk::<18>() else { break };
        let literals = usize::from(token >> 4);
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
        let short = usize::from(token & 0x0F);
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
                token = tail[2];
                src = &src[literals + 3..];
                d = at + MIN_MATCH + short;
                continue;
            }
            break;
        };
        if short < LONG {
            // Loaded before the copies, so that the next sequence need not wait for them.
            let next = tail[2];
            if copy_18(dst, from, at).is_none() {
                break;
            }
            token = next;
            src = &src[literals + 3..];
            d = at + MIN_MATCH + short;
            continue;
        }
        unlikely();
        if from == at {
            break;
        }
        let more = usize::from(tail[2]);
        let length = MIN_MATCH + LONG + more;
        if more < 255 && length + OVERRUN <= dst.len() - at {
            let next = tail[3];
            if copy_roomy(dst, from, at, length).is_none() {
                break;
            }
            token = next;
            src = &src[literals + 4..];
            d = at + length;
        } else {
            let Some((next, after, end)) = long_match(&src[literals + 2..], dst, from, at) else { break };
            token = next;
            src = after;
            d = end;
        }
    }
    Place { token, src, d }
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
fn long_match<'a>(src: &'a [u8], dst: &mut [u8], from: usize, at: usize) -> Option<(u8, &'a [u8], usize)> {
    let (more, after) = extension(src)?;
    let (&next, after) = after.split_first()?;
    let length = more.saturating_add(MIN_MATCH + LONG);
    let room = dst.len() - at;
    if length > room - END_LITERALS {
        return None;
    }
    if length + OVERRUN <= room {
        copy_long(dst, from, at, length)?;
    } else {
        copy_exact(dst, from, at, length)?;
    }
    Some((next, after, at + length))
}

/// Decodes the rest of a block, with every check the format asks for; with `DICT` one sequence of it, and says where
/// that ends unless it is the last.
#[inline(never)]
fn careful<'a, const DICT: bool>(
    total: usize,
    place: Place<'a>,
    dst: &mut [u8],
    dict: &[u8],
) -> Result<Option<Place<'a>>, CorruptStream> {
    let Place { mut token, mut src, mut d } = place;
    let error = |rest: &[u8], what| Err(CorruptStream::new(total - rest.len(), what));
    loop {
        let mut literals = usize::from(token >> 4);
        if literals == LONG {
            let Some((more, after)) = extension(src) else { return error(src, "unfinished literal length") };
            literals = more.saturating_add(LONG);
            src = after;
        }
        if literals > dst.len() - d {
            return error(src, "more literals than bytes to decode");
        }
        let Some((from, after)) = src.split_at_checked(literals) else {
            return error(src, "fewer literals than announced");
        };
        dst[d..d + literals].copy_from_slice(from);
        d += literals;
        src = after;
        if src.is_empty() {
            return if d == dst.len() { Ok(None) } else { error(src, "block ends early") };
        }
        let Some((&offset, after)) = src.split_first_chunk() else { return error(src, "unfinished offset") };
        let offset = usize::from(u16::from_le_bytes(offset));
        if offset == 0 || offset > d + if DICT { dict.len() } else { 0 } {
            return error(src, "offset outside of the block");
        }
        if dst.len() - d < MATCH_START_LIMIT {
            return error(src, "match too near to the end");
        }
        src = after;
        let mut length = MIN_MATCH + usize::from(token & 0x0F);
        if length == MIN_MATCH + LONG {
            let Some((more, after)) = extension(src) else { return error(src, "unfinished match length") };
            length = more.saturating_add(MIN_MATCH + LONG);
            src = after;
        }
        if length > dst.len() - d - END_LITERALS {
            return error(src, "match reaches too far");
        }
        let end = d + length;
        if DICT && offset > d {
            let from = &dict[dict.len() - (offset - d)..];
            let n = length.min(from.len());
            dst[d..d + n].copy_from_slice(&from[..n]);
            d += n;
        }
        // What goes on behind the dictionary goes on at the block's first byte.
        if d < end && copy_exact(dst, d - offset, d, end - d).is_none() {
            return error(src, "match reaches too far");
        }
        d = end;
        let Some((&next, after)) = src.split_first() else { return error(src, "no literals behind the last match") };
        token = next;
        src = after;
        if DICT {
            return Ok(Some(Place { token, src, d }));
        }
    }
}

/// The sum of the length bytes at the front of `src`, of which only the last is below 255, and what follows them.
#[inline]
fn extension(src: &[u8]) -> Option<(usize, &[u8])> {
    let mut rest = src;
    while let Some((&eight, after)) = rest.split_first_chunk()
        && u64::from_le_bytes(eight) == u64::MAX
    {
        rest = after;
    }
    while let Some((&255, after)) = rest.split_first() {
        rest = after;
    }
    // Saturated, which takes a usize of 32 bits, it is more than any buffer holds.
    let full = (src.len() - rest.len()).saturating_mul(255);
    let (&byte, rest) = rest.split_first()?;
    Some((full.saturating_add(usize::from(byte)), rest))
}
