//! Data outside of the program's memory gives the same chunks as data in it, and is copied block by block.

use blosc_core::{
    CParams, Cancel, Codec, EncodeError, Encoder, Filter, FilterPipeline, Header, decompress, max_cbytes,
};
use std::ops::Range;

/// Compresses `plain` through a function that copies it. Returns the ranges that were copied.
fn compress(encoder: &mut Encoder, plain: &[u8], dst: &mut [u8]) -> Result<(usize, Vec<Range<usize>>), EncodeError> {
    let mut copied = Vec::new();
    let read = |offset: usize, into: &mut [u8]| {
        copied.push(offset..offset + into.len());
        into.copy_from_slice(&plain[offset..][..into.len()]);
    };
    let cbytes = encoder.compress_from(plain.len(), read, dst)?;
    Ok((cbytes, copied))
}

/// Checks that the chunk is `expected`, with room for any chunk and for just this one, and that less room is refused.
/// Then checks a chunk that a function takes.
pub(crate) fn check(encoder: &mut Encoder, plain: &[u8], expected: &[u8]) {
    for room in [max_cbytes(plain.len()), expected.len()] {
        let mut dst = vec![0x5A; room + 1];
        let (cbytes, _) = compress(encoder, plain, &mut dst[..room]).unwrap();
        assert!(dst[..cbytes] == *expected && dst[room] == 0x5A, "{:?}, room {room}", encoder.params());
    }
    if !expected.is_empty() {
        let refused = compress(encoder, plain, &mut vec![0; expected.len() - 1]);
        assert!(matches!(refused, Err(EncodeError::Destination { .. })), "{refused:?}");
    }
    let mut chunk = vec![0x5A; max_cbytes(plain.len())];
    let read = |offset: usize, into: &mut [u8]| into.copy_from_slice(&plain[offset..][..into.len()]);
    let write = |offset: usize, bytes: &[u8]| chunk[offset..][..bytes.len()].copy_from_slice(bytes);
    let cbytes = encoder.compress_through(plain.len(), read, write).unwrap();
    assert!(chunk[..cbytes] == *expected, "{:?}", encoder.params());
}

/// Returns the ranges that are copied of 3 MB, after comparing the chunk.
fn copied(params: CParams, plain: &[u8]) -> (Vec<Range<usize>>, Header) {
    let mut encoder = Encoder::new(params).unwrap();
    let expected = encoder.compress(plain).unwrap();
    check(&mut encoder, plain, &expected);
    let (_, copied) = compress(&mut encoder, plain, &mut vec![0; max_cbytes(plain.len())]).unwrap();
    (copied, Header::parse(&expected).unwrap())
}

#[test]
fn compressible_data_is_copied_once_block_by_block() {
    let plain = testdata::ramp(3_000_001, 8, 1);
    for params in [CParams::new(), CParams::blosc2()].map(|params| params.codec(Codec::Lz4).typesize(8)) {
        let (copied, header) = copied(params, &plain);
        // The test for incompressible data looks at 64 items.
        let blocks = &copied[64..];
        assert!(copied[..64].iter().all(|item| item.len() == 8));
        assert!(header.nblocks() > 1 && header.blocksize() < 2 << 20);
        let expected = (0..header.nblocks()).map(|index| index * header.blocksize());
        let expected = expected.map(|start| start..plain.len().min(start + header.blocksize()));
        assert_eq!(blocks, expected.collect::<Vec<_>>());
    }
}

#[test]
fn short_data_is_copied_at_once() {
    for plain in [testdata::ramp(2_000_000, 8, 1), dense(1_000_000), testdata::noise(2 << 20, 1), vec![7]] {
        let (copied, _) = copied(CParams::blosc2().codec(Codec::Lz4).typesize(8), &plain);
        assert_eq!((copied.len(), copied[0].clone()), (1, 0..plain.len()));
    }
}

/// Returns bytes that no codec without an entropy coder compresses. The test for incompressible data sees that they are
/// not equally frequent.
fn dense(nbytes: usize) -> Vec<u8> {
    testdata::noise(nbytes, 1).into_iter().map(|byte| (byte & 0xC0) | (byte % 24)).collect()
}

