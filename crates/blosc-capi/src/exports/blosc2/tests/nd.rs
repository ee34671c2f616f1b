//! Arrays: in each storage, read and written by bloscpack-io too, and with arguments that cannot be right.

use std::ffi::{CString, c_char, c_int};
use std::io::Read as _;
use std::path::Path;
use std::ptr::{null, null_mut};

use super::*;
use crate::blosc2::codes::{FAILURE, INVALID_INDEX, INVALID_PARAM, MAX_BUFSIZE, METALAYER_NOT_FOUND, NULL_POINTER};

const SHAPE: [i64; 3] = [7, 5, 9];
const CHUNKS: [i32; 3] = [4, 3, 5];
const BLOCKS: [i32; 3] = [2, 2, 5];

/// The items of an array of a shape: their numbers in C order.
fn items(shape: &[i64]) -> Vec<i32> {
    (0..shape.iter().product::<i64>() as i32).collect()
}

fn nbytes(items: &[i32]) -> i64 {
    size_of_val(items) as i64
}

/// Calls `work` with parameters for each storage, and the path of its frame.
fn with_each(work: impl Fn(*mut NdContext, Option<&Path>)) {
    for (contiguous, is_file) in [(0, false), (1, false), (1, true), (0, true)] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("array");
        let text = CString::new(path.to_str().unwrap()).unwrap();
        let urlpath = if is_file { text.as_ptr().cast_mut() } else { null_mut() };
        let ctx = parameters(contiguous, urlpath, &SHAPE, &CHUNKS, &BLOCKS);
        work(ctx, is_file.then_some(&path));
        // SAFETY: created above.
        assert_eq!(unsafe { b2nd_free_ctx(ctx) }, 0);
    }
}

fn parameters(contiguous: u8, urlpath: *mut c_char, shape: &[i64], chunks: &[i32], blocks: &[i32]) -> *mut NdContext {
    let mut cparams = Cparams { typesize: 4, compcode: 1, ..CPARAMS };
    let storage = Storage { contiguous, urlpath, cparams: &mut cparams, dparams: null_mut(), io: null_mut() };
    let (dims, dtype) = (shape.len() as i8, c"<i4".as_ptr());
    // SAFETY: lists of the axes; the storage is copied.
    let ctx = unsafe {
        b2nd_create_ctx(&storage, dims, shape.as_ptr(), chunks.as_ptr(), blocks.as_ptr(), dtype, 0, null(), 0)
    };
    assert!(!ctx.is_null());
    ctx
}

/// Creates an array of numbers.
fn array(ctx: *mut NdContext) -> *mut NdArray {
    let (all, mut array) = (items(&SHAPE), null_mut());
    // SAFETY: parameters, and a buffer with its length.
    assert_eq!(unsafe { b2nd_from_cbuffer(ctx, &mut array, all.as_ptr().cast(), nbytes(&all)) }, 0);
    array
}

/// Returns all items.
fn all(array: *const NdArray) -> Vec<i32> {
    // SAFETY: an array, and a buffer with its length.
    unsafe {
        let mut found = vec![-1; (*array).counts.nitems as usize];
        assert_eq!(b2nd_to_cbuffer(array, found.as_mut_ptr().cast(), nbytes(&found)), 0);
        found
    }
}

/// Returns the shape that programs see.
fn shape(array: *const NdArray) -> Vec<i64> {
    // SAFETY: an array.
    let array = unsafe { &*array };
    array.shape[..array.ndim as usize].to_vec()
}

/// Releases an array.
fn free(array: *mut NdArray) {
    // SAFETY: created, and not used afterwards.
    assert_eq!(unsafe { b2nd_free(array) }, 0);
}

/// Returns the items from `start` to `stop` of an array of numbers.
fn expected(start: [i64; 3], stop: [i64; 3]) -> Vec<i32> {
    let mut items = Vec::new();
    for (a, b) in (start[0]..stop[0]).flat_map(|a| (start[1]..stop[1]).map(move |b| (a, b))) {
        items.extend((start[2]..stop[2]).map(|c| ((a * SHAPE[1] + b) * SHAPE[2] + c) as i32));
    }
    items
}

