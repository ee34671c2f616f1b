//! The bytes of chunks without blocks: zeros, not-a-numbers, one repeated value, uninitialised data.

use crate::header::{Header, Special};

/// The not-a-number that C-Blosc2 repeats: the quiet one with no other bit set.
const NAN_F32: [u8; 4] = 0x7FC0_0000_u32.to_le_bytes();
const NAN_F64: [u8; 8] = 0x7FF8_0000_0000_0000_u64.to_le_bytes();

/// Returns the value that the chunk repeats, empty for zeros. Uninitialised chunks read as zeros, so that callers never
/// get old contents of memory.
pub(crate) fn value<'a>(header: &Header, special: Special, chunk: &'a [u8]) -> &'a [u8] {
    match special {
        Special::Zeros | Special::Uninit => &[],
        Special::Nan if header.typesize() == NAN_F32.len() => &NAN_F32,
        Special::Nan => &NAN_F64,
        Special::Value => &chunk[header.len()..],
    }
}

/// Fills `dst` with the bytes at offset `start` of a chunk that repeats `value`.
pub(crate) fn fill(value: &[u8], start: usize, dst: &mut [u8]) {
    match value {
        [] => dst.fill(0),
        [byte] => dst.fill(*byte),
        _ => {
            let phase = start % value.len();
            let head = dst.len().min(value.len() - phase);
            let (head, rest) = dst.split_at_mut(head);
            head.copy_from_slice(&value[phase..phase + head.len()]);
            for dst in rest.chunks_mut(value.len()) {
                dst.copy_from_slice(&value[..dst.len()]);
            }
        }
    }
}
