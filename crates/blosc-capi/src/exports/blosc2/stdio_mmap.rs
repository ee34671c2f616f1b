//! Files that are mapped into memory, for input and output. The state of an open file is in the program's parameters.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr::null_mut;

use libc::FILE;

use super::abi::{IoCallbacks, StdioMmap};
use super::stdio::file_len;
use crate::blosc2::codes::{FAILURE, inform, trace};
use crate::exports::guard::guarded;
use crate::exports::pointers::text;

/// These functions, as registered with the id 1.
pub(super) const CALLBACKS: IoCallbacks = IoCallbacks {
    id: 1,
    name: c"filesystem_mmap".as_ptr().cast_mut(),
    is_allocation_necessary: 0,
    open: Some(blosc2_stdio_mmap_open),
    close: Some(blosc2_stdio_mmap_close),
    size: Some(blosc2_stdio_mmap_size),
    write: Some(blosc2_stdio_mmap_write),
    read: Some(blosc2_stdio_mmap_read),
    truncate: Some(blosc2_stdio_mmap_truncate),
    destroy: Some(blosc2_stdio_mmap_destroy),
};

/// How a file is opened and mapped.
struct Mode {
    file: &'static CStr,
    access: c_int,
    flags: c_int,
    /// Whether changes are in memory only.
    is_private: bool,
}

impl Mode {
    fn of(mode: &CStr) -> Option<Mode> {
        let (file, access, flags) = match mode.to_bytes() {
            b"r" => (c"rb", libc::PROT_READ, libc::MAP_SHARED),
            b"r+" => (c"rb+", libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED),
            b"w+" => (c"wb+", libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED),
            b"c" => (c"rb", libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE),
            _ => return None,
        };
        Some(Mode { file, access, flags, is_private: flags == libc::MAP_PRIVATE })
    }
}

/// Returns the mapped file at a pointer.
///
/// # Safety
/// `stream` is null or a `blosc2_stdio_mmap` that is used by this call only.
unsafe fn mapped<'a>(stream: *mut c_void) -> Option<&'a mut StdioMmap> {
    // SAFETY: the caller's promise.
    unsafe { stream.cast::<StdioMmap>().as_mut() }
}

/// Maps a file, unless the parameters have one with this path. Returns the parameters, or null.
///
/// # Safety
/// `urlpath` is null or a string; `params` is null or a `blosc2_stdio_mmap` that is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_open(
    urlpath: *const c_char,
    _mode: *const c_char,
    params: *mut c_void,
) -> *mut c_void {
    guarded(null_mut(), || {
        // SAFETY: the caller's promise.
        let (Some(path), Some(file)) = (unsafe { (text(urlpath), mapped(params)) }) else { return null_mut() };
        if !file.addr.is_null() {
            // SAFETY: set when the file was mapped.
            let is_same = unsafe { text(file.urlpath) } == Some(path);
            return if is_same { params } else { null_mut() };
        }
        // SAFETY: the program's mode.
        let Some((name, mode)) = (unsafe { text(file.mode) }).and_then(|name| Some((name, Mode::of(name)?))) else {
            return null_mut();
        };
        // SAFETY: a path, and parameters without a file.
        match unsafe { map(file, path, &mode) } {
            Ok(()) => {
                let (path, name, size) = (path.to_string_lossy(), name.to_string_lossy(), file.mapping_size);
                // The words of C-Blosc2: tests of programs look for them.
                inform(format_args!(
                    "Opened memory-mapped file {path} in mode {name} with an mapping size of {size} bytes."
                ));
                params
            }
            Err(what) => {
                trace(FAILURE, format_args!("{what} {}: {}", path.to_string_lossy(), std::io::Error::last_os_error()));
                null_mut()
            }
        }
    })
}

