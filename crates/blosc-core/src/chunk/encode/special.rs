//! Encodes chunks without blocks.

use super::Encoder;
use crate::block::CSIZE_LEN;
use crate::error::EncodeError;
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};
use crate::header::{ChunkKind, Header, Special};
use crate::layout::{BSTART_LEN, tuning};
use crate::memory;
use crate::params::SplitMode;

impl Encoder {
    /// Creates a Blosc2 chunk of `nbytes` zeros, 32 bytes long.
    ///
    /// # Errors
    /// [`EncodeError::SpecialValue`] if `nbytes` is not a whole number of elements; [`EncodeError::TooLarge`].
    pub fn zeros(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        self.special(Special::Zeros, &[], nbytes)
    }

    /// Creates a Blosc2 chunk of not-a-numbers, `f32` or `f64` by the typesize.
    ///
    /// # Errors
    /// As [`Encoder::zeros`], and for any other typesize.
    pub fn nans(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        if !matches!(self.params.typesize, 4 | 8) {
            return Err(EncodeError::SpecialValue { width: self.params.typesize, nbytes });
        }
        self.special(Special::Nan, &[], nbytes)
    }

    /// Creates a Blosc2 chunk of uninitialised data, which reads as zeros.
    ///
    /// # Errors
    /// As [`Encoder::zeros`].
    pub fn uninit(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        self.special(Special::Uninit, &[], nbytes)
    }

    /// Creates a Blosc2 chunk of `nbytes` bytes that repeat `value`. The length of `value` replaces the typesize.
    ///
    /// # Errors
    /// [`EncodeError::SpecialValue`] if `nbytes` is not a whole number of values, at least one;
    /// [`EncodeError::TooLarge`].
    pub fn repeat(&self, value: &[u8], nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        if nbytes < value.len() {
            return Err(EncodeError::SpecialValue { width: value.len(), nbytes });
        }
        self.special(Special::Value, value, nbytes)
    }

    /// Creates a Blosc2 chunk of `nbytes` zeros that has blocks. C-Blosc2 reads a special chunk of a frame only if it is
    /// a whole number of elements, and this one also if it is not.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`].
    #[doc(hidden)]
    pub fn zeros_in_blocks(&self, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        let max = Header::MAX_NBYTES_BLOSC2;
        if nbytes > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        let params = self.params.format(ChunkFormat::Blosc2).split(SplitMode::Never);
        let blocksize = tuning::blocksize(&params, nbytes);
        let nblocks = nbytes.div_ceil(blocksize);
        let tables = Header::EXTENDED_LEN + nblocks * BSTART_LEN;
        let kind = ChunkKind { split: false, ..ChunkKind::special() };
        let cbytes = tables + nblocks * CSIZE_LEN;
        let mut chunk = Header::new(params.typesize, nbytes, blocksize, kind).finish(cbytes).to_bytes();
        for block in 0..nblocks {
            memory::extend(&mut chunk, &((tables + block * CSIZE_LEN) as i32).to_le_bytes())?;
        }
        // A size of 0 is a run of zeros.
        memory::resize(&mut chunk, cbytes, 0)?;
        Ok(chunk)
    }

    /// Creates a special chunk. Readers expect a block size, so this is the one that compression would choose, but at
    /// least the size of a value, because every block starts with a value.
    fn special(&self, special: Special, value: &[u8], nbytes: usize) -> Result<Vec<u8>, EncodeError> {
        let max = Header::MAX_NBYTES_BLOSC2;
        if nbytes > max {
            return Err(EncodeError::TooLarge { nbytes, max });
        }
        let width = if special == Special::Value { value.len() } else { self.params.typesize };
        if width == 0 || width > MAX_BLOCKSIZE || !nbytes.is_multiple_of(width) {
            return Err(EncodeError::SpecialValue { width, nbytes });
        }
        let params = self.params.format(ChunkFormat::Blosc2).typesize(width);
        let blocksize = tuning::blocksize(&params, nbytes).max(width.min(nbytes));
        let header = Header::new(width, nbytes, blocksize, ChunkKind::special());
        let mut chunk = header.with_special(special).finish(header.len() + value.len()).to_bytes();
        memory::extend(&mut chunk, value)?;
        Ok(chunk)
    }
}
