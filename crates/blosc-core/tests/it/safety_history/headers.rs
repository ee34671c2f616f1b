//! Headers that no writer produces.

use super::{EXTENDED, MAX_NBYTES, MEMCPYED, NOT_SPLIT, decode, extended, numbers, one_block, put, refused};
use blosc_core::{CParams, Chunk, DecodeError, Decoder, Header, Limits};

/// c-blosc #229 (division by 0).
#[test]
fn all_zero_header() {
    for len in [0, 1, 15, 16, 31, 32, 100] {
        refused(&vec![0; len]);
    }
    for version in 2..=6 {
        for flags in [0, EXTENDED] {
            let mut bytes = vec![0; 64];
            (bytes[0], bytes[2]) = (version, flags);
            refused(&bytes);
        }
    }
}

/// C-Blosc2 18bbd8e7 (block size and typesize 0), and the values that fuzzers try first.
#[test]
fn every_size_at_its_extremes() {
    let plain = testdata::ramp(3000, 4, 1);
    let mut chunks = vec![
        blosc_core::compress(&plain, &CParams::new().typesize(4)).unwrap(),
        blosc_core::compress(&plain, &CParams::blosc2().typesize(4)).unwrap(),
        blosc_core::compress(&plain, &CParams::blosc2().typesize(4).clevel(0)).unwrap(),
        blosc_core::compress(&plain, &CParams::new().typesize(4).clevel(0)).unwrap(),
    ];
    let mut encoder = blosc_core::Encoder::new(CParams::blosc2().typesize(4)).unwrap();
    chunks.push(encoder.compress_vlblocks(&[&plain, &plain]).unwrap());
    chunks.push(short_header(0x11));
    for chunk in chunks {
        decode(&chunk).unwrap();
        for at in [4, 8, 12] {
            for number in [0, -1, i32::MIN, i32::MAX] {
                let mut damaged = chunk.clone();
                put(&mut damaged, at, number);
                let is_memcpyed = chunk[2] & MEMCPYED != 0;
                match (at, number) {
                    // The chunk is empty, and its body is ignored.
                    (4, 0) if !is_memcpyed && chunk[0] != 6 => assert!(decode(&damaged).unwrap().is_empty()),
                    _ => drop(refused(&damaged)),
                }
            }
        }
        let mut damaged = chunk.clone();
        damaged[3] = 0;
        assert!(matches!(refused(&damaged), DecodeError::Field { offset: 3, .. }));
        for version in [0, 1, 7, 255] {
            damaged[0] = version;
            assert!(matches!(refused(&damaged), DecodeError::Version { .. }));
        }
    }
}

/// Builds a Blosc2 chunk in BLOSC_BLOSC1_COMPAT mode: a header of 16 bytes and one stored block of 12 bytes.
fn short_header(flags: u8) -> Vec<u8> {
    let sizes = numbers(&[12, 12, 16 + 4 + 4 + 12, 20, 12]);
    [&[5, 1, flags, 4][..], &sizes, b"abcdefghijkl"].concat()
}

/// C-Blosc2 #792: bytes 30 and 31 are read where they do not exist, or have another meaning.
#[test]
fn short_headers_have_no_bytes_30_and_31() {
    assert_eq!(decode(&short_header(NOT_SPLIT)).unwrap(), b"abcdefghijkl");
    for nbytes in 0..40_u8 {
        let sizes = numbers(&[nbytes.into(), 8, 16 + i32::from(nbytes)]);
        for version in 3..=6 {
            // As flags, these bytes would mean: dictionary, lazy, special, blocks of variable length.
            let chunk = [&[version, 1, MEMCPYED, 1][..], &sizes, &vec![0xFF; nbytes.into()]].concat();
            assert_eq!(decode(&chunk).unwrap(), vec![0xFF; nbytes.into()]);
            let chunk = Chunk::parse(&chunk).unwrap();
            assert!(!chunk.header().has_vl_blocks() && !chunk.header().is_lazy() && !chunk.header().has_dictionary());
        }
    }
    // A truncated 32-byte header, at every length.
    let whole = extended(MEMCPYED, 1, 8, 8, b"abcdefgh");
    for len in 16..32 {
        assert_eq!(refused(&whole[..len]), DecodeError::HeaderTooShort { needed: 32, found: len });
    }
}

/// c-blosc #261: the destination may be longer than the plain bytes.
#[test]
fn destination_longer_than_the_plain_bytes() {
    let plain = testdata::ramp(100_000, 4, 1);
    for params in [CParams::new().typesize(4), CParams::blosc2().typesize(4)] {
        let chunk = blosc_core::compress(&plain, &params).unwrap();
        let mut dst = vec![0xA5; 1 << 20];
        assert_eq!(blosc_core::decompress_into(&chunk, &mut dst).unwrap(), plain.len());
        assert!(dst[..plain.len()] == plain && dst[plain.len()..].iter().all(|byte| *byte == 0xA5));
        let error = blosc_core::decompress_into(&chunk, &mut dst[..plain.len() - 1]).unwrap_err();
        assert!(matches!(error, DecodeError::Destination { .. }));
    }
}

