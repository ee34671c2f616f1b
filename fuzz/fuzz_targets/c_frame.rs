//! Fuzzes frames and arrays by the functions of libblosc2: no access outside of the memory of the caller, and the bytes
//! that the Rust API returns. A changed super-chunk and a changed array can be read again.
#![no_main]

use blosc_capi::{
    NdArray, Schunk, b2nd_append, b2nd_delete, b2nd_deserialize_meta, b2nd_free, b2nd_from_cframe,
    b2nd_get_slice_cbuffer, b2nd_get_sparse_cbuffer, b2nd_resize, b2nd_to_cbuffer, b2nd_to_cframe,
    blosc2_frame_get_offsets, blosc2_meta_update, blosc2_schunk_append_chunk, blosc2_schunk_decompress_chunk,
    blosc2_schunk_delete_chunk, blosc2_schunk_free, blosc2_schunk_from_buffer, blosc2_schunk_get_chunk,
    blosc2_schunk_get_slice_buffer, blosc2_schunk_insert_chunk, blosc2_schunk_to_buffer, blosc2_schunk_update_chunk,
    blosc2_vlmeta_add, blosc2_vlmeta_delete, blosc2_vlmeta_get, blosc2_vlmeta_get_names,
};
use blosc_fuzz::{MAX_NBYTES, limits};
use bloscpack_io::Archive;
use core::ffi::{c_char, c_int, c_void};
use core::ptr::{null, null_mut};
use libfuzzer_sys::fuzz_target;

const MAX: i64 = MAX_NBYTES as i64;
/// Frames of more chunks are opened, but not read.
const MAX_CHUNKS: i64 = 100;
const MAX_VLMETALAYERS: usize = 8 * 1024;
const MAX_DIM: usize = 16;

/// The first fields of `blosc2_schunk`, as programs read them.
#[repr(C)]
struct SchunkFields {
    version: u8,
    codec: [u8; 4],
    typesize: i32,
    blocksize: i32,
    chunksize: i32,
    flags: [u8; 2],
    filters: [[u8; 6]; 2],
    nchunks: i64,
    current_nchunk: i64,
    nbytes: i64,
}

/// The first fields of `b2nd_array_t`.
#[repr(C)]
struct ArrayFields {
    sc: *mut Schunk,
    shape: [i64; MAX_DIM],
    chunkshape: [i32; MAX_DIM],
    extshape: [i64; MAX_DIM],
    blockshape: [i32; MAX_DIM],
    extchunkshape: [i64; MAX_DIM],
    nitems: i64,
    chunknitems: i32,
    extnitems: i64,
    blocknitems: i32,
    extchunknitems: i64,
    ndim: i8,
}

fuzz_target!(|bytes: &[u8]| {
    // SAFETY: all functions below get memory with its length, and handles that were created and not released.
    unsafe {
        metadata(bytes);
        for copy in [0, 1] {
            let mut frame = bytes.to_vec();
            let schunk = blosc2_schunk_from_buffer(frame.as_mut_ptr(), frame.len() as i64, copy);
            if !schunk.is_null() {
                super_chunk(schunk, bytes);
                blosc2_schunk_free(schunk);
            }
            let (mut frame, mut array) = (bytes.to_vec(), null_mut());
            if b2nd_from_cframe(frame.as_mut_ptr(), frame.len() as i64, copy, &raw mut array) == 0 {
                check_array(array, bytes);
                b2nd_free(array);
            }
        }
    }
});

/// Reads the bytes as the metalayer of an array.
unsafe fn metadata(bytes: &[u8]) {
    let (mut ndim, mut format, mut dtype) = (0_i8, 0_i8, null_mut::<c_char>());
    let (mut shape, mut chunks, mut blocks) = ([0_i64; MAX_DIM], [0_i32; MAX_DIM], [0_i32; MAX_DIM]);
    // SAFETY: lists with room for all axes.
    unsafe {
        let (shape, chunks, blocks) = (shape.as_mut_ptr(), chunks.as_mut_ptr(), blocks.as_mut_ptr());
        let (len, ndim, format) = (bytes.len() as i32, &raw mut ndim, &raw mut format);
        b2nd_deserialize_meta(bytes.as_ptr(), len, ndim, shape, chunks, blocks, &raw mut dtype, format);
        libc::free(dtype.cast());
    }
}

