//! The functions that HDF5 finds by name, and the description of the filter.

use std::ffi::{c_char, c_int, c_uint, c_void};

use super::chunk::filter;
use super::hdf5::Id;
use super::selected::FILTER;
use super::set_local::set_local;
use crate::filter::Filter;

/// `H5PL_TYPE_FILTER`.
const TYPE_FILTER: c_int = 0;

/// `H5Z_class2_t`.
#[repr(C)]
struct Class {
    version: c_int,
    id: c_int,
    encoder_present: c_uint,
    decoder_present: c_uint,
    name: *const c_char,
    can_apply: Option<extern "C" fn(Id, Id, Id) -> c_int>,
    set_local: Option<extern "C" fn(Id, Id, Id) -> c_int>,
    filter: unsafe extern "C" fn(c_uint, usize, *const c_uint, usize, *mut usize, *mut *mut c_void) -> usize,
}

// SAFETY: nothing changes it, and its pointers are those of constants.
unsafe impl Sync for Class {}

static CLASS: Class = Class {
    version: 1,
    id: FILTER.id(),
    encoder_present: 1,
    decoder_present: 1,
    name: match FILTER {
        Filter::Blosc1 => c"blosc".as_ptr(),
        Filter::Blosc2 => c"blosc2".as_ptr(),
    },
    can_apply: None,
    set_local: Some(set_local),
    filter,
};

/// Returns that the library is a filter.
// SAFETY: no other function of the library has this name, which HDF5 looks up.
#[unsafe(no_mangle)]
pub extern "C" fn H5PLget_plugin_type() -> c_int {
    TYPE_FILTER
}

/// Returns the description of the filter, an `H5Z_class2_t`.
// SAFETY: no other function of the library has this name, which HDF5 looks up.
#[unsafe(no_mangle)]
pub extern "C" fn H5PLget_plugin_info() -> *const c_void {
    (&raw const CLASS).cast()
}
