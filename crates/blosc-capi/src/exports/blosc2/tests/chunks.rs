//! Chunks, items, masks, special values, damage.

use std::ptr::null_mut;

use blosc_core::{Chunk, Decoder};
use testdata::{PlainKind, SplitMix64};

use super::*;

#[test]
fn chunks_are_those_of_the_engine() {
    let plain = testdata::plain(PlainKind::Ramp, 100_000, 4, 3);
    for compcode in [0, 1, 2, 4, 5] {
        let chunk = chunk(Cparams { compcode, typesize: 4, nthreads: 2, ..CPARAMS }, &plain);
        assert_eq!(blosc_core::decompress(&chunk).unwrap(), plain);
        let (code, found) = decompress(Dparams { nthreads: 2, ..DPARAMS }, &chunk, plain.len());
        assert_eq!(code as usize, plain.len());
        assert!(found == plain);
    }
}

/// Damaged chunks give a code, or what the engine decodes, and never write past the output.
#[test]
fn malformed_chunks_are_errors() {
    let (files, manifest) = (testdata::archive("chunks-malformed"), testdata::manifest("chunks-malformed"));
    let (mut refused, mut decoded) = (0, 0);
    for item in manifest["items"].as_array().unwrap() {
        let number = |field: &str| item[field].as_u64().unwrap() as usize;
        let bytes = &files["malformed.bin"][number("offset")..][..number("length")];
        let room = blosc_core::Header::parse(bytes).map_or(1000, |header| header.nbytes());
        if room > 1 << 24 {
            continue;
        }
        let (code, dst) = decompress(DPARAMS, bytes, room);
        match Chunk::parse(bytes).and_then(|chunk| Decoder::new().decompress(&chunk)) {
            Ok(plain) if code >= 0 => {
                assert_eq!((code as usize, &dst), (plain.len(), &plain));
                decoded += 1;
            }
            _ => {
                assert!(code <= 0, "{code}");
                refused += 1;
            }
        }
    }
    assert!(refused > 200, "{refused} refused, {decoded} decoded");
}

#[test]
fn changed_bytes_stay_within_the_output() {
    let plain = testdata::plain(PlainKind::Ramp, 3000, 4, 3);
    let mut rng = SplitMix64::new(29);
    for (compcode, use_dict) in [(0, 0), (1, 0), (2, 0), (4, 0), (5, 1)] {
        let chunk = chunk(Cparams { compcode, use_dict, typesize: 4, blocksize: 1000, ..CPARAMS }, &plain);
        for at in 0..chunk.len() {
            let mut changed = chunk.clone();
            changed[at] ^= 1 << rng.below(8);
            let (code, dst) = decompress(DPARAMS, &changed, plain.len() + 64);
            let written = usize::try_from(code).unwrap_or(plain.len() + 64);
            assert!(dst[written..].iter().all(|byte| *byte == 0xA5), "past the end");
            let mut items = [0xA5_u8; 40 + 16];
            let (src, len) = (changed.as_ptr().cast(), changed.len() as i32);
            // SAFETY: two buffers with their lengths.
            unsafe { blosc2_getitem(src, len, 2, 10, items.as_mut_ptr().cast(), 40) };
            assert!(items[40..].iter().all(|byte| *byte == 0xA5), "past the end of the items");
        }
    }
}

#[test]
fn items_are_slices() {
    let plain = testdata::plain(PlainKind::Ramp, 100_000, 4, 3);
    let chunk = chunk(Cparams { typesize: 4, ..CPARAMS }, &plain);
    let getitem = |start: i32, nitems: i32, dst: &mut [u8]| {
        let (to, room) = (dst.as_mut_ptr().cast(), dst.len() as i32);
        // SAFETY: two buffers with their lengths.
        unsafe { blosc2_getitem(chunk.as_ptr().cast(), chunk.len() as i32, start, nitems, to, room) }
    };
    for (start, nitems) in [(0, 1), (24_999, 1), (123, 20_000), (0, 25_000), (7, 0)] {
        let mut items = vec![0; nitems as usize * 4];
        assert_eq!(getitem(start, nitems, &mut items), nitems * 4);
        assert!(items == plain[start as usize * 4..][..items.len()]);
    }
    for (start, nitems, code) in [(-1, 2, -12), (24_999, 2, -12), (5, -2, -12), (0, i32::MAX, -6), (i32::MAX, 1, -12)] {
        assert_eq!(getitem(start, nitems, &mut [0; 8]), code, "{start}, {nitems}");
    }
    assert_eq!(getitem(0, 3, &mut [0; 8]), -6);
}

