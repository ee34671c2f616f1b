//! Any data with any parameters: what is compressed decompresses to the same bytes, within the promised size.
#![no_main]

use blosc_core::{BlockSize, CParams, Codec, Encoder, FilterPipeline, SplitMode};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((choices, rest)) = input.split_first_chunk::<8>() else { return };
    let [codec, clevel, typesize, filter, split, block_low, block_high, repeats] = *choices;
    let codec = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd, Codec::Snappy][codec as usize % 6];
    let params = CParams::new()
        .codec(codec)
        // Levels above 6 of the slow codecs search longer, not otherwise.
        .clevel(clevel % if matches!(codec, Codec::Zlib | Codec::Zstd) { 7 } else { 10 })
        .typesize(usize::from(typesize).max(1))
        .filters([FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()][filter as usize % 3])
        .split([SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat][split as usize % 4])
        .blocksize(match u16::from_le_bytes([block_low, block_high]) {
            0..=999 => BlockSize::Auto,
            size => BlockSize::Fixed(size.into()),
        });
    // Repeated, so that short inputs make several blocks and long matches.
    let plain = rest.repeat(1 + usize::from(repeats % 32));

    let chunk = Encoder::new(params.clone()).expect("every parameter is in range").compress(&plain).expect("it fits");
    assert!(chunk.len() <= blosc_core::max_cbytes(plain.len()));
    let decoded = blosc_core::decompress(&chunk).unwrap_or_else(|error| panic!("{error}; {params:?}"));
    assert!(decoded == plain, "{params:?}");
});
