//! Arrays with the chunks of other arrays, and more or fewer axes of length 1.

use std::ffi::c_int;
use std::ptr::null_mut;

use super::abi::NdArray;
use super::context::{b2nd_free_ctx, new, numbers};
use super::create::array_new;
use super::handle::{NAMES, refreshed};
use crate::blosc2::codes::{INVALID_INDEX, INVALID_PARAM, NULL_POINTER, refuse_if, trace};
use crate::blosc2::nd::{MAX_DIM, Shapes};
use crate::exports::blosc2::abi::{CBool, Storage};
use crate::exports::blosc2::defaults::blosc2_get_blosc2_storage_defaults;
use crate::exports::blosc2::schunk::make_view;
use crate::exports::guard::zero_or_code;
use crate::exports::pointers::{store, text};

/// Creates a view with new axes of length 1, where `axis` is true. The array must stay valid as long as the view. Returns
/// 0, or a code.
///
/// # Safety
/// `array` was created and is used by this call only; `axis` is null or has `final_dims` values; `view` is null or can
/// hold a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_expand_dims(
    array: *const NdArray,
    view: *mut *mut NdArray,
    axis: *const CBool,
    final_dims: u8,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe {
        viewed(array, view, |shapes| {
            let is_new = numbers(axis, final_dims.into())?;
            let old = is_new.iter().filter(|is_new| **is_new == 0).count();
            if old != shapes.ndim || is_new.len() > MAX_DIM {
                return Err(trace(INVALID_PARAM, format_args!("{} axes do not match the list", shapes.ndim)));
            }
            let mut old = shapes.axes();
            Ok(is_new
                .iter()
                .map(|is_new| if *is_new == 0 { old.next().unwrap_or((1, 1, 1)) } else { (1, 1, 1) })
                .collect())
        })
    })
}

/// Creates a view without the axes of length 1, as [`b2nd_expand_dims`].
///
/// # Safety
/// As [`b2nd_expand_dims`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_squeeze(array: *mut NdArray, view: *mut *mut NdArray) -> c_int {
    zero_or_code(|| {
        let kept = |shapes: &Shapes| Ok(shapes.axes().filter(|(len, ..)| *len != 1).collect());
        // SAFETY: the caller's promise.
        unsafe { viewed(array, view, kept) }
    })
}

/// Creates a view without the axes where `index` is true, as [`b2nd_expand_dims`].
///
/// # Safety
/// As [`b2nd_expand_dims`]; `index` is null or has a value for each axis.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn b2nd_squeeze_index(
    array: *mut NdArray,
    view: *mut *mut NdArray,
    index: *const CBool,
) -> c_int {
    // SAFETY: the caller's promise.
    zero_or_code(|| unsafe {
        viewed(array, view, |shapes| {
            let removed = numbers(index, shapes.ndim)?;
            let axes = shapes.axes().zip(removed);
            refuse_if(
                axes.clone().any(|((len, ..), is_removed)| is_removed != 0 && len != 1),
                INVALID_INDEX,
                "an axis to be removed has not one item",
            )?;
            Ok(axes.filter(|(_, is_removed)| *is_removed == 0).map(|(axis, _)| axis).collect())
        })
    })
}

/// Lengths of each axis: of the array, of a chunk and of a block.
type Axes = Vec<(i64, i32, i32)>;

/// Stores a view with other axes.
///
/// # Safety
/// As [`b2nd_expand_dims`].
unsafe fn viewed(
    array: *const NdArray,
    view: *mut *mut NdArray,
    axes: impl FnOnce(&Shapes) -> Result<Axes, i32>,
) -> Result<(), i32> {
    refuse_if(view.is_null(), NULL_POINTER, "the view is null")?;
    // SAFETY: the caller's promise.
    unsafe {
        store(view, null_mut());
        let array = refreshed(array)?;
        let base = &*array.sc;
        let mut layers = base.metalayers.iter().take(base.nmetalayers.into());
        refuse_if(
            layers.any(|layer| text((**layer).name) != Some(NAMES[0])),
            INVALID_PARAM,
            "the array has metalayers of its own",
        )?;
        let axes = axes(&array.shapes()?)?;
        let lens: (Vec<_>, (Vec<_>, Vec<_>)) =
            axes.into_iter().map(|(len, chunk, block)| (len, (chunk, block))).unzip();
        let shapes = Shapes::new(&lens.0, &lens.1.0, &lens.1.1)?;
        let (mut cparams, mut dparams) = (*(*base.storage).cparams, *(*base.storage).dparams);
        (cparams.schunk, dparams.schunk) = (null_mut(), null_mut());
        let defaults = blosc2_get_blosc2_storage_defaults();
        let storage = Storage { cparams: &mut cparams, dparams: &mut dparams, ..defaults };
        let dtype = text(array.dtype).map(Into::into);
        let ctx = Box::into_raw(new(storage, &shapes, dtype, array.dtype_format)?);
        let new = array_new(&*ctx, None);
        b2nd_free_ctx(ctx);
        let new = new?;
        make_view((*new.pointer()).sc, array.sc)?;
        (*new.pointer()).last_tick = (*(*new.pointer()).sc).change_tick;
        new.give(view);
    }
    Ok(())
}
