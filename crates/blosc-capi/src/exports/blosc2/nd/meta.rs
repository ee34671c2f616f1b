//! The metalayer of arrays.

use std::ffi::{CString, c_char, c_int};
use std::fmt::Write as _;
use std::ptr::null_mut;

use super::abi::NdArray;
use super::context::shapes;
use super::handle::{content, handle};
use crate::blosc2::codes::{FAILURE, MEMORY, NULL_POINTER, refuse_if};
use crate::blosc2::nd::{deserialize, serialize};
use crate::exports::blosc2::schunk::{duplicate_bytes, duplicate_text};
use crate::exports::guard::{value_or_code, zero_or_code};
use crate::exports::pointers::{bytes, store, text};

/// Stores the content of a metalayer, which the caller frees. Returns its length, or a code.
///
/// # Safety
/// The shapes are null or have `ndim` numbers; `dtype` is null or a string; `smeta` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_serialize_meta(
    ndim: i8,
    shape: *const i64,
    chunkshape: *const i32,
    blockshape: *const i32,
    dtype: *const c_char,
    dtype_format: i8,
    smeta: *mut *mut u8,
) -> c_int {
    value_or_code(|| {
        refuse_if(smeta.is_null(), NULL_POINTER, "the metalayer is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(smeta, null_mut());
            let shapes = shapes(ndim, shape, chunkshape, blockshape)?;
            let dtype = text(dtype).unwrap_or(c"|u1");
            let content = serialize(&shapes, dtype.to_bytes(), dtype_format)?;
            let pointer = duplicate_bytes(&content);
            store(smeta, pointer.cast());
            if pointer.is_null() { Err(MEMORY) } else { Ok(content.len() as i32) }
        }
    })
}

/// Reads the content of a metalayer. The caller frees the dtype, which is null if there is none. Returns the number of
/// bytes that were read, or a code.
///
/// # Safety
/// `smeta` is null or has `smeta_len` bytes; the shapes have room for 16 numbers; the other pointers are null or can
/// hold their values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_deserialize_meta(
    smeta: *const u8,
    smeta_len: i32,
    ndim: *mut i8,
    shape: *mut i64,
    chunkshape: *mut i32,
    blockshape: *mut i32,
    dtype: *mut *mut c_char,
    dtype_format: *mut i8,
) -> c_int {
    value_or_code(|| {
        refuse_if(
            smeta.is_null() || ndim.is_null() || shape.is_null() || chunkshape.is_null() || blockshape.is_null(),
            NULL_POINTER,
            "a pointer is null",
        )?;
        // SAFETY: the caller's promise.
        unsafe {
            store(dtype, null_mut());
            store(dtype_format, 0);
            let len = usize::try_from(smeta_len).unwrap_or(0);
            let meta = deserialize(bytes(smeta.cast(), len).ok_or(FAILURE)?)?;
            store(ndim, meta.shapes.ndim as i8);
            for (axis, (len, chunk, block)) in meta.shapes.axes().enumerate() {
                store(shape.add(axis), len);
                store(chunkshape.add(axis), chunk);
                store(blockshape.add(axis), block);
            }
            if dtype.is_null() || dtype_format.is_null() {
                return Ok(meta.ends[0] as i32);
            }
            if let Some(text) = meta.dtype {
                store(dtype, duplicate_text(text)?);
                store(dtype_format, meta.dtype_format);
            }
            Ok(meta.ends[1] as i32)
        }
    })
}

/// Prints the metalayer of an array. Returns 0, or a code.
///
/// # Safety
/// `array` is null, or was created and is used by this call only.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_print_meta(array: *const NdArray) -> c_int {
    zero_or_code(|| {
        // SAFETY: the caller's promise.
        let content = unsafe { content(handle(array)?.sc) }?;
        let text = CString::new(described(&content)?).map_err(|_| FAILURE)?;
        // The buffer of C keeps the order of what the program prints itself.
        // SAFETY: a format with one string.
        unsafe { libc::printf(c"%s".as_ptr(), text.as_ptr()) };
        Ok(())
    })
}

fn described(content: &[u8]) -> Result<String, i32> {
    let meta = deserialize(content)?;
    let list = |lens: Vec<i64>| lens.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let axes = || meta.shapes.axes();
    let mut text = format!("b2nd metalayer parameters:\n Ndim:       {}\n", meta.shapes.ndim);
    let _ = writeln!(text, " shape:      {}", list(axes().map(|(len, ..)| len).collect()));
    let _ = writeln!(text, " chunkshape: {}", list(axes().map(|(_, chunk, _)| chunk.into()).collect()));
    if let Some(dtype) = meta.dtype {
        let _ = writeln!(text, " dtype: {}", String::from_utf8_lossy(dtype).replace('\0', ""));
    }
    let _ = writeln!(text, " blockshape: {}", list(axes().map(|(.., block)| block.into()).collect()));
    Ok(text)
}
