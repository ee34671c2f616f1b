//! Memory of Python objects, by the buffer protocol.
//!
//! The limited API has the protocol from Python 3.11 on only. Python 3.10 exports the same two functions for the same
//! structure, which has not changed since Python 3.3, so they are declared here.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::slice;

use pyo3::exceptions::{PyMemoryError, PyTypeError, PyValueError};
use pyo3::ffi::{Py_ssize_t, PyBytes_AsString, PyBytes_FromStringAndSize, PyObject};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyMemoryView};

/// `Py_buffer` of Python's C API.
#[repr(C)]
struct View {
    buf: *mut c_void,
    obj: *mut PyObject,
    len: Py_ssize_t,
    itemsize: Py_ssize_t,
    readonly: c_int,
    ndim: c_int,
    format: *mut c_char,
    shape: *mut Py_ssize_t,
    strides: *mut Py_ssize_t,
    suboffsets: *mut Py_ssize_t,
    internal: *mut c_void,
}

const WRITABLE: c_int = 0x0001;
const FORMAT: c_int = 0x0004;
const STRIDES: c_int = 0x0010 | 0x0008;
/// Memory without gaps: C or Fortran order.
const ANY_CONTIGUOUS: c_int = 0x0080 | STRIDES;
const C_CONTIGUOUS: c_int = 0x0020 | STRIDES;

unsafe extern "C" {
    fn PyObject_GetBuffer(object: *mut PyObject, view: *mut View, flags: c_int) -> c_int;
    fn PyBuffer_Release(view: *mut View);
    fn _PyBytes_Resize(bytes: *mut *mut PyObject, len: Py_ssize_t) -> c_int;
}

/// Contiguous memory that a Python object exports. The object cannot free or resize it before this is dropped.
pub(crate) struct Buffer(Box<View>);

// SAFETY: the view's pointers are valid in any thread until the view is released, and the release attaches to the
// interpreter. The bytes themselves are shared with Python, see `as_slice`.
unsafe impl Send for Buffer {}
// SAFETY: as above; no method of `&Buffer` changes anything.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// Returns the memory of `object` for reading. Memory with gaps is copied first. Arrays of dates, which NumPy does
    /// not export, are exported as integers.
    ///
    /// # Errors
    /// `TypeError` if the object has no buffer, and for arrays of objects.
    pub(crate) fn read(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::read_as(object, ANY_CONTIGUOUS)
    }

    /// [`Buffer::read`] in C order. Memory in Fortran order is copied, too.
    pub(crate) fn read_in_c_order(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Self::read_as(object, C_CONTIGUOUS)
    }

    fn read_as(object: &Bound<'_, PyAny>, layout: c_int) -> PyResult<Self> {
        match Self::get(object, layout | FORMAT) {
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(error),
            Err(_) if has_dates(object) => Self::read_copy(&integers(object)?, layout),
            Err(_) => Self::read_copy(object, layout),
            found => found,
        }
    }

    /// Returns the memory of `object`, or of a copy in C order if it has another layout.
    fn read_copy(object: &Bound<'_, PyAny>, layout: c_int) -> PyResult<Self> {
        let view = PyMemoryView::from(object)?;
        let is_in_layout = if layout == C_CONTIGUOUS { "c_contiguous" } else { "contiguous" };
        if view.getattr(is_in_layout)?.is_truthy()? {
            return Self::get(object, layout | FORMAT);
        }
        let mut buffer = Self::get(&view.call_method0("tobytes")?, ANY_CONTIGUOUS)?;
        buffer.0.itemsize = view.getattr("itemsize")?.extract()?;
        Ok(buffer)
    }

    /// Returns the memory of `object` for writing.
    ///
    /// # Errors
    /// `TypeError` if the object has no buffer, and for arrays of objects; `BufferError` or `ValueError` if it is
    /// read-only or has gaps.
    pub(crate) fn write(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        let flags = ANY_CONTIGUOUS | FORMAT | WRITABLE;
        match Self::get(object, flags) {
            Err(error) if error.is_instance_of::<PyTypeError>(object.py()) => Err(error),
            Err(_) if has_dates(object) => Self::get(&integers(object)?, flags),
            found => found,
        }
    }

    fn get(object: &Bound<'_, PyAny>, flags: c_int) -> PyResult<Self> {
        let null = std::ptr::null_mut();
        let mut view = Box::new(View {
            buf: null,
            obj: std::ptr::null_mut(),
            len: 0,
            itemsize: 1,
            readonly: 1,
            ndim: 0,
            format: std::ptr::null_mut(),
            shape: std::ptr::null_mut(),
            strides: std::ptr::null_mut(),
            suboffsets: std::ptr::null_mut(),
            internal: null,
        });
        // SAFETY: `object` is alive, this thread is attached to the interpreter, and `view` has the layout that the
        // function fills.
        if unsafe { PyObject_GetBuffer(object.as_ptr(), &mut *view, flags) } != 0 {
            return Err(PyErr::fetch(object.py()));
        }
        let buffer = Buffer(view);
        match buffer.has_objects() {
            true => Err(PyTypeError::new_err("arrays of objects are not supported")),
            false => Ok(buffer),
        }
    }

    /// Returns whether the items have references to Python objects. Their bytes are addresses, which mean nothing in
    /// another process, and which must never come from a chunk.
    fn has_objects(&self) -> bool {
        if self.0.format.is_null() {
            return false;
        }
        // SAFETY: the format of a view is a string that ends with 0 and lives as long as the view.
        let format = unsafe { CStr::from_ptr(self.0.format) };
        // Names of fields are between colons.
        format.to_bytes().split(|byte| *byte == b':').step_by(2).any(|code| code.contains(&b'O'))
    }

    /// Returns the size of an item in bytes, at least 1.
    pub(crate) fn itemsize(&self) -> usize {
        usize::try_from(self.0.itemsize).unwrap_or(1).max(1)
    }

    fn len(&self) -> usize {
        usize::try_from(self.0.len).unwrap_or(0)
    }

    /// Returns the bytes. Python code in other threads could change them meanwhile, as with every function that reads
    /// a buffer; the documentation of the package forbids it.
    pub(crate) fn as_slice(&self) -> &[u8] {
        if self.0.buf.is_null() || self.len() == 0 {
            return &[];
        }
        // SAFETY: a contiguous view has `len` readable bytes at `buf` until it is released.
        unsafe { slice::from_raw_parts(self.0.buf.cast(), self.len()) }
    }

    /// Returns the bytes of a buffer that was requested for writing.
    pub(crate) fn as_mut_slice(&mut self) -> &mut [u8] {
        if self.0.buf.is_null() || self.len() == 0 || self.0.readonly != 0 {
            return &mut [];
        }
        // SAFETY: a contiguous writable view has `len` writable bytes at `buf` until it is released. `overlaps` is
        // checked before an input and an output are used together.
        unsafe { slice::from_raw_parts_mut(self.0.buf.cast(), self.len()) }
    }

    /// Refuses an output that shares memory with `input`.
    ///
    /// # Errors
    /// `ValueError`.
    pub(crate) fn check_apart(&self, input: &Buffer) -> PyResult<()> {
        let (start, other) = (self.0.buf as usize, input.0.buf as usize);
        let apart = start.saturating_add(self.len()) <= other || other.saturating_add(input.len()) <= start;
        if apart || self.len() == 0 || input.len() == 0 {
            return Ok(());
        }
        Err(PyValueError::new_err("input and output share memory"))
    }
}

