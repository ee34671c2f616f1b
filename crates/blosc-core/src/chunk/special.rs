//! Chunks without blocks: zeros, not-a-numbers, one value again and again, nothing yet.

use super::Encoder;
use super::header::{ChunkKind, Header, Special};
use crate::EncodeError;
use crate::block::tuning;
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};
use crate::memory;

/// Not-a-number as C-Blosc2 repeats it: the quiet one with no other bit set.
const NAN_F32: [u8; 4] = 0x7FC0_0000_u32.to_le_bytes();
const NAN_F64: [u8; 8] = 0x7FF8_0000_0000_0000_u64.to_le_bytes();

/// The value that the chunk repeats; empty for zeros. Uninitialised chunks read as zeros: whoever asks for their bytes
/// shall not get what happens to be in memory.
pub(crate) fn value<'a>(header: &Header, special: Special, chunk: &'a [u8]) -> &'a [u8] {
    match special {
        Special::Zeros | Special::Uninit => &[],
        Special::Nan if header.typesize() == NAN_F32.len() => &NAN_F32,
        Special::Nan => &NAN_F64,
        Special::Value => &chunk[header.len()..],
    }
}

/// Fills `dst` with the bytes that stand at `start` in a chunk that repeats `value`.
pub(crate) fn fill(value: &[u8], start: usize, dst: &mut [u8]) {
    match value {
        [] => dst.fill(0),
        [byte] => dst.fill(*byte),
        _ => {
            let phase = start % value.len();
            let head = dst.len().min(value.len() - phase);
            let (head, rest) = dst.split_at_mut(head);
            head.copy_from_slice(&value[phase..phase + head.len()]);
            for dst in rest.chunks_mut(value.len()) {
                dst.copy_from_slice(&value[..dst.len()]);
            }
        }
    }
}

impl Encoder {
    /// A Blosc2 chunk of `nbytes` zeros, 32 bytes long.
    ///
    /// # Errors
    /// [`EncodeError::SpecialValue`] if `nbytes` is not a whole number of elements; [`EncodeError::TooLarge`].
    pub fn zeros(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        self.special(Special::Zeros, &[], nbytes)
    }

    /// A Blosc2 chunk of not-a-numbers, `f32` or `f64` by the typesize.
    ///
    /// # Errors
    /// As [`Encoder::zeros`], also for any other typesize.
    pub fn nans(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        if !matches!(self.params.typesize, 4 | 8) {
            return Err(EncodeError::SpecialValue { width: self.params.typesize, nbytes });
        }
        self.special(Special::Nan, &[], nbytes)
    }

    /// A Blosc2 chunk whose bytes do not matter yet; it reads as zeros.
    ///
    /// # Errors
    /// As [`Encoder::zeros`].
    pub fn uninit(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        self.special(Special::Uninit, &[], nbytes)
    }

    /// A Blosc2 chunk of `nbytes` bytes that repeat `value`, whose length takes the place of the typesize.
    ///
    /// # Errors
    /// [`EncodeError::SpecialValue`] if `nbytes` is not a whole number of values, and at least one;
    /// [`EncodeError::TooLarge`].
    pub fn repeat(&self, value: &[u8], nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        if nbytes < value.len() {
            return Err(EncodeError::SpecialValue { width: value.len(), nbytes });
        }
        self.special(Special::Value, value, nbytes)
    }

    /// The block size is what compression would choose, as readers that look at blocks expect one, but no less than a
    /// value: every block starts with one.
    fn special(&self, special: Special, value: &[u8], nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        let max = Header::MAX_NBYTES_BLOSC2;
        if nbytes > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        let width = if special == Special::Value { value.len() } else { self.params.typesize };
        if width == 0 || width > MAX_BLOCKSIZE || !nbytes.is_multiple_of(width) {
            return Err(EncodeError::SpecialValue { width, nbytes });
        }
        let params = self.params.clone().format(ChunkFormat::Blosc2).typesize(width);
        let blocksize = tuning::blocksize(&params, nbytes).max(width.min(nbytes));
        let header = Header::new(width, nbytes, blocksize, ChunkKind::special());
        let mut chunk = header.with_special(special).finish(header.len() + value.len()).to_bytes();
        memory::extend(&mut chunk, value)?;
        Ok(chunk)
    }
}
