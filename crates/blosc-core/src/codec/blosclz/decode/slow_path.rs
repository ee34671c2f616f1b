//! Decodes any opcode, with all checks that the format requires.

use super::super::MIN_MATCH;
use super::cursor::{Cursor, distance, extension};
use crate::codec::CorruptStream;
use crate::codec::lz77::copy::copy_exact;

/// Decodes the rest of a stream, with all checks that the format requires.
#[cold]
#[inline(never)]
pub(super) fn slow_path(cursor: Cursor, src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
    let Cursor { opcode, mut at, mut done } = cursor;
    let mut opcode = usize::from(opcode);
    loop {
        if opcode < 32 {
            let n = opcode + 1;
            if n > dst.len() - done {
                return Err(CorruptStream::new(at, "a run of literals exceeds the output"));
            }
            let Some(literals) = src.get(at..at + n) else {
                return Err(CorruptStream::new(at, "a run of literals is truncated"));
            };
            dst[done..done + n].copy_from_slice(literals);
            at += n;
            done += n;
            let Some(&next) = src.get(at) else {
                return match done == dst.len() {
                    true => Ok(()),
                    false => Err(CorruptStream::new(at, "the stream ends before the output is full")),
                };
            };
            at += 1;
            opcode = usize::from(next);
            continue;
        }
        let header = at - 1;
        let truncated = CorruptStream::new(header, "a match is truncated");
        let mut n = (opcode >> 5) + MIN_MATCH - 1;
        if n == 9 {
            let Some((more, after)) = extension(src, at) else { return Err(truncated) };
            n = n.saturating_add(more);
            at = after;
        }
        let Some((distance, next, after)) = distance(src, opcode, at) else { return Err(truncated) };
        if n > dst.len() - done {
            return Err(CorruptStream::new(header, "a match exceeds the output"));
        }
        let from = done.checked_sub(distance);
        if from.and_then(|from| copy_exact(dst, from, done, n)).is_none() {
            return Err(CorruptStream::new(header, "a match starts before the output"));
        }
        done += n;
        at = after;
        opcode = usize::from(next);
    }
}
