//! Compares the C library with this crate's own decoder, and damages its frames.

use super::super::{decode, level_of};
use super::{ZstdDecoder, ZstdEncoder};
use crate::codec::{DecodeTask, StreamError};

/// Bytes after the uncompressed data of a stream, which the library must not touch.
const GUARD: [u8; 64] = [0x5A; 64];

/// Decodes to the front of a buffer, and demands that the bytes after `len` stay as they were.
fn decoded(decoder: &mut ZstdDecoder, src: &[u8], len: usize) -> Result<Vec<u8>, StreamError> {
    let mut dst = vec![0xA5; len];
    dst.extend_from_slice(&GUARD);
    let done = decoder.decompress(DecodeTask { src, dst: &mut dst, len }, None);
    assert_eq!(dst[len..], GUARD);
    dst.truncate(len);
    done.map(|()| dst)
}

fn decoded_by_our_own(src: &[u8], len: usize) -> Result<Vec<u8>, StreamError> {
    let mut dst = vec![0; len];
    decode::ZstdDecoder::default().decompress(DecodeTask { src, dst: &mut dst, len }, None).map(|()| dst)
}

/// Compresses to the front of a buffer, and demands that the bytes after `room` stay as they were.
fn compressed(encoder: &mut ZstdEncoder, plain: &[u8], room: usize) -> Option<Vec<u8>> {
    let mut dst = vec![0; room];
    dst.extend_from_slice(&GUARD);
    let len = encoder.compress(plain, 1, &mut dst[..room]).unwrap();
    assert_eq!(dst[room..], GUARD);
    len.map(|len| dst[..len].to_vec())
}

fn plains() -> impl Iterator<Item = Vec<u8>> {
    [0, 1, 5, 31, 255, 1000, 5000, 70_000, 131_073, 300_000].into_iter().flat_map(|len| {
        let noise = testdata::noise(len, 1);
        [
            testdata::text(len, len as u64),
            testdata::ramp(len, 4, 77),
            testdata::steps(len, 2, 3),
            noise.iter().map(|byte| byte & 7).collect(),
            vec![7; len],
            noise,
        ]
    })
}

#[test]
fn frames_of_every_level_decode_by_both_decoders() {
    let mut decoder = ZstdDecoder::default();
    for (clevel, is_shuffled) in (1..=9).map(|clevel| (clevel, clevel % 2 == 0)) {
        let mut encoder = ZstdEncoder::new(level_of(clevel, is_shuffled));
        for plain in plains() {
            let len = plain.len();
            let frame = compressed(&mut encoder, &plain, len + len / 128 + 512).unwrap();
            assert!(decoded(&mut decoder, &frame, len).as_ref() == Ok(&plain), "{len} bytes, level {clevel}");
            assert!(decoded_by_our_own(&frame, len) == Ok(plain));
            assert!(decoded(&mut decoder, &frame, len + 1).is_err());
            assert!(len == 0 || decoded(&mut decoder, &frame, len - 1).is_err());
        }
        assert!(encoder.held() > 100_000 && decoder.held() > 50_000);
    }
}

#[test]
fn a_frame_needs_exactly_its_size() {
    let mut encoder = ZstdEncoder::new(level_of(5, true));
    for plain in plains() {
        let frame = compressed(&mut encoder, &plain, plain.len() + plain.len() / 128 + 512).unwrap();
        assert!(compressed(&mut encoder, &plain, frame.len()).as_ref() == Some(&frame));
        for room in [0, 1, frame.len() / 2, frame.len() - 1] {
            assert_eq!(
                compressed(&mut encoder, &plain, room),
                None,
                "{} bytes, {room} of {}",
                plain.len(),
                frame.len()
            );
        }
    }
}

/// Damaged frames, headers included, are an error or decode. Where both decoders accept a frame, the bytes agree.
///
/// The library accepts some frames that this crate's decoder refuses: it does not check the ends of all four streams of
/// literals.
#[test]
fn damage_is_an_error_or_decodes_as_by_our_own_decoder() {
    let mut rng = testdata::SplitMix64::new(11);
    let frames: Vec<_> = plains()
        .filter(|plain| (200..80_000).contains(&plain.len()))
        .flat_map(|plain| {
            [1, 5, 9]
                .map(|clevel| (compressed(&mut ZstdEncoder::new(level_of(clevel, true)), &plain, 90_000), plain.len()))
        })
        .filter_map(|(frame, len)| Some((frame.filter(|frame| frame.len() > 20)?, len)))
        .collect();
    // One context, as damage must not affect the next stream.
    let mut decoder = ZstdDecoder::default();
    let mut both = 0;
    for round in 0..8000 {
        let (frame, len) = rng.pick(&frames);
        let mut damaged = frame.clone();
        for _ in 0..=rng.below(2) {
            let below = if rng.below(2) == 0 { 200 } else { usize::MAX };
            let at = rng.below(damaged.len().min(below));
            match rng.below(4) {
                0 => damaged[at] = rng.next_u64() as u8,
                1 => damaged.truncate(at.max(1)),
                _ => damaged[at] ^= 1 << rng.below(8),
            }
        }
        if let Ok(plain) = decoded(&mut decoder, &damaged, *len)
            && let Ok(own) = decoded_by_our_own(&damaged, *len)
        {
            assert!(own == plain, "round {round}");
            both += 1;
        }
        // A frame that states a huge size or window costs no memory.
        assert!(decoder.held() < 1 << 20);
    }
    assert!(both > 200, "{both}");
    let (frame, len) = &frames[0];
    assert!(decoded(&mut decoder, frame, *len).is_ok());
}
