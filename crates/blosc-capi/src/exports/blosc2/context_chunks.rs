//! Compress, decompress and read items with a context.

use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::Relaxed;

use super::callbacks;
use super::context::{Context, context};
use super::source::{chunk, chunk_size, info};
use super::tuner;
use crate::blosc2::codes::{INVALID_PARAM, trace};
use crate::blosc2::header::{self, Info, LONG, SmallChunk};
use crate::blosc2::{OVERHEAD, compress, decompress};
use crate::exports::guard::value_or_code;
use crate::exports::pointers::{buffers, header};

/// The output of a call.
#[derive(Clone, Copy)]
pub(super) struct Destination {
    pub(super) dest: *mut c_void,
    pub(super) destsize: i32,
}

/// Returns the context at a pointer, which must compress or decompress.
///
/// # Safety
/// As [`context`].
#[inline]
pub(super) unsafe fn context_for<'a>(is_compression: bool, pointer: *const Context) -> Result<&'a Context, i32> {
    // SAFETY: the caller's promise.
    match unsafe { context(pointer) }? {
        context if context.is_compression == is_compression => Ok(context),
        _ => Err(wrong_direction()),
    }
}

#[cold]
fn wrong_direction() -> i32 {
    trace(INVALID_PARAM, format_args!("the context is for the other direction"))
}

/// Compresses with a context. Returns the size of the chunk, 0 if it does not fit, or a code.
///
/// # Safety
/// `context` was created and is used by this call only; `src` has `srcsize` readable bytes and `dest` has `destsize`
/// writable ones, which no other thread changes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_compress_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let context = unsafe { context_for(true, context) }?;
        tuner::next_blocksize(&context.cparams, context.pointer())?;
        compress::check_sizes(srcsize, destsize)?;
        // SAFETY: the caller's promise, for sizes that were checked.
        let (src, dst) = unsafe { compression_buffers(src, srcsize, dest, destsize) }?;
        let cbytes = match compressed_directly(context, src, dst) {
            Some(cbytes) => cbytes,
            None => compressed(context, src, dst)?,
        };
        if let Some(blocksize) = header::blocksize_of(dst).filter(|_| cbytes > 0) {
            context.blocksize.store(blocksize, Relaxed);
        }
        Ok(cbytes)
    })
}

/// Returns the input and the output of a compression, whose sizes [`compress::check_sizes`] accepted.
///
/// # Safety
/// `src` has `srcsize` readable bytes and `dest` has `destsize` writable ones, which no other thread changes.
pub(super) unsafe fn compression_buffers<'a>(
    src: *const c_void,
    srcsize: i32,
    dest: *mut c_void,
    destsize: i32,
) -> Result<(&'a [u8], &'a mut [u8]), i32> {
    let (src_len, dest_len) = (srcsize as usize, destsize as usize);
    // SAFETY: the caller's promise. A chunk is never larger than that.
    unsafe { buffers(src, src_len, dest, dest_len.min(src_len + OVERHEAD)) }.ok_or(INVALID_PARAM)
}

/// Compresses small data that needs the engine only. `None` for all other data, and if the parameters cannot be used.
#[inline]
fn compressed_directly(context: &Context, src: &[u8], dst: &mut [u8]) -> Option<i32> {
    if context.calls_program() {
        return None;
    }
    compress::compress_small(context.encoder()?, context.key, || context.params(), src, dst)
}

#[inline(never)]
fn compressed(context: &Context, src: &[u8], dst: &mut [u8]) -> Result<i32, i32> {
    let (params, nthreads) = (context.params()?, context.job.nthreads);
    Ok(match callbacks::of_compression(context, src, src.len())? {
        None => compress::compress(context.key, params, nthreads, src, dst),
        Some(callbacks) => compress::compress_with(params, nthreads, callbacks, src, dst),
    })
}

/// Decompresses with a context. Returns the number of bytes, or a code.
///
/// # Safety
/// `context` was created and is used by this call only; `src` has `srcsize` readable bytes, or as many as its header
/// states if these are fewer; `dest` has `destsize` writable bytes, and no other thread changes them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_decompress_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let context = unsafe { context_for(false, context) }?;
        let destination = Destination { dest, destsize };
        if context.postparams.is_none() && !context.is_masked() {
            // SAFETY: the caller's promise.
            if let Some((nbytes, typesize)) = unsafe { decompressed_directly(context, src, srcsize, destination) } {
                context.typesize.store(typesize, Relaxed);
                return Ok(nbytes);
            }
        }
        // SAFETY: the caller's promise.
        unsafe { decompressed_with_mask(context, src, srcsize, destination) }
    })
}

