//! Chunks that repeat one value, of every kind and width, decoded as a whole and in parts.

use blosc_core::{BlockSize, CParams, Chunk, Decoder, EncodeError, Encoder, Limits, Special};

const BLOCK_SIZES: [BlockSize; 4] = [BlockSize::Auto, BlockSize::Fixed(0), BlockSize::Fixed(2), BlockSize::Fixed(1000)];

fn check(chunk: &[u8], special: Special, plain: &[u8]) {
    let chunk = Chunk::parse(chunk).unwrap();
    assert_eq!(chunk.header().special_value(), Some(special));
    assert_eq!(chunk.header().nbytes(), plain.len());
    let mut decoder = Decoder::new();
    let mut dst = vec![0xA5; plain.len() + 9];
    assert_eq!(decoder.decompress_into(&chunk, &mut dst).unwrap(), plain.len());
    assert!(&dst[..plain.len()] == plain && dst[plain.len()..] == [0xA5; 9], "{special:?}");

    let mut block = vec![0x5A; chunk.header().blocksize()];
    let nblocks = chunk.header().nblocks();
    for index in (0..nblocks).step_by(1 + nblocks / 50) {
        let len = decoder.decode_block(&chunk, index, &mut block).unwrap();
        assert!(block[..len] == plain[chunk.block_range(index)], "block {index}");
    }
    let ranges = [plain.len() / 3..plain.len() / 2, plain.len() / 5..plain.len(), 0..0];
    let mut parts = vec![0xA5; ranges.iter().map(ExactSizeIterator::len).sum()];
    decoder.decode_ranges(&chunk, &ranges, &mut parts).unwrap();
    assert!(parts == [&plain[ranges[0].clone()], &plain[ranges[1].clone()]].concat());
    let typesize = chunk.header().typesize();
    let items = plain.len() / typesize;
    let last = items.saturating_sub(3)..items;
    let bytes = last.start * typesize..last.end * typesize;
    assert!(decoder.items(&chunk, last).unwrap() == plain[bytes]);
}

#[test]
fn values_of_every_width() {
    for width in (1..=20).chain([32, 255, 256, 300, 1024, 100_000, 200_000]) {
        for blocksize in BLOCK_SIZES {
            let value = testdata::noise(width, 1);
            let encoder = Encoder::new(CParams::blosc2().blocksize(blocksize)).unwrap();
            for times in [1, 2, 7] {
                let chunk = encoder.repeat(&value, width * times).unwrap();
                assert_eq!(chunk.len(), 32 + width);
                check(&chunk, Special::Value, &value.repeat(times));
            }
            assert!(matches!(encoder.repeat(&value, width - 1), Err(EncodeError::SpecialValue { .. })));
        }
    }
    let encoder = Encoder::new(CParams::blosc2()).unwrap();
    assert_eq!(encoder.repeat(&[], 8), Err(EncodeError::SpecialValue { width: 0, nbytes: 8 }));
}

#[test]
fn zeros_nans_and_nothing_yet() {
    for blocksize in BLOCK_SIZES {
        for typesize in [1, 3, 4, 8, 255, 300] {
            let encoder = Encoder::new(CParams::blosc2().typesize(typesize).blocksize(blocksize)).unwrap();
            for nbytes in [0, typesize, 40 * typesize, 10_000 * typesize] {
                check(&encoder.zeros(nbytes).unwrap(), Special::Zeros, &vec![0; nbytes]);
                // Uninitialised data reads as zeros, not as old contents of the destination.
                check(&encoder.uninit(nbytes).unwrap(), Special::Uninit, &vec![0; nbytes]);
                let nan = match typesize {
                    4 => 0x7FC0_0000_u32.to_le_bytes().to_vec(),
                    8 => 0x7FF8_0000_0000_0000_u64.to_le_bytes().to_vec(),
                    _ => {
                        assert!(encoder.nans(nbytes).is_err());
                        continue;
                    }
                };
                check(&encoder.nans(nbytes).unwrap(), Special::Nan, &nan.repeat(nbytes / typesize));
            }
        }
    }
}

/// Data that compresses to runs of zeros only becomes a special chunk. So do blocks that a prefilter zeroes.
#[test]
fn zeros_are_found_in_compression() {
    for nbytes in [32, 1000, 100_000] {
        let mut encoder = Encoder::new(CParams::blosc2()).unwrap();
        let chunk = encoder.compress(&vec![0; nbytes]).unwrap();
        assert_eq!(chunk.len(), 32);
        check(&chunk, Special::Zeros, &vec![0; nbytes]);
        let mut encoder = encoder.prefilter(|_, _, _| Ok(()));
        assert_eq!(encoder.compress(&testdata::noise(nbytes, 1)).unwrap(), chunk);
    }
}

/// A chunk of 32 bytes claims 2 GiB, in blocks of one byte or of the maximum size. Decoding a part costs that part
/// only.
#[test]
fn a_part_costs_no_more_than_itself() {
    let mut bytes = Encoder::new(CParams::blosc2().typesize(1)).unwrap().zeros(i32::MAX as usize - 32).unwrap();
    for blocksize in [1, 536_866_816_i32] {
        bytes[8..12].copy_from_slice(&blocksize.to_le_bytes());
        let chunk = Chunk::parse(&bytes).unwrap();
        let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 20));
        let ((), usage) = testdata::CountingAlloc::measure(|| {
            assert_eq!(decoder.items(&chunk, 7..1 << 20).unwrap(), vec![0; (1 << 20) - 7]);
            assert!(decoder.decompress(&chunk).is_err());
            assert!(decoder.items(&chunk, 0..(1 << 20) + 1).is_err());
        });
        assert!(usage.peak < 3 << 20, "{usage:?}");
    }
}
