//! Read and write items of a super-chunk, across its chunks.

use std::ffi::{c_int, c_void};
use std::ops::Range;

use blosc_core::memory;

use super::chunks::compressed;
use super::owned::owned;
use super::read::{chunk, decompressed};
use crate::blosc2::codes::{CHUNK_UPDATE, FAILURE, INVALID_PARAM, MEMORY, NULL_POINTER, trace};
use crate::blosc2::header::Info;
use crate::blosc2::schunk::{Access, Change};
use crate::exports::blosc2::context_chunks::{blosc2_decompress_ctx, blosc2_getitem_bytes_ctx};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::bytes;

/// A part of a chunk.
struct Part {
    nchunk: i64,
    /// Bytes of the chunk.
    range: Range<i32>,
    /// Where they are among the items.
    offset: usize,
}

/// Calls `work` with each part of a chunk that items are in, under the lock of the frame.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
unsafe fn each_part(
    schunk: *mut Schunk,
    access: Access,
    start: i64,
    stop: i64,
    work: impl FnMut(Part) -> Result<(), i32>,
) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    let _held = owned.hold(access)?;
    let Schunk { typesize, chunksize, nbytes, .. } = owned.public;
    parts(typesize.into(), chunksize.into(), nbytes, start, stop)?.try_for_each(work)
}

/// Returns the parts of chunks of `size` bytes that items are in.
fn parts(typesize: i64, size: i64, nbytes: i64, start: i64, stop: i64) -> Result<impl Iterator<Item = Part>, i32> {
    let (first, end) = (start.checked_mul(typesize), stop.checked_mul(typesize));
    let (Some(first), Some(end)) = (first, end) else { return Err(INVALID_PARAM) };
    if start < 0 || end > nbytes || (start < stop && size <= 0) {
        return Err(trace(INVALID_PARAM, format_args!("items {start} to {stop} are not in chunks of one size")));
    }
    let mut at = first;
    Ok(std::iter::from_fn(move || {
        if at >= end {
            return None;
        }
        let (nchunk, within) = (at / size, at % size);
        let stop = (end - nchunk * size).min(size);
        let part = Part { nchunk, range: within as i32..stop as i32, offset: (at - first) as usize };
        at += stop - within;
        Some(part)
    }))
}

/// Copies the items from `start` to `stop`. Returns 0, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `buffer` has room for the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_slice_buffer(
    schunk: *mut Schunk,
    start: i64,
    stop: i64,
    buffer: *mut c_void,
) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise; the offsets of the parts are within the items.
        let copy = |part: Part| unsafe {
            let dest = buffer.cast::<u8>().wrapping_add(part.offset);
            copy_part(schunk, part.nchunk, part.range, dest.cast()).map_err(|_| FAILURE)
        };
        // SAFETY: the caller's promise.
        unsafe { each_part(schunk, Access::Read, start, stop, copy) }
    })
}

/// Copies bytes of a chunk.
///
/// # Safety
/// As [`blosc2_schunk_get_slice_buffer`]; `dest` has room for the range.
unsafe fn copy_part(schunk: *mut Schunk, nchunk: i64, range: Range<i32>, dest: *mut c_void) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let (chunk, dctx) = unsafe { chunk(schunk, nchunk) }?;
    let is_whole = range.start == 0 && range.end == Info::of(&chunk)?.nbytes();
    let (src, size, len) = (chunk.as_ptr().cast(), chunk.len() as i32, range.end - range.start);
    // SAFETY: the chunk has its length; the caller's promise.
    let copied = unsafe {
        if is_whole {
            blosc2_decompress_ctx(dctx, src, size, dest, len)
        } else {
            blosc2_getitem_bytes_ctx(dctx, src, size, range.start, len, dest, len)
        }
    };
    if copied == len { Ok(()) } else { Err(copied.min(FAILURE)) }
}

/// Replaces the items from `start` to `stop`. Returns 0, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `buffer` has the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_set_slice_buffer(
    schunk: *mut Schunk,
    start: i64,
    stop: i64,
    buffer: *mut c_void,
) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise; the offsets of the parts are within the items.
        let set = |part: Part| unsafe {
            let len = (part.range.end - part.range.start) as usize;
            let items = bytes(buffer.cast::<u8>().wrapping_add(part.offset).cast(), len);
            set_part(schunk, part.nchunk, part.range, items.ok_or(NULL_POINTER)?)
        };
        // SAFETY: the caller's promise.
        unsafe { each_part(schunk, Access::Write, start, stop, set) }
    })
}