#[test]
fn slices_are_read_and_written() {
    with_each(|ctx, path| {
        let array = array(ctx);
        assert_eq!(all(array), items(&SHAPE));
        let (start, stop, room) = ([1, 2, 3], [6, 4, 8], [5, 3, 6]);
        let mut found = vec![-1; 5 * 3 * 6];
        // SAFETY: lists of the axes, and a buffer with its length.
        unsafe {
            let (from, to) = (start.as_ptr(), stop.as_ptr());
            let size = nbytes(&found);
            assert_eq!(b2nd_get_slice_cbuffer(array, from, to, found.as_mut_ptr().cast(), room.as_ptr(), size), 0);
            let rows: Vec<i32> = found.chunks(6).filter(|row| row[0] != 0).flat_map(|row| row[..5].to_vec()).collect();
            assert_eq!(rows, expected(start, stop));
            // Written back elsewhere.
            let (from, to) = ([2, 3, 4], [7, 5, 9]);
            let (buffer, shape) = (found.as_ptr().cast(), room.as_ptr());
            assert_eq!(b2nd_set_slice_cbuffer(buffer, shape, size, from.as_ptr(), to.as_ptr(), array), 0);
            let mut again = vec![-1; 50];
            let (buffer, size) = (again.as_mut_ptr().cast(), nbytes(&again));
            let shape = [5_i64, 2, 5];
            assert_eq!(b2nd_get_slice_cbuffer(array, from.as_ptr(), to.as_ptr(), buffer, shape.as_ptr(), size), 0);
            assert_eq!(again, rows);
        }
        if let Some(path) = path.filter(|path| path.is_file()) {
            let (opened, mut bytes) = (bloscpack_io::Array::open(std::fs::read(path).unwrap()).unwrap(), Vec::new());
            opened.stored(&bloscpack_io::UnpackOptions::default()).read_to_end(&mut bytes).unwrap();
            let found: Vec<i32> =
                bytes.chunks_exact(4).map(|item| i32::from_le_bytes(*item.first_chunk().unwrap())).collect();
            assert_eq!(found, all(array));
        }
        free(array);
    });
}

#[test]
fn selections_name_items_in_any_order() {
    with_each(|ctx, _| {
        let array = array(ctx);
        let (mut a, mut b, mut c) = (vec![6_i64, 0, 3], vec![4_i64, 4], vec![8_i64, 0, 5, 1]);
        let mut lists = [a.as_mut_ptr(), b.as_mut_ptr(), c.as_mut_ptr()];
        let (mut sizes, mut found) = ([3_i64, 2, 4], vec![-1; 24]);
        let mut wanted = Vec::new();
        for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            wanted.extend(c.iter().map(|c| ((a * SHAPE[1] + b) * SHAPE[2] + c) as i32));
        }
        let coords: Vec<i64> = wanted.iter().map(|item| i64::from(*item)).collect();
        let (lists, sizes) = (lists.as_mut_ptr(), sizes.as_mut_ptr());
        // SAFETY: lists for each axis, and buffers with their lengths.
        unsafe {
            let (buffer, size) = (found.as_mut_ptr().cast(), nbytes(&found));
            assert_eq!(b2nd_get_orthogonal_selection(array, lists, sizes, buffer, sizes, size), 0);
            assert_eq!(found, wanted);
            found.fill(0);
            assert_eq!(b2nd_get_sparse_cbuffer(array, 24, coords.as_ptr(), found.as_mut_ptr().cast(), size), 0);
            assert_eq!(found, wanted);
            let new: Vec<i32> = (1000..1024).collect();
            assert_eq!(b2nd_set_orthogonal_selection(array, lists, sizes, new.as_ptr().cast(), sizes, size), 0);
            let mut expected = items(&SHAPE);
            wanted.iter().zip(&new).for_each(|(at, item)| expected[*at as usize] = *item);
            assert_eq!(all(array), expected);
            // Indices and buffers that are too large.
            let buffer = found.as_mut_ptr().cast();
            assert_eq!(b2nd_get_orthogonal_selection(array, lists, sizes, buffer, sizes, size + 4), INVALID_PARAM);
            assert_eq!(b2nd_get_orthogonal_selection(array, lists, sizes, buffer, sizes, size - 4), INVALID_PARAM);
            for index in [7, -1, i64::MAX] {
                a[1] = index;
                **lists = 0;
                *lists = a.as_mut_ptr();
                assert_eq!(b2nd_get_orthogonal_selection(array, lists, sizes, buffer, sizes, size), INVALID_INDEX);
            }
            for number in [-1, 315, i64::MAX] {
                assert_eq!(b2nd_get_sparse_cbuffer(array, 1, &number, buffer, size), INVALID_PARAM);
            }
        }
        free(array);
    });
}