/// Reads and changes a super-chunk.
unsafe fn super_chunk(schunk: *mut Schunk, frame: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let SchunkFields { nchunks, nbytes, typesize, .. } = schunk.cast::<SchunkFields>().read();
        metalayers(schunk);
        if nchunks > MAX_CHUNKS || !(0..=MAX).contains(&nbytes) {
            return;
        }
        libc::free(blosc2_frame_get_offsets(schunk).cast());
        let archive = Archive::open(frame).ok().map(|archive| archive.limits(limits()));
        // The items of an array have another order in its chunks.
        let archive = archive.filter(|archive| archive.array().is_none());
        for nchunk in 0..nchunks {
            let expected = archive.as_ref().and_then(|archive| archive.chunk(nchunk as u64).ok());
            if let (Some(found), Some(expected)) = (decompressed(schunk, nchunk), expected) {
                assert!(found == expected, "chunk {nchunk}");
            }
        }
        if typesize > 0 && i64::from(typesize) <= nbytes {
            let mut items = vec![0_u8; nbytes as usize];
            let count = nbytes / i64::from(typesize);
            blosc2_schunk_get_slice_buffer(schunk, count / 3, count, items.as_mut_ptr().cast());
        }
        if let Some(chunk) = (0..nchunks).find_map(|nchunk| stored(schunk, nchunk)) {
            change(schunk, chunk);
        }
    }
}

