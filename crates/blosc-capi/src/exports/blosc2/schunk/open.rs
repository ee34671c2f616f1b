//! Open super-chunks: frames in files and in memory.

use std::ffi::c_char;

use bloscpack_format::frame::FrameType;

use super::create::with_contexts;
use super::files::{files, release_io};
use super::owned::Owned;
use super::storage::OwnedStorage;
use crate::blosc2::codes::{INVALID_PARAM, MEMORY, NULL_POINTER, trace};
use crate::blosc2::schunk::{Chunks, FileFrame, Opened, path_of};
use crate::blosc2::settings;
use crate::exports::blosc2::abi::{CBool, Cparams, Dparams, Io};
use crate::exports::blosc2::defaults::{CPARAMS, DPARAMS, blosc2_get_blosc2_io_defaults};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::pointer_or_null;
use crate::exports::pointers::{bytes, text};

/// Opens the frame at a path. Null if it cannot be read.
///
/// # Safety
/// `urlpath` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open(urlpath: *const c_char) -> *mut Schunk {
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset(urlpath, 0) }
}

/// Opens the frame at an offset of a file, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_offset(urlpath: *const c_char, offset: i64) -> *mut Schunk {
    let io = blosc2_get_blosc2_io_defaults();
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset_udio(urlpath, offset, &io) }
}

/// Opens the frame at a path with parameters of the file system, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open`]; `udio` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_udio(urlpath: *const c_char, udio: *const Io) -> *mut Schunk {
    // SAFETY: the caller's promise.
    unsafe { blosc2_schunk_open_offset_udio(urlpath, 0, udio) }
}

/// Opens the frame at an offset of a file with parameters of the file system, as [`blosc2_schunk_open`].
///
/// # Safety
/// As [`blosc2_schunk_open_udio`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_open_offset_udio(
    urlpath: *const c_char,
    offset: i64,
    udio: *const Io,
) -> *mut Schunk {
    pointer_or_null(|| {
        // SAFETY: the caller's promise.
        let (Some(path), Some(io)) = (unsafe { (text(urlpath), udio.as_ref()) }) else {
            return Err(trace(NULL_POINTER, format_args!("the path of the super-chunk is null")));
        };
        let start = u64::try_from(offset).map_err(|_| INVALID_PARAM)?;
        let frame_type = if path_of(path).is_dir() { FrameType::Sparse } else { FrameType::Contiguous };
        // SAFETY: the caller's promise.
        let (files, lock) = unsafe { files(path, frame_type, *io) }?;
        let is_contiguous = frame_type == FrameType::Contiguous;
        let chunks = Chunks::File(Box::new(FileFrame::new(files, lock, start)));
        let storage = |cparams| OwnedStorage::new(is_contiguous, Some(path), cparams, opened_dparams(), *io);
        // SAFETY: there are no callbacks.
        match unsafe { opened(chunks, storage) } {
            Ok(owned) => Ok(owned.cast()),
            Err(code) => {
                release_io(*io);
                Err(code)
            }
        }
    })
}

/// Opens a frame in memory. Null if it is damaged. The program keeps the memory. Without `copy`, it is that of
/// [`blosc2_schunk_to_buffer`](super::blosc2_schunk_to_buffer) until the next change.
///
/// # Safety
/// `cframe` is null or has `len` readable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_from_buffer(cframe: *mut u8, len: i64, copy: CBool) -> *mut Schunk {
    pointer_or_null(|| {
        let size = usize::try_from(len).unwrap_or(0);
        // SAFETY: the caller's promise.
        let frame = unsafe { bytes(cframe.cast(), size) }.ok_or(NULL_POINTER)?;
        let chunks = Chunks::from_bytes(blosc_core::memory::copy_of(frame).map_err(|_| MEMORY)?)?;
        let is_copy = copy != 0;
        let storage =
            |cparams| OwnedStorage::new(!is_copy, None, cparams, opened_dparams(), blosc2_get_blosc2_io_defaults());
        // SAFETY: there are no callbacks.
        let pointer = unsafe { opened(chunks, storage) }?;
        // SAFETY: created above.
        let owned = unsafe { &mut *pointer };
        let is_whole = owned.chunks.frame_len() == Ok(Some(len));
        if !is_whole || (is_copy && owned.detach().is_err()) {
            // SAFETY: created above, and not given to the program.
            drop(unsafe { Box::from_raw(pointer) });
            return Err(INVALID_PARAM);
        }
        if !is_copy {
            (owned.cframe, owned.cframe_len) = (cframe.cast(), Some(len));
            (owned.avoids_free, owned.is_borrowed) = (true, true);
        }
        Ok(pointer.cast())
    })
}

/// Returns the super-chunk of a frame.
///
/// # Safety
/// As [`blosc2_schunk_new`](super::blosc2_schunk_new) for the storage.
unsafe fn opened(chunks: Chunks, storage: impl FnOnce(Cparams) -> OwnedStorage) -> Result<*mut Owned, i32> {
    let Opened { params, sizes, metalayers, vlmetalayers, generation } = chunks.opened()?;
    let cparams = Cparams {
        compcode: params.compcode,
        compcode_meta: params.compcode_meta,
        clevel: params.clevel,
        splitmode: params.split.into(),
        use_dict: params.use_dict.into(),
        typesize: params.typesize,
        blocksize: params.blocksize,
        filters: params.filters,
        filters_meta: params.filters_meta,
        nthreads: settings::nthreads(),
        ..CPARAMS
    };
    // SAFETY: the caller's promise.
    let pointer = unsafe { with_contexts(Owned::new(storage(cparams), &cparams)) }?;
    // SAFETY: created above.
    let owned = unsafe { &mut *pointer };
    owned.set_frame(chunks);
    owned.set_sizes(sizes);
    owned.generation = generation;
    if let Err(code) = owned.set_layers(metalayers, vlmetalayers) {
        // SAFETY: created above, and not given to the program.
        drop(unsafe { Box::from_raw(pointer) });
        return Err(code);
    }
    Ok(pointer)
}

/// Returns the parameters of decompression of a super-chunk that was opened.
fn opened_dparams() -> Dparams {
    Dparams { nthreads: settings::nthreads(), ..DPARAMS }
}
