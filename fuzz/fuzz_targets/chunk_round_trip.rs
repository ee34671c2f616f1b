//! Fuzzes the round trip of data through a chunk with any parameters, with and without threads. The compressed size
//! must stay within the promised bound.
#![no_main]

use blosc_core::{Chunk, Codec, Decoder, Encoder, Parallelism};
use blosc_fuzz::params::{Choice, choose};
use libfuzzer_sys::fuzz_target;

/// Smaller chunks are not distributed to threads.
const MIN_PARALLEL: usize = 256 * 1024;

fuzz_target!(|input: &[u8]| {
    let Some(choice) = choose(input) else { return };
    let Choice { ref params, codec, is_blosc2, dictionary, vl_blocks, room, ref plain, .. } = choice;
    let Ok(encoder) = Encoder::new(*params) else {
        assert!(is_blosc2 && (codec == Codec::Snappy || dictionary), "every other choice is in range: {params:?}");
        return;
    };
    let mut encoder = encoder.blockshape(&[usize::from(room).max(1)]);
    let chunk = if is_blosc2 && vl_blocks {
        let blocks: Vec<&[u8]> = plain.chunks(1 + usize::from(room)).collect();
        encoder.compress_vlblocks(&blocks)
    } else {
        encoder.compress(plain)
    };
    // Some errors depend on the data: delta in variable-length blocks, no such blocks, and the shape of a block.
    let Ok(chunk) = chunk else {
        assert!(is_blosc2, "{params:?}");
        return;
    };
    if !vl_blocks {
        assert!(chunk.len() <= blosc_core::max_cbytes(plain.len()));
    }
    let mut decoder = Decoder::new().blockshape(&[usize::from(room).max(1)]);
    let parsed = Chunk::parse(&chunk).unwrap_or_else(|error| panic!("{error}; {params:?}"));
    let decoded = decoder.decompress(&parsed).unwrap_or_else(|error| panic!("{error}; {params:?}"));
    assert!(decoded == *plain, "{params:?}");
    if plain.len() >= MIN_PARALLEL {
        let mut shared = Decoder::new().blockshape(&[usize::from(room).max(1)]).parallelism(Parallelism::Ambient);
        let decoded = shared.decompress(&parsed);
        assert!(decoded.is_ok_and(|decoded| decoded == *plain), "with threads: {params:?}");
        if !vl_blocks {
            let shared = Encoder::new(*params).expect("as before").parallelism(Parallelism::Ambient);
            let shared = shared.blockshape(&[usize::from(room).max(1)]).compress(plain);
            assert!(shared.is_ok_and(|shared| shared == chunk), "with threads: {params:?}");
        }
    }

    // A smaller destination: either an error or the same data, and no write past its end.
    if is_blosc2 && !vl_blocks {
        let most = chunk.len() * usize::from(room) / 128;
        let mut dst = vec![0xA5; most + 8];
        if let Ok(cbytes) = encoder.compress_into(plain, &mut dst[..most]) {
            let parsed = Chunk::parse(&dst[..cbytes]).unwrap_or_else(|error| panic!("{error}; {params:?}"));
            assert!(decoder.decompress(&parsed).is_ok_and(|decoded| decoded == *plain), "{params:?}");
        } else {
            assert!(most < chunk.len(), "{params:?}: {most} bytes are enough");
        }
        assert_eq!(dst[most..], [0xA5; 8]);
    }
});
