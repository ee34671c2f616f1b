//! Chunks of blocks of variable length.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use super::callbacks;
use super::context::Context;
use super::context_chunks::context_for;
use super::source::{chunk, info};
use crate::blosc2::codes::{INVALID_PARAM, MAX_BUFSIZE, MEMORY, refuse_if, trace};
use crate::blosc2::{MAX_BUFFERSIZE, compress, vlblocks};
use crate::exports::guard::{value_or_code, zero_or_code};
use crate::exports::pointers::{bytes, bytes_mut, overlap, store};

/// Compresses each source to a block of its own. Returns the size of the chunk, 0 if it does not fit, or a code.
///
/// # Safety
/// `context` was created and is used by this call only; `srcs` and `srcsizes` have `nblocks` items, each source has its
/// size in readable bytes, `dest` has `destsize` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlcompress_ctx(
    context: *mut Context,
    srcs: *const *const c_void,
    srcsizes: *const i32,
    nblocks: i32,
    dest: *mut c_void,
    destsize: i32,
) -> c_int {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let (context, blocks) = unsafe { (context_for(true, context)?, sources(srcs, srcsizes, nblocks)?) };
        compress::check_sizes(0, destsize)?;
        let room = destsize as usize;
        refuse_if(
            blocks.iter().any(|block| overlap(block.as_ptr().cast(), block.len(), dest, room)),
            INVALID_PARAM,
            "a block and the output overlap",
        )?;
        // SAFETY: the caller's promise.
        let dst = unsafe { bytes_mut(dest, room) }.ok_or(INVALID_PARAM)?;
        let largest = blocks.iter().map(|block| block.len()).max().unwrap_or(0);
        let first = blocks.first().copied().unwrap_or_default();
        let callbacks = callbacks::of_compression(context, first, largest)?;
        Ok(vlblocks::compress(&context.job, callbacks, &blocks, dst))
    })
}

/// Returns the sources of a chunk.
///
/// # Safety
/// As [`blosc2_vlcompress_ctx`].
unsafe fn sources<'a>(srcs: *const *const c_void, srcsizes: *const i32, nblocks: i32) -> Result<Vec<&'a [u8]>, i32> {
    let count = usize::try_from(nblocks).unwrap_or(0);
    refuse_if(srcs.is_null() || srcsizes.is_null() || count == 0, INVALID_PARAM, "there are no blocks to compress")?;
    let mut total = 0_i64;
    let mut blocks = blosc_core::memory::with_capacity(count).map_err(|_| MEMORY)?;
    for index in 0..count {
        // SAFETY: the caller's promise.
        let (src, size) = unsafe { (srcs.add(index).read_unaligned(), srcsizes.add(index).read_unaligned()) };
        if src.is_null() || size <= 0 {
            return Err(trace(INVALID_PARAM, format_args!("block {index} has {size} bytes")));
        }
        total += i64::from(size);
        if total > MAX_BUFFERSIZE.into() {
            return Err(trace(MAX_BUFSIZE, format_args!("the blocks have more than {MAX_BUFFERSIZE} bytes")));
        }
        // SAFETY: the caller's promise.
        blocks.push(unsafe { bytes(src, size as usize) }.ok_or(INVALID_PARAM)?);
    }
    Ok(blocks)
}

/// Stores the number of blocks of a chunk. Returns 0, or a code.
///
/// # Safety
/// `src` is null or has `srcsize` readable bytes; `nblocks` is null or can hold a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vlchunk_get_nblocks(src: *const c_void, srcsize: i32, nblocks: *mut i32) -> c_int {
    zero_or_code(|| {
        refuse_if(src.is_null() || nblocks.is_null(), INVALID_PARAM, "a pointer is null")?;
        // SAFETY: the caller's promise.
        unsafe { store(nblocks, vlblocks::count(info(src, srcsize)?)?) };
        Ok(())
    })
}

