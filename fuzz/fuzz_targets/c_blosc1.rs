//! Fuzzes decoding a chunk by the functions of `blosc.h`: no access outside of the memory of the caller, and the bytes
//! that the Rust API returns.
#![no_main]

use blosc_capi::{
    blosc_cbuffer_metainfo, blosc_cbuffer_validate, blosc_decompress, blosc_decompress_ctx, blosc_getitem,
};
use core::ffi::{c_int, c_void};
use libfuzzer_sys::fuzz_target;

/// The same limit as `chunk_decode`.
const MAX_NBYTES: usize = 1 << 20;

fuzz_target!(|bytes: &[u8]| {
    let src = bytes.as_ptr().cast::<c_void>();
    let mut nbytes = 0;
    // SAFETY: the length is that of the bytes. A chunk that this accepts has the size that its header states.
    let is_valid = unsafe { blosc_cbuffer_validate(src, bytes.len(), &raw mut nbytes) } == 0;
    if !is_valid || nbytes > MAX_NBYTES {
        return;
    }
    let expected = blosc_core::decompress(bytes).ok();
    let decompress: [unsafe fn(*const c_void, *mut c_void, usize) -> c_int; 2] =
        // SAFETY: a valid chunk, and an output of that length.
        [|src, dst, len| unsafe { blosc_decompress(src, dst, len) }, |src, dst, len| unsafe {
            // SAFETY: as before.
            blosc_decompress_ctx(src, dst, len, 2)
        }];
    for decompress in decompress {
        let mut plain = vec![0xA5_u8; nbytes];
        // SAFETY: the output has `nbytes` bytes.
        let found = unsafe { decompress(src, plain.as_mut_ptr().cast(), nbytes) };
        match &expected {
            Some(expected) => assert!(found as usize == nbytes && plain == *expected, "{found}"),
            None => assert!(found <= 0, "{found} bytes of a damaged chunk"),
        }
    }
    items(bytes, nbytes, expected.as_deref());
});

/// Reads items at both ends and in the middle, and ranges that do not exist.
fn items(bytes: &[u8], nbytes: usize, expected: Option<&[u8]>) {
    let src = bytes.as_ptr().cast::<c_void>();
    let (mut typesize, mut flags) = (0, 0);
    // SAFETY: a valid chunk has a header.
    unsafe { blosc_cbuffer_metainfo(src, &raw mut typesize, &raw mut flags) };
    let Some(count) = nbytes.checked_div(typesize) else { return };
    let count = count as c_int;
    for (start, len) in [(0, count), (count / 2, 1), (count - 1, 1), (count, 1), (-1, 1), (0, -1), (1, c_int::MAX)] {
        let room = usize::try_from(len).unwrap_or(0).min(count.max(0) as usize) * typesize;
        let mut part = vec![0xA5_u8; room];
        // SAFETY: the output has room for all items of the range that exist.
        let found = unsafe { blosc_getitem(src, start, len, part.as_mut_ptr().cast()) };
        if let (Some(expected), Ok(found @ 1..)) = (expected, usize::try_from(found)) {
            let from = start as usize * typesize;
            assert!(found == room && part == expected[from..from + room], "{len} items from {start}");
        }
    }
}