#[test]
fn shapes_change_in_each_storage() {
    with_each(|ctx, path| {
        let array = array(ctx);
        let extra: Vec<i32> = (5000..5000 + 4 * 5 * 9).collect();
        // SAFETY: an array, and buffers with their lengths.
        unsafe {
            assert_eq!(b2nd_insert(array, extra.as_ptr().cast(), nbytes(&extra), 0, 4), 0);
            let mut wanted = items(&SHAPE);
            wanted.splice(4 * 45..4 * 45, extra.iter().copied());
            assert_eq!(((*array).shape[0], all(array)), (11, wanted.clone()));
            assert_eq!(b2nd_delete(array, 0, 0, 4), 0);
            wanted.drain(..4 * 45);
            assert_eq!(((*array).shape[0], all(array)), (7, wanted.clone()));
            assert_eq!(b2nd_append(array, extra.as_ptr().cast(), 45 * 4, 0), 0);
            wanted.extend(&extra[..45]);
            assert_eq!(all(array), wanted);
            if let Some(path) = path {
                let text = CString::new(path.to_str().unwrap()).unwrap();
                let mut again = null_mut();
                assert_eq!(b2nd_open(text.as_ptr(), &mut again), 0);
                assert_eq!(all(again), wanted);
                // The other handle follows.
                assert_eq!(b2nd_resize(again, [3_i64, 5, 9].as_ptr(), null()), 0);
                assert_eq!(b2nd_refresh(array), 1);
                assert_eq!((b2nd_refresh(array), blosc2_schunk_refresh((*array).sc)), (0, 0));
                assert_eq!(b2nd_resize(again, [2_i64, 5, 9].as_ptr(), null()), 0);
                assert_eq!((blosc2_schunk_refresh((*array).sc), b2nd_refresh(array)), (1, 1));
                assert_eq!(all(array), wanted[..90]);
                free(again);
            }
            for (shape, start) in [([11, 5, 9], [1, 0, 0]), ([9, 5, 9], [0, 0, 0]), ([-1, 5, 9], [0, 0, 0])] {
                assert_eq!(b2nd_resize(array, shape.as_ptr(), start.as_ptr()), INVALID_PARAM);
            }
            assert_eq!(b2nd_resize(array, [i64::MAX, 5, 9].as_ptr(), null()), INVALID_PARAM);
            assert_eq!(b2nd_append(array, extra.as_ptr().cast(), 45 * 4 + 1, 0), INVALID_PARAM);
            assert_eq!(b2nd_append(array, extra.as_ptr().cast(), 45 * 4, 3), INVALID_PARAM);
            assert_eq!(b2nd_append(array, extra.as_ptr().cast(), 45 * 4, -1), INVALID_PARAM);
            for (start, len) in [(0, -1), (0, 100), (3, i64::MIN), (-4, 4)] {
                assert_eq!(b2nd_delete(array, 0, start, len), INVALID_PARAM, "{start} {len}");
            }
        }
        free(array);
    });
}