#[test]
fn a_mask_is_for_one_call() {
    let plain = testdata::plain(PlainKind::Ramp, 10_000, 4, 3);
    let chunk = chunk(Cparams { typesize: 4, blocksize: 4000, ..CPARAMS }, &plain);
    let mut dst = vec![0xA5; plain.len()];
    // SAFETY: a context, and buffers with their lengths.
    unsafe {
        let context = blosc2_create_dctx(DPARAMS);
        let mut run = || {
            let to = dst.as_mut_ptr().cast();
            blosc2_decompress_ctx(context, chunk.as_ptr().cast(), chunk.len() as i32, to, plain.len() as i32)
        };
        assert_eq!(blosc2_set_maskout(context, [1, 0].as_ptr(), 2), 0);
        assert_eq!(run(), -3);
        assert_eq!(blosc2_set_maskout(context, [1, 0, 1].as_ptr(), 3), 0);
        assert_eq!(run(), plain.len() as i32);
        assert!(dst[..4000].iter().all(|byte| *byte == 0xA5) && dst[4000..8000] == plain[4000..8000]);
        let mut run = || {
            let to = dst.as_mut_ptr().cast();
            blosc2_decompress_ctx(context, chunk.as_ptr().cast(), chunk.len() as i32, to, plain.len() as i32)
        };
        assert_eq!(run(), plain.len() as i32);
        assert!(dst == plain);
        blosc2_free_ctx(context);
    }
}

#[test]
fn special_chunks() {
    let params = Cparams { typesize: 4, ..CPARAMS };
    let mut dst = [0_u8; 64];
    let to = dst.as_mut_ptr().cast();
    // SAFETY: the output has its length, the value four bytes.
    unsafe {
        assert_eq!(blosc2_chunk_zeros(params, 400, to, 31), -3);
        assert_eq!(blosc2_chunk_zeros(params, 401, to, 64), -3);
        assert_eq!(blosc2_chunk_nans(params, 400, to, 64), 32);
        assert_eq!(blosc2_chunk_uninit(params, 400, to, 64), 32);
        assert_eq!(blosc2_chunk_repeatval(params, 400, to, 35, pointer(&7_u32)), -3);
        assert_eq!(blosc2_chunk_repeatval(params, 400, to, 64, null_mut()), -32);
        assert_eq!(blosc2_chunk_repeatval(params, 400, to, 64, pointer(&7_u32)), 36);
    }
    let (code, plain) = decompress(DPARAMS, &dst[..36], 400);
    assert_eq!((code, plain), (400, 7_u32.to_le_bytes().repeat(100)));
}

#[test]
fn parameters_and_sizes_are_refused() {
    let noise = testdata::noise(1000, 1);
    let code = |cparams: Cparams, destsize: usize| compress(cparams, &noise, destsize).0;
    let fits = Cparams { typesize: 4, ..CPARAMS };
    assert_eq!((code(fits, 31), code(fits, 32), code(fits, 1031), code(fits, 1032)), (-35, 0, 0, 1032));
    assert_eq!(code(Cparams { clevel: 10, ..fits }, 2000), -8);
    assert_eq!(code(Cparams { typesize: 0, ..fits }, 2000), -12);
    assert_eq!(code(Cparams { compcode: 3, ..fits }, 2000), -7);
    assert_eq!(code(Cparams { compcode: 200, ..fits }, 2000), -7);
    assert_eq!(code(Cparams { use_dict: 1, ..fits }, 2000), -8);
    assert_eq!(code(Cparams { instr_codec: 1, ..fits }, 2000), -7);
    // SAFETY: parameters without pointers, and null pointers.
    unsafe {
        assert!(blosc2_create_cctx(Cparams { filters: [0, 0, 0, 0, 0, 9], ..fits }).is_null());
        assert!(blosc2_create_cctx(Cparams { tuner_id: 200, ..fits }).is_null());
        assert_eq!(blosc2_compress_ctx(null_mut(), null_mut(), 0, null_mut(), 0), -32);
        assert_eq!(blosc2_decompress(null_mut(), 100, null_mut(), 100), -32);
        assert_eq!(blosc1_cbuffer_validate(null_mut(), 100, null_mut()), -32);
        let decoder = blosc2_create_dctx(DPARAMS);
        assert_eq!(blosc2_compress_ctx(decoder, null_mut(), 0, null_mut(), 0), -12);
        blosc2_free_ctx(decoder);
    }
}

/// Records of functions for inputs are kept at their place.
#[test]
fn inputs_are_records() {
    let name = c"memory".as_ptr().cast_mut();
    let record = IoCallbacks {
        id: 170,
        name,
        is_allocation_necessary: 1,
        open: None,
        close: None,
        size: None,
        write: None,
        read: None,
        truncate: None,
        destroy: None,
    };
    blosc2_init();
    // SAFETY: valid records with names.
    unsafe {
        assert_eq!(blosc2_register_io_cb(&IoCallbacks { id: 100, ..record }), -30);
        assert!(blosc2_get_io_cb(170).is_null());
        assert_eq!(blosc2_register_io_cb(&record), 0);
        assert_eq!(blosc2_register_io_cb(&record), 0);
        assert_eq!(blosc2_register_io_cb(&IoCallbacks { name: c"other".as_ptr().cast_mut(), ..record }), -30);
        let found = blosc2_get_io_cb(170);
        assert_eq!(((*found).id, (*found).name, found), (170, name, blosc2_get_io_cb(170)));
    }
}
