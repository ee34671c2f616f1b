//! Decodes one stream into a buffer of known size.
//!
//! | file | does |
//! |---|---|
//! | `cursor` | the decoder's position; lengths, distances and copies of matches |
//! | `fast_path` | most of a stream, with copies of fixed width |
//! | `tail_loop` | the last opcodes, where the input has no room for fixed width |
//! | `slow_path` | any opcode, with all checks; finds errors |

mod cursor;
mod fast_path;
mod slow_path;
mod tail_loop;

use cursor::Cursor;
use fast_path::{ROOM, fast_path};
use slow_path::slow_path;
use tail_loop::tail_loop;

use crate::codec::CorruptStream;

/// Decodes `src` into exactly `len` bytes at the front of `dst`; the rest of `dst` is scratch.
///
/// All of `src` must be used: bytes after the last opcode would be opcodes too, and overrun `len`. C-Blosc rejects them
/// as well; a stream ends only where its bytes end.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8], len: usize) -> Result<(), CorruptStream> {
    if len > dst.len() {
        return Err(CorruptStream::new(0, "the output is too small for the stream"));
    }
    let Some(first) = src.first() else {
        return if len == 0 { Ok(()) } else { Err(CorruptStream::new(0, "the stream is empty")) };
    };
    let mut cursor = Cursor { opcode: first & 0x1F, at: 1, done: 0 };
    // A single comparison. With two, the compiler assumes the bounds here and cannot use them inside the function.
    if src.len().min(len) >= ROOM {
        let (at, done) = fast_path(src, &mut dst[..len]);
        if at > 1 {
            cursor = Cursor { opcode: src[at - 1], at, done };
        }
    }
    match tail_loop(cursor, src, dst, len) {
        None => Ok(()),
        Some(cursor) => slow_path(cursor, src, &mut dst[..len]),
    }
}

/// Decodes at least `dst[..until]` of a stream of `len` bytes. Errors past them may go unnoticed.
///
/// # Errors
///
/// As [`decompress`].
pub(crate) fn decompress_prefix(src: &[u8], dst: &mut [u8], len: usize, until: usize) -> Result<(), CorruptStream> {
    // The fast path stops at the end of a shorter output, or before a match that exceeds it.
    let room = until.saturating_add(ROOM);
    if room <= len.min(dst.len()) && !src.is_empty() && fast_path(src, &mut dst[..room]).1 >= until {
        return Ok(());
    }
    decompress(src, dst, len)
}
