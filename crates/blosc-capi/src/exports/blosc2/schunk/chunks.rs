//! Append, insert, replace, remove and reorder chunks.

use std::ffi::{c_int, c_void};

use blosc_core::{Special, memory};

use super::owned::owned;
use crate::blosc2::codes::{DATA, FAILURE, FRAME_SPECIAL, INVALID_PARAM, MEMORY, SCHUNK_SPECIAL, refuse_if, trace};
use crate::blosc2::schunk::{Access, Change};
use crate::blosc2::{OVERHEAD, compress};
use crate::exports::blosc2::abi::CBool;
use crate::exports::blosc2::context_chunks::blosc2_compress_ctx;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::blosc2::source::{chunk, info};
use crate::exports::guard::{value_or_code, zero_or_code};

/// Applies a change for the chunk at a pointer, which is released afterwards, or copied.
///
/// # Safety
/// As [`blosc2_schunk_append_chunk`].
unsafe fn put(
    schunk: *mut Schunk,
    at: Option<i64>,
    is_update: bool,
    pointer: *mut u8,
    copy: CBool,
) -> Result<i64, i32> {
    // SAFETY: the caller's promise. The header states how many bytes the chunk has.
    let (owned, bytes) = unsafe {
        let owned = owned(schunk)?;
        let info = info(pointer.cast(), i32::MAX)?;
        (owned, chunk(pointer.cast(), i32::MAX, info)?)
    };
    let _held = owned.hold(Access::Write)?;
    let at = at.unwrap_or(owned.public.nchunks);
    owned.select(at, !is_update)?;
    let numbers = [at as u64];
    let change = if is_update { Change::Update(at as u64, bytes) } else { Change::Insert(&numbers, bytes) };
    owned.change(&change)?;
    if copy == 0 {
        // SAFETY: the caller gave the memory away; nothing refers to it any more.
        unsafe { libc::free(pointer.cast()) };
    }
    Ok(owned.public.nchunks)
}

/// Appends a chunk. Returns the number of chunks, or a code. Without `copy`, the super-chunk owns the memory afterwards.
///
/// # Safety
/// `schunk` was created and is used by this call only; `chunk` is null or a chunk with all bytes that its header states;
/// without `copy` it was allocated with `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_append_chunk(schunk: *mut Schunk, chunk: *mut u8, copy: CBool) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { put(schunk, None, false, chunk, copy) })
}

/// Inserts a chunk before chunk `nchunk`, as [`blosc2_schunk_append_chunk`].
///
/// # Safety
/// As [`blosc2_schunk_append_chunk`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_insert_chunk(
    schunk: *mut Schunk,
    nchunk: i64,
    chunk: *mut u8,
    copy: CBool,
) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { put(schunk, Some(nchunk), false, chunk, copy) })
}

/// Replaces chunk `nchunk`, as [`blosc2_schunk_append_chunk`].
///
/// # Safety
/// As [`blosc2_schunk_append_chunk`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_update_chunk(
    schunk: *mut Schunk,
    nchunk: i64,
    chunk: *mut u8,
    copy: CBool,
) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { put(schunk, Some(nchunk), true, chunk, copy) })
}

/// Removes chunk `nchunk`. Returns the number of chunks, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_delete_chunk(schunk: *mut Schunk, nchunk: i64) -> i64 {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        let _held = owned.hold(Access::Write)?;
        owned.select(nchunk, false)?;
        owned.change(&Change::Delete(&[nchunk as u64]))?;
        Ok(owned.public.nchunks)
    })
}

/// Inserts and removes chunks, all of them in one change of a frame.
///
/// # Safety
/// `schunk` was created and is used by this call only.
pub(in crate::exports::blosc2) unsafe fn change_chunks(schunk: *mut Schunk, change: &Change<'_>) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    let _held = owned.hold(Access::Write)?;
    owned.change(change)
}

/// Compresses a chunk and appends it. Returns the number of chunks, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `src` has `nbytes` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_append_buffer(schunk: *mut Schunk, src: *const c_void, nbytes: i32) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { append(schunk, src, nbytes) })
}

