//! How are the last bytes of a stream decoded, which for streams of a few bytes are all of them?

use super::decode::{Place, distance};
use super::wide::copy_match;
use super::{MAX_LITERALS, MIN_MATCH};
use crate::codec::lz4::copy::OVERRUN;

/// Decodes from `place` on; `None` at the end of the stream, otherwise where it has met what is unusual or wrong.
///
/// Reads nothing behind the stream, but writes behind `dst[..len]` where there is room.
#[inline(always)]
pub(super) fn near_end(place: Place, src: &[u8], dst: &mut [u8], len: usize) -> Option<Place> {
    let Place { mut opcode, mut at, mut done } = place;
    let stop = |opcode, at, done| Some(Place { opcode, at, done });
    let Some(last) = dst.len().checked_sub(2 * OVERRUN) else { return stop(opcode, at, done) };
    while done <= last {
        if opcode < 32 {
            let n = usize::from(opcode) + 1;
            let rest = src.len() - at;
            if n > rest || n > len - done || !copy_run(src, at, dst, done, n) {
                break;
            }
            if n == rest {
                if done + n != len {
                    break;
                }
                return None;
            }
            at += n;
            done += n;
            opcode = src[at];
            at += 1;
            continue;
        }
        let mut length = usize::from(opcode >> 5) + MIN_MATCH - 1;
        let mut behind = at;
        if length == 9 {
            let Some(&more) = src.get(at) else { break };
            if more == 255 {
                break;
            }
            length += usize::from(more);
            behind += 1;
        }
        let Some((distance, next, behind)) = distance(src, usize::from(opcode), behind) else { break };
        if length > len - done || !copy_match(dst, distance, done, length) {
            break;
        }
        opcode = next;
        at = behind;
        done += length;
    }
    stop(opcode, at, done)
}

/// Copies the `n` (1..=32) bytes at `at`, which may be the last of `src`, and may write 32 bytes.
#[inline(always)]
fn copy_run(src: &[u8], at: usize, dst: &mut [u8], done: usize, n: usize) -> bool {
    let Some(to) = dst.get_mut(done..).and_then(|x| x.first_chunk_mut::<MAX_LITERALS>()) else { return false };
    let Some(from) = src.get(at..) else { return false };
    if n <= 8 {
        let word = if let Some(word) = from.first_chunk() {
            u64::from_le_bytes(*word)
        } else {
            let Some(word) = src.last_chunk() else { return false };
            u64::from_le_bytes(*word) >> (8 * (8 - from.len()) & 63)
        };
        to[..8].copy_from_slice(&word.to_le_bytes());
    } else if n <= 16 {
        let Some(from) = from.get(..n) else { return false };
        let (Some(first), Some(last)) = (from.first_chunk::<8>(), from.last_chunk::<8>()) else { return false };
        to[..8].copy_from_slice(first);
        to[n - 8..n].copy_from_slice(last);
    } else {
        let Some(from) = from.get(..n) else { return false };
        let (Some(first), Some(last)) = (from.first_chunk::<16>(), from.last_chunk::<16>()) else { return false };
        to[..16].copy_from_slice(first);
        to[n - 16..n].copy_from_slice(last);
    }
    true
}
