//! Streams that do not match their sizes.

use super::{NOT_SPLIT, decode, extended, numbers, one_block, put, refused, with_cbytes};
use blosc_core::{CParams, Chunk, Codec, DecodeError, Encoder, FilterPipeline};

/// c-blosc #405, C-Blosc2 #801: 8.5 million length bytes of 255 overflow a match length of 32 bits.
#[test]
fn blosclz_match_length_wraps() {
    let mut stream = vec![0x20, b'x', 0xE0];
    stream.resize(8_500_003, 0xFF);
    for end in [&[0, 0, 0, b'y'][..], &[2, 0, 0, b'y'], &[]] {
        let stream = [&stream, end].concat();
        let csize = i32::try_from(stream.len()).unwrap();
        // Once as the stream of a block large enough for the expansion limit, and once as a small block of variable
        // length.
        let streams = [&numbers(&[csize]), &*stream].concat();
        let error = blosc_core::decompress(&one_block(NOT_SPLIT, 1, 9_000_000, &streams)).unwrap_err();
        assert!(matches!(error, DecodeError::Stream { .. }), "{error}");
        let mut vl = extended(NOT_SPLIT, 1, 1000, 1, &[&numbers(&[36, 1000]), &*stream].concat());
        (vl[0], vl[30]) = (6, 1);
        assert!(matches!(blosc_core::decompress(&vl), Err(DecodeError::Stream { .. })));
    }
}

/// One stream of each codec in a chunk of one block, and the offset of its csize.
fn compressed() -> Vec<(Codec, Vec<u8>, usize)> {
    let plain = testdata::text(2000, 4);
    let mut chunks = Vec::new();
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        let params = match codec {
            Codec::Snappy => CParams::new(),
            _ => CParams::blosc2(),
        };
        let params = params.codec(codec).typesize(1).filters(FilterPipeline::none());
        let chunk = blosc_core::compress(&plain, &params).unwrap();
        let stream = Chunk::parse(&chunk).unwrap().streams(0).unwrap()[0];
        assert_eq!(stream.offset + stream.cbytes, chunk.len());
        assert_eq!(decode(&chunk).unwrap(), plain);
        chunks.push((codec, chunk, stream.offset - 4));
    }
    chunks
}

/// c-blosc #280, C-Blosc2 #178 and #639: codecs read past the end of their stream.
#[test]
fn streams_longer_than_the_chunk_and_cut_off() {
    for (codec, chunk, csize_at) in compressed() {
        let csize = chunk.len() - csize_at - 4;
        let refused_at_csize = |damaged: &[u8]| match refused(damaged) {
            DecodeError::Place { what: "csize", .. } => {}
            // The header of a Blosc1 chunk may be refused first, because the chunk is too short for its plain bytes.
            DecodeError::Unearned { .. } if codec == Codec::Snappy => {}
            error => panic!("{codec}: {error}"),
        };
        for found in [csize + 1, csize + 100, i32::MAX as usize] {
            let mut damaged = chunk.clone();
            put(&mut damaged, csize_at, found as i32);
            refused_at_csize(&damaged);
            // With bytes after the chunk that do not belong to it.
            damaged.extend([0; 200]);
            refused_at_csize(&damaged);
        }
        for len in 1..csize {
            let mut damaged = chunk[..csize_at + 4 + len].to_vec();
            assert!(matches!(refused(&damaged), DecodeError::Truncated { .. }), "{codec}");
            damaged = with_cbytes(damaged);
            refused_at_csize(&damaged);
            put(&mut damaged, csize_at, len as i32);
            let error = refused(&damaged);
            let is_stream = matches!(error, DecodeError::Stream { .. } | DecodeError::Unearned { .. });
            assert!(is_stream, "{codec} {len} of {csize}: {error}");
        }
        // The chunk ends before the csize, or within it.
        for len in csize_at..csize_at + 4 {
            refused(&with_cbytes(chunk[..len].to_vec()));
        }
    }
}

