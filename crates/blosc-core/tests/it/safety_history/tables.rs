//! Block starts with arbitrary offsets, and lazy chunks.

use super::{MEMCPYED, NOT_SPLIT, decode, extended, numbers, put, refused};
use blosc_core::{Chunk, DecodeError, LazyChunk};

/// C-Blosc2 3466fae4, d314d790 (bounds computed with pointers), 9d68be29.
#[test]
fn block_starts_everywhere() {
    // Two stored blocks of four bytes.
    let body = [&numbers(&[40, 48]), &numbers(&[4])[..], b"abcd", &numbers(&[4]), b"efgh"].concat();
    let whole = extended(NOT_SPLIT, 1, 8, 4, &body);
    assert_eq!(decode(&whole).unwrap(), b"abcdefgh");
    let cbytes = whole.len() as i32;
    for block in [0, 1] {
        for start in [i32::MIN, -1, 0, 1, 31, 32, 39, cbytes - 3, cbytes, cbytes + 1, i32::MAX - 4, i32::MAX] {
            let mut damaged = whole.clone();
            put(&mut damaged, 32 + 4 * block, start);
            let error = refused(&damaged);
            assert!(matches!(error, DecodeError::Place { what: "bstart", .. }), "{start}: {error}");
            assert!(Chunk::parse(&damaged).unwrap().bstarts().is_err());
        }
        for start in 40..=cbytes - 4 {
            let mut damaged = whole.clone();
            put(&mut damaged, 32 + 4 * block, start);
            let _ = decode(&damaged);
        }
    }
    // Blocks that share bytes, or are stored in another order, are valid.
    for (starts, plain) in [([40, 40], b"abcdabcd"), ([48, 40], b"efghabcd")] {
        let mut shared = whole.clone();
        put(&mut shared, 32, starts[0]);
        put(&mut shared, 36, starts[1]);
        assert_eq!(decode(&shared).unwrap(), plain);
    }
}

/// More blocks than the chunk has room for block starts.
#[test]
fn block_counts_that_the_chunk_has_no_room_for() {
    for (nbytes, blocksize) in [(i32::MAX, 1), (i32::MAX, 4), (1 << 20, 1), (9, 3), (2, 1)] {
        let chunk = extended(NOT_SPLIT, 1, nbytes, blocksize, &numbers(&[36]));
        assert!(matches!(refused(&chunk), DecodeError::Field { offset: 8, .. }), "{nbytes} {blocksize}");
    }
}

/// Builds a lazy chunk: header, starts, chunk number, offset, sizes.
fn lazy(flags: u8, blocks: &[(i32, i32)], offset: i64) -> Vec<u8> {
    let n = blocks.len();
    let (starts, sizes): (Vec<_>, Vec<_>) = blocks.iter().copied().unzip();
    let mut chunk = extended(flags, 4, 100 * n as i32, 100, &[]);
    chunk[31] |= 0x08;
    let cbytes = if flags & MEMCPYED != 0 { 32 + 100 * n as i32 } else { 1000 };
    put(&mut chunk, 12, cbytes);
    chunk.extend(numbers(&starts));
    chunk.extend(numbers(&[3]));
    chunk.extend(offset.to_le_bytes());
    chunk.extend(numbers(&sizes));
    chunk
}

/// The form of lazy chunks that C-Blosc2 returns for a frame on disk.
#[test]
fn lazy_chunks_as_they_should_be() {
    let blocks = [(52, 90), (142, 104), (246, 7), (253, 116), (369, 1)];
    let bytes = lazy(NOT_SPLIT, &blocks, 0x1_2345_6789);
    assert_eq!(bytes.len(), 84);
    let chunk = LazyChunk::parse(&bytes).unwrap();
    assert_eq!((chunk.nchunk(), chunk.offset()), (3, 0x1_2345_6789));
    assert_eq!(chunk.bstarts(), blocks.map(|(start, _)| start));
    assert_eq!(chunk.block_csizes(), blocks.map(|(_, csize)| csize));
    assert_eq!((chunk.header().cbytes(), chunk.header().nblocks()), (1000, 5));
    assert_eq!(refused(&bytes), DecodeError::Lazy);

    // In a memcpyed chunk, the starts are present and have no meaning.
    let memcpyed = lazy(MEMCPYED, &[(-1, 100); 5], 0);
    let chunk = LazyChunk::parse(&memcpyed).unwrap();
    assert!(chunk.bstarts().is_empty() && chunk.block_csizes() == [100; 5]);
    assert_eq!(refused(&memcpyed), DecodeError::Lazy);
}

