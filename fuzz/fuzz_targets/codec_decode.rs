//! Fuzzes the stream decoders of all codecs: either an error or the complete data.
//!
//! The result must not depend on earlier contents of the buffer. It must match an independent decoder where there is
//! one.
#![no_main]

use blosc_core::internals::StreamDecompressor;
use blosc_core::{Chunk, CodecFormat, Decoder};
use blosc_fuzz::chunk::{Head, of_streams};
use libfuzzer_sys::fuzz_target;

const FORMATS: [CodecFormat; 5] =
    [CodecFormat::BloscLz, CodecFormat::Lz4, CodecFormat::Snappy, CodecFormat::Zlib, CodecFormat::Zstd];

/// Large enough for every kind of token and for the fast paths, which stop some bytes before the end.
const MAX_PLAIN: usize = 1 << 17;

fuzz_target!(|input: &[u8]| {
    // The codec, and the uncompressed size in 24 bits.
    let Some(([codec, low, middle, high], stream)) = input.split_first_chunk::<4>() else { return };
    let len = u32::from_le_bytes([*low, *middle, *high, 0]) as usize % (MAX_PLAIN + 1);
    let Some(&format) = FORMATS.get(usize::from(codec % 8)) else { return ndlz(codec >> 3, len, stream) };
    let mut decompressor = StreamDecompressor::new(format).expect("this build has all codecs");
    // The second call uses the state left by the first, and a buffer with slack for copies past the end.
    let mut decode = |background: u8, slack: usize| {
        let mut dst = vec![background; len + slack];
        let decoded = decompressor.decompress(stream, &mut dst, len);
        dst.truncate(len);
        decoded.is_ok().then_some(dst)
    };
    let plain = decode(0xA5, 0);
    assert!(decode(0x5A, 64) == plain, "{format:?}: what was there before shows, or room after it changes something");
    let Some(plain) = plain else { return };
    let opinion = match format {
        CodecFormat::Lz4 => {
            let mut dst = vec![0; len];
            lz4_flex::block::decompress_into(stream, &mut dst).ok().filter(|found| *found == len).map(|_| dst)
        }
        CodecFormat::Zlib => {
            let mut dst = vec![0; len + 1];
            let mut inflate = zlib_rs::Inflate::new(true, 15);
            let done = inflate.decompress(stream, &mut dst, zlib_rs::InflateFlush::Finish);
            dst.truncate(inflate.total_out() as usize);
            matches!(done, Ok(zlib_rs::Status::StreamEnd)).then_some(dst)
        }
        _ => return,
    };
    assert!(opinion.is_some_and(|opinion| opinion == plain), "{format:?}: another decoder disagrees");
});

/// Decodes NDLZ, which occurs only in chunks.
fn ndlz(edge: u8, len: usize, stream: &[u8]) {
    let size = len.max(1) as u32;
    let head = Head {
        typesize: 1,
        nbytes: size,
        blocksize: size,
        filters: [0; 6],
        filters_meta: [0; 6],
        format: 6,
        codec: 32,
        codec_meta: if edge % 4 == 3 { edge } else { 4 + 4 * (edge % 2) },
    };
    let chunk = of_streams(head, [stream].into_iter());
    let Ok(chunk) = Chunk::parse(&chunk) else { return };
    let decode = |background: u8| {
        let mut dst = vec![background; size as usize];
        Decoder::new().decompress_into(&chunk, &mut dst).is_ok().then_some(dst)
    };
    assert!(decode(0xA5) == decode(0x5A), "ndlz: what was there before shows");
}
