//! The metalayer that makes a super-chunk an array.
//!
//! [`B2nd`](bloscpack_format::frame::B2nd) has its format. C-Blosc2 does not check the markers between the numbers, and
//! its codes depend on the order of its checks. So this reads it again, as leniently.

use blosc_core::memory;

use super::shapes::{MAX_DIM, Shapes};
use crate::blosc2::codes::{FAILURE, MEMORY, trace};

/// The content of the metalayer.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Meta<'a> {
    pub(crate) shapes: Shapes,
    /// `None` in metalayers of Caterva.
    pub(crate) dtype: Option<&'a [u8]>,
    pub(crate) dtype_format: i8,
    /// Bytes before the dtype, and with it.
    pub(crate) ends: [usize; 2],
}

const INT64: u8 = 0xd3;
const INT32: u8 = 0xd2;
const STR32: u8 = 0xdb;
const FIXARRAY: u8 = 0x90;

/// Returns the content of the metalayer.
///
/// # Errors
/// The code of a negative format, or of missing memory.
pub(crate) fn serialize(shapes: &Shapes, dtype: &[u8], dtype_format: i8) -> Result<Vec<u8>, i32> {
    let dtype_len = i32::try_from(dtype.len()).ok();
    let (Some(dtype_len), Ok(format)) = (dtype_len, u8::try_from(dtype_format)) else {
        return Err(trace(FAILURE, format_args!("a dtype of {} bytes, format {dtype_format}", dtype.len())));
    };
    let len = 12 + shapes.ndim * 19 + dtype.len();
    let mut out: Vec<u8> = memory::with_capacity(len).map_err(|_| MEMORY)?;
    let axes = FIXARRAY.wrapping_add(shapes.ndim as u8);
    out.extend([FIXARRAY + 7, 0, shapes.ndim as u8, axes]);
    shapes.axes().for_each(|(len, ..)| put(&mut out, INT64, &len.to_be_bytes()));
    out.push(axes);
    shapes.axes().for_each(|(_, chunk, _)| put(&mut out, INT32, &chunk.to_be_bytes()));
    out.push(axes);
    shapes.axes().for_each(|(.., block)| put(&mut out, INT32, &block.to_be_bytes()));
    out.push(format);
    put(&mut out, STR32, &dtype_len.to_be_bytes());
    out.extend_from_slice(dtype);
    Ok(out)
}

fn put(out: &mut Vec<u8>, marker: u8, number: &[u8]) {
    out.push(marker);
    out.extend_from_slice(number);
}

/// Reads the content of the metalayer. The shapes are not checked.
///
/// # Errors
/// The code of a content that is cut off or has no dtype at its place.
pub(crate) fn deserialize(content: &[u8]) -> Result<Meta<'_>, i32> {
    let rest = &mut &*content;
    let mut shapes = Shapes::default();
    let [_, _, ndim] = number(rest)?;
    shapes.ndim = usize::from(ndim);
    if shapes.ndim > MAX_DIM {
        return Err(trace(FAILURE, format_args!("the metalayer has {ndim} axes")));
    }
    let [_] = number(rest)?;
    for len in shapes.shape.iter_mut().take(shapes.ndim) {
        let [_] = number(rest)?;
        *len = i64::from_be_bytes(number(rest)?);
    }
    for lens in [&mut shapes.chunkshape, &mut shapes.blockshape] {
        let [_] = number(rest)?;
        for len in lens.iter_mut().take(shapes.ndim) {
            let [_] = number(rest)?;
            *len = i32::from_be_bytes(number(rest)?);
        }
    }
    let shapes_end = content.len() - rest.len();
    if rest.is_empty() {
        return Ok(Meta { shapes, dtype: None, dtype_format: 0, ends: [shapes_end; 2] });
    }
    let [dtype_format, marker] = number(rest)?;
    if marker != STR32 {
        return Err(trace(FAILURE, format_args!("the metalayer has {marker:#x} in place of a dtype")));
    }
    let len = usize::try_from(i32::from_be_bytes(number(rest)?)).ok();
    let dtype = len.and_then(|len| rest.split_at_checked(len));
    let (dtype, _) = dtype.ok_or_else(|| trace(FAILURE, format_args!("the dtype of the metalayer is cut off")))?;
    let ends = [shapes_end, shapes_end + 6 + dtype.len()];
    Ok(Meta { shapes, dtype: Some(dtype), dtype_format: dtype_format.cast_signed(), ends })
}

/// Takes bytes from the front.
fn number<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], i32> {
    let cut_off = || trace(FAILURE, format_args!("the metalayer is cut off"));
    let (number, after) = rest.split_first_chunk().ok_or_else(cut_off)?;
    *rest = after;
    Ok(*number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_that_of_the_format() {
        let shapes = Shapes::new(&[20, 10], &[7, 5], &[3, 5]).unwrap();
        let content = serialize(&shapes, b"<i4", 0).unwrap();
        let (array, used) = bloscpack_format::frame::B2nd::parse(&content).unwrap();
        assert_eq!((array.to_bytes().unwrap(), used), (content.clone(), content.len()));
        let meta = deserialize(&content).unwrap();
        assert_eq!((meta.shapes, meta.dtype), (shapes, Some(b"<i4".as_slice())));
        assert_eq!(meta.ends[1], content.len());
        let old = deserialize(&content[..meta.ends[0]]).unwrap();
        assert_eq!((old.shapes, old.dtype), (shapes, None));
        for len in (0..content.len()).filter(|len| *len != meta.ends[0]) {
            assert_eq!(deserialize(&content[..len]), Err(FAILURE), "{len}");
        }
        assert_eq!(serialize(&shapes, b"", -1), Err(FAILURE));
        let mut content = content;
        content[2] = 17;
        assert_eq!(deserialize(&content), Err(FAILURE));
    }
}
