//! Access to the files of a frame: those of the file system, or functions of the program.

use std::ffi::{CStr, c_int};
use std::ptr::null;
use std::sync::Arc;

use bloscpack_format::frame::FrameType;

use super::callbacks::CallbackFiles;
use crate::blosc2::codes::{PLUGIN_IO, trace};
use crate::blosc2::schunk::{Files, FrameLock, LocalFiles, path_of};
use crate::blosc2::settings;
use crate::exports::blosc2::abi::{Io, IoCallbacks, StdioParams};
use crate::exports::blosc2::registration::io_callbacks;

/// Returns the functions of the program for input and output; `None` for the file system.
///
/// # Errors
/// The code of an id that is not registered.
pub(super) fn functions(io: Io) -> Result<Option<IoCallbacks>, i32> {
    if io.id == 0 {
        return Ok(None);
    }
    let missing = || trace(PLUGIN_IO, format_args!("input and output {} is not registered", io.id));
    io_callbacks(io.id).map(Some).ok_or_else(missing)
}

/// The files of a frame, and its lock if the program asks for one.
pub(super) type LockedFiles = (Box<dyn Files>, Option<Arc<FrameLock>>);

/// Returns access to the files of a frame.
///
/// # Safety
/// The parameters of `io` are those of its functions.
pub(super) unsafe fn files(path: &CStr, frame_type: FrameType, io: Io) -> Result<LockedFiles, i32> {
    let path = path_of(path);
    if let Some(callbacks) = functions(io)? {
        return Ok((Box::new(CallbackFiles::new(callbacks, io.params, path, frame_type)), None));
    }
    // C-Blosc2 2.x has no parameters for files.
    let params = if cfg!(feature = "blosc2-abi7") { null() } else { io.params.cast::<StdioParams>() };
    // SAFETY: null, or the caller's promise.
    let params = unsafe { params.as_ref() };
    let is_locked = params.is_some_and(|params| params.locking != 0) || settings::locking();
    let lock = is_locked.then(|| FrameLock::new(&path, frame_type == FrameType::Sparse));
    Ok((Box::new(LocalFiles::new(path)), lock))
}

/// Releases the parameters of input and output. Returns 0, or 1 if that fails.
pub(super) fn release_io(io: Io) -> c_int {
    match functions(io) {
        // SAFETY: the program promises that its function takes its parameters.
        Ok(Some(IoCallbacks { destroy: Some(destroy), .. })) => c_int::from(unsafe { destroy(io.params) } < 0),
        _ => 0,
    }
}
