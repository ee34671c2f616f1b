//! The dtype and shape of an array, from the caller or else from the input.

use bloscpack_format::FormatError;
use bloscpack_format::numpy::{Dtype, NumpyMeta, Order};

use crate::error::{ArrayRefusal, Error};
use crate::open::Accept;
use crate::options::Typing;

impl Typing {
    /// Returns the inputs to accept besides containers. Raw bytes require a dtype or an explicit request.
    pub(crate) fn accepted(&self) -> Accept {
        match (self.raw, &self.dtype) {
            (true, _) => Accept::Raw,
            (false, Some(_)) => Accept::NpyOrRaw,
            (false, None) => Accept::Npy,
        }
    }

    /// Returns the array in `nbytes` bytes, `None` if neither the caller nor the input describes it.
    ///
    /// # Errors
    /// [`Error::NotANumpyArray`] if dtype and shape require a different number of bytes.
    pub(crate) fn resolve(
        &self,
        known: Option<&NumpyMeta>,
        typesize: u64,
        nbytes: u64,
    ) -> Result<Option<NumpyMeta>, Error> {
        if self.dtype.is_none() && self.shape.is_none() {
            return Ok(known.filter(|known| known.nbytes() == Some(nbytes)).cloned());
        }
        let dtype = match (&self.dtype, known) {
            (Some(dtype), _) => dtype.clone(),
            (None, Some(known)) => known.dtype.clone(),
            (None, None) => plain_meta(typesize, nbytes)?.dtype,
        };
        let itemsize = dtype.itemsize();
        let order = known.map_or(Order::C, |known| known.order);
        let shape = match (&self.shape, known) {
            (Some(shape), _) => inferred(shape, itemsize, nbytes)?,
            (None, Some(known)) if known.dtype.itemsize() == itemsize => known.shape.clone(),
            (None, _) => inferred(&[None], itemsize, nbytes)?,
        };
        // With a different shape, Fortran order would assign the items to different indices.
        let same = known.is_some_and(|known| known.shape == shape);
        if order == Order::F && !same && shape.len() > 1 {
            return Err(Error::not_an_array(ArrayRefusal::FortranOrder));
        }
        let meta = NumpyMeta { dtype, shape, order };
        match meta.nbytes() {
            Some(found) if found == nbytes => Ok(Some(meta)),
            expected => Err(Error::not_an_array(ArrayRefusal::TypedSize { found: nbytes, expected })),
        }
    }
}

/// Returns the shape with the length of its open axis filled in.
fn inferred(shape: &[Option<u64>], itemsize: u64, nbytes: u64) -> Result<Vec<u64>, Error> {
    if shape.iter().filter(|len| len.is_none()).count() > 1 {
        return Err(Error::not_an_array(ArrayRefusal::OpenAxes));
    }
    if shape.iter().all(Option::is_some) {
        return Ok(shape.iter().flatten().copied().collect());
    }
    let row = shape.iter().flatten().try_fold(itemsize, |row, len| row.checked_mul(*len));
    match row.filter(|row| *row > 0 && nbytes.is_multiple_of(*row)) {
        Some(row) => Ok(shape.iter().map(|len| len.unwrap_or(nbytes / row)).collect()),
        None => Err(Error::not_an_array(ArrayRefusal::OpenAxis { found: nbytes, row })),
    }
}

/// Returns an array of one axis for bytes without a known dtype: unsigned integers of the typesize, or raw items.
pub(crate) fn plain_meta(typesize: u64, nbytes: u64) -> Result<NumpyMeta, Error> {
    let text = match typesize {
        size if size == 0 || !nbytes.is_multiple_of(size) => "|u1".to_owned(),
        1 => "|u1".to_owned(),
        2 | 4 | 8 => format!("<u{typesize}"),
        _ => format!("|V{typesize}"),
    };
    let dtype = Dtype::from_type_string(&text).map_err(FormatError::from)?;
    let shape = vec![nbytes.checked_div(dtype.itemsize()).unwrap_or(0)];
    Ok(NumpyMeta { dtype, shape, order: Order::C })
}

/// Returns an array of all whole items. Their dtype is that of the input, even if its shape does not fit, else that of
/// the typesize.
pub(super) fn whole_items(known: Option<NumpyMeta>, typesize: u64, nbytes: u64) -> Result<NumpyMeta, Error> {
    let dtype = match known {
        Some(known) => known.dtype,
        None => plain_meta(typesize, 0)?.dtype,
    };
    let shape = vec![nbytes.checked_div(dtype.itemsize()).unwrap_or(0)];
    Ok(NumpyMeta { dtype, shape, order: Order::C })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(shape: &[Option<u64>], nbytes: u64) -> Result<Vec<u64>, String> {
        inferred(shape, 4, nbytes).map_err(|error| error.report().to_string())
    }

    #[test]
    fn an_open_axis_is_what_the_bytes_make_it() {
        assert_eq!(shape(&[None], 40), Ok(vec![10]));
        assert_eq!(shape(&[Some(2), None], 40), Ok(vec![2, 5]));
        assert_eq!(shape(&[None, Some(5)], 0), Ok(vec![0, 5]));
        assert_eq!(shape(&[Some(3), Some(4)], 40), Ok(vec![3, 4]));
        for refused in [&[None, None][..], &[None, Some(3)], &[None, Some(0)], &[None, Some(u64::MAX)]] {
            assert!(shape(refused, 40).is_err(), "{refused:?}");
        }
    }
}
