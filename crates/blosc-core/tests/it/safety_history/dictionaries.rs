//! Dictionaries that do not match the header.

use super::{NOT_SPLIT, decode, numbers, one_block, put, refused};
use blosc_core::{BlockSize, CParams, Chunk, Codec, CodecFormat, DecodeError, Header};

/// Small chunks that C-Blosc2 wrote with a dictionary: their bytes, and the range of the dictionary.
fn chunks() -> Vec<(CodecFormat, Vec<u8>, core::ops::Range<usize>)> {
    let files = testdata::archive("chunks");
    let items = testdata::manifest("chunks");
    let mut chunks = Vec::new();
    for item in items["items"].as_array().unwrap().iter().filter(|item| item["category"] == "dict") {
        let bytes = files[item["file"].as_str().unwrap()].clone();
        let format = Header::parse(&bytes).unwrap().codec_format().unwrap();
        if !format.codec().is_available() {
            continue;
        }
        let chunk = Chunk::parse(&bytes).unwrap();
        let start = 32 + 4 * chunk.header().nblocks() + 4;
        let range = start..start + chunk.dictionary().unwrap().len();
        assert_eq!(chunk.dictionary().unwrap(), &bytes[range.clone()]);
        chunks.push((format, bytes, range));
    }
    assert!(chunks.len() >= 3);
    chunks
}

#[test]
fn sizes_that_are_not_those_of_a_dictionary() {
    for (_, chunk, dictionary) in chunks() {
        let at = dictionary.start - 4;
        for dsize in [0, -1, i32::MIN, 32_769, (chunk.len() - at - 3) as i32, i32::MAX] {
            let mut damaged = chunk.clone();
            put(&mut damaged, at, dsize);
            let error = refused(&damaged);
            assert!(matches!(error, DecodeError::Field { .. }), "{dsize}: {error}");
        }
        // Cut off within the size, and directly after it.
        for len in at..=at + 4 {
            refused(&super::with_cbytes(chunk[..len].to_vec()));
        }
        // The dictionary reaches into the first block, whose start is then invalid.
        let mut damaged = chunk.clone();
        put(&mut damaged, at, dictionary.len() as i32 + 1);
        if dictionary.len() < 32_768 {
            refused(&damaged);
        }
    }
}

#[test]
fn codecs_that_do_not_use_one() {
    for (_, chunk, _) in chunks() {
        for codec in [Codec::BloscLz, Codec::Snappy, Codec::Zlib] {
            let mut damaged = chunk.clone();
            damaged[2] = damaged[2] & 0x1F | codec.format().id() << 5;
            assert!(matches!(refused(&damaged), DecodeError::Flags { offset: 31, .. }), "{codec}");
        }
    }
    // Chunks without blocks use no dictionary either.
    let mut zeros = super::extended(0, 1, 100, 100, &[]);
    zeros[31] = 0x11;
    refused(&zeros);
    let mut plain = super::extended(super::MEMCPYED, 1, 8, 8, b"abcdefgh");
    plain[31] = 0x01;
    assert_eq!(decode(&plain).unwrap(), b"abcdefgh");
    let mut no_blocks = one_block(NOT_SPLIT | 1 << 5, 1, 0, &numbers(&[]));
    put(&mut no_blocks, 8, 1);
    no_blocks[31] = 0x01;
    assert!(decode(&no_blocks).unwrap().is_empty());
}

/// Zstd frames name the dictionary that they were written with.
#[test]
fn another_dictionary_than_the_frames_name() {
    let mut seen = 0;
    for (format, chunk, dictionary) in chunks() {
        if format != CodecFormat::Zstd {
            continue;
        }
        assert_eq!(chunk[dictionary.start..][..4], [0x37, 0xA4, 0x30, 0xEC]);
        let mut damaged = chunk.clone();
        damaged[dictionary.start + 4] ^= 1;
        assert!(matches!(refused(&damaged), DecodeError::Stream { .. }));
        seen += 1;
    }
    assert!(seen > 0 || !Codec::Zstd.is_available());
}

/// A dictionary for one large forced block must not cost seven times the memory.
#[test]
fn no_dictionary_for_streams_far_longer_than_one() {
    let plain = testdata::text(4 << 20, 1);
    let params = CParams::blosc2().codec(Codec::Lz4).clevel(1).typesize(1).dictionary(true);
    let params = params.blocksize(BlockSize::Fixed(plain.len()));
    let (chunk, usage) = testdata::CountingAlloc::measure(|| blosc_core::compress(&plain, &params).unwrap());
    assert!(Chunk::parse(&chunk).unwrap().dictionary().is_none());
    // The chunk, and the filtered block twice, once for training.
    assert!(usage.peak < 4 * plain.len(), "{usage:?}");
    assert!(blosc_core::decompress(&chunk).unwrap() == plain);
}

/// Every changed byte of a dictionary gives an error or bytes, without a panic or old contents of the destination.
#[test]
fn damaged_dictionaries() {
    for (_, chunk, dictionary) in chunks() {
        // Entropy tables and offsets are at the start.
        let front = dictionary.start..dictionary.end.min(dictionary.start + 300);
        for at in front.chain(dictionary.clone().step_by(97)) {
            for value in [0x00, 0xFF, chunk[at] ^ 0x01, chunk[at] ^ 0x80] {
                let mut damaged = chunk.clone();
                damaged[at] = value;
                let _ = decode(&damaged);
            }
        }
    }
}
