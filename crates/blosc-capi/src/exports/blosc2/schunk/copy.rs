//! Copy super-chunks to another storage.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;

use super::chunks::append;
use super::create::{blosc2_schunk_free, created_with};
use super::owned::{Owned, owned};
use crate::blosc2::codes::{MEMORY, NULL_POINTER};
use crate::blosc2::decompress::output_size;
use crate::blosc2::header::Info;
use crate::blosc2::schunk::{Access, Change, Chunks, check_count};
use crate::exports::blosc2::abi::{Cparams, Storage};
use crate::exports::blosc2::context_chunks::blosc2_decompress_ctx;
use crate::exports::blosc2::defaults::{CPARAMS, blosc2_get_blosc2_storage_defaults};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::pointer_or_null;

/// Copies a super-chunk to another storage. Null if it cannot be written.
///
/// # Safety
/// As [`blosc2_schunk_new`](super::blosc2_schunk_new); `schunk` is null or comes from a function that creates one, and was not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_copy(schunk: *mut Schunk, storage: *mut Storage) -> *mut Schunk {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe {
        let storage = storage.as_ref().copied().unwrap_or_else(|| blosc2_get_blosc2_storage_defaults());
        copied(schunk, storage)
    })
}

/// # Safety
/// As [`blosc2_schunk_copy`].
pub(super) unsafe fn copied(schunk: *mut Schunk, mut storage: Storage) -> Result<*mut Schunk, i32> {
    // SAFETY: the caller's promise.
    let from = unsafe { owned(schunk) }?;
    // SAFETY: the fields are contexts.
    let (cctx, dctx) = unsafe { (from.public.cctx.as_ref(), from.public.dctx.as_ref()) };
    let cctx = cctx.ok_or(NULL_POINTER)?;
    let old = cctx.cparams();
    // SAFETY: the caller's promise.
    let mut cparams = unsafe { storage.cparams.as_ref() }.copied().unwrap_or(Cparams {
        prefilter: None,
        preparams: null_mut(),
        nthreads: CPARAMS.nthreads,
        ..old
    });
    let same_blocks = cparams.blocksize == 0 || cparams.blocksize == cctx.blocksize.load(Relaxed);
    let is_same = (cparams.typesize, cparams.clevel, cparams.compcode, cparams.use_dict != 0)
        == (old.typesize, old.clevel, old.compcode, old.use_dict != 0)
        && (cparams.filters, cparams.filters_meta) == (old.filters, old.filters_meta)
        && same_blocks
        && old.prefilter.is_none()
        && dctx.is_none_or(|dctx| dctx.dparams().postfilter.is_none());
    storage.cparams = &mut cparams;
    // SAFETY: the caller's promise.
    let new = unsafe { created_with(&storage, Some(from.public.chunksize)) }?;
    // SAFETY: created above.
    let filled = unsafe { filled(from, new, is_same || from.public.flags2 & 1 != 0) };
    if let Err(code) = filled {
        // SAFETY: created above, and not given to the program.
        unsafe { blosc2_schunk_free(new) };
        return Err(code);
    }
    Ok(new)
}

/// Copies chunks and metalayers.
///
/// # Safety
/// `new` was created.
unsafe fn filled(from: &mut Owned, new: *mut Schunk, is_same: bool) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    let to = unsafe { owned(new) }?;
    for (name, content) in from.layers(false) {
        to.change(&Change::AddMetalayer(name.to_bytes(), content))?;
        to.push_layer(false, name.clone(), content.to_vec())?;
    }
    let _held = from.hold(Access::Read)?;
    let count = from.public.nchunks;
    if matches!(to.chunks, Chunks::List(_)) {
        check_count(count, from.public.cbytes)?;
    }
    let dctx = from.public.dctx;
    for number in 0..count {
        from.public.current_nchunk = number;
        let chunk = from.stored(number)?;
        if is_same {
            to.change(&Change::Insert(&[number as u64], &chunk))?;
            continue;
        }
        let nbytes = output_size(Info::of(&chunk)?, i32::MAX)?;
        let mut plain: Vec<u8> = blosc_core::memory::zeroed(nbytes).map_err(|_| MEMORY)?;
        let (at, len) = (plain.as_mut_ptr().cast(), nbytes as i32);
        // SAFETY: a chunk and an output with their lengths.
        let code = unsafe { blosc2_decompress_ctx(dctx, chunk.as_ptr().cast(), chunk.len() as i32, at, len) };
        if code < 0 {
            return Err(code);
        }
        // SAFETY: created above; no reference to it is used meanwhile.
        unsafe { append(new, at, len) }?;
    }
    // SAFETY: the caller's promise.
    from.copy_vlmetalayers_to(unsafe { owned(new) }?)
}