/// C-Blosc2 issue 4727058852872192 of OSS-Fuzz: after a negative csize, the next stream is read from before it.
#[test]
fn negative_csize_followed_by_another_stream() {
    for value in 1..=255_u8 {
        let run = [&numbers(&[-i32::from(value)]), &[1][..]].concat();
        let split = |streams: &[&[u8]]| one_block(0, 2, 8, &streams.concat());
        let plain = [value, value, value, value, b'a', b'b', b'c', b'd'];
        let stored = [&numbers(&[4]), &b"abcd"[..]].concat();
        assert_eq!(decode(&split(&[&run, &stored])).unwrap(), plain);
        assert_eq!(decode(&split(&[&stored, &run])).unwrap(), [&plain[4..], &plain[..4]].concat());
        assert_eq!(decode(&split(&[&run, &run])).unwrap(), [value; 8]);
        refused(&split(&[&run]));
        refused(&split(&[&run, &run[..4]]));
        refused(&split(&[&run, &stored[..7]]));
    }
    for csize in [-256, -257, -65_536, i32::MIN, i32::MIN + 1] {
        assert!(matches!(
            refused(&one_block(NOT_SPLIT, 1, 8, &[&numbers(&[csize]), &[1; 20][..]].concat())),
            DecodeError::Place { what: "csize", .. }
        ));
    }
    // Blosc1 has no runs.
    for csize in [0, -1, -255, -256, i32::MIN] {
        let chunk = [&[2, 1, 0x11, 1][..], &numbers(&[8, 8, 28, 20, csize]), &[1; 4]].concat();
        refused(&chunk);
    }
}

/// MSAN issue 6243118761508864: with a token without meaning, the stream kept old contents.
#[test]
fn every_token_of_a_run() {
    for token in 0..=255_u8 {
        let chunk = one_block(NOT_SPLIT, 1, 8, &[&numbers(&[-0x41]), &[token][..]].concat());
        match token & 1 {
            1 => assert_eq!(decode(&chunk).unwrap(), [0x41; 8]),
            _ => assert!(matches!(refused(&chunk), DecodeError::Place { what: "the token of a run", .. })),
        }
    }
    refused(&one_block(NOT_SPLIT, 1, 8, &numbers(&[-0x41])));
}

/// A block that its streams do not fill: C-Blosc2 leaves the rest of the destination unchanged.
#[test]
fn blocks_that_do_not_divide_into_streams() {
    let zeros = numbers(&[0; 20]);
    for (typesize, nbytes) in [(3, 8), (4, 3), (16, 15), (255, 254), (255, 256)] {
        refused(&one_block(0, typesize, nbytes, &zeros));
        assert_eq!(decode(&one_block(NOT_SPLIT, typesize, nbytes, &zeros)).unwrap(), vec![0; nbytes as usize]);
    }
}

/// Streams whose plain size is off by one byte in both directions, for every codec.
#[test]
fn streams_of_another_plain_size() {
    for (codec, chunk, _) in compressed() {
        for nbytes in [1999, 2001] {
            let mut damaged = chunk.clone();
            put(&mut damaged, 4, nbytes);
            put(&mut damaged, 8, nbytes);
            assert!(matches!(refused(&damaged), DecodeError::Stream { .. }), "{codec} {nbytes}");
        }
    }
}

/// Blocks may overlap, and zlib and zstd accept any number of empty blocks. A quarter of a megabyte took 20 seconds,
/// and the time grew with the square of the size.
#[test]
fn long_streams_of_nothing_shared_by_all_blocks() {
    let deflate = ([&[0x78, 1][..]].to_vec(), [0, 0, 0, 0xFF, 0xFF].to_vec(), vec![1, 1, 0, 0xFE, 0xFF, 7, 0, 8, 0, 8]);
    let zstd = ([&[0x28, 0xB5, 0x2F, 0xFD, 0x20, 1][..]].to_vec(), vec![0; 3], vec![9, 0, 0, 7]);
    for (codec, (start, nothing, end)) in [(Codec::Zlib, deflate), (Codec::Zstd, zstd)] {
        if !codec.is_available() {
            continue;
        }
        let stream = |times: usize| [&start.concat(), &nothing.repeat(times)[..], &end].concat();
        let chunk = |nblocks: usize, stream: &[u8]| {
            let at = 32 + 4 * nblocks as i32;
            let tables = numbers(&vec![at; nblocks]);
            let streams = [&numbers(&[stream.len() as i32]), stream].concat();
            extended(codec.format().id() << 5 | NOT_SPLIT, 1, nblocks as i32, 1, &[tables, streams].concat())
        };
        assert_eq!(decode(&chunk(100, &stream(0))).unwrap(), [7; 100], "{codec}");
        let error = refused(&chunk(30_000, &stream(30_000)));
        assert!(matches!(error, DecodeError::Place { what: "csize", .. }), "{codec}: {error}");
    }
}

/// Chunks that the encoder writes can be decoded. The encoder refuses only codecs that were compiled out.
#[test]
fn encoders_do_not_write_what_they_cannot_read() {
    for codec in Codec::ALL {
        let params = CParams::new().codec(codec);
        match Encoder::new(params).and_then(|mut encoder| encoder.compress(&testdata::text(500, 1))) {
            Ok(chunk) => assert_eq!(decode(&chunk).unwrap(), testdata::text(500, 1)),
            Err(error) => assert!(!codec.is_available(), "{codec}: {error}"),
        }
    }
}
