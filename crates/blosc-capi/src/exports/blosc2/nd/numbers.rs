//! Numbers of the chunks of a slice.

use std::ptr::null_mut;

use bloscpack_format::frame::Region;

use super::abi::NdArray;
use super::chunks::Chunks;
use super::context::numbers;
use super::handle::content;
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, METALAYER_NOT_FOUND, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::deserialize;
use crate::exports::blosc2::schunk::duplicate_bytes;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::value_or_code;
use crate::exports::pointers::store;

/// Stores the numbers of the chunks with items from `start` to `stop`, which the caller frees. Returns how many there
/// are, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only; `start` and `stop` have a number, or one for each axis
/// of an array; `chunks_idx` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_get_slice_nchunks(
    schunk: *mut Schunk,
    start: *mut i64,
    stop: *mut i64,
    chunks_idx: *mut *mut i64,
) -> i64 {
    value_or_code(|| {
        refuse_if(
            schunk.is_null() || start.is_null() || stop.is_null() || chunks_idx.is_null(),
            NULL_POINTER,
            "a pointer is null",
        )?;
        // SAFETY: the caller's promise.
        unsafe {
            store(chunks_idx, null_mut());
            let found = match content(schunk) {
                Ok(content) => of_array(schunk, &content, start, stop),
                Err(METALAYER_NOT_FOUND) => of_items(&*schunk, *start, *stop),
                Err(code) => Err(code),
            }?;
            if found.is_empty() {
                return Ok(0);
            }
            let pointer = duplicate_bytes(&found.iter().flat_map(|at| at.to_ne_bytes()).collect::<Vec<_>>());
            store(chunks_idx, pointer.cast());
            if pointer.is_null() { Err(MEMORY) } else { Ok(found.len() as i64) }
        }
    })
}

/// # Safety
/// As [`blosc2_get_slice_nchunks`].
unsafe fn of_array(schunk: *mut Schunk, content: &[u8], start: *mut i64, stop: *mut i64) -> Result<Vec<i64>, i32> {
    let shapes = deserialize(content)?.shapes;
    shapes.check_stored()?;
    let array = NdArray { sc: schunk, ..NdArray::new(&shapes.geometry()?) };
    // SAFETY: the caller's promise.
    let (chunks, start, stop) =
        unsafe { (Chunks::of(&array)?, numbers(start, shapes.ndim)?, numbers(stop, shapes.ndim)?) };
    let within = |numbers: Vec<i64>| {
        let lens = numbers.iter().zip(shapes.shape());
        lens.map(|(number, len)| (*number).clamp(0, *len).unsigned_abs()).collect::<Vec<_>>()
    };
    let region = Region { start: within(start), stop: within(stop) };
    if region.is_empty() {
        return Ok(Vec::new());
    }
    let parts = chunks.grid.parts(&region).map_err(|error| trace(INVALID_PARAM, format_args!("{error}")))?;
    blosc_core::memory::collect(parts.map(|part| part.nchunk as i64)).map_err(|_| MEMORY)
}

fn of_items(schunk: &Schunk, start: i64, stop: i64) -> Result<Vec<i64>, i32> {
    let (typesize, chunksize) = (i64::from(schunk.typesize), i64::from(schunk.chunksize));
    if schunk.nchunks == 0 {
        return Ok(Vec::new());
    }
    let (first, end) = (start.checked_mul(typesize), stop.checked_mul(typesize));
    match (first, end) {
        (Some(first), Some(end)) if chunksize > 0 && first >= 0 && end <= schunk.nbytes => {
            let end = if end % chunksize == 0 { end / chunksize } else { end / chunksize + 1 };
            blosc_core::memory::collect(first / chunksize..end).map_err(|_| MEMORY)
        }
        _ => Err(trace(INVALID_PARAM, format_args!("items {start} to {stop} are not in chunks of one size"))),
    }
}