/// Many whole chunks at once, along several axes: old items stay in place, new ones are zeros.
#[test]
fn shapes_of_any_size_follow_each_other() {
    with_each(|ctx, path| {
        let array = array(ctx);
        let mut rng = testdata::SplitMix64::new(11);
        let (mut old, mut kept) = (SHAPE, items(&SHAPE));
        for _ in 0..12 {
            let new: [i64; 3] = std::array::from_fn(|axis| i64::from(CHUNKS[axis]) * (1 + rng.below(5) as i64));
            // SAFETY: an array, and a list of its axes.
            assert_eq!(unsafe { b2nd_resize(array, new.as_ptr(), null()) }, 0);
            let mut wanted = Vec::new();
            for (a, b, c) in
                (0..new[0]).flat_map(|a| (0..new[1]).flat_map(move |b| (0..new[2]).map(move |c| (a, b, c))))
            {
                let is_old = a < old[0] && b < old[1] && c < old[2];
                wanted.push(if is_old { kept[((a * old[1] + b) * old[2] + c) as usize] } else { 0 });
            }
            assert_eq!((shape(array), all(array)), (new.to_vec(), wanted.clone()));
            (old, kept) = (new, wanted);
        }
        if let Some(path) = path {
            let text = CString::new(path.to_str().unwrap()).unwrap();
            let mut again = null_mut();
            // SAFETY: a path, and room for an array.
            assert_eq!(unsafe { b2nd_open(text.as_ptr(), &mut again) }, 0);
            assert_eq!((shape(again), all(again)), (old.to_vec(), kept));
            free(again);
        }
        free(array);
    });
}

#[test]
fn views_share_chunks() {
    with_each(|ctx, _| {
        let array = array(ctx);
        let (mut view, mut flat) = (null_mut(), null_mut());
        let new = 77_i32;
        // SAFETY: an array that is valid as long as its views.
        unsafe {
            assert_eq!(b2nd_expand_dims(array, &mut view, [0_u8, 1, 0, 1, 0].as_ptr(), 5), 0);
            assert_eq!(shape(view), [7, 1, 5, 1, 9]);
            assert_eq!(b2nd_squeeze(view, &mut flat), 0);
            assert_eq!(shape(flat), SHAPE);
            let (start, stop) = ([6_i64, 4, 8], [7_i64, 5, 9]);
            let (buffer, one) = ((&raw const new).cast(), [1_i64; 3]);
            assert_eq!(b2nd_set_slice_cbuffer(buffer, one.as_ptr(), 4, start.as_ptr(), stop.as_ptr(), flat), 0);
            let mut wanted = items(&SHAPE);
            wanted[314] = 77;
            assert!([array, view, flat].iter().all(|array| all(*array) == wanted));
            // A view keeps its chunks.
            assert_eq!(b2nd_resize(flat, [20_i64, 5, 9].as_ptr(), null()), FAILURE);
            assert_eq!(all(array), wanted);
            let mut none = null_mut();
            assert_eq!(b2nd_squeeze_index(array, &mut none, [1_u8, 0, 0].as_ptr()), INVALID_INDEX);
            assert_eq!(b2nd_expand_dims(array, &mut none, [1_u8, 0, 0].as_ptr(), 3), INVALID_PARAM);
            assert_eq!(b2nd_expand_dims(array, &mut none, [0_u8; 4].as_ptr(), 4), INVALID_PARAM);
            assert_eq!(b2nd_expand_dims(array, &mut none, [1_u8; 255].as_ptr(), 255), INVALID_PARAM);
            assert!(none.is_null());
        }
        [flat, view, array].into_iter().for_each(free);
    });
}

/// python-blosc2 reads the size of a block from the header of a chunk.
#[test]
fn chunks_of_special_values_have_the_blocks_of_the_array() {
    with_each(|ctx, path| {
        for create in [b2nd_zeros, b2nd_nans, b2nd_uninit] {
            let mut array = null_mut();
            // SAFETY: parameters, an array, and pointers to variables; a chunk has a header.
            unsafe {
                assert_eq!(create(ctx, &mut array), 0);
                let (mut chunk, mut needs_free) = (null_mut(), 0);
                let len = blosc2_schunk_get_chunk((*array).sc, 0, &mut chunk, &mut needs_free);
                assert_eq!(len, 32);
                let header = std::slice::from_raw_parts(chunk, 32);
                assert_eq!(header[8..12], (4 * BLOCKS.iter().product::<i32>()).to_le_bytes());
                if needs_free != 0 {
                    libc::free(chunk.cast());
                }
                free(array);
                if let Some(path) = path {
                    let path = CString::new(path.to_str().unwrap()).unwrap();
                    assert_eq!(blosc2_remove_urlpath(path.as_ptr()), 0);
                }
            }
        }
    });
}