/// Lazy chunks of C-Blosc2 3.3.5 (`SChunk.get_lazychunk(1)` of a frame on disk): 20,000 bytes in five blocks,
/// compressed with LZ4, stored, and with a dictionary. The starts of the stored one are left over from the preceding
/// chunk.
#[test]
fn lazy_chunks_of_c_blosc2() {
    let all = [
        (
            "05012504204e0000a00f00005b06000000000000000101000000000000000008340000006b010000a7020000e30300001f0500000100\
             0000bc06000000000000370100003c0100003c0100003c0100003c010000",
            1724,
            &[52, 363, 679, 995, 1311][..],
            [311, 316, 316, 316, 316],
        ),
        (
            "05010704204e0000a00f0000404e000000000000000101000000000000000008340000006b010000a7020000e30300001f0500000100\
             0000a14e000000000000a00f0000a00f0000a00f0000a00f0000a00f0000",
            20_129,
            &[],
            [4000; 5],
        ),
        (
            "05018504204e0000a00f00003703000000000000000105000000000000000009bc01000005020000510200009d020000ea0200000100\
             00009803000000000000490000004c0000004c0000004d0000004d000000",
            920,
            &[444, 517, 593, 669, 746],
            [73, 76, 76, 77, 77],
        ),
    ];
    for (hex, offset, starts, csizes) in all {
        let bytes: Vec<u8> =
            (0..hex.len() / 2).map(|at| u8::from_str_radix(&hex[2 * at..][..2], 16).unwrap()).collect();
        let chunk = LazyChunk::parse(&bytes).unwrap();
        assert_eq!((chunk.header().nbytes(), chunk.header().nblocks()), (20_000, 5));
        assert_eq!((chunk.nchunk(), chunk.offset()), (1, offset));
        assert_eq!((chunk.bstarts(), chunk.block_csizes()), (starts, &csizes[..]));
        assert_eq!(refused(&bytes), DecodeError::Lazy);
    }
}

/// C-Blosc2 9fa13e1c, 41ac4389, 11672f47, 6b574937: lazy trailers that are cut off or contain invalid numbers.
#[test]
fn lazy_trailers_cut_off_and_damaged() {
    let blocks = [(52, 90), (142, 104), (246, 7)];
    let whole = lazy(NOT_SPLIT, &blocks, 1 << 40);
    for len in 0..whole.len() {
        assert!(LazyChunk::parse(&whole[..len]).is_err(), "{len}");
    }
    // A block has at most 116 bytes: 100, and a csize for each of four streams.
    for csize in [i32::MIN, -1, 0, 117, 1000, i32::MAX] {
        let damaged = lazy(NOT_SPLIT, &[blocks[0], (142, csize), blocks[2]], 0);
        let error = LazyChunk::parse(&damaged).unwrap_err();
        assert!(matches!(error, DecodeError::Place { block: 1, .. }), "{csize}: {error}");
    }
    for start in [i32::MIN, -1, 0, 31, 1001, i32::MAX] {
        let damaged = lazy(NOT_SPLIT, &[(start, 90), blocks[1], blocks[2]], 0);
        assert!(matches!(LazyChunk::parse(&damaged), Err(DecodeError::Place { block: 0, .. })), "{start}");
    }
    for offset in [-1, i64::MIN, i64::MAX, i64::MAX - 999] {
        assert!(matches!(LazyChunk::parse(&lazy(NOT_SPLIT, &blocks, offset)), Err(DecodeError::Field { .. })));
    }
    assert!(LazyChunk::parse(&lazy(NOT_SPLIT, &blocks, i64::MAX - 1000)).is_ok());
    let mut number = whole.clone();
    put(&mut number, 32 + 12, -1);
    assert!(matches!(LazyChunk::parse(&number), Err(DecodeError::Field { .. })));

    let mut many = whole.clone();
    put(&mut many, 4, i32::MAX);
    put(&mut many, 8, 1);
    let (result, usage) = testdata::CountingAlloc::measure(|| LazyChunk::parse(&many));
    assert!(matches!(result, Err(DecodeError::Truncated { .. })));
    assert!(usage.peak < 1024, "{usage:?}");
}

/// A block of variable length has a size before its payload, so four bytes hold no payload.
#[test]
fn lazy_blocks_of_variable_length() {
    let vl = |csizes: [i32; 2]| {
        let mut chunk = lazy(NOT_SPLIT, &[(40, csizes[0]), (100, csizes[1])], 0);
        (chunk[0], chunk[30]) = (6, 1);
        put(&mut chunk, 8, 2);
        chunk
    };
    assert_eq!(LazyChunk::parse(&vl([5, 60])).unwrap().block_csizes(), [5, 60]);
    for csize in [i32::MIN, -1, 0, 4] {
        assert!(matches!(LazyChunk::parse(&vl([60, csize])), Err(DecodeError::Place { block: 1, .. })), "{csize}");
    }
}

/// Special chunks are never lazy, regardless of the flag. Other chunks are not lazy without it.
#[test]
fn lazy_or_not() {
    let mut zeros = extended(0, 1, 100, 100, &[]);
    zeros[31] = 0x18;
    assert_eq!(decode(&zeros).unwrap(), [0; 100]);
    assert!(matches!(LazyChunk::parse(&zeros), Err(DecodeError::Flags { offset: 31, .. })));
    let mut eager = lazy(NOT_SPLIT, &[(44, 100)], 0);
    eager[31] = 0;
    assert!(matches!(LazyChunk::parse(&eager), Err(DecodeError::Flags { offset: 31, .. })));
}
