//! Detects short streams of random bytes: nothing that the optimal parser finds would make them shorter.
//!
//! They are too short for [samples](crate::codec::noise). So all strings of three bytes are noted, if a code would not pay
//! for the bytes as they are.

use super::literals;
use super::thrift::Thrift;
use crate::codec::repeats::GOLDEN;

/// Longer streams are tested by samples.
pub(super) const SHORT: usize = 4096;

/// Each of this number of equal strings saves less than a byte, and a block must save two.
const FEW: u32 = 2;

/// Returns whether a short stream would not be compressed at the levels of the optimal parser.
pub(super) fn is_random(stream: &[u8], thrift: Thrift) -> bool {
    let has_strings = match stream.len() {
        ..256 => has_strings::<1024>,
        256..1024 => has_strings::<4096>,
        _ => has_strings::<16_384>,
    };
    stream.len() < SHORT && literals::are_stored(stream, thrift) && !has_strings(stream)
}

/// Returns whether more than [`FEW`] strings of three bytes occur again.
#[inline(never)]
fn has_strings<const SLOTS: usize>(stream: &[u8]) -> bool {
    // The last string of each slot, plus 1.
    let mut noted = [0_u32; SLOTS];
    let mut found = 0;
    for string in stream.windows(3) {
        let string = u32::from_le_bytes([string[0], string[1], string[2], 0]) + 1;
        let slot = u64::from(string).wrapping_mul(GOLDEN) >> (u64::BITS - SLOTS.ilog2());
        let before = core::mem::replace(&mut noted[slot as usize], string);
        found += u32::from(before == string);
    }
    found > FEW
}

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
        assert!(!is_random(&testdata::noise(SHORT, 1), thrift));
    }
}