#[test]
fn copies_have_other_chunks() {
    with_each(|ctx, _| {
        let array = array(ctx);
        let other = parameters(1, null_mut(), &[1; 3], &[5, 5, 2], &[3, 1, 2]);
        let (mut copy, mut part, mut both) = (null_mut(), null_mut(), null_mut());
        let (start, stop) = ([1, 1, 1], [7, 4, 8]);
        // SAFETY: arrays, and lists of the axes.
        unsafe {
            assert_eq!(b2nd_copy(other, array, &mut copy), 0);
            assert_eq!(all(copy), items(&SHAPE));
            assert_eq!(b2nd_get_slice(other, &mut part, array, start.as_ptr(), stop.as_ptr()), 0);
            assert_eq!(all(part), expected(start, stop));
            assert_eq!(b2nd_concatenate(other, array, copy, 0, 1, &mut both), 0);
            assert_eq!(all(both), [items(&SHAPE), items(&SHAPE)].concat());
            let mut none = null_mut();
            assert_eq!(b2nd_concatenate(other, array, part, 0, 1, &mut none), INVALID_PARAM);
            assert_eq!(b2nd_concatenate(other, array, copy, 3, 1, &mut none), INVALID_PARAM);
            assert_eq!(b2nd_get_slice(other, &mut none, array, stop.as_ptr(), start.as_ptr()), INVALID_PARAM);
            assert!(none.is_null());
            // Items after the end are zeros.
            let (start, stop) = ([6, 4, 9], [8, 5, 10]);
            assert_eq!(b2nd_get_slice(other, &mut none, array, start.as_ptr(), stop.as_ptr()), 0);
            assert_eq!((shape(none), all(none)), (vec![2, 1, 1], vec![0, 0]));
            free(none);
            b2nd_free_ctx(other);
        }
        [both, part, copy, array].into_iter().for_each(free);
    });
}

#[test]
fn parameters_that_cannot_be_used_are_refused() {
    let (shape, chunks) = ([i64::MAX; 17], [i32::MAX; 17]);
    let create = |ndim: i8, shape: &[i64], chunks: &[i32], blocks: &[i32]| {
        let (chunks, blocks) = (chunks.as_ptr(), blocks.as_ptr());
        // SAFETY: lists of the axes.
        unsafe { b2nd_create_ctx(null(), ndim, shape.as_ptr(), chunks, blocks, null(), 0, null(), 0) }
    };
    for ndim in [-1, 17, i8::MIN, i8::MAX] {
        assert!(create(ndim, &shape, &chunks, &chunks).is_null(), "{ndim}");
    }
    assert!(create(2, &shape, &chunks, &chunks).is_null(), "a block overflows");
    assert!(create(1, &[-1], &[1], &[1]).is_null());
    assert!(create(1, &[4], &[4], &[0]).is_null());
    let code = |shape: &[i64], chunks: &[i32], blocks: &[i32]| {
        let (ctx, mut array) = (create(shape.len() as i8, shape, chunks, blocks), null_mut());
        // SAFETY: parameters.
        unsafe {
            let code = b2nd_zeros(ctx, &mut array);
            assert_eq!(array.is_null(), code < 0);
            if code == 0 {
                free(array);
            }
            b2nd_free_ctx(ctx);
            code
        }
    };
    assert_eq!(code(&[i64::MAX; 2], &[1; 2], &[1; 2]), INVALID_PARAM);
    assert_eq!(code(&[i64::MAX], &[10], &[10]), INVALID_PARAM);
    assert_eq!(code(&[i64::from(i32::MAX)], &[i32::MAX], &[1]), MAX_BUFSIZE);
    assert_eq!(code(&[4], &[0], &[0]), INVALID_PARAM);
    assert_eq!((code(&[0], &[0], &[0]), code(&[], &[], &[]), code(&[1; 16], &[1; 16], &[1; 16])), (0, 0, 0));
    // SAFETY: null pointers.
    unsafe {
        assert!(b2nd_create_ctx(null(), 1, null(), null(), null(), null(), 0, null(), 0).is_null());
        assert!(b2nd_create_ctx(null(), 0, null(), null(), null(), null(), 0, null(), 1).is_null());
        assert!(b2nd_create_ctx(null(), 0, null(), null(), null(), null(), 0, null(), 16).is_null());
    }
}

