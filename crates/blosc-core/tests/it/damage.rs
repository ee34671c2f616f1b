//! Every truncation and every changed byte of a chunk gives an error or bytes. It causes no panic, uses no memory
//! beyond the limits, and never exposes an old byte of the destination.

use blosc_core::{BlockSize, CParams, Chunk, Codec, Decoder, FilterPipeline, Limits};

/// Small chunks of every codec and filter, with several blocks each.
fn chunks() -> Vec<Vec<u8>> {
    let plain = testdata::plain(testdata::PlainKind::Ramp, 3000, 4, 3);
    let mut chunks = Vec::new();
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        for filters in [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()] {
            let params = CParams::new().codec(codec).clevel(5).typesize(4).filters(filters);
            for blocksize in [BlockSize::Auto, BlockSize::Fixed(512)] {
                chunks.push(blosc_core::compress(&plain, &params.blocksize(blocksize)).unwrap());
            }
        }
    }
    chunks
}

/// Decodes over two different backgrounds. The result must not depend on them.
fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Option<Vec<u8>> {
    let chunk = Chunk::parse(bytes).ok()?;
    let nbytes = chunk.header().nbytes();
    if nbytes > 1 << 16 {
        assert!(decoder.decompress(&chunk).is_err(), "over the limit");
        return None;
    }
    let (mut dark, mut light) = (vec![0x00; nbytes], vec![0xFF; nbytes]);
    let first = decoder.decompress_into(&chunk, &mut dark);
    let second = decoder.decompress_into(&chunk, &mut light);
    assert_eq!(first.is_ok(), second.is_ok());
    first.ok()?;
    assert!(dark == light, "bytes of the destination showed through");
    Some(dark)
}

#[test]
fn every_truncation_is_refused() {
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 16));
    for chunk in chunks() {
        for len in 0..chunk.len() {
            assert!(decode(&mut decoder, &chunk[..len]).is_none(), "{len} of {}", chunk.len());
        }
    }
}

#[test]
fn every_changed_byte_gives_an_error_or_bytes_within_bounded_memory() {
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 16));
    let chunks = chunks();
    for chunk in &chunks {
        assert!(decode(&mut decoder, chunk).is_some());
    }
    let ((), usage) = testdata::CountingAlloc::measure(|| {
        for chunk in &chunks {
            let mut damaged = chunk.clone();
            for at in 0..chunk.len() {
                for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, chunk[at] ^ 0x10, chunk[at].wrapping_add(1)] {
                    damaged[at] = value;
                    let _ = decode(&mut decoder, &damaged);
                }
                damaged[at] = chunk[at];
            }
        }
    });
    // Two destinations and the decoder's buffers, including zstd's buffer of one block (128 KiB).
    assert!(usage.peak < 2 << 20, "peak of {} bytes", usage.peak);
}

/// The block size of an empty chunk has no meaning. The decoder must not divide by a block size of 0.
#[test]
fn an_empty_chunk_has_no_bytes_whatever_its_block_size() {
    for flags in [0x01, 0x03, 0x21, 0x14] {
        for blocksize in [0, 1, 0x7F] {
            let chunk = [2, 1, flags, 8, 0, 0, 0, 0, blocksize, 0, 0, 0, 16, 0, 0, 0];
            assert!(blosc_core::decompress(&chunk).unwrap().is_empty());
            let chunk = Chunk::parse(&chunk).unwrap();
            Decoder::new().decode_ranges(&chunk, &[0..0, 0..0], &mut []).unwrap();
            assert!(Decoder::new().decode_block(&chunk, 0, &mut []).is_err());
        }
    }
}
