//! Decodes any sequence, with all checks that the format requires.

use super::super::{END_LITERALS, LONG, MATCH_START_LIMIT, MIN_MATCH};
use super::cursor::{Cursor, extension};
use crate::codec::CorruptStream;
use crate::codec::lz77::copy::{OVERRUN, copy_exact, copy_few, copy_roomy, room};

/// Decodes the rest of a block, with all checks that the format requires.
///
/// With `DICT`, decodes only one sequence and returns its end, or `None` if it was the last.
#[cold]
#[inline(never)]
pub(super) fn slow_path<'a, const DICT: bool>(
    block: &'a [u8],
    cursor: Cursor<'a>,
    dst: &mut [u8],
    len: usize,
    dict: &[u8],
) -> Result<Option<Cursor<'a>>, CorruptStream> {
    let Cursor { mut token, mut src, mut d } = cursor;
    let error = |rest: usize, what| Err(CorruptStream::new(block.len() - rest, what));
    if d > 0 && d + END_LITERALS > len {
        return error(src.len() + 1, "match reaches too far");
    }
    loop {
        let mut literals = usize::from(token >> 4);
        if literals == LONG {
            let Some((more, after)) = extension(src) else { return error(src.len(), "unfinished literal length") };
            literals = more.saturating_add(LONG);
            src = after;
        }
        if literals > len - d {
            return error(src.len(), "more literals than bytes to decode");
        }
        let Some(after) = src.get(literals..) else {
            return error(src.len(), "fewer literals than announced");
        };
        copy_literals(block, src, literals, &mut dst[d..]);
        d += literals;
        src = after;
        if src.is_empty() {
            return if d == len { Ok(None) } else { error(src.len(), "the block is truncated") };
        }
        let Some((&offset, after)) = src.split_first_chunk() else { return error(src.len(), "unfinished offset") };
        let offset = usize::from(u16::from_le_bytes(offset));
        if offset == 0 || offset > d + if DICT { dict.len() } else { 0 } {
            return error(src.len(), "offset outside of the block");
        }
        if len - d < MATCH_START_LIMIT {
            return error(src.len(), "match too near to the end");
        }
        src = after;
        let mut length = MIN_MATCH + usize::from(token & 0x0F);
        if length == MIN_MATCH + LONG {
            let Some((more, after)) = extension(src) else { return error(src.len(), "unfinished match length") };
            length = more.saturating_add(MIN_MATCH + LONG);
            src = after;
        }
        if length > len - d - END_LITERALS {
            return error(src.len(), "match reaches too far");
        }
        let end = d + length;
        if DICT && offset > d {
            let from = &dict[dict.len() - (offset - d)..];
            let n = length.min(from.len());
            dst[d..d + n].copy_from_slice(&from[..n]);
            d += n;
        }
        // A match that continues past the end of the dictionary continues at the block's first byte.
        if d < end && copy_match(dst, d - offset, d, end - d).is_none() {
            return error(src.len(), "match reaches too far");
        }
        d = end;
        let Some((&next, after)) = src.split_first() else {
            return error(src.len(), "no literals after the last match");
        };
        token = next;
        src = after;
        if DICT {
            return Ok(Some(Cursor { token, src, d }));
        }
    }
}

/// Copies `n` literals from the front of `src`, which is the end of `block`.
#[inline(always)]
fn copy_literals(block: &[u8], src: &[u8], n: usize, dst: &mut [u8]) {
    if n > 32 || room(dst, 0).and_then(|to| copy_few(block, src, n, to)).is_none() {
        dst[..n].copy_from_slice(&src[..n]);
    }
}

/// Copies a match. Writes nothing past its end if there is no room.
#[inline(always)]
fn copy_match(dst: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    if length.saturating_add(OVERRUN) <= dst.len() - at {
        copy_roomy(dst, from, at, length)
    } else {
        copy_exact(dst, from, at, length)
    }
}
