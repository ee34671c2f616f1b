//! Any data with any parameters: what is compressed decompresses to the same bytes, within the promised size.
#![no_main]

use blosc_core::{BlockSize, CParams, Chunk, ChunkFormat, Codec, Decoder, Encoder, Filter, FilterPipeline, SplitMode};
use core::num::NonZeroU8;
use libfuzzer_sys::fuzz_target;

/// The filters that give back what they were given; of the lossy ones see the tests.
const FILTERS: [Filter; 8] = [
    Filter::Shuffle,
    Filter::BitShuffle,
    Filter::Delta,
    Filter::ByteDelta(0),
    Filter::ByteDelta(3),
    Filter::ShuffleGroups(NonZeroU8::new(5).unwrap()),
    Filter::ShuffleGroups(NonZeroU8::MAX),
    Filter::NdCell(3),
];

fuzz_target!(|input: &[u8]| {
    let Some((choices, rest)) = input.split_first_chunk::<12>() else { return };
    let [codec, clevel, typesize, filters @ .., split, block_low, block_high, repeats, room] = *choices;
    let codec = [Codec::BloscLz, Codec::Lz4, Codec::Lz4Hc, Codec::Zlib, Codec::Zstd, Codec::Snappy][codec as usize % 6];
    // The highest bits of the split mode choose the kind of chunk.
    let (is_blosc2, dictionary, vl_blocks) = (split & 0x80 != 0, split & 0x40 != 0, split & 0x20 != 0);
    let params = CParams::new()
        .codec(codec)
        // Levels above 6 of the slow codecs search longer, not otherwise.
        .clevel(clevel % if matches!(codec, Codec::Zlib | Codec::Zstd) { 7 } else { 10 })
        .typesize(usize::from(typesize).max(1))
        .split([SplitMode::Always, SplitMode::Never, SplitMode::Auto, SplitMode::ForwardCompat][split as usize % 4])
        .blocksize(match u16::from_le_bytes([block_low, block_high]) {
            0..=999 => BlockSize::Auto,
            size => BlockSize::Fixed((size - 1000).into()),
        });
    let params = if is_blosc2 {
        // Each nibble is a filter; 8 and above is none.
        let nibbles = filters.into_iter().flat_map(|byte| [byte & 15, byte >> 4]);
        let filters: Vec<Filter> = nibbles.filter_map(|nibble| FILTERS.get(usize::from(nibble)).copied()).collect();
        let filters = FilterPipeline::from_slice(&filters[..filters.len().min(6)]).expect("six at most");
        params.format(ChunkFormat::Blosc2).filters(filters).dictionary(dictionary)
    } else {
        let blosc1 = [FilterPipeline::none(), FilterPipeline::shuffle(), FilterPipeline::bitshuffle()];
        params.filters(blosc1[usize::from(filters[0]) % 3])
    };
    // Repeated, so that short inputs make several blocks and long matches.
    let plain = rest.repeat(1 + usize::from(repeats % 32));

    let Ok(encoder) = Encoder::new(params.clone()) else {
        assert!(is_blosc2 && (codec == Codec::Snappy || dictionary), "every other choice is in range: {params:?}");
        return;
    };
    let mut encoder = encoder.blockshape(&[usize::from(room).max(1)]);
    let chunk = if is_blosc2 && vl_blocks {
        let blocks: Vec<&[u8]> = plain.chunks(1 + usize::from(room)).collect();
        encoder.compress_vlblocks(&blocks)
    } else {
        encoder.compress(&plain)
    };
    // What depends on the data: delta in blocks of variable length, or none of them, and the shape of a block.
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
    assert!(decoded == plain, "{params:?}");

    // Into less room: an error, or the same plain bytes, and nothing behind that room.
    if is_blosc2 && !vl_blocks {
        let most = chunk.len() * usize::from(room) / 128;
        let mut dst = vec![0xA5; most + 8];
        if let Ok(cbytes) = encoder.compress_into(&plain, &mut dst[..most]) {
            let parsed = Chunk::parse(&dst[..cbytes]).unwrap_or_else(|error| panic!("{error}; {params:?}"));
            assert!(decoder.decompress(&parsed).is_ok_and(|decoded| decoded == plain), "{params:?}");
        } else {
            assert!(most < chunk.len(), "{params:?}: {most} bytes are enough");
        }
        assert_eq!(dst[most..], [0xA5; 8]);
    }
});