/// Returns a bytes object of the first bytes of a buffer of `len` bytes. `fill` writes them and returns their number. It
/// is called with arbitrary bytes, and must not let any of them get into the result.
pub(crate) fn new_bytes<'py>(
    py: Python<'py>,
    len: usize,
    fill: impl FnOnce(&mut [u8]) -> PyResult<usize>,
) -> PyResult<Bound<'py, PyBytes>> {
    if len == 0 {
        fill(&mut [])?;
        return Ok(PyBytes::new(py, &[]));
    }
    let size = Py_ssize_t::try_from(len).map_err(|_| PyMemoryError::new_err(()))?;
    // SAFETY: this thread is attached. The function returns a new object, or null with an exception.
    let object = unsafe { Bound::from_owned_ptr_or_err(py, PyBytes_FromStringAndSize(std::ptr::null(), size))? };
    // SAFETY: a bytes object of `len` bytes has them at this address. No other code has a reference to this one, so
    // nothing reads or writes them meanwhile. They are memory of the C allocator, which the compiler must take for
    // written by it. Zeroing them first would take half the time of decoding them.
    let bytes = unsafe { slice::from_raw_parts_mut(PyBytes_AsString(object.as_ptr()).cast::<u8>(), len) };
    let filled = fill(bytes)?.min(len);
    let mut object = object.into_ptr();
    if filled < len {
        // SAFETY: this is the only reference to the object. The function replaces it; on failure it releases it, stores
        // null and sets an exception. `filled` fits, because `len` does.
        unsafe { _PyBytes_Resize(&mut object, filled as Py_ssize_t) };
    }
    // SAFETY: `object` is an owned reference, or null with an exception.
    Ok(unsafe { Bound::from_owned_ptr_or_err(py, object)? }.cast_into::<PyBytes>()?)
}

/// Returns a view of an array of dates or times as integers.
fn integers<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.call_method1("view", ("i8",))
}

/// Returns whether this is a NumPy array of dates or times.
fn has_dates(object: &Bound<'_, PyAny>) -> bool {
    let kind = object.getattr("dtype").and_then(|dtype| dtype.getattr("kind")).and_then(|kind| kind.extract::<char>());
    matches!(kind, Ok('m' | 'M'))
}

impl Drop for Buffer {
    fn drop(&mut self) {
        Python::attach(|_| {
            // SAFETY: `PyObject_GetBuffer` filled the view, it is released once, and this thread is attached.
            unsafe { PyBuffer_Release(&mut *self.0) }
        });
    }
}

impl bloscpack_io::ReadAt for Buffer {
    fn len(&self) -> std::io::Result<u64> {
        bloscpack_io::ReadAt::len(self.as_slice())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> std::io::Result<()> {
        self.as_slice().read_exact_at(offset, buf)
    }
}
