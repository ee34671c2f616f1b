//! Parameters of new arrays.

use std::ffi::{CString, c_char, c_int};
use std::ptr::null_mut;

use super::abi::{MAX_ND_METALAYERS, NdContext};
use crate::blosc2::codes::{INVALID_PARAM, MAX_BUFSIZE, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{MAX_DIM, Shapes};
use crate::exports::blosc2::abi::{Cparams, Storage};
use crate::exports::blosc2::defaults::{CPARAMS, blosc2_get_blosc2_storage_defaults};
use crate::exports::blosc2::schunk_abi::Metalayer;
use crate::exports::guard::{pointer_or_null, zero_or_code};
use crate::exports::pointers::{duplicate, text};

/// Creates parameters. Null if they cannot be used. The strings and metalayers that they point to stay the program's,
/// except for the dtype.
///
/// # Safety
/// The pointers are null or valid: the shapes have `ndim` numbers, `metalayers` has `nmetalayers`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_create_ctx(
    b2_storage: *const Storage,
    ndim: i8,
    shape: *const i64,
    chunkshape: *const i32,
    blockshape: *const i32,
    dtype: *const c_char,
    dtype_format: i8,
    metalayers: *const Metalayer,
    nmetalayers: i32,
) -> *mut NdContext {
    // SAFETY: the caller's promise.
    pointer_or_null(|| unsafe {
        let shapes = shapes(ndim, shape, chunkshape, blockshape)?;
        shapes.check()?;
        let metalayers = metalayers_of(metalayers, nmetalayers)?;
        let storage = b2_storage.as_ref().copied().unwrap_or_else(|| blosc2_get_blosc2_storage_defaults());
        let dtype = text(dtype).map(CString::from);
        let mut context = new(storage, &shapes, dtype, dtype_format)?;
        (context.metalayers, context.nmetalayers) = (metalayers, nmetalayers);
        Ok(Box::into_raw(context))
    })
}

/// Returns parameters, which [`b2nd_free_ctx`] releases.
///
/// # Safety
/// The parameters of compression are null or valid.
pub(super) unsafe fn new(
    storage: Storage,
    shapes: &Shapes,
    dtype: Option<CString>,
    dtype_format: i8,
) -> Result<Box<NdContext>, i32> {
    // SAFETY: the caller's promise.
    let mut cparams = unsafe { storage.cparams.as_ref() }.copied().unwrap_or(CPARAMS);
    cparams.blocksize = blocksize(shapes, cparams.typesize)?;
    let dtype = dtype.or_else(|| CString::new(format!("|S{}", cparams.typesize)).ok()).unwrap_or_default();
    let pointer = duplicate(&dtype);
    if pointer.is_null() {
        return Err(MEMORY);
    }
    let storage = Storage { cparams: Box::into_raw(Box::new(cparams)), ..storage };
    Ok(Box::new(NdContext {
        ndim: shapes.ndim as i8,
        shape: shapes.shape,
        chunkshape: shapes.chunkshape,
        blockshape: shapes.blockshape,
        dtype: pointer,
        dtype_format,
        b2_storage: Box::into_raw(Box::new(storage)),
        metalayers: [const { NO_METALAYER }; MAX_ND_METALAYERS],
        nmetalayers: 0,
    }))
}

const NO_METALAYER: Metalayer = Metalayer { name: null_mut(), content: null_mut(), content_len: 0 };

/// Returns the size of a block.
fn blocksize(shapes: &Shapes, typesize: i32) -> Result<i32, i32> {
    let mut lens = shapes.axes().map(|(.., block)| block);
    let size = lens.try_fold(1_i32, |items, len| items.checked_mul(len)).and_then(|items| items.checked_mul(typesize));
    let size = size.filter(|size| *size >= 0);
    size.ok_or_else(|| trace(MAX_BUFSIZE, format_args!("a block has too many items of {typesize} bytes")))
}

/// Returns shapes that are not checked.
///
/// # Safety
/// The pointers are null or have `ndim` numbers.
pub(super) unsafe fn shapes(
    ndim: i8,
    shape: *const i64,
    chunkshape: *const i32,
    blockshape: *const i32,
) -> Result<Shapes, i32> {
    let axes = usize::try_from(ndim).ok().filter(|axes| *axes <= MAX_DIM);
    let axes = axes.ok_or_else(|| trace(INVALID_PARAM, format_args!("an array of {ndim} axes")))?;
    // SAFETY: the caller's promise.
    let (shape, chunkshape, blockshape) =
        unsafe { (numbers(shape, axes)?, numbers(chunkshape, axes)?, numbers(blockshape, axes)?) };
    Ok(Shapes::unchecked(&shape, &chunkshape, &blockshape))
}

/// Returns a number for each axis.
///
/// # Safety
/// `pointer` is null or has `count` numbers.
pub(super) unsafe fn numbers<T: Copy>(pointer: *const T, count: usize) -> Result<Vec<T>, i32> {
    refuse_if(pointer.is_null() && count > 0, NULL_POINTER, "the numbers of the axes are null")?;
    // SAFETY: the caller's promise. Numbers of C programs may be unaligned.
    Ok((0..count).map(|axis| unsafe { pointer.add(axis).read_unaligned() }).collect())
}

/// # Safety
/// `metalayers` is null or has `count` metalayers.
unsafe fn metalayers_of(metalayers: *const Metalayer, count: i32) -> Result<[Metalayer; MAX_ND_METALAYERS], i32> {
    let mut copy = [const { NO_METALAYER }; MAX_ND_METALAYERS];
    let len =
        usize::try_from(count).ok().filter(|len| *len <= MAX_ND_METALAYERS && (*len == 0 || !metalayers.is_null()));
    let len = len.ok_or_else(|| trace(INVALID_PARAM, format_args!("an array with {count} metalayers")))?;
    for (index, to) in copy.iter_mut().enumerate().take(len) {
        // SAFETY: the caller's promise.
        *to = unsafe { metalayers.add(index).read_unaligned() };
    }
    Ok(copy)
}

/// Releases parameters. Returns 0, or a code.
///
/// # Safety
/// `ctx` is null or comes from [`b2nd_create_ctx`], and is not used any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_free_ctx(ctx: *mut NdContext) -> c_int {
    zero_or_code(|| {
        if ctx.is_null() {
            return Err(NULL_POINTER);
        }
        // SAFETY: the caller's promise; all three are allocated by `new`.
        unsafe {
            let context = Box::from_raw(ctx);
            libc::free(context.dtype.cast());
            if !context.b2_storage.is_null() {
                let storage = Box::from_raw(context.b2_storage);
                drop((!storage.cparams.is_null()).then(|| Box::<Cparams>::from_raw(storage.cparams)));
            }
        }
        Ok(())
    })
}

/// Returns the parameters at a pointer.
///
/// # Safety
/// `ctx` is null or comes from [`b2nd_create_ctx`], was not released, and is used by this call only.
pub(super) unsafe fn context<'a>(ctx: *mut NdContext) -> Result<&'a mut NdContext, i32> {
    // SAFETY: the caller's promise.
    unsafe { ctx.as_mut() }.ok_or_else(|| trace(NULL_POINTER, format_args!("the parameters are null")))
}
