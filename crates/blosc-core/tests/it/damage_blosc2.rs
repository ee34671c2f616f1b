//! Every truncation and every changed byte of a Blosc2 chunk of every kind gives an error or bytes. It never exposes an
//! old byte of the destination, and never uses more memory than the limit allows.

use blosc_core::{BlockSize, CParams, Chunk, Codec, Decoder, Encoder, Filter, FilterPipeline, LazyChunk, Limits};

const MAX_NBYTES: usize = 1 << 16;
const SHAPE: [usize; 2] = [8, 16];

/// Small chunks of every kind, with several blocks each.
fn chunks() -> Vec<(String, Vec<u8>)> {
    let plain = testdata::ramp(2000, 4, 3);
    let mut chunks = Vec::new();
    for codec in Codec::ALL.into_iter().filter(|&codec| codec.is_available() && codec != Codec::Snappy) {
        for filters in [&[][..], &[Filter::Shuffle], &[Filter::Delta, Filter::BitShuffle, Filter::ByteDelta(4)]] {
            let params = CParams::blosc2().codec(codec).typesize(4).blocksize(BlockSize::Fixed(512));
            let params = params.filters(FilterPipeline::try_from(filters).unwrap());
            chunks.push((format!("{codec} {filters:?}"), blosc_core::compress(&plain, &params).unwrap()));
        }
        let mut encoder = Encoder::new(CParams::blosc2().codec(codec).typesize(4)).unwrap();
        let blocks = encoder.compress_vlblocks(&[&plain[..700], &plain[..3], &plain[700..]]).unwrap();
        chunks.push((format!("{codec} of variable length"), blocks));
    }
    let lines = testdata::text(1000, 1).repeat(16);
    for codec in [Codec::Lz4, Codec::Zstd].into_iter().filter(|codec| codec.is_available()) {
        let params = CParams::blosc2().codec(codec).typesize(1).dictionary(true).blocksize(BlockSize::Fixed(1000));
        let chunk = blosc_core::compress(&lines, &params).unwrap();
        assert!(Chunk::parse(&chunk).unwrap().dictionary().is_some());
        chunks.push((format!("{codec} with a dictionary"), chunk));
    }
    let encoder = Encoder::new(CParams::blosc2().typesize(4)).unwrap();
    chunks.push(("zeros".into(), encoder.zeros(400).unwrap()));
    chunks.push(("nan".into(), encoder.nans(400).unwrap()));
    chunks.push(("uninit".into(), encoder.uninit(400).unwrap()));
    chunks.push(("value".into(), encoder.repeat(&[1, 2, 3, 4, 5], 400).unwrap()));
    chunks.push(("stored".into(), blosc_core::compress(&plain[..50], &CParams::blosc2().clevel(0)).unwrap()));
    let cells = CParams::blosc2().codec(Codec::Lz4).typesize(4).blocksize(BlockSize::Fixed(512));
    let cells = cells.filters(FilterPipeline::from([Filter::NdCell(3), Filter::Shuffle]));
    let mut encoder = Encoder::new(cells).unwrap().blockshape(&SHAPE);
    chunks.push(("cells".into(), encoder.compress(&plain[..1536]).unwrap()));
    let runs = CParams::blosc2().typesize(4).blocksize(BlockSize::Fixed(512));
    let chunk =
        blosc_core::compress(&[&[0, 1, 2, 0].repeat(300)[..], &testdata::noise(400, 1)].concat(), &runs).unwrap();
    chunks.push(("runs".into(), chunk));
    chunks
}