#[test]
fn null_pointers_have_codes() {
    let ctx = parameters(1, null_mut(), &SHAPE, &CHUNKS, &BLOCKS);
    let array = array(ctx);
    let (mut out, mut number, mut bytes) = (null_mut(), 0_i64, [0_u8; 8]);
    let (zero, buffer): (*const i64, *mut std::ffi::c_void) = ([0_i64; 3].as_ptr(), bytes.as_mut_ptr().cast());
    let no_array: *mut NdArray = null_mut();
    // SAFETY: null pointers, and valid ones.
    let codes: Vec<c_int> = unsafe {
        vec![
            b2nd_free_ctx(null_mut()),
            b2nd_free(no_array),
            b2nd_zeros(null_mut(), &mut out),
            b2nd_zeros(ctx, null_mut()),
            b2nd_full(ctx, &mut out, null()),
            b2nd_from_cbuffer(ctx, &mut out, null(), 100),
            b2nd_from_cbuffer(null_mut(), &mut out, buffer, 8),
            b2nd_from_schunk(null_mut(), &mut out),
            b2nd_from_schunk((*array).sc, null_mut()),
            b2nd_from_cframe(null_mut(), 100, 1, &mut out),
            b2nd_open(null(), &mut out),
            b2nd_open(c"/nowhere/at/all".as_ptr(), &mut out),
            b2nd_to_cframe(array, null_mut(), &mut number, null_mut()),
            b2nd_save(array, null_mut()),
            b2nd_save(no_array, c"/nowhere/at/all".as_ptr().cast_mut()),
            b2nd_save_append(array, null()) as c_int,
            b2nd_to_cbuffer(array, null_mut(), 5000),
            b2nd_to_cbuffer(no_array, buffer, 8),
            b2nd_get_slice_cbuffer(array, zero, zero, null_mut(), zero, 8),
            b2nd_get_slice_cbuffer(no_array, zero, zero, buffer, zero, 8),
            b2nd_set_slice_cbuffer(buffer, null(), 8, zero, zero, array),
            b2nd_get_sparse_cbuffer(array, 1, null(), buffer, 8),
            b2nd_get_orthogonal_selection(array, null_mut(), null_mut(), buffer, null_mut(), 8),
            b2nd_get_slice(ctx, &mut out, no_array, zero, zero),
            b2nd_copy(null_mut(), array, &mut out),
            b2nd_copy(ctx, no_array, &mut out),
            b2nd_concatenate(ctx, array, no_array, 0, 1, &mut out),
            b2nd_squeeze(no_array, &mut out),
            b2nd_squeeze_index(array, &mut out, null()),
            b2nd_expand_dims(array, null_mut(), bytes.as_ptr(), 3),
            b2nd_resize(array, null(), null()),
            b2nd_refresh(no_array),
            b2nd_insert(array, null(), 8, 0, 0),
            b2nd_delete(no_array, 0, 0, 1),
            b2nd_print_meta(no_array),
            b2nd_serialize_meta(1, null(), null(), null(), null(), 0, null_mut()),
            b2nd_deserialize_meta(null(), 9, null_mut(), null_mut(), null_mut(), null_mut(), null_mut(), null_mut()),
            b2nd_copy_buffer2(1, 1, null(), zero, zero, zero, null_mut(), null(), zero),
            blosc2_get_slice_nchunks(null_mut(), &mut number, &mut number, null_mut()) as c_int,
        ]
    };
    assert_eq!(codes, vec![NULL_POINTER; codes.len()]);
    assert!(out.is_null());
    // SAFETY: an array, and a buffer that is too small.
    unsafe {
        let (from, to) = ([0_i64; 3], [1_i64, 1, 3]);
        let get = |to: [i64; 3], shape: [i64; 3], size| {
            b2nd_get_slice_cbuffer(array, from.as_ptr(), to.as_ptr(), buffer, shape.as_ptr(), size)
        };
        assert_eq!(get(to, to, 8), INVALID_PARAM);
        assert_eq!(get([1, 1, 2], [1, 1, 2], 8), 0);
        assert_eq!(get([1, 2, 1], [1, 2, 2], 8), INVALID_PARAM, "the second row is after the end");
        assert_eq!(get([1, 1, 2], [1, 1, 1], 8), INVALID_PARAM);
        assert_eq!(get([i64::MAX; 3], [i64::MAX; 3], 8), INVALID_PARAM);
        assert_eq!(get([1, 1, 2], [1, 1, 2], -1), INVALID_PARAM);
        assert_eq!(b2nd_to_cbuffer(array, buffer, 8), INVALID_PARAM);
        b2nd_free_ctx(ctx);
    }
    free(array);
}

