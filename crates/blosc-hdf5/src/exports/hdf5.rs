//! The functions of HDF5 1.10 and later that the plugins call, found when they are needed.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};

use super::lookup::Library;
use crate::dataset::Dataset;
use crate::error::Error;

/// An identifier of HDF5, since 1.10.
pub(super) type Id = i64;

/// The most axes of a dataset.
const MAX_RANK: usize = 32;
/// The most values of a filter that are kept.
const MAX_VALUES: usize = 64;
/// `H5T_ARRAY`.
const ARRAY: c_int = 10;

type GetFilter =
    unsafe extern "C" fn(Id, c_int, *mut c_uint, *mut usize, *mut c_uint, usize, *mut c_char, *mut c_uint) -> c_int;
type ModifyFilter = unsafe extern "C" fn(Id, c_int, c_uint, usize, *const c_uint) -> c_int;
type GetChunk = unsafe extern "C" fn(Id, c_int, *mut u64) -> c_int;
type GetSize = unsafe extern "C" fn(Id) -> usize;
type GetClass = unsafe extern "C" fn(Id) -> c_int;
type GetSuper = unsafe extern "C" fn(Id) -> Id;
type Push = unsafe extern "C" fn(Id, *const c_char, *const c_char, c_uint, Id, Id, Id, *const c_char, ...) -> c_int;

/// The library that called the plugin.
#[derive(Debug)]
pub(super) struct Hdf5(Library);

/// Returns a function of a library as a pointer of type `$type`.
macro_rules! function {
    ($hdf5:expr, $type:ty, $name:literal) => {{
        let address = $hdf5.0.symbol($name).ok_or(Error::NoHdf5)?;
        // SAFETY: the function has this type in every version since 1.10.
        unsafe { std::mem::transmute::<*mut c_void, $type>(address) }
    }};
}

impl Hdf5 {
    pub(super) fn find() -> Result<Self, Error> {
        Library::with(c"H5Pget_filter_by_id2").map(Hdf5).ok_or(Error::NoHdf5)
    }

    /// Returns the flags and the values of a filter of a property list.
    pub(super) fn filter(&self, list: Id, filter: i32) -> Result<(c_uint, Vec<u32>), Error> {
        let get = function!(self, GetFilter, c"H5Pget_filter_by_id2");
        let (mut flags, mut count, mut values) = (0, MAX_VALUES, [0; MAX_VALUES]);
        let (name, config) = (std::ptr::null_mut(), std::ptr::null_mut());
        // SAFETY: `values` has `count` elements; names of length 0 and null are allowed.
        let done = unsafe { get(list, filter, &raw mut flags, &raw mut count, values.as_mut_ptr(), 0, name, config) };
        if done < 0 {
            return Err(Error::Hdf5("H5Pget_filter_by_id2"));
        }
        // There may be more values than there is room for.
        Ok((flags, values.into_iter().take(count).collect()))
    }

    /// Replaces the values of a filter of a property list.
    pub(super) fn set_filter(&self, list: Id, filter: i32, flags: c_uint, values: &[u32]) -> Result<(), Error> {
        let modify = function!(self, ModifyFilter, c"H5Pmodify_filter");
        // SAFETY: a slice with its length.
        let done = unsafe { modify(list, filter, flags, values.len(), values.as_ptr()) };
        if done < 0 { Err(Error::Hdf5("H5Pmodify_filter")) } else { Ok(()) }
    }

    /// Calls `work` with the facts about a dataset.
    pub(super) fn with_dataset<R>(&self, list: Id, of: Id, work: impl FnOnce(&Dataset<'_>) -> R) -> Result<R, Error> {
        let get_chunk = function!(self, GetChunk, c"H5Pget_chunk");
        let mut shape = [0; MAX_RANK];
        // SAFETY: the array has that many elements.
        let ndim = unsafe { get_chunk(list, MAX_RANK as c_int, shape.as_mut_ptr()) };
        let ndim = usize::try_from(ndim).ok();
        let chunkshape = ndim.and_then(|ndim| shape.get(..ndim)).ok_or(Error::Hdf5("H5Pget_chunk"))?;
        let (itemsize, typesize) = self.sizes(of)?;
        Ok(work(&Dataset { chunkshape, itemsize, typesize }))
    }

    /// Returns the size of an item, and that of an element if items are arrays.
    fn sizes(&self, of: Id) -> Result<(u64, u64), Error> {
        let (size, class) = (function!(self, GetSize, c"H5Tget_size"), function!(self, GetClass, c"H5Tget_class"));
        let size_of = |of| {
            // SAFETY: any number may be passed; that of no type gives 0.
            let size = unsafe { size(of) };
            if size == 0 { Err(Error::Hdf5("H5Tget_size")) } else { Ok(size as u64) }
        };
        let itemsize = size_of(of)?;
        // SAFETY: as above; -1.
        if unsafe { class(of) } != ARRAY {
            return Ok((itemsize, itemsize));
        }
        let (parent, close) = (function!(self, GetSuper, c"H5Tget_super"), function!(self, GetClass, c"H5Tclose"));
        // SAFETY: as above; negative.
        let element = unsafe { parent(of) };
        let typesize = size_of(element);
        // SAFETY: as above. Nothing else has this identifier.
        unsafe { close(element) };
        Ok((itemsize, typesize?))
    }

    /// Adds an error to HDF5's stack. Does nothing in a library without such.
    fn push(&self, function: &CStr, text: &CStr) -> Option<()> {
        let number = |name| {
            let address = self.0.symbol(name)?.cast::<Id>();
            // SAFETY: a variable of this type in every version since 1.10, set before any filter runs.
            Some(unsafe { address.read() })
        };
        let class = number(c"H5E_ERR_CLS_g")?;
        let (major, minor) = (number(c"H5E_PLINE_g")?, number(c"H5E_CALLBACK_g")?);
        let address = self.0.symbol(c"H5Epush2")?;
        // SAFETY: the function has this type in every version since 1.10.
        let push = unsafe { std::mem::transmute::<*mut c_void, Push>(address) };
        let file = c"blosc-hdf5".as_ptr();
        // SAFETY: strings; the format has one argument, which is a string. 0 is the default stack.
        unsafe { push(0, file, function.as_ptr(), 0, class, major, minor, c"%s".as_ptr(), text.as_ptr()) };
        Some(())
    }
}

/// Tells HDF5 why a function of the plugin failed.
pub(super) fn report(function: &CStr, error: &Error) {
    let text = error.to_string().replace('\0', " ");
    if let (Ok(hdf5), Ok(text)) = (Hdf5::find(), CString::new(text)) {
        hdf5.push(function, &text);
    }
}

/// Runs `work`. A panic becomes an error: unwinding into C is undefined.
pub(super) fn guarded<R>(work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    // Nothing outside `work` is left half changed: the result is only handed over after it.
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).unwrap_or(Err(Error::Panic))
}