/// C-Blosc2 0f79bbf0: plain bytes are copied by `nbytes`, regardless of `cbytes` and other flags.
#[test]
fn memcpyed_and_something_else() {
    let whole = extended(MEMCPYED, 1, 8, 8, b"abcdefgh");
    assert_eq!(decode(&whole).unwrap(), b"abcdefgh");
    for cbytes in [31, 32, 33, 39, 41, 1000, i32::MAX] {
        let mut damaged = whole.clone();
        put(&mut damaged, 12, cbytes);
        refused(&damaged);
    }
    for nbytes in [0, 1, 7, 9, i32::MAX, i32::MAX - 32] {
        let mut damaged = whole.clone();
        put(&mut damaged, 4, nbytes);
        refused(&damaged);
    }
    let mut vl_blocks = whole.clone();
    (vl_blocks[0], vl_blocks[30]) = (6, 1);
    assert!(matches!(refused(&vl_blocks), DecodeError::Flags { offset: 2, .. }));
    for special in 1..=7 {
        let mut damaged = whole.clone();
        damaged[31] = special << 4;
        assert!(matches!(refused(&damaged), DecodeError::Flags { offset: 31, .. }));
        damaged[2] = EXTENDED;
        damaged[30] = 1;
        assert!(matches!(refused(&damaged), DecodeError::Flags { offset: 31, .. }));
    }
}

/// C-Blosc2 e670bb40: four buffers of a block do not fit into 31 bits.
#[test]
fn block_sizes_over_a_quarter_of_the_address_space() {
    let mut chunk = extended(0, 1, i32::MAX, 536_866_817, &numbers(&[52, 52, 52, 52, 52, 0]));
    assert!(matches!(refused(&chunk), DecodeError::Field { offset: 8, .. }));
    // One byte less is a valid block size, and the chunk has five blocks of zeros. Their cost is bounded by the limits.
    put(&mut chunk, 8, 536_866_816);
    let chunk = Chunk::parse(&chunk).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES));
    warm_up(&mut decoder);
    let part = 5..6;
    let over_the_limit = |result: Result<(), DecodeError>| matches!(result, Err(DecodeError::Limit { .. }));
    let ((), usage) = testdata::CountingAlloc::measure(|| {
        assert!(over_the_limit(decoder.decompress(&chunk).map(drop)));
        assert!(over_the_limit(decoder.decompress_into(&chunk, &mut []).map(drop)));
        assert!(over_the_limit(decoder.decode_block(&chunk, 0, &mut [0]).map(drop)));
        assert!(over_the_limit(decoder.decode_ranges(&chunk, std::slice::from_ref(&part), &mut [0])));
        assert!(over_the_limit(decoder.items(&chunk, 5..6).map(drop)));
    });
    assert!(usage.peak < 1024, "{usage:?}");
    assert_eq!(Header::parse(chunk.bytes()).unwrap().nblocks(), 5);
}

/// Decodes a small chunk. A decoder allocates its fixed state at first use.
fn warm_up(decoder: &mut Decoder) {
    let chunk = one_block(NOT_SPLIT, 1, 9, &numbers(&[0]));
    assert_eq!(decoder.decompress(&Chunk::parse(&chunk).unwrap()).unwrap(), [0; 9]);
}

/// The same with delta: a short last block needs a long first one.
#[test]
fn a_first_block_over_the_limit() {
    let mut chunk = extended(NOT_SPLIT, 1, 500_000_001, 500_000_000, &numbers(&[40, 40, 0]));
    chunk[21] = 3;
    let chunk = Chunk::parse(&chunk).unwrap();
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES));
    warm_up(&mut decoder);
    let (result, usage) = testdata::CountingAlloc::measure(|| decoder.decode_block(&chunk, 1, &mut [0]));
    let Err(DecodeError::Limit(over)) = result else { panic!("{result:?}") };
    match usize::BITS {
        64 => assert_eq!((over.needed, over.limit), (500_000_000, MAX_NBYTES as u64)),
        // On 32-bit machines the scratch blocks exceed the memory limit first.
        _ => assert!(over.needed > over.limit, "{over:?}"),
    }
    assert!(usage.peak < 1024, "{usage:?}");
    assert_eq!(decode(&one_block(NOT_SPLIT, 1, 9, &numbers(&[0]))).unwrap(), [0; 9]);
}