/// Damages each byte of the metalayer.
#[test]
fn damaged_metalayers_are_refused() {
    let ctx = parameters(1, null_mut(), &SHAPE, &CHUNKS, &BLOCKS);
    let array = array(ctx);
    let (mut frame, mut len, mut needs_free) = (null_mut(), 0, 0);
    // SAFETY: an array, and pointers to variables.
    let frame = unsafe {
        assert_eq!(b2nd_to_cframe(array, &mut frame, &mut len, &mut needs_free), 0);
        std::slice::from_raw_parts(frame, len as usize).to_vec()
    };
    let content = frame.windows(4).position(|bytes| bytes == [0x97, 0, 3, 0x93]).unwrap();
    for (at, value) in (content..content + 70).flat_map(|at| [0, 1, 0x7f, 0x80, 0xff].map(|value| (at, value))) {
        let mut frame = frame.clone();
        frame[at] = value;
        let mut damaged = null_mut();
        // SAFETY: a frame with its length, which is copied.
        let code = unsafe { b2nd_from_cframe(frame.as_mut_ptr(), len, 1, &mut damaged) };
        assert_eq!(code < 0, damaged.is_null());
        if code == 0 {
            // SAFETY: an array. The shapes may not fit the chunks.
            unsafe {
                let nitems = (*damaged).counts.nitems.clamp(0, 1 << 16);
                let mut found = vec![0_i32; nitems as usize];
                let size = nbytes(&found);
                b2nd_to_cbuffer(damaged, found.as_mut_ptr().cast(), size);
                let (start, stop, mut count) = ([0_i64; 16], [1_i64; 16], null_mut());
                b2nd_get_slice_cbuffer(
                    damaged,
                    start.as_ptr(),
                    stop.as_ptr(),
                    found.as_mut_ptr().cast(),
                    stop.as_ptr(),
                    size,
                );
                b2nd_get_sparse_cbuffer(damaged, 1, &(nitems - 1), found.as_mut_ptr().cast(), size);
                b2nd_append(damaged, found.as_ptr().cast(), 4, 0);
                b2nd_delete(damaged, 0, 0, 4);
                blosc2_get_slice_nchunks(
                    (*damaged).sc,
                    start.as_ptr().cast_mut(),
                    stop.as_ptr().cast_mut(),
                    &mut count,
                );
                libc::free(count.cast());
            }
            free(damaged);
        }
    }
    // SAFETY: a super-chunk that is not an array.
    unsafe {
        let (schunk, mut none) = (blosc2_schunk_new(null_mut()), null_mut());
        assert_eq!(b2nd_from_schunk(schunk, &mut none), METALAYER_NOT_FOUND);
        blosc2_schunk_free(schunk);
        b2nd_free_ctx(ctx);
    }
    free(array);
}

#[test]
fn slices_touch_chunks() {
    let ctx = parameters(0, null_mut(), &SHAPE, &CHUNKS, &BLOCKS);
    let array = array(ctx);
    let numbers = |start: [i64; 3], stop: [i64; 3]| {
        let mut found = null_mut();
        // SAFETY: an array; the numbers are read before they are released.
        unsafe {
            let (start, stop) = (start.as_ptr().cast_mut(), stop.as_ptr().cast_mut());
            let count = blosc2_get_slice_nchunks((*array).sc, start, stop, &mut found);
            let numbers = (0..count).map(|index| *found.add(index as usize)).collect::<Vec<_>>();
            libc::free(found.cast());
            numbers
        }
    };
    assert_eq!(numbers([0; 3], SHAPE), (0..8).collect::<Vec<_>>());
    assert_eq!(numbers([3, 0, 5], [5, 3, 9]), [1, 5]);
    assert!(numbers([3, 0, 5], [3, 3, 9]).is_empty());
    // SAFETY: created above.
    unsafe { b2nd_free_ctx(ctx) };
    free(array);
}