/// Reads metalayers, and adds, replaces and removes some.
unsafe fn metalayers(schunk: *mut Schunk) {
    let mut names = vec![null_mut::<c_char>(); MAX_VLMETALAYERS];
    // SAFETY: the caller's promise; there is room for all names.
    unsafe {
        let count = blosc2_vlmeta_get_names(schunk, names.as_mut_ptr());
        names.truncate(usize::try_from(count).unwrap_or(0).min(8));
        for name in names {
            let (mut content, mut len) = (null_mut(), 0);
            if blosc2_vlmeta_get(schunk, name, &raw mut content, &raw mut len) >= 0 {
                core::hint::black_box(bytes_at(content, len).iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
                libc::free(content.cast());
            }
        }
        let mut content = *b"content";
        blosc2_meta_update(schunk, c"x".as_ptr(), content.as_mut_ptr(), 2);
        let added = blosc2_vlmeta_add(schunk, c"added".as_ptr(), content.as_mut_ptr(), 7, null_mut());
        if added >= 0 {
            let (mut found, mut len) = (null_mut(), 0);
            assert!(blosc2_vlmeta_get(schunk, c"added".as_ptr(), &raw mut found, &raw mut len) >= 0);
            assert!(bytes_at(found, len) == content);
            libc::free(found.cast());
            assert!(blosc2_vlmeta_delete(schunk, c"added".as_ptr()) >= 0);
        }
    }
}

unsafe fn bytes_at<'a>(pointer: *const u8, len: i32) -> &'a [u8] {
    // SAFETY: the function that stored the pointer promises the length.
    if len <= 0 { &[] } else { unsafe { core::slice::from_raw_parts(pointer, len as usize) } }
}

/// Returns a compressed chunk.
unsafe fn stored(schunk: *mut Schunk, nchunk: i64) -> Option<Vec<u8>> {
    let (mut chunk, mut needs_free) = (null_mut(), 0);
    // SAFETY: the caller's promise.
    unsafe {
        let len = blosc2_schunk_get_chunk(schunk, nchunk, &raw mut chunk, &raw mut needs_free);
        let bytes = (len > 0).then(|| bytes_at(chunk, len).to_vec())?;
        if needs_free != 0 {
            libc::free(chunk.cast());
        }
        Some(bytes)
    }
}

/// Returns the uncompressed bytes of a chunk, if it is small.
unsafe fn decompressed(schunk: *mut Schunk, nchunk: i64) -> Option<Vec<u8>> {
    // SAFETY: the caller's promise.
    let chunk = unsafe { stored(schunk, nchunk) }?;
    let nbytes = i32::from_le_bytes(*chunk.get(4..)?.first_chunk()?);
    let mut plain = vec![0xA5_u8; usize::try_from(nbytes).ok().filter(|nbytes| *nbytes <= MAX_NBYTES)?];
    // SAFETY: the output has `nbytes` bytes.
    let found = unsafe { blosc2_schunk_decompress_chunk(schunk, nchunk, plain.as_mut_ptr().cast(), nbytes) };
    assert!(found <= nbytes, "{found} bytes into {nbytes}");
    (found == nbytes).then_some(plain)
}

/// Adds, replaces and removes chunks. The frame can be opened again if that succeeds.
unsafe fn change(schunk: *mut Schunk, mut chunk: Vec<u8>) {
    let chunk = chunk.as_mut_ptr();
    // SAFETY: a chunk with all its bytes, which is copied.
    unsafe {
        let count = blosc2_schunk_append_chunk(schunk, chunk, 1);
        let inserted = blosc2_schunk_insert_chunk(schunk, 0, chunk, 1);
        blosc2_schunk_update_chunk(schunk, 1, chunk, 1);
        blosc2_schunk_delete_chunk(schunk, 0);
        let SchunkFields { nchunks, .. } = schunk.cast::<SchunkFields>().read();
        let (mut frame, mut needs_free) = (null_mut(), 0);
        let len = blosc2_schunk_to_buffer(schunk, &raw mut frame, &raw mut needs_free);
        if count > 0 && inserted > 0 && len > 0 {
            // A copy is refused for a chunk with wrong sizes.
            let is_whole = (0..nchunks).all(|nchunk| stored(schunk, nchunk).is_some());
            for copy in 0..=u8::from(is_whole) {
                let again = blosc2_schunk_from_buffer(frame, len, copy);
                assert!(!again.is_null(), "a changed frame of {len} bytes, copy {copy}");
                assert_eq!(again.cast::<SchunkFields>().read().nchunks, nchunks);
                blosc2_schunk_free(again);
            }
        }
        if needs_free != 0 {
            libc::free(frame.cast());
        }
    }
}

/// Reads and changes an array.
unsafe fn check_array(array: *mut NdArray, frame: &[u8]) {
    // SAFETY: the caller's promise.
    unsafe {
        let fields = array.cast::<ArrayFields>().read();
        let SchunkFields { typesize, nchunks, .. } = fields.sc.cast::<SchunkFields>().read();
        let chunk = fields.extchunknitems.saturating_mul(typesize.into());
        let nbytes = fields.nitems.saturating_mul(typesize.into());
        let is_small = (1..=MAX).contains(&nbytes) && (1..=MAX).contains(&chunk) && nchunks <= MAX_CHUNKS;
        let Some(axes) = usize::try_from(fields.ndim).ok().filter(|axes| is_small && (1..=MAX_DIM).contains(axes))
        else {
            return;
        };
        let mut items = vec![0xA5_u8; nbytes as usize];
        let read = b2nd_to_cbuffer(array, items.as_mut_ptr().cast(), nbytes);
        let archive = Archive::open(frame).ok().map(|archive| archive.limits(limits()));
        let expected = archive.filter(|archive| archive.array().is_some()).and_then(|archive| items_of(&archive));
        if let (0, Some(expected)) = (read, expected) {
            assert!(items == expected, "the items of the array");
        }
        part(array, &fields, axes, typesize, (read == 0).then_some(&items));
        change_array(array, &fields, axes, items.as_ptr().cast());
    }
}

/// Returns the items of an array in C order, by the Rust API.
fn items_of(archive: &Archive<'_>) -> Option<Vec<u8>> {
    archive.read_range(0..archive.nbytes()).ok()
}

/// Reads the last item, by its position and by its number.
unsafe fn part(array: *mut NdArray, fields: &ArrayFields, axes: usize, typesize: i32, all: Option<&Vec<u8>>) {
    let (stop, mut start, room) = (fields.shape, fields.shape, [1_i64; MAX_DIM]);
    start[..axes].iter_mut().for_each(|start| *start -= 1);
    let (size, number) = (i64::from(typesize), fields.nitems - 1);
    for by_number in [false, true] {
        let mut item = vec![0_u8; typesize as usize];
        let buffer = item.as_mut_ptr().cast::<c_void>();
        // SAFETY: lists with a number for each axis, and a buffer with its length.
        let code: c_int = unsafe {
            if by_number {
                b2nd_get_sparse_cbuffer(array, 1, &raw const number, buffer, size)
            } else {
                b2nd_get_slice_cbuffer(array, start.as_ptr(), stop.as_ptr(), buffer, room.as_ptr(), size)
            }
        };
        if let (0, Some(all)) = (code, all) {
            assert!(all.ends_with(&item), "the last item");
        }
    }
}

/// Changes the shape of an array. Its frame can be opened again if that succeeds.
unsafe fn change_array(array: *mut NdArray, fields: &ArrayFields, axes: usize, items: *const c_void) {
    let mut shape = fields.shape;
    shape[axes - 1] += 1;
    // SAFETY: lists with a number for each axis, and a buffer with its length.
    unsafe {
        let grown = b2nd_resize(array, shape.as_ptr(), null());
        shape[0] /= 2;
        let shrunk = b2nd_resize(array, shape.as_ptr(), null());
        b2nd_append(array, items, 0, 0);
        b2nd_delete(array, 0, 0, 1);
        let (mut frame, mut len, mut needs_free) = (null_mut(), 0, 0);
        if b2nd_to_cframe(array, &raw mut frame, &raw mut len, &raw mut needs_free) == 0 {
            // A copy is refused for a chunk with wrong sizes.
            let schunk = fields.sc;
            let SchunkFields { nchunks, .. } = schunk.cast::<SchunkFields>().read();
            let is_whole = (0..nchunks).all(|nchunk| stored(schunk, nchunk).is_some());
            for copy in 0..=u8::from(is_whole) {
                let mut again = null_mut();
                let code = b2nd_from_cframe(frame, len, copy, &raw mut again);
                if code == 0 {
                    b2nd_free(again);
                }
                assert!(code == 0 || grown < 0 || shrunk < 0, "a changed array, copy {copy}: {code}");
            }
            if needs_free != 0 {
                libc::free(frame.cast());
            }
        }
    }
}
