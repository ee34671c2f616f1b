//! Finding functions of HDF5 in the process.
//!
//! The library is not linked, because there may be several versions in the process, and that of a Python wheel is hidden
//! from other libraries. The one that called the plugin is wanted: its code is on the stack.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

/// The most frames between a function of the plugin and HDF5. Others are those of the plugin.
const DEPTH: usize = 64;

/// A loaded library, or the whole process.
#[derive(Debug)]
pub(super) struct Library(*mut c_void);

impl Library {
    /// Returns the HDF5 library that called the plugin, or else any in the process. It has the function `name`.
    pub(super) fn with(name: &CStr) -> Option<Library> {
        let mut names = callers();
        names.extend(loaded());
        let libraries = names.iter().filter_map(|name| Library::open(Some(name)));
        libraries.chain(Library::open(None)).find(|library| library.symbol(name).is_some())
    }

    /// Opens a library that is loaded; `None` is the program with all libraries that are visible to it.
    fn open(name: Option<&CStr>) -> Option<Library> {
        let name = name.map_or(std::ptr::null(), CStr::as_ptr);
        // SAFETY: a string or null. With RTLD_NOLOAD nothing is loaded, so no code runs.
        let handle = unsafe { libc::dlopen(name, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then_some(Library(handle))
    }

    /// Returns the address of a function or a variable.
    pub(super) fn symbol(&self, name: &CStr) -> Option<*mut c_void> {
        // SAFETY: a handle that is open, and a string.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    }
}

impl Drop for Library {
    fn drop(&mut self) {
        // SAFETY: the handle is open. HDF5 stays loaded, because its functions are on the stack.
        unsafe { libc::dlclose(self.0) };
    }
}

/// Returns the names of the libraries whose functions are on the stack, innermost first.
fn callers() -> Vec<CString> {
    let mut frames = [std::ptr::null_mut(); DEPTH];
    // SAFETY: the array has that many elements.
    let count = unsafe { libc::backtrace(frames.as_mut_ptr(), DEPTH as c_int) };
    let frames = frames.iter().take(usize::try_from(count).unwrap_or(0));
    let mut names: Vec<CString> = frames.filter_map(|frame| name_of(*frame)).collect();
    names.dedup();
    names
}

/// Returns the name of the library with code at an address.
fn name_of(address: *const c_void) -> Option<CString> {
    let mut info = std::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: an address is only looked up; `info` can hold the result. All zero is a valid value of it.
    let (found, info) = unsafe { (libc::dladdr(address, info.as_mut_ptr()), info.assume_init()) };
    if found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: not null; a string that stays as long as the library.
    Some(unsafe { CStr::from_ptr(info.dli_fname) }.to_owned())
}

/// Returns the names of all loaded libraries.
fn loaded() -> Vec<CString> {
    let mut names: Vec<CString> = Vec::new();
    // SAFETY: `note` gets a pointer to `names`, which nothing else uses during the call.
    unsafe { libc::dl_iterate_phdr(Some(note), (&raw mut names).cast()) };
    names.retain(|name| !name.is_empty());
    names
}

/// Adds the name of a library to the list at `names`.
///
/// # Safety
/// `info` is null or has a name that is null or a string; `names` is a `Vec<CString>` that nothing else uses.
unsafe extern "C" fn note(info: *mut libc::dl_phdr_info, _size: usize, names: *mut c_void) -> c_int {
    // SAFETY: the promise of the caller.
    if let (Some(info), Some(names)) = unsafe { (info.as_ref(), names.cast::<Vec<CString>>().as_mut()) } {
        let name: *const c_char = info.dlpi_name;
        if !name.is_null() {
            // SAFETY: not null, so it is a string.
            names.push(unsafe { CStr::from_ptr(name) }.to_owned());
        }
    }
    0
}
