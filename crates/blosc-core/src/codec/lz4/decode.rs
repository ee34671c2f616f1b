//! Decoding one block into a buffer of known size.

use crate::codec::CorruptStream;

use super::copy::{OVERRUN, copy_exact, copy_few, copy_roomy, room};
use super::near_end::{last_literals, near_end};
use super::wide::wide;
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
    if dst.len() < len {
        return Err(CorruptStream::new(0, "no room for the decoded bytes"));
    }
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let mut place = Place { token, src: rest, d: 0 };
    // A call that a block of a few sequences is done without sooner.
    if src.len().min(len) >= 64 {
        place = wide::<false>(place, dst, len, &[]);
    }
    let place = near_end(place, dst, len);
    if last_literals(src, &place, dst, len).is_some() {
        return Ok(());
    }
    careful::<false>(src, place, dst, len, &[]).map(|_| ())
}

/// [`decompress`] for a block whose matches may reach into `dict`, thought in front of it.
///
/// # Errors
///
/// As [`decompress`].
pub(crate) fn decompress_with_dict(src: &[u8], dst: &mut [u8], len: usize, dict: &[u8]) -> Result<(), CorruptStream> {
    if dst.len() < len {
        return Err(CorruptStream::new(0, "no room for the decoded bytes"));
    }
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let mut place = Place { token, src: rest, d: 0 };
    while let Some(next) = careful::<true>(src, wide::<true>(place, dst, len, dict), dst, len, dict)? {
        place = next;
    }
    Ok(())
}

/// Where decoding stands: in front of the literals that `token` announces.
pub(super) struct Place<'a> {
    pub(super) token: u8,
    /// What follows the token.
    pub(super) src: &'a [u8],
    /// How many bytes are decoded.
    pub(super) d: usize,
}

/// Decodes the rest of a block, with every check the format asks for; with `DICT` one sequence of it, and says where
/// that ends unless it is the last.
#[cold]
#[inline(never)]
fn careful<'a, const DICT: bool>(
    block: &'a [u8],
    place: Place<'a>,
    dst: &mut [u8],
    len: usize,
    dict: &[u8],
) -> Result<Option<Place<'a>>, CorruptStream> {
    let Place { mut token, mut src, mut d } = place;
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
            return if d == len { Ok(None) } else { error(src.len(), "block ends early") };
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
        // What goes on behind the dictionary goes on at the block's first byte.
        if d < end && copy_match(dst, d - offset, d, end - d).is_none() {
            return error(src.len(), "match reaches too far");
        }
        d = end;
        let Some((&next, after)) = src.split_first() else {
            return error(src.len(), "no literals behind the last match");
        };
        token = next;
        src = after;
        if DICT {
            return Ok(Some(Place { token, src, d }));
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

/// Copies a match; no further than it goes, where there is no room behind it.
#[inline(always)]
fn copy_match(dst: &mut [u8], from: usize, at: usize, length: usize) -> Option<()> {
    if length.saturating_add(OVERRUN) <= dst.len() - at {
        copy_roomy(dst, from, at, length)
    } else {
        copy_exact(dst, from, at, length)
    }
}

/// The sum of the length bytes at the front of `src`, of which only the last is below 255, and what follows them.
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
    // Saturated, which takes a usize of 32 bits, it is more than any buffer holds.
    let full = (src.len() - rest.len()).saturating_mul(255);
    let (&byte, rest) = rest.split_first()?;
    Some((full.saturating_add(usize::from(byte)), rest))
}
