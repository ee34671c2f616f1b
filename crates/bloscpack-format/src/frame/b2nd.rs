//! The metalayer that makes a frame an n-dimensional array.

use super::msgpack::{Reader, in_range, marker, put};
use super::{FrameError, Metalayers};
use crate::error::{FormatError, Part, TextProblem};
use crate::numpy::Dtype;

/// The metadata that makes a frame an array.
///
/// ```text
/// 97            an array of 7; 95 without dtype
/// version       0
/// ndim          0 to 16
/// 90+ndim       shape,      d3 i64 each
/// 90+ndim       chunkshape, d2 i32 each
/// 90+ndim       blockshape, d2 i32 each
/// dtype_format  0: NumPy
/// db len i32    dtype, a text
/// ```
///
/// With 16 axes `90+ndim` is `a0`, which is no longer a MessagePack array; C-Blosc2 writes and reads it nevertheless.
/// The metalayer is named `b2nd`. Its predecessor in Caterva was named `caterva` and had no dtype.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct B2nd {
    /// 0.
    pub version: u8,
    /// Items along each axis. Each number and their product are at most 2⁶³ - 1.
    pub shape: Vec<u64>,
    /// Items of a chunk along each axis. Has the same number of axes. Greater than 0 where the shape is.
    pub chunkshape: Vec<u32>,
    /// Items of a block along each axis. Has the same number of axes. Greater than 0 where the chunk is. May be greater
    /// than the chunk's: the rest of the block is padding then, as C-Blosc2 writes it.
    pub blockshape: Vec<u32>,
    /// The dtype of the items. If absent, the size of an item is the frame's typesize.
    pub dtype: Option<DtypeText>,
}

/// A dtype as stored in the metalayer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DtypeText {
    /// 0, NumPy: the only format defined.
    pub format: u8,
    /// `<f8`, or a list of fields as Python prints it: `[('a', '<i4'), ('b', '<f8')]`.
    pub text: String,
}

/// Maximum number of axes of an array.
pub const MAX_NDIM: usize = 16;

/// The names of the metalayer: the current one and Caterva's.
const NAMES: [&str; 2] = ["b2nd", "caterva"];

impl DtypeText {
    /// Creates a dtype of NumPy.
    #[must_use]
    pub fn numpy(text: impl Into<String>) -> Self {
        DtypeText { format: 0, text: text.into() }
    }
}

impl B2nd {
    /// Creates an array of version 0 without a dtype. The shapes are not checked here: see
    /// [`Grid::new`](super::Grid::new).
    #[must_use]
    pub fn new(shape: impl Into<Vec<u64>>, chunkshape: impl Into<Vec<u32>>, blockshape: impl Into<Vec<u32>>) -> Self {
        let (shape, chunkshape, blockshape) = (shape.into(), chunkshape.into(), blockshape.into());
        B2nd { version: 0, shape, chunkshape, blockshape, dtype: None }
    }

    /// Replaces the dtype.
    #[must_use]
    pub fn with_dtype(mut self, dtype: impl Into<Option<DtypeText>>) -> Self {
        self.dtype = dtype.into();
        self
    }

    /// Replaces the shape.
    #[must_use]
    pub fn with_shape(mut self, shape: impl Into<Vec<u64>>) -> Self {
        self.shape = shape.into();
        self
    }

    /// Returns the blockshape in the form that decoders and encoders of chunks take.
    #[must_use]
    pub fn block_axes(&self) -> Vec<usize> {
        self.blockshape.iter().map(|len| *len as usize).collect()
    }

    /// The name of the metalayer.
    pub const NAME: &str = NAMES[0];

    /// Returns whether the metalayer of an array has this name, in Blosc2 or in Caterva.
    #[must_use]
    pub fn is_name(name: &[u8]) -> bool {
        NAMES.iter().any(|found| found.as_bytes() == name)
    }

