//! Read chunks of a super-chunk.

use std::borrow::Cow;
use std::ffi::{c_char, c_int, c_void};
use std::ptr::null_mut;

use super::owned::{Owned, owned};
use crate::blosc2::codes::{FAILURE, INVALID_PARAM, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::header::Info;
use crate::blosc2::schunk::Access;
use crate::exports::blosc2::abi::CBool;
use crate::exports::blosc2::context::Context;
use crate::exports::blosc2::context_chunks::blosc2_decompress_ctx;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::blosc2::vlblocks::blosc2_vldecompress_block_ctx;
use crate::exports::guard::{pointer_or_null, value_or_code};
use crate::exports::pointers::store;

impl Owned {
    /// Makes a chunk the one that functions of the program see. With `is_new` it may be the one after the last.
    ///
    /// # Errors
    /// The code of a chunk that does not exist.
    pub(super) fn select(&mut self, nchunk: i64, is_new: bool) -> Result<(), i32> {
        let count = self.public.nchunks;
        if nchunk < 0 || nchunk > count || (!is_new && nchunk == count) {
            return Err(trace(INVALID_PARAM, format_args!("there is no chunk {nchunk} among {count}")));
        }
        self.public.current_nchunk = nchunk;
        Ok(())
    }
}

/// Returns a compressed chunk, and the context that decompresses it.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
pub(in crate::exports::blosc2) unsafe fn chunk<'a>(
    schunk: *mut Schunk,
    nchunk: i64,
) -> Result<(Cow<'a, [u8]>, *mut Context), i32> {
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    let _held = owned.hold(Access::Read)?;
    owned.select(nchunk, false)?;
    let dctx = owned.public.dctx;
    Ok((owned.stored(nchunk)?, dctx))
}

/// Decompresses chunk `nchunk`. Returns the number of bytes, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `dest` has `nbytes` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_decompress_chunk(
    schunk: *mut Schunk,
    nchunk: i64,
    dest: *mut c_void,
    nbytes: i32,
) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { decompressed(schunk, nchunk, dest, nbytes) })
}

/// # Safety
/// As [`blosc2_schunk_decompress_chunk`].
pub(super) unsafe fn decompressed(
    schunk: *mut Schunk,
    nchunk: i64,
    dest: *mut c_void,
    nbytes: i32,
) -> Result<i32, i32> {
    // SAFETY: the caller's promise.
    let (chunk, dctx) = unsafe { self::chunk(schunk, nchunk) }?;
    let needed = Info::of(&chunk)?.nbytes();
    if nbytes < needed {
        return Err(trace(INVALID_PARAM, format_args!("the chunk has {needed} bytes, the output {nbytes}")));
    }
    // SAFETY: the caller's promise; the chunk has its length.
    match unsafe { blosc2_decompress_ctx(dctx, chunk.as_ptr().cast(), chunk.len() as i32, dest, nbytes) } {
        code @ ..0 => Err(code),
        len if len == needed => Ok(len),
        _ => Err(FAILURE),
    }
}

/// Stores a pointer to compressed chunk `nchunk`, and whether the caller frees it. Returns its size, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `chunk` and `needs_free` are null or can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_chunk(
    schunk: *mut Schunk,
    nchunk: i64,
    chunk: *mut *mut u8,
    needs_free: *mut CBool,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let (found, _) = unsafe { self::chunk(schunk, nchunk) }?;
        let len = found.len() as i32;
        let (pointer, is_new) = match found {
            Cow::Borrowed(bytes) => (bytes.as_ptr().cast_mut(), false),
            Cow::Owned(bytes) => (duplicate(&bytes).cast(), true),
        };
        if pointer.is_null() {
            return Err(MEMORY);
        }
        // SAFETY: the caller's promise.
        unsafe {
            store(chunk, pointer);
            store(needs_free, is_new.into());
        }
        Ok(len)
    })
}

/// As [`blosc2_schunk_get_chunk`]. The chunk has all its blocks.
///
/// # Safety
/// As [`blosc2_schunk_get_chunk`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_lazychunk(
    schunk: *mut Schunk,
    nchunk: i64,
    chunk: *mut *mut u8,
    needs_free: *mut CBool,
) -> c_int {
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_get_chunk(schunk, nchunk, chunk, needs_free) }
}

/// Decompresses a block of variable length to memory that the caller frees. Returns its size, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `dest` and `destsize` are null or can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_vlblock(
    schunk: *mut Schunk,
    nchunk: i64,
    nblock: i32,
    dest: *mut *mut u8,
    destsize: *mut i32,
) -> c_int {
    value_or_code(|| {
        refuse_if(schunk.is_null() || dest.is_null() || destsize.is_null(), INVALID_PARAM, "a pointer is null")?;
        // SAFETY: the caller's promise; the chunk has its length.
        unsafe {
            let (chunk, dctx) = self::chunk(schunk, nchunk)?;
            let (src, len) = (chunk.as_ptr().cast(), chunk.len() as i32);
            Ok(blosc2_vldecompress_block_ctx(dctx, src, len, nblock, dest, destsize))
        }
    })
}

/// Returns a copy that the caller releases with `free`; null if there is no memory.
pub(in crate::exports::blosc2) fn duplicate(bytes: &[u8]) -> *mut c_void {
    // SAFETY: a new allocation with the length of the bytes.
    unsafe {
        let pointer = libc::malloc(bytes.len().max(1));
        if pointer.is_null() {
            return null_mut();
        }
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), pointer.cast(), bytes.len());
        pointer
    }
}

/// Returns a text that the caller releases with `free`.
///
/// # Errors
/// The code of missing memory.
pub(in crate::exports::blosc2) fn duplicate_text(text: &[u8]) -> Result<*mut c_char, i32> {
    let end = [text, &[0]].into_iter().flatten().copied();
    let pointer = duplicate(&blosc_core::memory::collect(end).map_err(|_| MEMORY)?);
    if pointer.is_null() { Err(MEMORY) } else { Ok(pointer.cast()) }
}

/// Returns the offsets of all chunks in the frame, which the caller frees; null without a frame.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_frame_get_offsets(schunk: *mut Schunk) -> *mut i64 {
    pointer_or_null(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        refuse_if(owned.public.frame.is_null(), NULL_POINTER, "the super-chunk has no frame")?;
        let offsets = owned.chunks.offsets()?.ok_or(FAILURE)?;
        let bytes = blosc_core::memory::collect(offsets.iter().flat_map(|offset| offset.to_ne_bytes()));
        Ok(duplicate(&bytes.map_err(|_| MEMORY)?).cast())
    })
}
