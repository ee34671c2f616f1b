//! Arrays of other arrays.

use std::ffi::{c_char, c_int};
use std::ptr::null_mut;

use blosc_core::memory;
use bloscpack_format::frame::Region;

use super::abi::{MAX_ND_METALAYERS, NdArray, NdContext};
use super::chunks::Chunks;
use super::context::{b2nd_free_ctx, context, new, numbers};
use super::create::{New, array_new};
use super::handle::{NAMES, handle, held, refreshed};
use super::resize::resized;
use crate::blosc2::codes::{FAILURE, INVALID_PARAM, MEMORY, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::Shapes;
use crate::blosc2::schunk::Access;
use crate::exports::blosc2::abi::{CBool, Storage};
use crate::exports::blosc2::defaults::blosc2_get_blosc2_storage_defaults;
use crate::exports::blosc2::schunk::{blosc2_schunk_copy, copy_vlmetalayers};
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::{duplicate, store, text};

/// Creates an array of the items of another one from `start` to `stop`. Returns 0, or a code.
///
/// # Safety
/// `ctx` as for [`b2nd_uninit`](super::b2nd_uninit), for chunks and storage; `src` was created and is used by this call
/// only; `start` and `stop` are null or have a number for each axis; `array` is null or can hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_get_slice(
    ctx: *mut NdContext,
    array: *mut *mut NdArray,
    src: *const NdArray,
    start: *const i64,
    stop: *const i64,
) -> c_int {
    zero_or_code(|| {
        refuse_if(array.is_null() || start.is_null() || stop.is_null(), NULL_POINTER, "a pointer is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(array, null_mut());
            let ctx = context(ctx)?;
            let (_held, src) = held(src, Access::Read)?;
            let axes = src.shapes()?.ndim;
            sliced(ctx, src, &numbers(start, axes)?, &numbers(stop, axes)?)?.give(array);
        }
        Ok(())
    })
}

/// # Safety
/// As [`b2nd_get_slice`].
unsafe fn sliced(ctx: &mut NdContext, src: &NdArray, start: &[i64], stop: &[i64]) -> Result<New, i32> {
    let axes = start.iter().zip(stop);
    if axes.clone().any(|(start, stop)| *start < 0 || start > stop) {
        return Err(trace(INVALID_PARAM, format_args!("items {start:?} to {stop:?} are no slice")));
    }
    // Items after the end of the array are zeros.
    let shape = axes.map(|(start, stop)| stop - start).collect::<Vec<_>>();
    ctx.set_shape(&shape);
    // SAFETY: the caller's promise.
    let new = unsafe { array_new(ctx, Some(1)) }?;
    let offset = start.iter().map(|start| start.unsigned_abs()).collect::<Vec<_>>();
    // SAFETY: created above; the caller's promise.
    unsafe { transfer(src, handle(new.pointer())?, &offset, &vec![0; offset.len()]) }?;
    Ok(new)
}

/// Copies items to another array, one of its chunks after another: those of `dst` from `to` on are those of `src` from
/// `from` on, to the end of the smaller one.
///
/// # Safety
/// Both arrays have super-chunks, which are used by this call only.
unsafe fn transfer(src: &NdArray, dst: &NdArray, from: &[u64], to: &[u64]) -> Result<(), i32> {
    if dst.counts.nitems == 0 || src.counts.nitems == 0 {
        return Ok(());
    }
    // SAFETY: the caller's promise.
    let (source, target, same) =
        unsafe { (Chunks::of(src)?, Chunks::of(dst)?, (*src.sc).typesize == (*dst.sc).typesize) };
    refuse_if(!same, INVALID_PARAM, "the arrays have items of different sizes")?;
    let ends = source.grid.all().stop.into_iter().zip(from).zip(to).zip(target.grid.all().stop);
    let stop = ends.map(|(((len, from), to), room)| to.saturating_add(len.saturating_sub(*from)).min(room)).collect();
    let all = Region { start: to.to_vec(), stop };
    let mut items = Vec::new();
    for part in target.grid.parts(&all).map_err(|_| INVALID_PARAM)? {
        let moved = |at: &[u64]| {
            let axes = at.iter().zip(to).zip(from);
            axes.map(|((at, to), from)| at - to + from).collect::<Vec<_>>()
        };
        let region = Region { start: moved(&part.region.start), stop: moved(&part.region.stop) };
        let nbytes = source.grid.nbytes_of(&region).map_err(|_| INVALID_PARAM)?;
        let nbytes = usize::try_from(nbytes).map_err(|_| MEMORY)?;
        if items.len() != nbytes {
            items = memory::zeroed(nbytes).map_err(|_| MEMORY)?;
        }
        // SAFETY: the caller's promise.
        unsafe {
            source.read(&region, &mut items)?;
            target.write(&part.region, &items)?;
        }
    }
    Ok(())
}