    /// Finds the array among the metalayers of a frame; `None` if the frame is not an array.
    /// [`Grid::new`](super::Grid::new) checks the numbers against the typesize.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn of(metalayers: &Metalayers) -> Result<Option<Self>, FormatError> {
        let content = NAMES.into_iter().find_map(|name| metalayers.get(name));
        content.map(|content| Self::parse(content).map(|(array, _)| array)).transpose()
    }

    /// Parses the content of the metalayer. Also returns the number of bytes used; the rest remains from an older,
    /// longer content.
    ///
    /// # Errors
    ///
    /// [`FrameError::Marker`], [`FrameError::PastEnd`]; [`FormatError::OutOfRange`] for an invalid number;
    /// [`FrameError::ShapeTooLarge`]; [`FormatError::Text`] for a dtype that is not UTF-8.
    pub fn parse(bytes: &[u8]) -> Result<(Self, usize), FormatError> {
        let mut reader = Reader::new(Part::B2nd, bytes, 0);
        let has_dtype = match reader.byte("array")? {
            WITH_DTYPE => true,
            WITHOUT_DTYPE => false,
            found => {
                let (part, offset, field, expected) = (Part::B2nd, 0, "array", WITH_DTYPE);
                return Err(FrameError::Marker { part, offset, field, found, expected }.into());
            }
        };
        let version = reader.byte("version")?;
        in_range(Part::B2nd, 1, "version", version.into(), 0, 0)?;
        let ndim = reader.byte("ndim")?;
        in_range(Part::B2nd, 2, "ndim", ndim.into(), 0, MAX_NDIM as i64)?;
        let axes = 0..ndim;
        reader.marker("shape", marker::FIXARRAY + ndim)?;
        let shape: Result<Vec<_>, _> = axes.clone().map(|_| reader.int64_from("shape", 0)).collect();
        reader.marker("chunkshape", marker::FIXARRAY + ndim)?;
        let chunkshape: Result<Vec<_>, _> = axes.clone().map(|_| reader.int32_in("chunkshape", 0, i32::MAX)).collect();
        reader.marker("blockshape", marker::FIXARRAY + ndim)?;
        let blockshape: Result<Vec<_>, _> = axes.map(|_| reader.int32_in("blockshape", 0, i32::MAX)).collect();
        let array = Self {
            version,
            shape: shape?.into_iter().map(i64::cast_unsigned).collect(),
            chunkshape: chunkshape?.into_iter().map(i32::cast_unsigned).collect(),
            blockshape: blockshape?.into_iter().map(i32::cast_unsigned).collect(),
            dtype: if has_dtype { Some(parse_dtype(&mut reader)?) } else { None },
        };
        array.validate()?;
        Ok((array, reader.at()))
    }

    /// Encodes the content of the metalayer.
    ///
    /// # Errors
    ///
    /// [`FrameError::Ndim`] if the three shapes differ in the number of axes, and the errors of [`parse`](Self::parse).
    pub fn to_bytes(&self) -> Result<Vec<u8>, FormatError> {
        self.validate()?;
        // Validated to be at most 16.
        let ndim = self.shape.len() as u8;
        let mut out = vec![if self.dtype.is_some() { WITH_DTYPE } else { WITHOUT_DTYPE }, self.version, ndim];
        out.push(marker::FIXARRAY + ndim);
        self.shape.iter().for_each(|len| put(&mut out, marker::INT64, &len.to_be_bytes()));
        for shape in [&self.chunkshape, &self.blockshape] {
            out.push(marker::FIXARRAY + ndim);
            shape.iter().for_each(|len| put(&mut out, marker::INT32, &len.to_be_bytes()));
        }
        if let Some(DtypeText { format, text }) = &self.dtype {
            out.push(*format);
            // Validated to fit.
            put(&mut out, marker::STR32, &(text.len() as u32).to_be_bytes());
            out.extend_from_slice(text.as_bytes());
        }
        Ok(out)
    }

    /// Returns the number of axes.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape.len()
    }

    /// Parses the data type, if the metalayer has one.
    ///
    /// # Errors
    ///
    /// [`FormatError::Text`] or [`FormatError::Numpy`] if the dtype is unknown. The bytes can still be read.
    pub fn numpy_dtype(&self) -> Result<Option<Dtype>, FormatError> {
        let Some(DtypeText { text, .. }) = &self.dtype else { return Ok(None) };
        match text.trim_start().starts_with(['[', '{']) {
            true => Dtype::parse(text).map(Some),
            false => Dtype::from_type_string(text).map(Some).map_err(FormatError::from),
        }
    }

    fn validate(&self) -> Result<(), FormatError> {
        let ndim = self.ndim();
        in_range(Part::B2nd, 1, "version", self.version.into(), 0, 0)?;
        in_range(Part::B2nd, 2, "ndim", ndim as i64, 0, MAX_NDIM as i64)?;
        for found in [self.chunkshape.len(), self.blockshape.len()] {
            if found != ndim {
                return Err(FrameError::Ndim { found, expected: ndim }.into());
            }
        }
        // After the array marker, version, ndim and the shape's own marker. Each number follows one more marker.
        let at = |first: usize, axis: usize| (first + 1 + axis * 5 + 1) as u64;
        let chunks_at = 4 + ndim * 9;
        let blocks_at = chunks_at + 1 + ndim * 5;
        let axes = self.shape.iter().zip(&self.chunkshape).zip(&self.blockshape);
        for (axis, ((&len, &chunk), &block)) in axes.enumerate() {
            if i64::try_from(len).is_err() {
                return Err(TOO_LARGE.into());
            }
            let (chunk_at, block_at) = (at(chunks_at, axis), at(blocks_at, axis));
            in_range(Part::B2nd, chunk_at, "chunkshape", chunk.into(), (len > 0).into(), i32::MAX.into())?;
            in_range(Part::B2nd, block_at, "blockshape", block.into(), (chunk > 0).into(), i32::MAX.into())?;
        }
        let items = self.shape.iter().try_fold(1_u64, |items, len| items.checked_mul(*len));
        if items.is_none_or(|items| i64::try_from(items).is_err()) && !self.shape.contains(&0) {
            return Err(TOO_LARGE.into());
        }
        if let Some(DtypeText { format, text }) = &self.dtype {
            let len_at = (blocks_at + 1 + ndim * 5) as u64;
            in_range(Part::B2nd, len_at, "dtype_format", (*format).into(), 0, 0)?;
            let len = i64::try_from(text.len()).unwrap_or(i64::MAX);
            in_range(Part::B2nd, len_at + 2, "dtype", len, 0, i32::MAX.into())?;
        }
        Ok(())
    }
}

