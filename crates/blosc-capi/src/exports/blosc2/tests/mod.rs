//! The functions as a C program calls them.
//!
//! | file | content |
//! |---|---|
//! | `chunks` | chunks, items, masks, special values, damage |
//! | `array_filters` | filters that need the shape of a block or the typesize of the super-chunk |
//! | `callbacks` | codecs, filters, prefilters, postfilters and threads of the program |
//! | `locks` | locks of frames |
//! | `nd` | arrays |
//! | `schunk` | super-chunks, as lists and in frames |
//! | `small` | small chunks, for which calls take shorter paths |
//! | `vlblocks` | blocks of variable length |

#![allow(clippy::unwrap_used, reason = "tests")]

mod array_filters;
mod callbacks;
mod chunks;
#[cfg(not(feature = "blosc2-abi7"))] // C-Blosc2 2.x has no locks.
mod locks;
mod nd;
mod schunk;
mod small;
mod vlblocks;

use std::ffi::c_void;

use super::defaults::{CPARAMS, DPARAMS};
use super::*;

/// Compresses with a new context.
fn compress(cparams: Cparams, plain: &[u8], destsize: usize) -> (i32, Vec<u8>) {
    let mut dst = vec![0; destsize];
    // SAFETY: two buffers with their lengths.
    let code = unsafe {
        let context = blosc2_create_cctx(cparams);
        assert!(!context.is_null());
        let to = dst.as_mut_ptr().cast();
        let code = blosc2_compress_ctx(context, plain.as_ptr().cast(), plain.len() as i32, to, destsize as i32);
        blosc2_free_ctx(context);
        code
    };
    (code, dst)
}

/// Compresses to a chunk.
fn chunk(cparams: Cparams, plain: &[u8]) -> Vec<u8> {
    let (code, mut chunk) = compress(cparams, plain, plain.len() + 32);
    assert!(code > 0, "{code}");
    chunk.truncate(code as usize);
    chunk
}

/// Decompresses with a new context into memory of `destsize` bytes.
fn decompress(dparams: Dparams, chunk: &[u8], destsize: usize) -> (i32, Vec<u8>) {
    let mut dst = vec![0xA5; destsize];
    // SAFETY: two buffers with their lengths.
    let code = unsafe {
        let context = blosc2_create_dctx(dparams);
        let to = dst.as_mut_ptr().cast();
        let code = blosc2_decompress_ctx(context, chunk.as_ptr().cast(), chunk.len() as i32, to, destsize as i32);
        blosc2_free_ctx(context);
        code
    };
    (code, dst)
}

/// Returns a variable as C programs pass it.
fn pointer<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}