/// Decodes in several ways over two backgrounds. The result must not depend on them.
fn decode(decoder: &mut Decoder, bytes: &[u8]) -> Option<Vec<u8>> {
    let chunk = Chunk::parse(bytes).ok()?;
    let nbytes = chunk.header().nbytes();
    let whole = decoder.decompress(&chunk).ok();
    let _ = chunk.bstarts();
    for index in [0, 1, usize::MAX] {
        let _ = chunk.streams(index);
    }
    if nbytes > MAX_NBYTES {
        assert!(whole.is_none(), "over the limit");
        // Parts are within the limit if their blocks are.
        let _ = decoder.items(&chunk, 1..2);
        let _ = decoder.decode_block(&chunk, chunk.header().nblocks() - 1, &mut [0; 100]);
        return None;
    }
    for background in [0x00, 0xFF] {
        let mut dst = vec![background; nbytes];
        assert_eq!(decoder.decompress_into(&chunk, &mut dst).is_ok(), whole.is_some());
        assert!(whole.as_ref().is_none_or(|whole| *whole == dst), "bytes of the destination showed through");
    }
    let range = nbytes / 3..nbytes - nbytes / 5;
    let mut part = vec![0xA5; range.len()];
    let decoded = decoder.decode_ranges(&chunk, std::slice::from_ref(&range), &mut part);
    if let Some(whole) = &whole {
        decoded.unwrap();
        assert!(part == whole[range]);
    }
    whole
}

fn decoder() -> Decoder {
    Decoder::new().limits(Limits::new().max_nbytes(MAX_NBYTES)).blockshape(&SHAPE).super_chunk_typesize(4)
}

#[test]
fn every_truncation_is_refused() {
    let mut decoder = decoder();
    for (kind, chunk) in chunks() {
        assert!(decode(&mut decoder, &chunk).is_some(), "{kind}");
        for len in 0..chunk.len() {
            assert!(decode(&mut decoder, &chunk[..len]).is_none(), "{kind}: {len} of {}", chunk.len());
            // The same chunk with `cbytes` set to the truncated length.
            if len >= 32 {
                let mut cut = chunk[..len].to_vec();
                cut[12..16].copy_from_slice(&(len as i32).to_le_bytes());
                let decoded = decode(&mut decoder, &cut);
                // A truncated repeated value is a valid value if its size still divides the plain bytes.
                assert!(decoded.is_none() || kind == "value", "{kind}: {len} of {}", chunk.len());
            }
        }
    }
}

#[test]
fn every_changed_byte_gives_an_error_or_bytes_within_bounded_memory() {
    let mut decoder = decoder();
    let chunks = chunks();
    let ((refused, decoded), usage) = testdata::CountingAlloc::measure(|| {
        let (mut refused, mut decoded) = (0, 0);
        for (_, chunk) in &chunks {
            let mut damaged = chunk.clone();
            // All bytes of the tables, and a sample of the long dictionaries and streams.
            for at in (0..chunk.len()).filter(|at| *at < 150 || at % 7 == 0) {
                for value in [0x00, 0x01, 0x7F, 0x80, 0xFF, chunk[at] ^ 0x10, chunk[at].wrapping_add(1)] {
                    damaged[at] = value;
                    match decode(&mut decoder, &damaged) {
                        Some(_) => decoded += 1,
                        None => refused += 1,
                    }
                    let _ = LazyChunk::parse(&damaged);
                }
                damaged[at] = chunk[at];
            }
        }
        (refused, decoded)
    });
    assert!(refused > 5000 && decoded > 5000, "{refused} refused, {decoded} decoded");
    // Three results and the decoder's buffers, including zstd's buffer of one block (128 KiB).
    assert!(usage.peak < 2 << 20, "peak of {} bytes", usage.peak);
}

/// Changes two bytes of header and tables at once, because fields are checked against each other.
#[test]
fn two_changed_bytes_of_the_header() {
    let mut decoder = decoder();
    let mut rng = testdata::SplitMix64::new(1);
    for (_, chunk) in chunks() {
        for _ in 0..3000 {
            let mut damaged = chunk.clone();
            for _ in 0..2 {
                let at = rng.below(chunk.len().min(60));
                damaged[at] = *rng.pick(&[0, 1, 2, 3, 4, 5, 6, 8, 16, 0x7F, 0x80, 0xFF, rng.clone().next_u64() as u8]);
            }
            let _ = decode(&mut decoder, &damaged);
        }
    }
}
