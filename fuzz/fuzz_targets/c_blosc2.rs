//! Fuzzes decoding a chunk by the functions of `blosc2.h`: no access outside of the memory of the caller, and the bytes
//! that the Rust API returns.
#![no_main]

use blosc_capi::{
    Context, blosc2_cbuffer_sizes, blosc2_create_dctx, blosc2_decompress, blosc2_decompress_ctx, blosc2_free_ctx,
    blosc2_get_blosc2_dparams_defaults, blosc2_getitem_bytes_ctx, blosc2_set_maskout, blosc2_set_nthreads,
    blosc2_vldecompress_ctx,
};
use core::ffi::{c_int, c_void};
use libfuzzer_sys::fuzz_target;

/// The same limit as `chunk_decode`.
const MAX_NBYTES: i32 = 1 << 20;
/// More blocks of variable length than this are refused.
const MAX_BLOCKS: usize = 64;

fuzz_target!(|bytes: &[u8]| {
    let (src, srcsize) = (bytes.as_ptr().cast::<c_void>(), bytes.len() as i32);
    let (mut nbytes, mut cbytes, mut blocksize) = (0, 0, 0);
    if bytes.len() < 16 {
        return;
    }
    // SAFETY: there are the 16 bytes of a header.
    let code = unsafe { blosc2_cbuffer_sizes(src, &raw mut nbytes, &raw mut cbytes, &raw mut blocksize) };
    if code < 0 || !(0..=MAX_NBYTES).contains(&nbytes) {
        return;
    }
    // SAFETY: parameters without pointers.
    let context = unsafe { blosc2_create_dctx(blosc2_get_blosc2_dparams_defaults()) };
    // SAFETY: all calls below pass the lengths of their memory.
    unsafe {
        let expected = whole(context, src, srcsize, nbytes);
        if let Some(expected) = &expected {
            part(context, src, srcsize, expected);
        }
        masked(context, src, srcsize, nbytes, blocksize, expected.as_deref());
        blocks(context, src, srcsize);
        blosc2_free_ctx(context);
    }
    if let Ok(expected) = blosc_core::decompress(bytes) {
        let mut plain = vec![0xA5_u8; expected.len()];
        blosc2_set_nthreads(2);
        // SAFETY: both lengths are those of the memory.
        let found = unsafe { blosc2_decompress(src, srcsize, plain.as_mut_ptr().cast(), nbytes) };
        // Programs register codecs and filters, so the two may differ in what they refuse.
        assert!(found < 0 || plain == expected, "{found}");
    }
});

/// Decompresses over two backgrounds. Returns the bytes, if the chunk can be decoded.
unsafe fn whole(context: *mut Context, src: *const c_void, srcsize: i32, nbytes: i32) -> Option<Vec<u8>> {
    let decode = |background: u8| {
        let mut plain = vec![background; nbytes as usize];
        // SAFETY: the caller's promise; the output has `nbytes` bytes.
        let found = unsafe { blosc2_decompress_ctx(context, src, srcsize, plain.as_mut_ptr().cast(), nbytes) };
        assert!(found <= nbytes, "{found} bytes into {nbytes}");
        (found == nbytes).then_some(plain)
    };
    let [first, second] = [0xA5, 0x5A].map(decode);
    assert!(first == second, "decoding depends on the earlier content of the output");
    first
}

/// Reads bytes from the middle.
unsafe fn part(context: *mut Context, src: *const c_void, srcsize: i32, expected: &[u8]) {
    let (from, len) = (expected.len() / 3, expected.len() / 2);
    let mut part = vec![0xA5_u8; len];
    // SAFETY: the caller's promise; the output has `len` bytes.
    let found = unsafe {
        let (from, len) = (from as i32, len as i32);
        blosc2_getitem_bytes_ctx(context, src, srcsize, from, len, part.as_mut_ptr().cast(), len)
    };
    // A part is a number of whole items.
    assert!(found < 0 || part[..found as usize] == expected[from..from + found as usize], "{found} bytes from {from}");
}

/// Leaves out the first block.
unsafe fn masked(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    nbytes: i32,
    blocksize: i32,
    expected: Option<&[u8]>,
) {
    let Some(count) = (blocksize > 0).then(|| (nbytes + blocksize - 1) / blocksize).filter(|count| *count > 0) else {
        return;
    };
    let mut mask = vec![0_u8; count as usize];
    mask[0] = 1;
    let mut plain = vec![0xA5_u8; nbytes as usize];
    // SAFETY: the caller's promise; the mask has `count` bytes and the output `nbytes`.
    let found = unsafe {
        blosc2_set_maskout(context, mask.as_ptr(), count);
        blosc2_decompress_ctx(context, src, srcsize, plain.as_mut_ptr().cast(), nbytes)
    };
    let first = (blocksize as usize).min(plain.len());
    if let (Some(expected), true) = (expected, found >= 0) {
        assert!(plain[first..] == expected[first..], "other blocks than the masked one differ");
    }
}

/// Decodes blocks of variable length and releases their memory.
unsafe fn blocks(context: *mut Context, src: *const c_void, srcsize: i32) {
    let (mut pointers, mut sizes) = ([core::ptr::null_mut(); MAX_BLOCKS], [0_i32; MAX_BLOCKS]);
    // SAFETY: the caller's promise; both arrays have room for that many items.
    let count: c_int = unsafe {
        let (pointers, sizes) = (pointers.as_mut_ptr(), sizes.as_mut_ptr());
        blosc2_vldecompress_ctx(context, src, srcsize, pointers, sizes, MAX_BLOCKS as i32)
    };
    for (pointer, len) in pointers.into_iter().zip(sizes).take(usize::try_from(count).unwrap_or(0)) {
        // SAFETY: the function allocated `len` bytes there.
        let block = unsafe { core::slice::from_raw_parts(pointer.cast::<u8>(), len as usize) };
        core::hint::black_box(block.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
        // SAFETY: the caller releases it.
        unsafe { libc::free(pointer) };
    }
}