/// Opens and maps a file.
///
/// # Safety
/// The parameters have no file.
unsafe fn map(to: &mut StdioMmap, path: &CStr, mode: &Mode) -> Result<(), &'static str> {
    // SAFETY: two strings; the file is closed if it is not kept.
    unsafe {
        let file = libc::fopen(path.as_ptr(), mode.file.as_ptr());
        if file.is_null() {
            return Err("cannot open");
        }
        let descriptor = libc::fileno(file);
        let known = file_len(descriptor);
        let len = known.and_then(|len| usize::try_from(len).ok()).unwrap_or(0);
        // A mapping has at least one byte. Bytes past the end of the file are for later writes.
        let wanted = if mode.access & libc::PROT_WRITE != 0 { to.initial_mapping_size } else { 0 };
        let mapping_size = wanted.max(len).max(1);
        let urlpath = libc::strdup(path.as_ptr());
        let addr = libc::mmap(null_mut(), mapping_size, mode.access, mode.flags, descriptor, 0);
        if known.is_none() || urlpath.is_null() || addr == libc::MAP_FAILED {
            if addr != libc::MAP_FAILED {
                libc::munmap(addr, mapping_size);
            }
            libc::free(urlpath.cast());
            libc::fclose(file);
            return Err("cannot map");
        }
        (to.addr, to.urlpath, to.file, to.fd) = (addr.cast(), urlpath, file.cast(), descriptor);
        (to.file_size, to.mapping_size) = (len, mapping_size);
        (to.access_flags, to.map_flags) = (mode.access.into(), mode.flags.into());
        to.is_memory_only = mode.is_private.into();
        // The program may release the text of the mode.
        to.mode = std::ptr::null();
    }
    Ok(())
}

/// Does nothing: a file stays mapped until its parameters are released. Returns 0.
///
/// # Safety
/// None.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_close(_stream: *mut c_void) -> c_int {
    0
}

/// Returns the length of a mapped file, or -1.
///
/// # Safety
/// `stream` is null or comes from [`blosc2_stdio_mmap_open`], and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_size(stream: *mut c_void) -> i64 {
    // SAFETY: the caller's promise.
    unsafe { mapped(stream) }.map_or(-1, |file| i64::try_from(file.file_size).unwrap_or(i64::MAX))
}

/// Returns the offsets of the first byte of items and of the end. `None` if they are out of range.
fn range(size: i64, nitems: i64, position: i64) -> Option<(usize, usize)> {
    if size < 0 || nitems < 0 || position < 0 {
        return None;
    }
    let end = position.checked_add(size.checked_mul(nitems)?)?;
    Some((usize::try_from(position).ok()?, usize::try_from(end).ok()?))
}

/// Writes items at a position. The file grows as needed. Returns their number.
///
/// # Safety
/// As [`blosc2_stdio_mmap_size`]; `ptr` is null or has the items.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_write(
    ptr: *const c_void,
    size: i64,
    nitems: i64,
    position: i64,
    stream: *mut c_void,
) -> i64 {
    guarded(0, || {
        // SAFETY: the caller's promise.
        let (Some(file), Some((start, end))) = (unsafe { mapped(stream) }, range(size, nitems, position)) else {
            return 0;
        };
        let is_writable = file.access_flags & i64::from(libc::PROT_WRITE) != 0;
        if ptr.is_null() || file.addr.is_null() || start == end || !is_writable {
            return 0;
        }
        if end > file.file_size && grow(file, end).is_none() {
            trace(FAILURE, format_args!("the mapped file cannot have {end} bytes"));
            return 0;
        }
        // SAFETY: the caller's promise; the mapping has at least `end` bytes.
        unsafe { std::ptr::copy(ptr.cast::<u8>(), file.addr.cast::<u8>().add(start), end - start) };
        nitems
    })
}

/// Makes the file and its mapping longer.
fn grow(file: &mut StdioMmap, len: usize) -> Option<()> {
    let signed = i64::try_from(len).ok()?;
    // SAFETY: an open file.
    if file.is_memory_only == 0 && unsafe { libc::ftruncate(file.fd, signed) } != 0 {
        return None;
    }
    if len > file.mapping_size {
        let mapping_size = len.checked_mul(2).filter(|size| isize::try_from(*size).is_ok()).unwrap_or(len);
        file.addr = remapped(file, mapping_size)?;
        file.mapping_size = mapping_size;
    }
    file.file_size = len;
    Some(())
}

