//! How is a BloscLZ stream decoded?

use super::{MAX_LITERALS, MIN_MATCH, NEAR};
use crate::codec::CorruptStream;

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
    let mut opcode = usize::from(first & 0x1F);
    let (mut at, mut done) = (1, 0);
    loop {
        if opcode < 32 {
            let n = opcode + 1;
            if n > len - done {
                return Err(CorruptStream::new(at, "a literal run overruns the output"));
            }
            let Some(&next) = src.get(at + n) else {
                return last_literals(src, at, n, &mut dst[done..len]);
            };
            match (src[at..].first_chunk::<MAX_LITERALS>(), dst[done..].first_chunk_mut()) {
                (Some(from), Some(to)) => *to = *from,
                _ => dst[done..done + n].copy_from_slice(&src[at..at + n]),
            }
            at += n + 1;
            done += n;
            opcode = usize::from(next);
        }
        if opcode >= 32 {
            let header = at - 1;
            let truncated = CorruptStream::new(header, "a match is cut short");
            let mut n = (opcode >> 5) + MIN_MATCH - 1;
            if n == 9 {
                loop {
                    let Some(&more) = src.get(at) else { return Err(truncated) };
                    at += 1;
                    n += usize::from(more);
                    if more != 255 {
                        break;
                    }
                }
            }
            let Some(&[low, mut next]) = src.get(at..).and_then(<[u8]>::first_chunk) else { return Err(truncated) };
            at += 2;
            let mut distance = (opcode & 31) << 8 | usize::from(low);
            if distance == NEAR {
                let Some(&[low, after]) = src.get(at..).and_then(<[u8]>::first_chunk) else { return Err(truncated) };
                at += 2;
                distance += usize::from(next) << 8 | usize::from(low);
                next = after;
            }
            distance += 1;
            if n > len - done {
                return Err(CorruptStream::new(header, "a match overruns the output"));
            }
            if distance > done {
                return Err(CorruptStream::new(header, "a match begins before the output"));
            }
            copy_match(dst, done, distance, n);
            done += n;
            opcode = usize::from(next);
        }
    }
}

/// The literal run that reaches the end of `src`: it has to fill the rest of the output.
fn last_literals(src: &[u8], at: usize, n: usize, rest: &mut [u8]) -> Result<(), CorruptStream> {
    let literals = &src[at..];
    if literals.len() < n {
        return Err(CorruptStream::new(at, "a literal run is cut short"));
    }
    if n < rest.len() {
        return Err(CorruptStream::new(at, "the stream ends before the output is full"));
    }
    rest.copy_from_slice(literals);
    Ok(())
}

/// Distances below 8 repeat a pattern in a word: `MASK[d]` keeps d bytes of it, a multiplication by `SPREAD[d]` repeats
/// them, and `STEP[d]` of its bytes are whole periods.
const MASK: [u64; 8] = [0, 0xFF, 0xFFFF, 0xFF_FFFF, 0xFFFF_FFFF, 0xFF_FFFF_FFFF, 0xFFFF_FFFF_FFFF, 0xFF_FFFF_FFFF_FFFF];
const SPREAD: [u64; 8] = [
    0,
    0x0101_0101_0101_0101,
    0x0001_0001_0001_0001,
    0x0001_0000_0100_0001,
    0x0000_0001_0000_0001,
    1 << 40 | 1,
    1 << 48 | 1,
    1 << 56 | 1,
];
const STEP: [usize; 8] = [8, 8, 8, 6, 8, 5, 6, 7];

/// Appends `n` bytes to the first `to` of `dst` from `distance` before their end. Both have been checked:
/// 1 <= `distance` <= `to`, and `to + n` <= `dst.len()`.
#[inline(always)]
fn copy_match(dst: &mut [u8], to: usize, distance: usize, n: usize) {
    let from = to - distance;
    if n > 64 || n + 32 > dst.len() - to {
        return copy_long(dst, to, distance, n);
    }
    // Rounded up to whole words: the excess is overwritten by what comes next, or is scratch.
    if distance >= 16 {
        dst.copy_within(from..from + 16, to);
        dst.copy_within(from + 16..from + 32, to + 16);
        for k in (32..n).step_by(16) {
            dst.copy_within(from + k..from + k + 16, to + k);
        }
    } else if distance >= 8 {
        for k in (0..n).step_by(8) {
            dst.copy_within(from + k..from + k + 8, to + k);
        }
    } else if let Some(head) = dst[from..].first_chunk() {
        let distance = distance & 7;
        let word = (u64::from_le_bytes(*head) & MASK[distance]).wrapping_mul(SPREAD[distance]).to_le_bytes();
        for k in (0..n).step_by(STEP[distance]) {
            dst[to + k..to + k + 8].copy_from_slice(&word);
        }
    }
}

/// [`copy_match`] for long matches, and for those too near the end of `dst` for whole words.
fn copy_long(dst: &mut [u8], to: usize, distance: usize, n: usize) {
    let from = to - distance;
    if distance == 1 {
        let byte = dst[from];
        return dst[to..to + n].fill(byte);
    }
    // Every copy doubles what there is of the pattern.
    let mut done = 0;
    while done < n {
        let step = (distance + done).min(n - done);
        dst.copy_within(from..from + step, to + done);
        done += step;
    }
}
