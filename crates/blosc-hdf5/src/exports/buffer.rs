//! Memory that HDF5 releases.

use std::ffi::c_void;
use std::sync::OnceLock;

use super::lookup::Library;
use crate::error::Error;
use crate::output::Output;

type Allocate = unsafe extern "C" fn(usize, bool) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void) -> i32;

/// HDF5's functions for memory. Without them, those of C are used, as HDF5 does.
fn functions() -> Option<&'static (Allocate, Free)> {
    static FOUND: OnceLock<Option<(Allocate, Free)>> = OnceLock::new();
    let find = || {
        let library = Library::with(c"H5allocate_memory")?;
        let (allocate, free) = (library.symbol(c"H5allocate_memory")?, library.symbol(c"H5free_memory")?);
        // SAFETY: the functions have these types in every version that has them.
        Some(unsafe {
            (std::mem::transmute::<*mut c_void, Allocate>(allocate), std::mem::transmute::<*mut c_void, Free>(free))
        })
    };
    FOUND.get_or_init(find).as_ref()
}

/// Releases memory of a chunk.
///
/// # Safety
/// `memory` is null, or memory of HDF5 that nothing uses.
pub(super) unsafe fn free(memory: *mut c_void) {
    match functions() {
        // SAFETY: the caller's promise.
        Some((_, free)) => drop(unsafe { free(memory) }),
        // SAFETY: the caller's promise; a library without these functions uses those of C.
        None => unsafe { libc::free(memory) },
    }
}

/// A result of a filter.
#[derive(Debug)]
pub(super) struct Buffer {
    memory: *mut c_void,
    len: usize,
}

impl Buffer {
    pub(super) fn new() -> Self {
        Buffer { memory: std::ptr::null_mut(), len: 0 }
    }

    /// Returns the memory, which the caller releases, and its length.
    pub(super) fn into_raw(mut self) -> (*mut c_void, usize) {
        (std::mem::replace(&mut self.memory, std::ptr::null_mut()), self.len)
    }
}

impl Output for Buffer {
    fn zeroed(&mut self, len: usize) -> Result<&mut [u8], Error> {
        *self = Buffer::new();
        if len == 0 {
            return Ok(&mut []);
        }
        if isize::try_from(len).is_err() {
            return Err(Error::NoMemory(len));
        }
        self.memory = match functions() {
            // SAFETY: any length may be asked for. `true`: all bytes are zero.
            Some((allocate, _)) => unsafe { allocate(len, true) },
            // SAFETY: any length may be asked for.
            None => unsafe { libc::calloc(len, 1) },
        };
        if self.memory.is_null() {
            return Err(Error::NoMemory(len));
        }
        self.len = len;
        // SAFETY: not null, `len` bytes that are set to zero, and not longer than an object. Only `self` has them.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.memory.cast(), len) })
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if !self.memory.is_null() {
            // SAFETY: from the allocator of HDF5; only `self` has it.
            unsafe { free(self.memory) }
        }
    }
}