/// # Safety
/// As [`blosc2_schunk_append_buffer`].
pub(super) unsafe fn append(schunk: *mut Schunk, src: *const c_void, nbytes: i32) -> Result<i64, i32> {
    // SAFETY: the caller's promise.
    let (_held, count) = unsafe { owned(schunk) }
        .and_then(|owned| owned.hold(Access::Write).map(|held| (held, owned.public.nchunks)))?;
    // SAFETY: the caller's promise.
    let chunk = unsafe { compressed(schunk, count, src, nbytes) }?;
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    owned.change(&Change::Insert(&[count as u64], &chunk))?;
    Ok(owned.public.nchunks)
}

/// Compresses a chunk that becomes number `at`.
///
/// # Safety
/// As [`blosc2_schunk_append_buffer`].
pub(super) unsafe fn compressed(schunk: *mut Schunk, at: i64, src: *const c_void, nbytes: i32) -> Result<Vec<u8>, i32> {
    compress::check_sizes(nbytes, i32::MAX)?;
    let mut chunk: Vec<u8> = memory::zeroed(nbytes as usize + OVERHEAD).map_err(|_| MEMORY)?;
    // SAFETY: the caller's promise; the output has its length.
    let cbytes = unsafe {
        (*schunk).current_nchunk = at;
        blosc2_compress_ctx((*schunk).cctx, src, nbytes, chunk.as_mut_ptr().cast(), chunk.len() as i32)
    };
    match usize::try_from(cbytes) {
        Ok(len) if len > 0 => {
            chunk.truncate(len);
            chunk.shrink_to_fit();
            Ok(chunk)
        }
        Ok(_) => Err(FAILURE),
        Err(_) => Err(cbytes),
    }
}

/// Reorders the chunks: chunk `offsets_order[i]` becomes number `i`. Returns 0, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `offsets_order` has a number for each chunk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_reorder_offsets(schunk: *mut Schunk, offsets_order: *mut i64) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        if offsets_order.is_null() {
            return Err(INVALID_PARAM);
        }
        let _held = owned.hold(Access::Write)?;
        let count = usize::try_from(owned.public.nchunks).unwrap_or(0);
        // SAFETY: the caller's promise.
        let numbers = (0..count).map(|index| unsafe { offsets_order.add(index).read_unaligned() });
        let numbers = memory::collect(numbers).map_err(|_| MEMORY)?;
        let mut seen = memory::zeroed::<bool>(count).map_err(|_| MEMORY)?;
        let mut is_new = |number: &i64| {
            let seen = usize::try_from(*number).ok().and_then(|number| seen.get_mut(number));
            seen.is_some_and(|seen| !std::mem::replace(seen, true))
        };
        refuse_if(!numbers.iter().all(&mut is_new), DATA, "the order does not name each chunk once")?;
        let order = memory::collect(numbers.iter().map(|number| *number as u64)).map_err(|_| MEMORY)?;
        owned.change(&Change::Reorder(&order))
    })
}

/// Fills an empty super-chunk with `nitems` items of a special value. Returns the number of chunks, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_fill_special(
    schunk: *mut Schunk,
    nitems: i64,
    special_value: c_int,
    chunksize: i32,
) -> i64 {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        if nitems == 0 {
            return Ok(0);
        }
        let typesize = owned.public.typesize;
        if nitems < 0 || chunksize <= 0 || typesize <= 0 {
            return Err(trace(INVALID_PARAM, format_args!("{nitems} items in chunks of {chunksize} bytes")));
        }
        let _held = owned.hold(Access::Write)?;
        refuse_if(owned.public.nbytes > 0 || owned.public.cbytes > 0, FRAME_SPECIAL, "the super-chunk has chunks")?;
        let per_chunk = chunksize / typesize;
        if per_chunk == 0 {
            return Err(trace(INVALID_PARAM, format_args!("a chunk of {chunksize} bytes has no item")));
        }
        let special = match special_value {
            1 => Special::Zeros,
            2 => Special::Nan,
            4 => Special::Uninit,
            _ => return Err(trace(SCHUNK_SPECIAL, format_args!("there is no special value {special_value}"))),
        };
        let (count, rest) = (nitems / i64::from(per_chunk), nitems % i64::from(per_chunk));
        if count > i32::MAX.into() || nitems > i64::MAX / i64::from(typesize) {
            return Err(trace(SCHUNK_SPECIAL, format_args!("{nitems} items are too many")));
        }
        let sizes = [chunksize as u32, (rest * i64::from(typesize)) as u32];
        owned.change(&Change::Fill(special, count as u64, sizes))?;
        Ok(owned.public.nchunks)
    })
}
