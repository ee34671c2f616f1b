//! Decodes one block into a buffer of known size.
//!
//! | file | does |
//! |---|---|
//! | `cursor` | the decoder's position; long literal runs and long matches |
//! | `fast_path` | most of a block, with copies of fixed width |
//! | `tail_loop` | the last sequences, where the input has no room for fixed width |
//! | `slow_path` | any sequence, with all checks; finds errors |

mod cursor;
mod fast_path;
mod slow_path;
mod tail_loop;

use cursor::Cursor;
use fast_path::{ROOM, fast_path};
use slow_path::slow_path;
use tail_loop::{last_literals, tail_loop};

use crate::codec::CorruptStream;

/// Decodes `src` into exactly `dst[..len]`.
///
/// Rejects everything that the reference decoder rejects. Besides undecodable data, this is a match that starts in the
/// last [`MATCH_START_LIMIT`](super::MATCH_START_LIMIT) bytes or reaches into the last
/// [`END_LITERALS`](super::END_LITERALS). Also rejects an offset of 0, which the format does not define and the reference
/// decoder accepts.
///
/// # Errors
///
/// [`CorruptStream`] unless all of `src` decodes to `len` bytes, and if `dst` is shorter than that. `dst` may then hold
/// part of the result.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8], len: usize) -> Result<(), CorruptStream> {
    if dst.len() < len {
        return Err(CorruptStream::new(0, "the output is too small for the decoded bytes"));
    }
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let mut cursor = Cursor { token, src: rest, d: 0 };
    // A block of a few sequences is decoded faster without this call.
    if src.len().min(len) >= 64 {
        cursor = fast_path::<false>(cursor, dst, len, &[]);
    }
    let cursor = tail_loop(cursor, dst, len);
    if last_literals(src, &cursor, dst, len).is_some() {
        return Ok(());
    }
    slow_path::<false>(src, cursor, dst, len, &[]).map(|_| ())
}

/// Decodes at least `dst[..until]` of a block of `len` bytes. Errors past them may go unnoticed.
///
/// # Errors
///
/// As [`decompress`].
pub(crate) fn decompress_prefix(src: &[u8], dst: &mut [u8], len: usize, until: usize) -> Result<(), CorruptStream> {
    // The fast path stops at the end of a shorter output, or before a match that exceeds it.
    let room = until.saturating_add(ROOM);
    let Some((&token, rest)) = src.split_first() else { return decompress(src, dst, len) };
    if room > len.min(dst.len()) {
        return decompress(src, dst, len);
    }
    let mut cursor = Cursor { token, src: rest, d: 0 };
    while cursor.d < until {
        cursor = fast_path::<false>(cursor, &mut dst[..room], len, &[]);
        if cursor.d < until {
            let Some(next) = slow_path::<true>(src, cursor, dst, len, &[])? else { break };
            cursor = next;
        }
    }
    Ok(())
}

/// [`decompress`] for a block whose matches may reach into `dict`, which logically precedes it.
///
/// # Errors
///
/// As [`decompress`].
pub(crate) fn decompress_with_dict(src: &[u8], dst: &mut [u8], len: usize, dict: &[u8]) -> Result<(), CorruptStream> {
    if dst.len() < len {
        return Err(CorruptStream::new(0, "the output is too small for the decoded bytes"));
    }
    let Some((&token, rest)) = src.split_first() else {
        return Err(CorruptStream::new(0, "empty block"));
    };
    let mut cursor = Cursor { token, src: rest, d: 0 };
    while let Some(next) = slow_path::<true>(src, fast_path::<true>(cursor, dst, len, dict), dst, len, dict)? {
        cursor = next;
    }
    Ok(())
}
