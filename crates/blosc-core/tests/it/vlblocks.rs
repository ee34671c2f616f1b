//! Blocks of any length round-trip, one by one and together.

use blosc_core::{CParams, Chunk, Codec, Decoder, EncodeError, Encoder, Filter, FilterPipeline};
use proptest::prelude::*;

fn codecs() -> Vec<Codec> {
    Codec::ALL.into_iter().filter(|&codec| codec.is_available() && codec != Codec::Snappy).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn blocks_of_any_length(
        lengths in prop::collection::vec(prop_oneof![1..20usize, 1..2000usize], 1..40),
        kind in prop::sample::select(&testdata::PlainKind::ALL[..]),
        codec in prop::sample::select(codecs()),
        clevel in 0..=9u8,
        typesize in prop_oneof![1..=20usize, Just(255), Just(300)],
        filters in prop::collection::vec(
            prop_oneof![Just(Filter::Shuffle), Just(Filter::BitShuffle), Just(Filter::ByteDelta(0))], 0..4),
        dictionary in any::<bool>(),
    ) {
        let plain = testdata::plain(kind, lengths.iter().sum(), typesize.min(20), 7);
        let mut rest = &plain[..];
        let mut blocks = Vec::new();
        for len in lengths {
            let (block, after) = rest.split_at(len);
            blocks.push(block);
            rest = after;
        }
        let dictionary = dictionary && matches!(codec, Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd);
        let params = CParams::blosc2().codec(codec).clevel(clevel).typesize(typesize).dictionary(dictionary);
        let mut encoder = Encoder::new(params.filters(FilterPipeline::try_from(&filters[..]).unwrap()))?;
        let bytes = encoder.compress_vlblocks(&blocks)?;
        prop_assert_eq!(&encoder.compress_vlblocks(&blocks)?, &bytes);
        crate::ways::check(&bytes, &plain, Decoder::new);

        let chunk = Chunk::parse(&bytes)?;
        prop_assert_eq!((chunk.header().version(), chunk.header().nblocks()), (6, blocks.len()));
        for (index, block) in blocks.iter().enumerate() {
            prop_assert_eq!(chunk.block_range(index).len(), block.len());
        }
        prop_assert!(chunk.block_range(blocks.len()).is_empty());
    }
}

#[test]
fn blocks_that_cannot_be() {
    let mut encoder = Encoder::new(CParams::blosc2()).unwrap();
    assert_eq!(encoder.compress_vlblocks(&[]), Err(EncodeError::EmptyBlock { block: 0 }));
    assert_eq!(encoder.compress_vlblocks(&[b"a", b""]), Err(EncodeError::EmptyBlock { block: 1 }));
    let delta = FilterPipeline::from([Filter::Delta]);
    let error = Encoder::new(CParams::blosc2().filters(delta)).unwrap().compress_vlblocks(&[b"a"]).unwrap_err();
    assert!(matches!(error, EncodeError::Filter { filter: Filter::Delta, .. }));
    let error = Encoder::new(CParams::new()).unwrap().compress_vlblocks(&[b"a"]).unwrap_err();
    assert!(matches!(error, EncodeError::Codec { .. }));
}

#[test]
fn many_blocks_with_a_dictionary() {
    let lines: Vec<Vec<u8>> = (0..500).map(|seed| testdata::text(100 + seed as usize % 50, seed)).collect();
    let blocks: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    for codec in [Codec::Lz4, Codec::Lz4Hc, Codec::Zstd].into_iter().filter(|codec| codec.is_available()) {
        let params = CParams::blosc2().codec(codec).typesize(1);
        let plain = Encoder::new(params).unwrap().compress_vlblocks(&blocks).unwrap();
        let with = Encoder::new(params.dictionary(true)).unwrap().compress_vlblocks(&blocks).unwrap();
        assert!(Chunk::parse(&with).unwrap().header().has_dictionary() && with.len() < plain.len());
        crate::ways::check(&with, &lines.concat(), Decoder::new);
    }
}