/// Decompresses each block of a chunk to memory of its own, which the caller frees. Returns the number of blocks, or a
/// code.
///
/// # Safety
/// `context` was created and is used by this call only; `src` has `srcsize` readable bytes, `dests` and `destsizes` have
/// room for `maxblocks` items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vldecompress_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    dests: *mut *mut c_void,
    destsizes: *mut i32,
    maxblocks: i32,
) -> c_int {
    value_or_code(|| {
        refuse_if(
            dests.is_null() || destsizes.is_null() || maxblocks <= 0,
            INVALID_PARAM,
            "there is no room for blocks",
        )?;
        let mut blocks = Blocks(Vec::new());
        // SAFETY: the caller's promise.
        let count = unsafe { decoded(context, src, srcsize, Wanted::AtMost(maxblocks), &mut blocks) }?;
        for (index, (pointer, len)) in blocks.release().into_iter().enumerate() {
            // SAFETY: the caller's promise; there are at most `maxblocks`.
            unsafe {
                store(dests.add(index), pointer);
                store(destsizes.add(index), len);
            }
        }
        Ok(count)
    })
}

/// Decompresses one block of a chunk to memory that the caller frees. Returns the number of bytes, or a code.
///
/// # Safety
/// `context` was created and is used by this call only; `src` has `srcsize` readable bytes, `dest` and `destsize` are
/// null or can hold a pointer and a number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_vldecompress_block_ctx(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    nblock: i32,
    dest: *mut *mut u8,
    destsize: *mut i32,
) -> c_int {
    value_or_code(|| {
        refuse_if(dest.is_null() || destsize.is_null(), INVALID_PARAM, "a pointer is null")?;
        let mut blocks = Blocks(Vec::new());
        // SAFETY: the caller's promise.
        unsafe { decoded(context, src, srcsize, Wanted::One(nblock), &mut blocks) }?;
        let (pointer, len) = blocks.release().pop().unwrap_or((null_mut(), 0));
        // SAFETY: the caller's promise.
        unsafe {
            store(dest, pointer.cast());
            store(destsize, len);
        }
        Ok(len)
    })
}

/// Blocks to decode.
#[derive(Clone, Copy)]
enum Wanted {
    /// All blocks, if there are no more.
    AtMost(i32),
    One(i32),
}

/// Decodes blocks. Returns their number.
///
/// # Safety
/// As [`blosc2_vldecompress_ctx`].
unsafe fn decoded(
    context: *mut Context,
    src: *const c_void,
    srcsize: i32,
    wanted: Wanted,
    blocks: &mut Blocks,
) -> Result<i32, i32> {
    // SAFETY: the caller's promise.
    let (context, info) = unsafe { (context_for(false, context)?, info(src, srcsize)?) };
    let count = vlblocks::count(info)?;
    let range = match wanted {
        Wanted::AtMost(most) if count <= most => 0..count as usize,
        Wanted::One(block) if (0..count).contains(&block) => block as usize..block as usize + 1,
        _ => return Err(trace(INVALID_PARAM, format_args!("the chunk has {count} blocks"))),
    };
    // SAFETY: the caller's promise.
    let chunk = unsafe { chunk(src, srcsize, info) }?;
    let callbacks = callbacks::of_decompression(context, info, chunk);
    vlblocks::decompress(info, chunk, range, callbacks, |_, len| blocks.allocate(len))?;
    Ok(count)
}

/// Memory that the caller will release with `free`. It is released here if there is an error.
struct Blocks(Vec<(*mut c_void, i32)>);

impl Blocks {
    fn allocate<'a>(&mut self, len: usize) -> Option<&'a mut [u8]> {
        // SAFETY: a new allocation, zeroed, because a damaged block may not fill it.
        let pointer = unsafe { libc::calloc(len.max(1), 1) };
        if pointer.is_null() {
            return None;
        }
        self.0.push((pointer, i32::try_from(len).ok()?));
        // SAFETY: the allocation has this length; it is not used otherwise before decoding ends.
        unsafe { bytes_mut(pointer, len) }
    }

    fn release(mut self) -> Vec<(*mut c_void, i32)> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Blocks {
    fn drop(&mut self) {
        for (pointer, _) in &self.0 {
            // SAFETY: allocated above, and not given to the caller.
            unsafe { libc::free(*pointer) };
        }
    }
}