/// Replaces bytes of a chunk.
///
/// # Safety
/// `schunk` was created and is used by this call only.
unsafe fn set_part(schunk: *mut Schunk, nchunk: i64, range: Range<i32>, items: &[u8]) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let nbytes = Info::of(&unsafe { chunk(schunk, nchunk) }?.0)?.nbytes();
    let mut plain: Vec<u8> = memory::zeroed(usize::try_from(nbytes).map_err(|_| FAILURE)?).map_err(|_| MEMORY)?;
    if range != (0..nbytes) {
        // SAFETY: the caller's promise; the output has its length.
        unsafe { decompressed(schunk, nchunk, plain.as_mut_ptr().cast(), nbytes) }.map_err(|_| FAILURE)?;
    }
    plain.get_mut(range.start as usize..range.end as usize).ok_or(FAILURE)?.copy_from_slice(items);
    // SAFETY: the caller's promise.
    unsafe { replaced(schunk, nchunk, &plain) }
}

/// Compresses a chunk that replaces chunk `nchunk`.
///
/// # Safety
/// As [`set_part`].
pub(in crate::exports::blosc2) unsafe fn replaced(schunk: *mut Schunk, nchunk: i64, plain: &[u8]) -> Result<(), i32> {
    let nbytes = i32::try_from(plain.len()).map_err(|_| FAILURE)?;
    // SAFETY: the caller's promise; the input has its length.
    let chunk = unsafe { compressed(schunk, nchunk, plain.as_ptr().cast(), nbytes) }.map_err(|_| FAILURE)?;
    // SAFETY: the caller's promise.
    unsafe { owned(schunk) }?.change(&Change::Update(nchunk as u64, &chunk)).map_err(|_| CHUNK_UPDATE)
}

/// Copies items, given by their numbers. Returns 0, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `coords` has `ncoords` numbers, `buffer` has room for the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_get_sparse_buffer(
    schunk: *mut Schunk,
    ncoords: i64,
    coords: *const i64,
    buffer: *mut c_void,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { sparse(schunk, ncoords, coords, buffer) })
}

/// # Safety
/// As [`blosc2_schunk_get_sparse_buffer`].
unsafe fn sparse(schunk: *mut Schunk, ncoords: i64, coords: *const i64, buffer: *mut c_void) -> Result<(), i32> {
    let refused = |what: &str| Err(trace(INVALID_PARAM, format_args!("{what}")));
    // SAFETY: the caller's promise.
    let Ok(owned) = (unsafe { owned(schunk) }) else { return Err(INVALID_PARAM) };
    let _held = owned.hold(Access::Read)?;
    let (public, count) = (&owned.public, usize::try_from(ncoords));
    let (typesize, size) = (public.typesize, public.chunksize);
    match count {
        Err(_) => return refused("the number of items is negative"),
        Ok(0) => return Ok(()),
        _ if coords.is_null() || buffer.is_null() => return refused("a pointer is null"),
        _ if typesize <= 0 || size <= 0 || size % typesize != 0 => return refused("the chunks are not of one size"),
        _ if public.flags2 & 1 != 0 => return refused("the blocks are of variable length"),
        _ => {}
    }
    let nitems = public.nbytes / i64::from(typesize);
    let per_chunk = i64::from(size / typesize);
    // SAFETY: the caller's promise.
    let numbers = (0..count.unwrap_or(0)).map(|index| (unsafe { coords.add(index).read_unaligned() }, index));
    let mut numbers = memory::collect(numbers).map_err(|_| MEMORY)?;
    if numbers.iter().any(|(number, _)| !(0..nitems).contains(number)) {
        return refused("an item is not in the super-chunk");
    }
    numbers.sort_unstable();
    // Each chunk is read once.
    for items in numbers.chunk_by(|(a, _), (b, _)| a / per_chunk == b / per_chunk) {
        let nchunk = items.first().map_or(0, |(number, _)| number / per_chunk);
        // SAFETY: the caller's promise; an item has `typesize` bytes.
        unsafe { copy_items(schunk, nchunk, per_chunk, items, buffer, typesize) }.map_err(|_| FAILURE)?;
    }
    Ok(())
}

/// Copies items of one chunk to their places.
///
/// # Safety
/// As [`blosc2_schunk_get_sparse_buffer`].
unsafe fn copy_items(
    schunk: *mut Schunk,
    nchunk: i64,
    per_chunk: i64,
    items: &[(i64, usize)],
    buffer: *mut c_void,
    typesize: i32,
) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let (chunk, dctx) = unsafe { chunk(schunk, nchunk) }?;
    let (src, len) = (chunk.as_ptr().cast(), chunk.len() as i32);
    for (number, index) in items {
        let start = ((number % per_chunk) * i64::from(typesize)) as i32;
        let dest = buffer.cast::<u8>().wrapping_add(index * typesize as usize);
        // SAFETY: the chunk has its length; the caller's promise.
        let copied = unsafe { blosc2_getitem_bytes_ctx(dctx, src, len, start, typesize, dest.cast(), typesize) };
        if copied != typesize {
            return Err(FAILURE);
        }
    }
    Ok(())
}
