//! How is a BloscLZ stream decoded?

use super::near_end::near_end;
use super::wide::{ROOM, wide};
use super::{MIN_MATCH, NEAR};
use crate::codec::CorruptStream;
use crate::codec::lz4::copy::copy_exact;

/// Where decoding stands: in front of what `opcode`, the byte before `at`, announces.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) opcode: u8,
    pub(super) at: usize,
    /// How many bytes are decoded.
    pub(super) done: usize,
}

/// Decodes `src` into exactly `len` bytes at the front of `dst`; what lies behind them is scratch.
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
    let mut place = Place { opcode: first & 0x1F, at: 1, done: 0 };
    // One comparison, so that the compiler does not take the bounds for known and forget what follows from them in there.
    if src.len().min(len) >= ROOM {
        let (at, done) = wide(src, &mut dst[..len]);
        if at > 1 {
            place = Place { opcode: src[at - 1], at, done };
        }
    }
    match near_end(place, src, dst, len) {
        None => Ok(()),
        Some(place) => careful(place, src, &mut dst[..len]),
    }
}

/// Decodes the rest of a stream, with every check the format asks for.
#[cold]
#[inline(never)]
fn careful(place: Place, src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
    let Place { opcode, mut at, mut done } = place;
    let mut opcode = usize::from(opcode);
    loop {
        if opcode < 32 {
            let n = opcode + 1;
            if n > dst.len() - done {
                return Err(CorruptStream::new(at, "a literal run overruns the output"));
            }
            let Some(literals) = src.get(at..at + n) else {
                return Err(CorruptStream::new(at, "a literal run is cut short"));
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
        let truncated = CorruptStream::new(header, "a match is cut short");
        let mut n = (opcode >> 5) + MIN_MATCH - 1;
        if n == 9 {
            let Some((more, behind)) = extension(src, at) else { return Err(truncated) };
            n = n.saturating_add(more);
            at = behind;
        }
        let Some((distance, next, behind)) = distance(src, opcode, at) else { return Err(truncated) };
        if n > dst.len() - done {
            return Err(CorruptStream::new(header, "a match overruns the output"));
        }
        let from = done.checked_sub(distance);
        if from.and_then(|from| copy_exact(dst, from, done, n)).is_none() {
            return Err(CorruptStream::new(header, "a match begins before the output"));
        }
        done += n;
        at = behind;
        opcode = usize::from(next);
    }
}

/// The sum of the length bytes from `at` on, of which only the last is not 255, and where they end.
pub(super) fn extension(src: &[u8], at: usize) -> Option<(usize, usize)> {
    let full = src.get(at..)?.iter().take_while(|&&byte| byte == 255).count();
    let last = src.get(at + full)?;
    Some((full.saturating_mul(255).saturating_add(usize::from(*last)), at + full + 1))
}

/// The distance whose bytes are at `at`, the opcode behind it, and where what that announces begins.
#[inline(always)]
pub(super) fn distance(src: &[u8], opcode: usize, at: usize) -> Option<(usize, u8, usize)> {
    let &[low, next] = src.get(at..)?.first_chunk()?;
    let near = (opcode & 31) << 8 | usize::from(low);
    if near < NEAR {
        return Some((near + 1, next, at + 2));
    }
    let &[high, low, next] = src.get(at + 1..)?.first_chunk()?;
    Some((NEAR + 1 + (usize::from(high) << 8 | usize::from(low)), next, at + 4))
}
