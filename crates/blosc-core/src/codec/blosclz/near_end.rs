//! How are the last bytes of a stream decoded, which for streams of a few bytes are all of them?

use super::MIN_MATCH;
use super::decode::{Place, distance};
use super::wide::{copy_match, long};
use crate::codec::lz4::copy::{OVERRUN, copy_few, room};

/// Decodes from `place` on; `None` at the end of the stream, otherwise where it has met what is unusual or wrong.
///
/// Reads nothing behind the stream, but writes behind `dst[..len]`: it ends as many bytes before the end of `dst` as copies
/// of fixed width want. The careful decoder took twice the time for streams of 128 bytes.
#[inline(always)]
pub(super) fn near_end(place: Place, src: &[u8], dst: &mut [u8], len: usize) -> Option<Place> {
    let Place { mut opcode, mut at, mut done } = place;
    let stop = |opcode, at, done| Some(Place { opcode, at, done });
    let Some(last) = dst.len().checked_sub(OVERRUN) else { return stop(opcode, at, done) };
    while done <= last {
        if opcode < 32 {
            let n = usize::from(opcode) + 1;
            let rest = src.len() - at;
            if n > rest || n > len - done {
                break;
            }
            let Some(to) = room(dst, done) else { break };
            if copy_few(src, &src[at..], n, to).is_none() {
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
                let Some(next) = long(Place { opcode, at, done }, src, dst, len) else { break };
                Place { opcode, at, done } = next;
                continue;
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
