//! Frames of super-chunks as bytes and files.

use std::ffi::{CStr, c_char};
use std::fs::File;
use std::io::Write as _;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::ptr::null_mut;

use bloscpack_format::frame::FrameType;
use bloscpack_io::AtomicFile;

use super::callbacks::CallbackFiles;
use super::copy::copied;
use super::create::blosc2_schunk_free;
use super::files::functions;
use super::owned::owned;
use super::read::duplicate;
use crate::blosc2::codes::{
    FAILURE, FILE_OPEN, FILE_READ, FILE_WRITE, INVALID_PARAM, MEMORY, SCHUNK_COPY, of_frame, trace,
};
use crate::blosc2::schunk::path_of;
use crate::exports::blosc2::abi::{CBool, Storage};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::value_or_code;
use crate::exports::pointers::{store, text};

/// The bytes of a frame, and whether they are those of a frame in memory.
type Frame = (Vec<u8>, bool);

/// Returns the contiguous frame of a super-chunk.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
unsafe fn bytes(schunk: *mut Schunk) -> Result<Frame, i32> {
    // SAFETY: the caller's promise.
    let owned = unsafe { owned(schunk) }?;
    if let Some(bytes) = owned.chunks.frame_bytes()? {
        return Ok((bytes, owned.storage.is_contiguous()));
    }
    let storage =
        Storage { contiguous: 1, urlpath: null_mut(), cparams: null_mut(), dparams: null_mut(), io: null_mut() };
    // SAFETY: the caller's promise.
    let copy = unsafe { copied(schunk, storage) }.map_err(|_| SCHUNK_COPY)?;
    // SAFETY: created above.
    let bytes = unsafe { self::owned(copy) }.and_then(|owned| owned.chunks.frame_bytes());
    // SAFETY: created above.
    unsafe { blosc2_schunk_free(copy) };
    Ok((bytes?.ok_or(FAILURE)?, false))
}

/// Stores a pointer to the contiguous frame of a super-chunk, and whether the caller frees it. Returns its length, or a
/// code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `cframe` and `needs_free` are null or can hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_to_buffer(
    schunk: *mut Schunk,
    cframe: *mut *mut u8,
    needs_free: *mut CBool,
) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe {
        store(cframe, null_mut());
        store(needs_free, 0);
        let (pointer, len, is_new) = shown(schunk)?;
        store(cframe, pointer);
        store(needs_free, is_new.into());
        Ok(len)
    })
}

/// # Safety
/// As [`blosc2_schunk_to_buffer`].
unsafe fn shown(schunk: *mut Schunk) -> Result<(*mut u8, i64, bool), i32> {
    // SAFETY: the caller's promise.
    let current = unsafe { owned(schunk) }?;
    if let Some(len) = current.cframe_len {
        return Ok((current.cframe.cast(), len, false));
    }
    // SAFETY: the caller's promise.
    let (frame, is_own) = unsafe { bytes(schunk) }?;
    let (pointer, len) = (duplicate(&frame), frame.len() as i64);
    if pointer.is_null() {
        return Err(MEMORY);
    }
    if is_own {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        owned.release_cframe();
        if std::mem::take(&mut owned.is_borrowed) {
            owned.avoids_free = false;
        }
        (owned.cframe, owned.cframe_len) = (pointer, Some(len));
    }
    Ok((pointer.cast(), len, !is_own))
}

/// Sets whether the program releases the frame in memory, and not the super-chunk.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_avoid_cframe_free(schunk: *mut Schunk, avoid_cframe_free: CBool) {
    // SAFETY: the caller's promise.
    if let Ok(owned) = unsafe { owned(schunk) } {
        owned.avoids_free = avoid_cframe_free != 0;
    }
}

/// Writes the contiguous frame of a super-chunk to a file. Returns its length, or a code.
///
/// # Safety
/// `schunk` was created and is used by this call only; `urlpath` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_to_file(schunk: *mut Schunk, urlpath: *const c_char) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe {
        written(schunk, text(urlpath), to_file, |files, frame| files.write_all(frame).map(|()| frame.len() as u64))
    })
}

/// Appends the contiguous frame of a super-chunk to a file. Returns its offset, or a code.
///
/// # Safety
/// As [`blosc2_schunk_to_file`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_append_file(schunk: *mut Schunk, urlpath: *const c_char) -> i64 {
    // SAFETY: the caller's promise.
    value_or_code(|| unsafe { written(schunk, text(urlpath), append, CallbackFiles::append) })
}

/// # Safety
/// `schunk` is null, or was created and is used by this call only.
unsafe fn written(
    schunk: *mut Schunk,
    path: Option<&CStr>,
    write: impl FnOnce(&Frame, &Path) -> Result<i64, i32>,
    write_by: impl FnOnce(&CallbackFiles, &[u8]) -> std::io::Result<u64>,
) -> Result<i64, i32> {
    let path = path.ok_or_else(|| trace(INVALID_PARAM, format_args!("the path is null")))?;
    // SAFETY: the caller's promise.
    let io = unsafe { owned(schunk) }?.storage.io();
    let callbacks = functions(io)?;
    // SAFETY: the caller's promise.
    let frame = unsafe { bytes(schunk) }?;
    let path = path_of(path);
    let Some(callbacks) = callbacks else { return write(&frame, &path) };
    let files = CallbackFiles::new(callbacks, io.params, path, FrameType::Contiguous);
    let written = write_by(&files, &frame.0).ok().and_then(|len| i64::try_from(len).ok());
    written.ok_or_else(|| trace(FILE_WRITE, format_args!("the program's functions failed")))
}

/// Replaces a file. Only a frame in memory replaces one, as in C-Blosc2.
fn to_file((frame, replaces): &Frame, path: &Path) -> Result<i64, i32> {
    if !replaces && path.exists() {
        return Err(trace(SCHUNK_COPY, format_args!("{} exists", path.display())));
    }
    let mut file = AtomicFile::create(path, true).map_err(|error| of_frame(&error, FILE_OPEN))?;
    file.write_all(frame).map_err(|error| trace(FILE_WRITE, format_args!("{}: {error}", path.display())))?;
    file.commit().map_err(|error| of_frame(&error, FILE_WRITE))?;
    Ok(frame.len() as i64)
}

fn append((frame, _): &Frame, path: &Path) -> Result<i64, i32> {
    let failed = |code| move |error: std::io::Error| trace(code, format_args!("{}: {error}", path.display()));
    let file = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = file.map_err(failed(FILE_OPEN))?;
    let at = file.metadata().map_err(failed(FILE_READ))?.len();
    file.write_all_at(frame, at).map_err(failed(FILE_WRITE))?;
    i64::try_from(at).map_err(|_| FILE_WRITE)
}

/// Returns the length of the frame of a super-chunk, an estimate if there is none, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_frame_len(schunk: *mut Schunk) -> i64 {
    value_or_code(|| {
        // SAFETY: the caller's promise.
        let owned = unsafe { owned(schunk) }?;
        let estimate = owned.public.cbytes.saturating_add(owned.public.nchunks.saturating_mul(8));
        Ok(if owned.public.frame.is_null() { estimate } else { owned.chunks.frame_len()?.unwrap_or(estimate) })
    })
}