/// A shape of more items than the format counts.
const TOO_LARGE: FrameError = FrameError::ShapeTooLarge { field: "shape", max: i64::MAX as u64 };

const WITH_DTYPE: u8 = marker::FIXARRAY | 7;
const WITHOUT_DTYPE: u8 = marker::FIXARRAY | 5;

fn parse_dtype(reader: &mut Reader<'_>) -> Result<DtypeText, FormatError> {
    let format = reader.byte("dtype_format")?;
    reader.marker("dtype", marker::STR32)?;
    let len_at = reader.at() as u64;
    let len = i32::from_be_bytes(reader.array("dtype")?);
    in_range(Part::B2nd, len_at, "dtype", len.into(), 0, i32::MAX.into())?;
    let text_at = reader.at();
    let text = std::str::from_utf8(reader.take("dtype", len as usize)?).map_err(|error| FormatError::Text {
        part: Part::B2nd,
        offset: (text_at + error.valid_up_to()) as u64,
        problem: TextProblem::NotUtf8,
    })?;
    Ok(DtypeText { format, text: text.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    fn cube(ndim: usize) -> B2nd {
        let dtype = Some(DtypeText { format: 0, text: "<i4".to_owned() });
        B2nd { version: 0, shape: vec![2; ndim], chunkshape: vec![2; ndim], blockshape: vec![2; ndim], dtype }
    }

    /// The digest of the bytes that C-Blosc2 3.3.5 wrote for the same array.
    #[test]
    fn sixteen_axes_overflow_their_marker() {
        let bytes = cube(16).to_bytes().unwrap();
        assert_eq!((bytes.len(), bytes[3]), (319, 0xa0));
        let digest = Sha256::digest(&bytes).iter().fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
        assert_eq!(digest, "02d725e077268bb7543ccb1ff1a12c3fb51132c703e887e600357e28d50b164d");
        assert_eq!(B2nd::parse(&bytes), Ok((cube(16), 319)));
        assert!(cube(17).to_bytes().is_err());
    }

    #[test]
    fn caterva_has_no_dtype() {
        let array = B2nd { dtype: None, ..cube(2) };
        let mut metalayers = Metalayers::default();
        metalayers.add("caterva", &array.to_bytes().unwrap()).unwrap();
        assert_eq!(B2nd::of(&metalayers), Ok(Some(array)));
        assert_eq!(B2nd::of(&Metalayers::default()), Ok(None));
    }

    #[test]
    fn shapes_are_checked_where_they_stand() {
        let says = |change: fn(&mut B2nd), message: &str| {
            let mut array = cube(2);
            change(&mut array);
            assert_eq!(array.to_bytes().unwrap_err().to_string(), message);
        };
        let bytes = cube(2).to_bytes().unwrap();
        for (at, number) in [(14, 8), (29, 4), (40, 4)] {
            assert_eq!(bytes[at + number - 1], 2, "the second number of each shape ends here");
        }
        says(|array| array.shape[1] = 1 << 63, "b2nd metalayer: shape exceeds 9223372036854775807 bytes");
        says(|array| array.chunkshape[1] = 0, "b2nd metalayer, offset 29: chunkshape is 0, expected 1..=2147483647");
        says(|array| array.blockshape[1] = 0, "b2nd metalayer, offset 40: blockshape is 0, expected 1..=2147483647");
        says(|array| array.version = 1, "b2nd metalayer, offset 1: version is 1, expected 0..=0");
        says(|array| array.shape = vec![1 << 62, 2], "b2nd metalayer: shape exceeds 9223372036854775807 bytes");
        says(|array| array.shape.push(1), "2 axes, but the array has 3");
    }
}
