//! Locks of frames that several programs change.

use std::ffi::c_int;

use super::owned::owned;

use crate::blosc2::schunk::{Access, FrameLock, Held};
use crate::exports::blosc2::schunk_abi::Schunk;
use crate::exports::guard::zero_or_code;

/// Waits for the lock of a super-chunk and holds it until [`blosc2_schunk_unlock`]. Returns 0, also if the program did
/// not ask for locks or the super-chunk is not in files, or a code.
///
/// # Safety
/// `schunk` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_lock(schunk: *mut Schunk) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { with_lock(schunk, |lock| lock.acquire(Access::Write)) })
}

/// Ends a hold of [`blosc2_schunk_lock`]. Returns 0, also if there is none, or a code.
///
/// # Safety
/// As [`blosc2_schunk_lock`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_schunk_unlock(schunk: *mut Schunk) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe { with_lock(schunk, FrameLock::release) })
}

/// # Safety
/// As [`blosc2_schunk_lock`].
unsafe fn with_lock(schunk: *mut Schunk, work: impl FnOnce(&FrameLock) -> Result<(), i32>) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe { owned(schunk) }?.source_chunks().frame_lock().map_or(Ok(()), work)
}

/// Waits for the lock of a super-chunk, if the program asked for one, and reads its fields again if another handle
/// changed the frame.
///
/// # Safety
/// As [`blosc2_schunk_lock`].
pub(in crate::exports::blosc2) unsafe fn hold(schunk: *mut Schunk, access: Access) -> Result<Held, i32> {
    // SAFETY: the caller's promise.
    unsafe { owned(schunk) }?.hold(access)
}
