//! Create and release super-chunks.

use std::ffi::c_int;

use bloscpack_format::frame::{ChunkSize, FrameType};

use super::files::{files, functions, release_io};
use super::owned::Owned;
use super::storage::OwnedStorage;
use crate::blosc2::codes::NULL_POINTER;
use crate::blosc2::schunk::{Chunks, FileFrame};
use crate::exports::blosc2::abi::Storage;
use crate::exports::blosc2::context::{blosc2_create_dctx, compression};
use crate::exports::blosc2::defaults::blosc2_get_blosc2_storage_defaults;
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::{pointer_or_null, value_or_code};

/// Creates a super-chunk. Null if its frame exists, or for parameters that cannot be used.
///
/// # Safety
/// `storage` and the pointers in it are null or valid; those for callbacks as long as the super-chunk.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_new(storage: *mut Storage) -> *mut Schunk {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe {
        let storage = storage.as_ref().copied().unwrap_or_else(|| blosc2_get_blosc2_storage_defaults());
        created_with(&storage, None)
    })
}

/// Creates a super-chunk whose frame states the size of its chunks before there is one.
///
/// # Safety
/// As [`blosc2_schunk_new`].
pub(in crate::exports::blosc2) unsafe fn created_with(
    storage: &Storage,
    chunksize: Option<i32>,
) -> Result<*mut Schunk, i32> {
    // SAFETY: the caller's promise.
    let mut storage = unsafe { OwnedStorage::copy(storage) };
    functions(storage.io())?;
    let cparams = *storage.cparams();
    // SAFETY: the caller's promise.
    let pointer = unsafe { with_contexts(Owned::new(storage, &cparams)) }?;
    // SAFETY: created above.
    let owned = unsafe { &mut *pointer };
    let is_contiguous = owned.storage.is_contiguous();
    let frame_type = if is_contiguous { FrameType::Contiguous } else { FrameType::Sparse };
    let mut header = owned.params().header(frame_type);
    if let Some(size) = chunksize.filter(|size| *size > 0) {
        header.chunksize = ChunkSize::Fixed(size.unsigned_abs());
        owned.public.chunksize = size;
    }
    let chunks = match owned.storage.path() {
        // SAFETY: the caller's promise.
        Some(path) => unsafe { files(path, frame_type, owned.storage.io()) }
            .and_then(|(files, lock)| FileFrame::create(files, lock, header))
            .map(|file| Chunks::File(Box::new(file))),
        None if is_contiguous => Chunks::in_memory(header),
        None => return Ok(pointer.cast()),
    };
    match chunks {
        Ok(chunks) => {
            owned.set_frame(chunks);
            owned.set_current().map(|()| pointer.cast())
        }
        Err(code) => {
            // SAFETY: created above, and not given to the program.
            drop(unsafe { Box::from_raw(pointer) });
            Err(code)
        }
    }
}

/// Gives a super-chunk its contexts.
///
/// # Safety
/// As [`blosc2_schunk_new`].
pub(super) unsafe fn with_contexts(owned: Box<Owned>) -> Result<*mut Owned, i32> {
    let pointer = Box::into_raw(owned);
    // SAFETY: from a box.
    let owned = unsafe { &mut *pointer };
    owned.storage.cparams().schunk = pointer.cast();
    owned.storage.dparams().schunk = pointer.cast();
    // SAFETY: the caller's promise.
    let contexts = unsafe { compression(*owned.storage.cparams()) }
        // SAFETY: the caller's promise.
        .map(|cctx| (Box::into_raw(cctx), unsafe { blosc2_create_dctx(*owned.storage.dparams()) }));
    let code = match contexts {
        Ok((cctx, dctx)) => {
            (owned.public.cctx, owned.public.dctx) = (cctx, dctx);
            if dctx.is_null() { NULL_POINTER } else { 0 }
        }
        Err(code) => code,
    };
    if code < 0 {
        // SAFETY: from a box, and not given to the program.
        drop(unsafe { Box::from_raw(pointer) });
        return Err(code);
    }
    Ok(pointer)
}

/// Releases a super-chunk. Waits until the changes of its frame are durable. Returns 0, or a code.
///
/// # Safety
/// `schunk` is null or comes from a function that creates one, and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_free(schunk: *mut Schunk) -> c_int {
    value_or_code(|| {
        if schunk.is_null() {
            return Ok(0);
        }
        // SAFETY: the caller's promise.
        let mut owned = unsafe { Box::from_raw(schunk.cast::<Owned>()) };
        let (io, synced) = (owned.storage.io(), owned.chunks.sync());
        drop(owned);
        let released = release_io(io);
        synced.map(|()| released)
    })
}