/// Decompresses with the mask of the context. Not inlined: small chunks are decoded with fewer registers saved.
///
/// # Safety
/// As [`blosc2_decompress_ctx`].
#[inline(never)]
unsafe fn decompressed_with_mask(
    context: &Context,
    src: *const c_void,
    srcsize: i32,
    destination: Destination,
) -> Result<c_int, i32> {
    let mask = context.take_mask();
    // SAFETY: the caller's promise.
    unsafe { decompressed(context, src, srcsize, destination, &mask) }
}

/// Decodes a small chunk that needs the engine only. Returns the number of bytes and the typesize. `None` for any other
/// chunk, and if there is an error: then [`decompressed`] finds its code.
///
/// # Safety
/// As [`blosc2_decompress_ctx`].
#[inline]
unsafe fn decompressed_directly(
    context: &Context,
    src: *const c_void,
    srcsize: i32,
    Destination { dest, destsize }: Destination,
) -> Option<(c_int, i32)> {
    let available = usize::try_from(srcsize).ok().filter(|size| *size >= LONG)?;
    // SAFETY: the caller's promise.
    let header = unsafe { header(src) }?;
    let sizes = SmallChunk::of(header, available, usize::try_from(destsize).ok()?)?;
    // SAFETY: the caller's promise.
    let (chunk, dst) = unsafe { buffers(src, sizes.cbytes, dest, sizes.nbytes) }?;
    Some((decompress::small(chunk, context.decoder(), dst)?, sizes.typesize))
}

/// # Safety
/// As [`blosc2_decompress_ctx`].
pub(super) unsafe fn decompressed(
    context: &Context,
    src: *const c_void,
    srcsize: i32,
    Destination { dest, destsize }: Destination,
    mask: &[bool],
) -> Result<c_int, i32> {
    // SAFETY: the caller's promise.
    let info = unsafe { info(src, srcsize) }?;
    let nbytes = decompress::output_size(info, destsize)?;
    let cbytes = chunk_size(info, srcsize)?;
    context.typesize.store(info.typesize(), Relaxed);
    // SAFETY: the caller's promise.
    let (chunk, dst) = unsafe { buffers(src, cbytes, dest, nbytes) }.ok_or(INVALID_PARAM)?;
    let callbacks = callbacks::of_decompression(context, info, chunk);
    Ok(decompress::decompress(info, chunk, dst, context.job.nthreads, mask, callbacks))
}

/// Copies `nitems` items from `start` on. Returns the number of bytes, or a code.
///
/// # Safety
/// As [`blosc2_decompress_ctx`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_getitem_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    start: c_int,
    nitems: c_int,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe {
        let context = self::context(context)?;
        items_copied(context, src, srcsize, |_| Ok((start, nitems)), Destination { dest, destsize })
    })
}

/// Copies `nbytes` bytes from `start` on. Returns their number, or a code.
///
/// # Safety
/// As [`blosc2_decompress_ctx`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_getitem_bytes_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    start: i32,
    nbytes: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    let items = |info| decompress::items_of_bytes(info, start, nbytes);
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe {
        items_copied(self::context(context)?, src, srcsize, items, Destination { dest, destsize })
    })
}

/// Copies the items that `wanted` returns for a header.
///
/// # Safety
/// As [`blosc2_decompress_ctx`].
pub(super) unsafe fn items_copied(
    context: &Context,
    src: *const c_void,
    srcsize: i32,
    wanted: impl FnOnce(Info) -> Result<(i32, i32), i32>,
    Destination { dest, destsize }: Destination,
) -> Result<c_int, i32> {
    // SAFETY: the caller's promise.
    let info = unsafe { info(src, srcsize) }?;
    let (start, nitems) = wanted(info)?;
    let range = decompress::item_range(info, start, nitems, destsize)?;
    // SAFETY: the caller's promise.
    let chunk = unsafe { chunk(src, srcsize, info) }?;
    let Some(range) = range else { return Ok(0) };
    context.typesize.store(info.typesize(), Relaxed);
    // SAFETY: the caller's promise.
    let buffers = unsafe { buffers(chunk.as_ptr().cast(), chunk.len(), dest, range.len()) };
    let (chunk, dst) = buffers.ok_or(INVALID_PARAM)?;
    let callbacks = callbacks::of_decompression(context, info, chunk);
    Ok(decompress::items(info, chunk, range, dst, callbacks))
}