/// Returns a longer mapping, with the changes that are in memory only.
#[cfg(target_os = "linux")]
fn remapped(file: &StdioMmap, mapping_size: usize) -> Option<*mut c_char> {
    // SAFETY: a mapping with its length, to which no slices are kept.
    let addr = unsafe { libc::mremap(file.addr.cast(), file.mapping_size, mapping_size, libc::MREMAP_MAYMOVE) };
    (addr != libc::MAP_FAILED).then_some(addr.cast())
}

/// Returns a longer mapping. Changes that are in memory only would be lost.
#[cfg(not(target_os = "linux"))]
fn remapped(file: &StdioMmap, mapping_size: usize) -> Option<*mut c_char> {
    if file.is_memory_only != 0 {
        return None;
    }
    let (access, flags) = (file.access_flags as c_int, file.map_flags as c_int);
    // SAFETY: an open file; the old mapping has its length, and no slices of it are kept.
    unsafe {
        let addr = libc::mmap(null_mut(), mapping_size, access, flags, file.fd, 0);
        if addr == libc::MAP_FAILED {
            return None;
        }
        libc::munmap(file.addr.cast(), file.mapping_size);
        Some(addr.cast())
    }
}

/// Stores a pointer to items at a position, or null. Returns their number.
///
/// # Safety
/// As [`blosc2_stdio_mmap_size`]; `ptr` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_read(
    ptr: *mut *mut c_void,
    size: i64,
    nitems: i64,
    position: i64,
    stream: *mut c_void,
) -> i64 {
    if ptr.is_null() {
        return 0;
    }
    // SAFETY: the caller's promise.
    let found = unsafe { mapped(stream) }.zip(range(size, nitems, position));
    let found = found.filter(|(file, (_, end))| *end <= file.file_size && !file.addr.is_null());
    let items = found.map(|(file, (start, _))| file.addr.wrapping_add(start));
    // SAFETY: the caller's promise.
    unsafe { ptr.write_unaligned(items.map_or(null_mut(), <*mut c_char>::cast)) };
    if items.is_some() { nitems } else { 0 }
}

/// Sets the length of a mapped file. Returns 0, or -1.
///
/// # Safety
/// As [`blosc2_stdio_mmap_size`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_truncate(stream: *mut c_void, size: i64) -> c_int {
    guarded(-1, || {
        // SAFETY: the caller's promise.
        let (Some(file), Ok(len)) = (unsafe { mapped(stream) }, usize::try_from(size)) else { return -1 };
        if len > file.file_size {
            return if grow(file, len).is_some() { 0 } else { -1 };
        }
        if len < file.file_size {
            file.file_size = len;
            if file.is_memory_only == 0 {
                // SAFETY: an open file.
                return unsafe { libc::ftruncate(file.fd, size) };
            }
        }
        0
    })
}

/// Writes changes to the disk, and closes and unmaps the file. Returns 0, or -1.
///
/// # Safety
/// `params` is null or a `blosc2_stdio_mmap` that is used by this call only; with `needs_free` it was allocated with
/// `malloc`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blosc2_stdio_mmap_destroy(params: *mut c_void) -> c_int {
    // SAFETY: the caller's promise.
    let Some(file) = (unsafe { mapped(params) }) else { return -1 };
    let mut is_done = !file.addr.is_null() && !file.file.is_null();
    // SAFETY: the mapping and the file were set when the file was mapped, and are not used any more.
    unsafe {
        if is_done {
            let is_shared = file.is_memory_only == 0 && file.access_flags & i64::from(libc::PROT_WRITE) != 0;
            if is_shared {
                is_done &= libc::msync(file.addr.cast(), file.file_size, libc::MS_SYNC) == 0;
            }
            is_done &= libc::munmap(file.addr.cast(), file.mapping_size) == 0;
        }
        if !file.file.is_null() {
            is_done &= libc::fclose(file.file.cast::<FILE>()) == 0;
        }
        libc::free(file.urlpath.cast());
        (file.file, file.addr, file.urlpath) = (null_mut(), null_mut(), null_mut());
        if file.needs_free != 0 {
            libc::free(params);
        }
    }
    if is_done { 0 } else { -1 }
}
