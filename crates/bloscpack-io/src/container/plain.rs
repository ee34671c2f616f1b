//! Plain bytes of a chunk. Repeated values are not expanded in memory.

use std::io::{self, Write};
use std::ops::Range;

use blosc_core::{DecodeError, Limits, OutOfMemory, Special, memory};

use crate::Error;

/// Plain bytes of a chunk.
#[derive(Debug)]
pub(crate) enum Plain {
    Bytes(Vec<u8>),
    /// The bytes `range` of a chunk that repeats `value`. An empty value means zeros.
    Repeat {
        value: Vec<u8>,
        range: Range<usize>,
    },
}

/// Approximate size in bytes of the pieces in which repeated values are written.
const PIECE: usize = 1 << 16;

impl Plain {
    /// Returns all `nbytes` bytes of a chunk of a special value. A NaN is an `f64` unless the typesize is that of an
    /// `f32`.
    pub(crate) fn special(special: Special, typesize: usize, nbytes: usize) -> Plain {
        let value = match special {
            Special::Nan if typesize == size_of::<f32>() => f32::NAN.to_le_bytes().to_vec(),
            Special::Nan => f64::NAN.to_le_bytes().to_vec(),
            _ => Vec::new(),
        };
        Plain::Repeat { value, range: 0..nbytes }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Plain::Bytes(bytes) => bytes.len(),
            Plain::Repeat { range, .. } => range.len(),
        }
    }

    pub(crate) fn write_to(&self, output: &mut impl Write) -> io::Result<()> {
        let (value, range) = match self {
            Plain::Bytes(bytes) => return output.write_all(bytes),
            Plain::Repeat { value, range } => (value, range),
        };
        // A whole number of values, so that each piece continues the one before.
        let unit = value.len().max(1);
        let mut piece = memory::zeroed(unit * (PIECE / unit).max(1).min(range.len().div_ceil(unit).max(1)))?;
        fill(value, range.start, &mut piece);
        let mut left = range.len();
        while left > 0 {
            let len = left.min(piece.len());
            output.write_all(piece.get(..len).unwrap_or_default())?;
            left -= len;
        }
        Ok(())
    }

    /// Returns whether all bytes are zeros without stored bytes.
    pub(crate) fn is_zeros(&self) -> bool {
        matches!(self, Plain::Repeat { value, .. } if value.iter().all(|byte| *byte == 0))
    }

    /// Returns the bytes repeated `times` times. `None` for bytes that are not a repeated value, if the range does not
    /// consist of whole values, and if the size overflows.
    pub(crate) fn repeated(&self, times: u64) -> Option<Plain> {
        let Plain::Repeat { value, range } = self else { return None };
        let len = usize::try_from(times).ok()?.checked_mul(range.len())?;
        let whole = range.start == 0 && range.end.checked_rem(value.len()).unwrap_or(0) == 0;
        whole.then(|| Plain::Repeat { value: value.clone(), range: 0..len })
    }

    /// Returns ranges of a repeated value, concatenated, within `limits`. The ranges must be within `self`.
    pub(crate) fn select(self, ranges: &[Range<usize>], limits: &Limits) -> Result<Plain, DecodeError> {
        let value = match self {
            Plain::Repeat { value, .. } => value,
            Plain::Bytes(_) => return Ok(self),
        };
        let total = ranges.iter().map(Range::len).fold(0, usize::saturating_add);
        match ranges {
            [range] => return Ok(Plain::Repeat { value, range: range.clone() }),
            _ if value.iter().all(|byte| *byte == 0) => {
                return Ok(Plain::Repeat { value: Vec::new(), range: 0..total });
            }
            _ => {}
        }
        limits.check_chunk(total as u64)?;
        limits.check_unearned(total as u64, 0)?;
        let mut plain = memory::zeroed(total)?;
        let mut rest = plain.as_mut_slice();
        for range in ranges {
            let (piece, after) = rest.split_at_mut(range.len());
            fill(&value, range.start, piece);
            rest = after;
        }
        Ok(Plain::Bytes(plain))
    }

    /// Expands the bytes in memory. Repeated bytes are not stored anywhere, so they are checked against the limits.
    pub(crate) fn into_vec_within(self, limits: &Limits) -> Result<Vec<u8>, Error> {
        if let Plain::Repeat { range, .. } = &self {
            limits.check_unearned(range.len() as u64, 0)?;
        }
        Ok(self.into_vec()?)
    }

    /// Expands the bytes in memory.
    pub(crate) fn into_vec(self) -> Result<Vec<u8>, OutOfMemory> {
        match self {
            Plain::Bytes(bytes) => Ok(bytes),
            Plain::Repeat { value, range } => {
                let mut bytes = memory::zeroed(range.len())?;
                fill(&value, range.start, &mut bytes);
                Ok(bytes)
            }
        }
    }
}

/// Fills `dst` with the bytes from `start` on of a chunk that repeats `value`.
fn fill(value: &[u8], start: usize, dst: &mut [u8]) {
    if let Some(phase) = start.checked_rem(value.len()) {
        let bytes = value.iter().cycle().skip(phase);
        dst.iter_mut().zip(bytes).for_each(|(dst, byte)| *dst = *byte);
    }
}
