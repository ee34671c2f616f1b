//! Decodes one stream into a buffer of known size.
//!
//! | file | does |
//! |---|---|
//! | `cursor` | where decoding stands; lengths, distances and copies of matches |
//! | `fast_path` | most of a stream, by copies of fixed width |
//! | `tail_loop` | the last opcodes, where the input has no room for fixed width |
//! | `slow_path` | any opcode, with all checks; finds what is wrong |

mod cursor;
mod fast_path;
mod slow_path;
mod tail_loop;

use cursor::Cursor;
use fast_path::{ROOM, fast_path};
use slow_path::slow_path;
use tail_loop::tail_loop;

use crate::codec::CorruptStream;

/// Decodes `src` into exactly `len` bytes at the front of `dst`; the rest of it is scratch.
///
/// `src` has to be used up: what follows the last opcode would be opcodes, too, and overrun `len`. C-Blosc, which has no
/// other end of a stream than the end of its bytes, rejects them as well.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8], len: usize) -> Result<(), CorruptStream> {
    if len > dst.len() {
        return Err(CorruptStream::new(0, "the output does not hold the stream"));
    }
    let Some(first) = src.first() else {
        return if len == 0 { Ok(()) } else { Err(CorruptStream::new(0, "the stream is empty")) };
    };
    let mut cursor = Cursor { opcode: first & 0x1F, at: 1, done: 0 };
    // One comparison, so that the compiler does not take the bounds for known and forget what follows from them in there.
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
