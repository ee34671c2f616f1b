//! Blocks of variable length.

use std::ptr::{null, null_mut};

use testdata::{PlainKind, SplitMix64};

use super::*;

/// Compresses blocks.
fn vl_chunk(cparams: Cparams, blocks: &[&[u8]]) -> Vec<u8> {
    let pointers: Vec<_> = blocks.iter().map(|block| block.as_ptr().cast()).collect();
    let sizes: Vec<_> = blocks.iter().map(|block| block.len() as i32).collect();
    let mut dst = vec![0; 100_000];
    // SAFETY: blocks with their sizes, and an output with its size.
    let code = unsafe {
        let context = blosc2_create_cctx(cparams);
        let (count, to) = (blocks.len() as i32, dst.as_mut_ptr().cast());
        let code = blosc2_vlcompress_ctx(context, pointers.as_ptr(), sizes.as_ptr(), count, to, 100_000);
        blosc2_free_ctx(context);
        code
    };
    assert!(code > 0, "{code}");
    dst.truncate(code as usize);
    dst
}

/// Decompresses at most `most` blocks.
fn vl_blocks(chunk: &[u8], most: usize) -> Result<Vec<Vec<u8>>, i32> {
    let (mut pointers, mut sizes) = (vec![null_mut::<c_void>(); most], vec![0_i32; most]);
    // SAFETY: a chunk with its size, and room for `most` blocks.
    unsafe {
        let context = blosc2_create_dctx(DPARAMS);
        let (src, len) = (chunk.as_ptr().cast(), chunk.len() as i32);
        let (dests, destsizes) = (pointers.as_mut_ptr(), sizes.as_mut_ptr());
        let code = blosc2_vldecompress_ctx(context, src, len, dests, destsizes, most as i32);
        blosc2_free_ctx(context);
        let count = usize::try_from(code).map_err(|_| code)?;
        let block = |(pointer, size): (&*mut c_void, &i32)| {
            let block = std::slice::from_raw_parts(pointer.cast::<u8>(), *size as usize).to_vec();
            libc::free(*pointer);
            block
        };
        Ok(pointers.iter().zip(&sizes).take(count).map(block).collect())
    }
}

#[test]
fn blocks_come_back() {
    let plain = testdata::plain(PlainKind::Ramp, 5000, 4, 3);
    let blocks = [&plain[..3], &plain[3..2000], &plain[2000..2001], &plain[2001..]];
    let chunk = vl_chunk(Cparams { compcode: 5, ..CPARAMS }, &blocks);
    assert_eq!(vl_blocks(&chunk, 4).unwrap(), blocks);
    assert_eq!(vl_blocks(&chunk, 3), Err(-12));
    let (mut count, mut block, mut size) = (0, null_mut(), 0);
    let (src, len) = (chunk.as_ptr().cast(), chunk.len() as i32);
    // SAFETY: a chunk with its size, and variables.
    unsafe {
        assert_eq!((blosc2_vlchunk_get_nblocks(src, len, &mut count), count), (0, 4));
        let context = blosc2_create_dctx(DPARAMS);
        assert_eq!(blosc2_vldecompress_block_ctx(context, src, len, 4, &mut block, &mut size), -12);
        assert_eq!(blosc2_vldecompress_block_ctx(context, src, len, -1, &mut block, &mut size), -12);
        assert_eq!(blosc2_vldecompress_block_ctx(context, src, len, 1, &mut block, &mut size), 1997);
        assert_eq!(std::slice::from_raw_parts(block, size as usize), blocks[1]);
        libc::free(block.cast());
        blosc2_free_ctx(context);
        assert_eq!(blosc2_getitem(src, len, 0, 1, null_mut(), 100), -12);
    }
    assert_eq!(decompress(DPARAMS, &chunk, plain.len()), (plain.len() as i32, plain.clone()));
    let fixed = super::chunk(CPARAMS, &plain);
    assert_eq!(vl_blocks(&fixed, 4), Err(-12));
}

#[test]
fn damaged_blocks_are_errors() {
    let plain = testdata::plain(PlainKind::Ramp, 400, 4, 3);
    let blocks = [&plain[..30], &plain[30..200], &plain[200..]];
    let chunk = vl_chunk(Cparams { compcode: 1, ..CPARAMS }, &blocks);
    let mut rng = SplitMix64::new(6);
    let mut refused = 0;
    for at in 0..chunk.len() {
        let mut changed = chunk.clone();
        changed[at] ^= 1 << rng.below(8);
        refused += u32::from(vl_blocks(&changed, 3).is_err());
    }
    assert!(refused > 30, "{refused}");
}

#[test]
fn sources_are_checked() {
    let block = [7_u8; 100];
    let (pointers, mut dst) = ([block.as_ptr().cast(), null()], [0_u8; 1000]);
    let to: *mut c_void = dst.as_mut_ptr().cast();
    // SAFETY: blocks with their sizes, or what is refused before it is read.
    unsafe {
        let context = blosc2_create_cctx(CPARAMS);
        let run = |sizes: [i32; 2], count: i32, destsize: i32| {
            blosc2_vlcompress_ctx(context, pointers.as_ptr(), sizes.as_ptr(), count, to, destsize)
        };
        assert_eq!(run([100, 5], 2, 1000), -12);
        assert_eq!(run([0, 0], 1, 1000), -12);
        assert_eq!(run([100, 0], 0, 1000), -12);
        assert_eq!(run([100, 0], 1, 31), -35);
        assert_eq!(run([100, 0], 1, 40), 0);
        assert!(run([100, 0], 1, 1000) > 0);
        let inside = [to.cast_const().byte_add(100)];
        assert_eq!(blosc2_vlcompress_ctx(context, inside.as_ptr(), [100].as_ptr(), 1, to, 1000), -12);
        blosc2_free_ctx(context);
    }
}
