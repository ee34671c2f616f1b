//! Chunks of one block have a path of their own through the decoder. It returns what the general path returns, errors
//! included, for whole and for damaged chunks.

use blosc_core::{CParams, Chunk, Codec, DecodeError, Decoder, FilterPipeline, Limits};

/// Chunks of one block: codecs, filters, typesizes, sizes that are no multiple of the typesize, both formats, and data
/// with runs, with incompressible planes and without.
fn chunks() -> Vec<Vec<u8>> {
    let mut chunks = Vec::new();
    for codec in Codec::ALL.into_iter().filter(|codec| codec.is_available()) {
        for filters in [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()] {
            for (typesize, len) in
                [(1, 700), (2, 512), (4, 1024), (4, 1023), (8, 2048), (12, 3072), (16, 4096), (24, 960)]
            {
                for kind in [testdata::PlainKind::Ramp, testdata::PlainKind::Noise, testdata::PlainKind::Text] {
                    let plain = testdata::plain(kind, len, typesize, 7);
                    for params in [CParams::new(), CParams::blosc2()] {
                        let params = params.codec(codec).clevel(5).typesize(typesize).filters(filters);
                        // Blosc2 chunks have no Snappy.
                        chunks.extend(blosc_core::compress(&plain, &params));
                    }
                }
            }
        }
    }
    chunks
}

/// Decodes by both paths. A mask that skips no block takes the general one.
fn decode_both(decoder: &mut Decoder, chunk: &[u8]) -> [Result<Vec<u8>, DecodeError>; 2] {
    let chunk = match Chunk::parse(chunk) {
        Ok(chunk) if chunk.header().nbytes() <= 1 << 16 => chunk,
        Ok(_) => return [Ok(Vec::new()), Ok(Vec::new())],
        Err(error) => return [Err(error.clone()), Err(error)],
    };
    let mut dst = vec![0xAA; chunk.header().nbytes()];
    let direct = decoder.decompress_into(&chunk, &mut dst).map(|_| dst.clone());
    let general = decoder.decompress_masked(&chunk, &[], &mut dst).map(|_| dst);
    [direct, general]
}

#[test]
fn both_paths_return_the_same_for_every_changed_byte() {
    let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 16));
    for chunk in chunks() {
        let [direct, general] = decode_both(&mut decoder, &chunk);
        assert!(direct.is_ok() && direct == general);
        let mut damaged = chunk.clone();
        // All bytes of the header, the table and the first streams, and some of the others.
        for at in (0..chunk.len().min(80)).chain((80..chunk.len()).step_by(61)) {
            for value in [0x00, 0x01, 0x05, 0x80, 0xFF, chunk[at] ^ 0x10, chunk[at].wrapping_add(1)] {
                damaged[at] = value;
                let [direct, general] = decode_both(&mut decoder, &damaged);
                assert_eq!(direct, general, "byte {at} is {value:#04x}");
            }
            damaged[at] = chunk[at];
        }
    }
}
