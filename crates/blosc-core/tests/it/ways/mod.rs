//! All ways to decode a chunk, which must agree.

use blosc_core::{Chunk, Decoder, Parallelism};

/// Checks that `chunk` holds `plain`, whole, by blocks, by ranges and by items.
pub(crate) fn check(chunk: &[u8], plain: &[u8], decoder: impl Fn() -> Decoder) {
    let longer = [chunk, &[0xAB; 7]].concat();
    let chunk = Chunk::parse(&longer).unwrap();
    let header = chunk.header();
    assert_eq!((header.nbytes(), header.cbytes() + 7), (plain.len(), longer.len()));
    assert_eq!(header.to_bytes(), longer[..header.len()]);
    assert!(decoder().decompress(&chunk).unwrap() == plain, "{header:?}");
    #[cfg(feature = "rayon")]
    assert!(decoder().parallelism(Parallelism::Ambient).decompress(&chunk).unwrap() == plain, "{header:?}");
    let mut decoder = decoder().parallelism(Parallelism::Serial);
    for background in [0x00, 0xFF] {
        let mut dst = vec![background; plain.len() + 9];
        assert_eq!(decoder.decompress_into(&chunk, &mut dst).unwrap(), plain.len());
        assert!(dst[..plain.len()] == *plain && dst[plain.len()..] == [background; 9], "{header:?}");
    }
    let mut reused = vec![0xA5; plain.len() / 2];
    decoder.decompress_to(&chunk, &mut reused).unwrap();
    assert!(reused == plain);

    blocks(&chunk, plain, &mut decoder);
    ranges(&chunk, plain, &mut decoder);
}

/// Checks some of the blocks, because a chunk may have 100,000 blocks of one byte.
fn blocks(chunk: &Chunk<'_>, plain: &[u8], decoder: &mut Decoder) {
    let (header, nblocks) = (chunk.header(), chunk.header().nblocks());
    let looked_at = |index: usize| index < 20 || index + 20 > nblocks;
    let has_blocks = !header.is_memcpyed() && header.special_value().is_none();
    assert_eq!(chunk.bstarts().unwrap().len(), if has_blocks { nblocks } else { 0 });
    let mut end = 0;
    for index in (0..nblocks).filter(|&index| looked_at(index)) {
        let range = chunk.block_range(index);
        assert!(index == 0 || index >= 20 || range.start == end);
        end = range.end;
        let mut block = vec![0x5A; range.len() + 3];
        assert_eq!(decoder.decode_block(chunk, index, &mut block).unwrap(), range.len());
        assert!(block[..range.len()] == plain[range.clone()] && block[range.len()..] == [0x5A; 3], "block {index}");
        if range.len() > 1 {
            decoder.decode_block(chunk, index, &mut block[..range.len() - 1]).unwrap_err();
        }
        let streams = chunk.streams(index).unwrap();
        let lengths: usize = streams.iter().map(|stream| stream.nbytes).sum();
        assert_eq!(lengths, if has_blocks { range.len() } else { 0 });
    }
    assert!(nblocks == 0 || end == plain.len());
    decoder.decode_block(chunk, nblocks, &mut [0; 8]).unwrap_err();

    for first in 0..2 {
        let skip: Vec<bool> = (0..nblocks.saturating_sub(first)).map(|index| index % 2 == first).collect();
        let mut dst = vec![0x5A; plain.len() + 1];
        let before = decoder.decoded();
        assert_eq!(decoder.decompress_masked(chunk, &skip, &mut dst).unwrap(), plain.len());
        let wanted = (0..nblocks).filter(|&index| has_blocks && skip.get(index) != Some(&true));
        let wanted: usize = wanted.map(|index| chunk.block_range(index).len()).sum();
        assert_eq!(decoder.decoded() - before, wanted as u64);
        for index in (0..nblocks).filter(|&index| looked_at(index)) {
            let range = chunk.block_range(index);
            if skip.get(index) == Some(&true) {
                assert!(dst[range].iter().all(|byte| *byte == 0x5A), "block {index} was to be left alone");
            } else {
                assert!(dst[range.clone()] == plain[range], "block {index}");
            }
        }
        assert_eq!(dst[plain.len()], 0x5A);
    }
    decoder.decompress_masked(chunk, &vec![false; nblocks + 1], &mut vec![0; plain.len()]).unwrap_err();
}

fn ranges(chunk: &Chunk<'_>, plain: &[u8], decoder: &mut Decoder) {
    let len = plain.len();
    let mut rng = testdata::SplitMix64::new(len as u64);
    let mut ranges = vec![0..len, len / 2..len / 2, 0..len.min(1), len - len.min(1)..len];
    for _ in 0..4 {
        let (a, b) = (rng.below(len + 1), rng.below(len + 1));
        ranges.push(a.min(b)..a.max(b));
    }
    let expected: Vec<u8> = ranges.iter().flat_map(|range| &plain[range.clone()]).copied().collect();
    let mut found = vec![0x5A; expected.len()];
    decoder.decode_ranges(chunk, &ranges, &mut found).unwrap();
    assert!(found == expected, "{ranges:?}");

    let typesize = chunk.header().typesize();
    let items = len / typesize;
    for range in [0..items, items / 3..items / 2, 0..items.min(1)] {
        let bytes = range.start * typesize..range.end * typesize;
        assert!(decoder.items(chunk, range.clone()).unwrap() == plain[bytes], "items {range:?}");
    }
    decoder.items(chunk, 0..items + 1).unwrap_err();
}
