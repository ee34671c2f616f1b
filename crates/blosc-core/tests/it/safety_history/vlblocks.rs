//! Blocks of variable length that are out of order, or whose sizes do not add up.

use super::{NOT_SPLIT, decode, extended, numbers, put, refused};
use blosc_core::{Chunk, DecodeError, Decoder};

/// Builds a chunk of stored blocks, each after its size.
fn stored(blocks: &[&[u8]]) -> Vec<u8> {
    let (mut starts, mut body) = (Vec::new(), Vec::new());
    for block in blocks {
        starts.push((32 + 4 * blocks.len() + body.len()) as i32);
        body.extend(numbers(&[block.len() as i32]));
        body.extend(*block);
    }
    let nbytes: usize = blocks.iter().map(|block| block.len()).sum();
    vl(nbytes as i32, blocks.len() as i32, &[numbers(&starts), body].concat())
}

fn vl(nbytes: i32, nblocks: i32, body: &[u8]) -> Vec<u8> {
    let mut chunk = extended(NOT_SPLIT, 1, nbytes, nblocks, body);
    (chunk[0], chunk[30]) = (6, 1);
    chunk
}

/// C-Blosc2 9fa13e1c: sizes that add up to `nbytes` only with 32-bit overflow.
#[test]
fn sizes_that_add_up_past_the_integers() {
    let whole = stored(&[b"abcd", b"e", b"fgh"]);
    assert_eq!(decode(&whole).unwrap(), b"abcdefgh");
    let at = 32 + 12;
    for size in [i32::MIN, -1, 0, 1, 3, 5, 8, 9, i32::MAX] {
        let mut damaged = whole.clone();
        put(&mut damaged, at, size);
        refused(&damaged);
    }
    // Three sizes with a sum of 2^32 + 8.
    let mut damaged = whole.clone();
    for (at, size) in [(at, i32::MAX), (at + 8, i32::MAX), (at + 13, 10)] {
        put(&mut damaged, at, size);
    }
    refused(&damaged);
    // Each size is possible in a chunk of this size, but their sum is not.
    put(&mut damaged, 4, i32::MAX - 32);
    refused(&damaged);
}

/// C-Blosc2 41ac4389: block starts that do not ascend.
#[test]
fn starts_that_are_equal_or_decrease() {
    let whole = stored(&[b"abcd", b"efgh", b"ijkl"]);
    let starts = [44, 52, 60];
    for order in [[44, 44, 60], [52, 44, 60], [44, 60, 52], [60, 52, 44], [44, 52, 52], [60, 60, 60]] {
        let mut damaged = whole.clone();
        damaged[32..44].copy_from_slice(&numbers(&order));
        refused(&damaged);
    }
    for block in 0..3 {
        for start in [i32::MIN, -1, 0, 31, 32, 43, 64, 68, 69, i32::MAX] {
            let mut damaged = whole.clone();
            put(&mut damaged, 32 + 4 * block, start);
            refused(&damaged);
        }
        for start in starts {
            let mut damaged = whole.clone();
            put(&mut damaged, 32 + 4 * block, start);
            assert_eq!(decode(&damaged).is_ok(), start == starts[block]);
        }
    }
}

/// C-Blosc2 11672f47: a table of blocks is allocated by their number alone.
#[test]
fn more_blocks_than_bytes() {
    for nblocks in [0, -1, i32::MIN, 2, 3, 1 << 20, i32::MAX] {
        refused(&vl(4, nblocks, &[&numbers(&[36, 4]), &b"abcd"[..]].concat()));
    }
    // No blocks for no bytes, and blocks of a chunk of no bytes.
    refused(&vl(0, 0, &[]));
    refused(&vl(0, 1, &[&numbers(&[36, 0]), &b"abcd"[..]].concat()));
    // Only the size, and less than the size.
    for len in 0..5 {
        refused(&vl(4, 1, &[&numbers(&[36]), &[4, 0, 0, 0, b'a'][..len]].concat()));
    }
}

/// The flag in versions that do not define it, with filters that refer to the first block.
#[test]
fn vl_blocks_of_older_versions_and_with_delta() {
    for version in 3..=6 {
        let mut chunk = stored(&[&[1, 2, 3, 4], &[5, 6, 7, 8, 9]]);
        chunk[0] = version;
        assert_eq!(decode(&chunk).unwrap(), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // Every block counts as a first block, with its own running XOR. Version 3 had garbage in the last slot.
        chunk[21] = 3;
        let undone = [1, 3, 0, 4, 5, 3, 4, 12, 5];
        assert_eq!(decode(&chunk).unwrap(), if version == 3 { [1, 2, 3, 4, 5, 6, 7, 8, 9] } else { undone });
    }
}

/// Reading 100,000 blocks one by one must not add up the lengths of all others for each.
#[test]
fn block_by_block_takes_as_long_as_the_whole() {
    let blocks: Vec<&[u8]> = vec![b"ab"; 100_000];
    let bytes = stored(&blocks);
    let chunk = Chunk::parse(&bytes).unwrap();
    let mut decoder = Decoder::new();
    let mut dst = [0; 2];
    let (_, usage) = testdata::CountingAlloc::measure(|| {
        for index in 0..blocks.len() {
            assert_eq!(decoder.decode_block(&chunk, index, &mut dst).unwrap(), 2);
        }
    });
    assert_eq!(dst, *b"ab");
    // A table of all lengths would take eight bytes per block.
    assert!(usage.peak < 8 * blocks.len(), "{usage:?}");
    let error = decoder.decode_block(&chunk, blocks.len(), &mut dst).unwrap_err();
    assert!(matches!(error, DecodeError::Range { unit: "blocks", .. }));
}