#[test]
fn incompressible_data_is_copied_again_in_parts() {
    let params = CParams::blosc2().codec(Codec::Lz4);
    for (params, is_tried) in [(params, true), (params.clevel(0), false)] {
        let (copied, header) = copied(params, &dense(3_000_000));
        assert!(header.is_memcpyed());
        let again = copied.iter().rposition(|part| part.start == 0).unwrap();
        let (before, parts) = copied.split_at(again);
        let blocks = before.get(64..).unwrap_or_default();
        assert_eq!((before.is_empty(), blocks.is_empty()), (!is_tried, !is_tried));
        assert!(blocks.iter().all(|block| block.len() <= header.blocksize()));
        assert_eq!(parts.iter().try_fold(0, |end, part| (part.start == end).then_some(part.end)), Some(3_000_000));
        assert!(parts.iter().all(|part| part.len() <= 1 << 20), "{parts:?}");
    }
}

#[test]
fn data_that_changes_between_two_copies_is_mixed() {
    for plain in [testdata::ramp(3_000_000, 1, 1), testdata::noise(3_000_000, 1), dense(3_000_000), dense(1_000_000)] {
        let changing = || {
            let (plain, mut number) = (&plain, 0_u8);
            move |offset: usize, into: &mut [u8]| {
                number = number.wrapping_add(1);
                into.iter_mut().zip(&plain[offset..]).for_each(|(to, from)| *to = from ^ number);
            }
        };
        let mut encoder = Encoder::new(CParams::blosc2().codec(Codec::Lz4)).unwrap();
        let mut dst = vec![0; max_cbytes(plain.len())];
        let cbytes = encoder.compress_from(plain.len(), changing(), &mut dst).unwrap();
        let mixed = decompress(&dst[..cbytes]).unwrap();
        assert!(mixed.len() == plain.len() && mixed != plain);
        let write = |offset: usize, bytes: &[u8]| dst[offset..][..bytes.len()].copy_from_slice(bytes);
        let cbytes = encoder.compress_through(plain.len(), changing(), write).unwrap();
        assert!(decompress(&dst[..cbytes]).unwrap() == mixed);
    }
}

#[test]
fn data_that_is_needed_at_once_is_copied_at_once() {
    let ramp = testdata::ramp(3_000_000, 8, 1);
    let noise = testdata::noise(3_000_000, 1);
    let whole = |copied: &[Range<usize>]| copied.last() == Some(&(0..3_000_000));
    let delta = FilterPipeline::try_from(&[Filter::Delta, Filter::Shuffle][..]).unwrap();
    let params = CParams::blosc2().codec(Codec::Lz4).typesize(8);
    for (params, plain) in [(params.filters(delta), &ramp), (params, &noise)] {
        assert!(whole(&copied(params, plain).0), "{params:?}");
    }
    assert!(!whole(&copied(params, &ramp).0));
}

#[test]
fn a_prefilter_applies() {
    let plain = testdata::ramp(100_000, 4, 1);
    let encoder = || Encoder::new(CParams::new().typesize(4)).unwrap();
    let mut encoder = encoder().prefilter(|block, src, dst| {
        dst.iter_mut().zip(src).for_each(|(to, from)| *to = from ^ block.index as u8 ^ 1);
        Ok(())
    });
    let expected = encoder.compress(&plain).unwrap();
    check(&mut encoder, &plain, &expected);
}

#[test]
fn too_much_data_is_refused_before_it_is_copied() {
    let nbytes = Header::MAX_NBYTES + 1;
    let mut encoder = Encoder::new(CParams::new()).unwrap();
    let refused = encoder.compress_from(nbytes, |_, _| unreachable!(), &mut []);
    assert_eq!(refused, Err(EncodeError::TooLarge { nbytes, max: Header::MAX_NBYTES }));
    let refused = encoder.compress_through(nbytes, |_, _| unreachable!(), |_, _| unreachable!());
    assert_eq!(refused, Err(EncodeError::TooLarge { nbytes, max: Header::MAX_NBYTES }));
}

#[test]
fn cancelled_compression_copies_nothing() {
    let cancel = Cancel::new();
    cancel.cancel();
    let mut encoder = Encoder::new(CParams::new()).unwrap().cancel(cancel);
    let refused = encoder.compress_from(3_000_000, |_, _| unreachable!(), &mut []);
    assert_eq!(refused, Err(EncodeError::Cancelled));
    let refused = encoder.compress_through(3_000_000, |_, _| unreachable!(), |_, _| unreachable!());
    assert_eq!(refused, Err(EncodeError::Cancelled));
}