/// Creates a copy of an array with other chunks and another storage. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_get_slice`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_copy(ctx: *mut NdContext, src: *const NdArray, array: *mut *mut NdArray) -> c_int {
    zero_or_code(|| {
        refuse_if(array.is_null(), NULL_POINTER, "the array is null")?;
        // SAFETY: the caller's promise.
        unsafe {
            store(array, null_mut());
            let ctx = context(ctx)?;
            let (_held, src) = held(src, Access::Read)?;
            copied(ctx, src)?.give(array);
        }
        Ok(())
    })
}

/// # Safety
/// As [`b2nd_get_slice`].
unsafe fn copied(ctx: &mut NdContext, src: &mut NdArray) -> Result<New, i32> {
    let shapes = src.shapes()?;
    ctx.set_shape(shapes.shape());
    let wanted = ctx.shapes()?;
    if wanted == (Shapes { shape: wanted.shape, ..shapes }) || same_chunks(&wanted, &shapes) {
        // SAFETY: the caller's promise.
        return unsafe { duplicated(ctx, src) };
    }
    // SAFETY: the caller's promise.
    unsafe {
        let metalayers = std::mem::replace(&mut ctx.metalayers, layers_of(src));
        let nmetalayers = std::mem::replace(&mut ctx.nmetalayers, count_of(src));
        let new = sliced(ctx, src, &vec![0; shapes.ndim], shapes.shape());
        (ctx.metalayers, ctx.nmetalayers) = (metalayers, nmetalayers);
        let new = new?;
        copy_vlmetalayers(src.sc, handle(new.pointer())?.sc)?;
        Ok(new)
    }
}

fn same_chunks(a: &Shapes, b: &Shapes) -> bool {
    a.axes().zip(b.axes()).all(|((_, chunk, block), (_, other, other_block))| (chunk, block) == (other, other_block))
}

/// Copies chunks and metalayers as they are.
///
/// # Safety
/// As [`b2nd_get_slice`].
unsafe fn duplicated(ctx: &NdContext, src: &NdArray) -> Result<New, i32> {
    let mut array = NdArray::new(&src.geometry()?);
    // SAFETY: the caller's promise.
    unsafe {
        array.sc = blosc2_schunk_copy(src.sc, ctx.b2_storage);
        if array.sc.is_null() {
            return Err(FAILURE);
        }
        array.dtype = text(ctx.dtype).map_or(null_mut(), duplicate);
        (array.dtype_format, array.last_tick) = (ctx.dtype_format, (*array.sc).change_tick);
        Ok(New::own(Box::into_raw(Box::new(array))))
    }
}

/// Returns the metalayers of an array, except for its own.
///
/// # Safety
/// The array has a super-chunk.
unsafe fn layers_of(src: &NdArray) -> [super::super::Metalayer; MAX_ND_METALAYERS] {
    const NONE: super::super::Metalayer =
        super::super::Metalayer { name: null_mut(), content: null_mut(), content_len: 0 };
    let mut layers = [const { NONE }; MAX_ND_METALAYERS];
    // SAFETY: the caller's promise; the super-chunk has that many metalayers.
    unsafe {
        let all = (*src.sc).metalayers.iter().take((*src.sc).nmetalayers.into());
        let others = all.filter(|layer| text((***layer).name) != Some(NAMES[0]));
        layers.iter_mut().zip(others).for_each(|(to, layer)| *to = layer.read());
    }
    layers
}

/// # Safety
/// The array has a super-chunk.
unsafe fn count_of(src: &NdArray) -> i32 {
    // SAFETY: the caller's promise.
    unsafe { layers_of(src) }.iter().filter(|layer| !layer.name.is_null()).count() as i32
}

