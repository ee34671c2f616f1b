//! Filters that need the shape of a block or the typesize of the super-chunk, which contexts have as a parameter.

use std::ptr::{null, null_mut};

use super::*;

const NDCELL: u8 = 32;
const NDMEAN: u8 = 33;
const BYTEDELTA: u8 = 35;

const SHAPE: [i64; 2] = [40, 30];
const CHUNKS: [i32; 2] = [20, 15];
const BLOCKS: [i32; 2] = [8, 6];

/// Bytes of a chunk of items of 4 bytes, in blocks.
const CHUNK: usize = 24 * 18 * 4;
const BLOCK: i32 = 8 * 6 * 4;

fn filters(id: u8, meta: u8) -> Cparams {
    let mut cparams = Cparams { typesize: 4, compcode: 1, blocksize: BLOCK, ..CPARAMS };
    (cparams.filters, cparams.filters_meta) = ([0, 0, 0, 0, id, 1], [0, 0, 0, 0, meta, 0]);
    cparams
}

/// Calls `work` with an array without items.
fn with_array(cparams: &mut Cparams, work: impl FnOnce(*mut NdArray)) {
    let storage = Storage { contiguous: 1, urlpath: null_mut(), cparams, dparams: null_mut(), io: null_mut() };
    let (shape, chunks, blocks) = (SHAPE.as_ptr(), CHUNKS.as_ptr(), BLOCKS.as_ptr());
    let mut array = null_mut();
    // SAFETY: lists of the axes; the storage is copied.
    unsafe {
        let ctx = b2nd_create_ctx(&storage, 2, shape, chunks, blocks, null(), 0, null(), 0);
        assert_eq!(b2nd_zeros(ctx, &mut array), 0);
        work(array);
        assert_eq!((b2nd_free(array), b2nd_free_ctx(ctx)), (0, 0));
    }
}

fn plain(len: usize) -> Vec<u8> {
    (0..len as u32 / 4).flat_map(|index| (index * 3 % 1000).to_le_bytes()).collect()
}

#[test]
fn arrays_have_filters_that_need_the_shape() {
    for (id, meta, stored) in [(NDCELL, 4, 4), (BYTEDELTA, 0, 4)] {
        with_array(&mut filters(id, meta), |array| {
            let items = plain(4 * 40 * 30);
            let mut found = vec![0; items.len()];
            let size = items.len() as i64;
            let (start, stop) = ([0, 0], SHAPE);
            let (from, to) = (start.as_ptr(), stop.as_ptr());
            // SAFETY: lists of the axes, and buffers with their lengths.
            unsafe {
                let (src, dest) = (items.as_ptr().cast(), found.as_mut_ptr().cast());
                assert_eq!(b2nd_set_slice_cbuffer(src, to, size, from, to, array), 0);
                assert_eq!(b2nd_to_cbuffer(array, dest, size), 0);
                let (mut chunk, mut needs_free) = (null_mut(), 0);
                assert!(blosc2_schunk_get_chunk((*array).sc, 0, &mut chunk, &mut needs_free) > 0);
                let header = std::slice::from_raw_parts(chunk, 32);
                assert_eq!((header[20], header[28]), (id, stored));
                libc::free(if needs_free == 1 { chunk.cast() } else { null_mut() });
            }
            assert!(items == found);
        });
    }
}

#[test]
fn contexts_of_a_super_chunk_pass_the_shape() {
    with_array(&mut filters(0, 0), |array| {
        // SAFETY: an array.
        let schunk: *mut c_void = unsafe { (*array).sc }.cast();
        let plain = plain(CHUNK);
        for (id, meta, loses) in [(NDCELL, 4, false), (NDMEAN, 4, true), (BYTEDELTA, 0, false)] {
            let mut chunk = chunk(Cparams { schunk, ..filters(id, meta) }, &plain);
            // C-Blosc2 leaves the number of channels to the super-chunk.
            chunk[28] = meta;
            let (code, found) = decompress(Dparams { schunk, ..DPARAMS }, &chunk, CHUNK);
            assert_eq!((code, found == plain), (CHUNK as i32, !loses), "filter {id}");
            let (code, _) = decompress(DPARAMS, &chunk, CHUNK);
            assert!(code < 0, "filter {id} without a super-chunk: {code}");
            let mut items = [0; 40];
            // SAFETY: an input and an output with their lengths.
            unsafe {
                let context = blosc2_create_dctx(Dparams { schunk, ..DPARAMS });
                let (src, dest) = (chunk.as_ptr().cast(), items.as_mut_ptr().cast());
                assert_eq!(blosc2_getitem_ctx(context, src, chunk.len() as i32, 50, 10, dest, 40), 40);
                blosc2_free_ctx(context);
            }
            assert_eq!(items, found[200..240], "filter {id}");
        }
        let (code, _) = compress(filters(NDCELL, 4), &plain, CHUNK + 32);
        assert!(code < 0, "{code}");
    });
}
