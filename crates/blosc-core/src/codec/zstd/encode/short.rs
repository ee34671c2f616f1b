//! Detects short streams of random bytes: nothing that the optimal parser finds would make them shorter.
//!
//! They are too short for [samples](crate::codec::noise). So all strings of three bytes are noted, if a code would not pay
//! for the bytes as they are.

use super::literals;
use super::thrift::Thrift;
use crate::codec::noise::MIN_STREAM;

/// Each of this number of equal strings saves less than a byte, and a block must save two.
const FEW: u32 = 2;

/// Returns whether a short stream would not be compressed at the levels of the optimal parser.
pub(super) fn is_random(stream: &[u8], thrift: Thrift) -> bool {
    let has_strings = match stream.len() {
        ..256 => has_strings::<1024>,
        256..1024 => has_strings::<4096>,
        _ => has_strings::<16_384>,
    };
    stream.len() < MIN_STREAM && literals::are_stored(stream, thrift) && !has_strings(stream)
}

/// Returns whether more than [`FEW`] strings of three bytes occur again.
///
/// ```text
/// hash of a string, 24 bits:   | slot | tag |
/// ```
///
/// An odd factor permutes the numbers of 24 bits, so a slot and a tag stand for one string. Each slot has the tag of its
/// last string, plus 1.
#[inline(never)]
fn has_strings<const SLOTS: usize>(stream: &[u8]) -> bool {
    let tag_bits = 24 - SLOTS.ilog2();
    let mut tags = [0_u16; SLOTS];
    let mut found = 0;
    for string in stream.windows(3) {
        let string = u32::from_le_bytes([string[0], string[1], string[2], 0]);
        let hash = string.wrapping_mul(FACTOR) & 0xFF_FFFF;
        let tag = (hash & ((1 << tag_bits) - 1)) as u16 + 1;
        let before = core::mem::replace(&mut tags[(hash >> tag_bits) as usize], tag);
        found += u32::from(before == tag);
    }
    found > FEW
}

/// 2^32 divided by the golden ratio.
const FACTOR: u32 = 0x9E37_79B1;

#[cfg(test)]
mod tests {
    use super::*;
    use rust_zstd::compress::Strategy;

    #[test]
    fn only_what_the_crate_cannot_compress_is_random() {
        let thrift = Thrift::of(Strategy::BtUltra2);
        let (mut random, mut others) = (0, 0);
        for len in [20, 64, 128, 130, 500, 1024, 4095] {
            for seed in 0..30 {
                let noise = testdata::noise(len, seed);
                // Noise, noise that repeats itself in part, noise of fewer bits, and text.
                let repeated = [&noise[..len - len / 8], &noise[..len / 8]].concat();
                let bits: Vec<u8> = noise.iter().map(|byte| byte & 0x7F).collect();
                for (kind, plain) in [noise, repeated, bits, testdata::text(len, seed)].iter().enumerate() {
                    let frame = rust_zstd::compress(plain, 22);
                    let is_random = is_random(plain, thrift);
                    assert!(!is_random || frame.len() > len, "kind {kind}, {len} bytes: {} by the crate", frame.len());
                    random += u32::from(is_random && kind == 0);
                    others += u32::from(is_random && kind > 1 && len >= 1024);
                }
            }
        }
        assert!(random > 200 && others == 0, "{random} of 210, {others}");
        assert!(!is_random(&testdata::noise(MIN_STREAM, 1), thrift));
    }
}
