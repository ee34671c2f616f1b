//! The position of the decoder in a block, and the decoding of long literal runs and matches.

use super::super::{END_LITERALS, LONG, MIN_MATCH};
use crate::codec::lz77::copy::{OVERRUN, copy_exact, copy_long};

/// The position of the decoder: before the literals of `token`.
pub(super) struct Cursor<'a> {
    pub(super) token: u8,
    /// The input after the token.
    pub(super) src: &'a [u8],
    /// Number of decoded bytes.
    pub(super) d: usize,
}

/// Returns the sum of the length bytes at the front of `src`, of which only the last is below 255, and the bytes after
/// them.
#[inline]
pub(super) fn extension(src: &[u8]) -> Option<(usize, &[u8])> {
    let mut rest = src;
    while let Some((&eight, after)) = rest.split_first_chunk()
        && u64::from_le_bytes(eight) == u64::MAX
    {
        rest = after;
    }
    while let Some((&255, after)) = rest.split_first() {
        rest = after;
    }
    // Saturates only where usize has 32 bits. The result then exceeds any buffer.
    let full = (src.len() - rest.len()).saturating_mul(255);
    let (&byte, rest) = rest.split_first()?;
    Some((full.saturating_add(usize::from(byte)), rest))
}

/// Returns the bytes after the length bytes, and the number of literals, 15 or more.
#[inline(always)]
pub(super) fn more_literals(src: &[u8]) -> Option<(&[u8], usize)> {
    let (&more, from) = src.split_first()?;
    if more < 255 {
        return Some((from, LONG + usize::from(more)));
    }
    let (more, from) = extension(src)?;
    Some((from, more.saturating_add(LONG)))
}

/// Copies a match of 19 bytes or more, whose length bytes are at the front of `src`. Returns the next token, the bytes
/// after it, and the end of the match.
#[inline(never)]
pub(super) fn long_match<'a>(
    src: &'a [u8],
    dst: &mut [u8],
    len: usize,
    from: usize,
    at: usize,
) -> Option<(u8, &'a [u8], usize)> {
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