/// Copies an array to a path, with its own chunks.
///
/// # Safety
/// `array` is null or was created; `urlpath` is a string.
pub(super) unsafe fn saved(array: *const NdArray, urlpath: *mut c_char) -> Result<(), i32> {
    // SAFETY: the caller's promise.
    unsafe {
        let (_held, src) = held(array, Access::Read)?;
        let contiguous = (*(*src.sc).storage).contiguous;
        let mut cparams = *(*(*src.sc).storage).cparams;
        cparams.schunk = null_mut();
        let defaults = blosc2_get_blosc2_storage_defaults();
        let storage = Storage { contiguous, urlpath, cparams: &mut cparams, ..defaults };
        let dtype = text(src.dtype).map(Into::into);
        let ctx = Box::into_raw(new(storage, &src.shapes()?, dtype, src.dtype_format)?);
        let copy = copied(&mut *ctx, src);
        b2nd_free_ctx(ctx);
        copy.map(drop)
    }
}

/// Joins two arrays along an axis: in a new array with `copy`, or else in the first one. Returns 0, or a code.
///
/// # Safety
/// As [`b2nd_get_slice`]; without `copy`, `ctx` may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_concatenate(
    ctx: *mut NdContext,
    src1: *const NdArray,
    src2: *const NdArray,
    axis: i8,
    copy: CBool,
    array: *mut *mut NdArray,
) -> c_int {
    zero_or_code(|| {
        refuse_if(
            array.is_null() || std::ptr::eq(src1, src2) && copy == 0,
            INVALID_PARAM,
            "the array is null, or joined with itself",
        )?;
        // SAFETY: the caller's promise.
        unsafe {
            let shape = joined_shape(src1, src2, axis)?;
            if copy == 0 {
                let first = handle(src1)?;
                join(first, handle(src2)?, axis, &shape)?;
                store(array, src1.cast_mut());
                return Ok(());
            }
            store(array, null_mut());
            let new = copied(context(ctx)?, handle(src1)?)?;
            join(handle(new.pointer())?, handle(src2)?, axis, &shape)?;
            new.give(array);
        }
        Ok(())
    })
}

/// Returns the shape of two arrays that are joined.
///
/// # Safety
/// As [`b2nd_concatenate`].
unsafe fn joined_shape(src1: *const NdArray, src2: *const NdArray, axis: i8) -> Result<Vec<i64>, i32> {
    // SAFETY: the caller's promise. An array may be joined with itself.
    let (first, second, sizes) = unsafe {
        let first = refreshed(src1)?.shapes()?;
        let typesize = (*handle(src1)?.sc).typesize;
        let second = refreshed(src2)?.shapes()?;
        (first, second, (typesize, (*handle(src2)?.sc).typesize))
    };
    let axis = usize::try_from(axis).ok().filter(|axis| *axis < first.ndim);
    let axis = axis.ok_or_else(|| trace(INVALID_PARAM, format_args!("the array has no such axis")))?;
    let mut lens = first.shape().iter().zip(second.shape()).enumerate();
    let fits = lens.all(|(other, (a, b))| other == axis || a == b);
    refuse_if(
        !fits || first.ndim != second.ndim || sizes.0 != sizes.1,
        INVALID_PARAM,
        "the arrays have other shapes or typesizes",
    )?;
    let mut shape = first.shape().to_vec();
    let (to, more) = (&mut shape[axis], second.shape()[axis]);
    *to = to.checked_add(more).ok_or(INVALID_PARAM)?;
    Ok(shape)
}

/// Appends the items of an array.
///
/// # Safety
/// Both arrays have super-chunks, which are used by this call only.
unsafe fn join(array: &mut NdArray, more: &NdArray, axis: i8, shape: &[i64]) -> Result<(), i32> {
    let mut to = vec![0; shape.len()];
    let axis = usize::from(axis.unsigned_abs());
    to[axis] = array.shape[axis].unsigned_abs();
    // SAFETY: the caller's promise.
    unsafe {
        resized(array, shape, None)?;
        transfer(more, array, &vec![0; shape.len()], &to)
    }
}
