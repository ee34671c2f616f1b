//! Items and ranges of a chunk, each in a vector of its own.

use core::ops::Range;

use super::{Decoder, ranges};
use crate::chunk::Chunk;
use crate::divide::quotient;
use crate::error::DecodeError;
use crate::memory;

impl Decoder {
    /// Returns the plain bytes of the items `range`. The size of an item is the chunk's typesize.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if the range is not within the chunk's whole items, any other variant for a damaged
    /// block.
    pub fn items(&mut self, chunk: &Chunk<'_>, range: Range<usize>) -> Result<Vec<u8>, DecodeError> {
        let typesize = chunk.header().typesize();
        let len = quotient(chunk.nbytes(), typesize);
        if range.start > range.end || range.end > len {
            return Err(DecodeError::Range { unit: "items", start: range.start, end: range.end, len });
        }
        let bytes = range.start * typesize..range.end * typesize;
        self.limits.check_output(bytes.len() as u64, chunk.bytes().len() as u64)?;
        if let Some(items) = self.plain(chunk).and_then(|plain| plain.get(bytes.clone())) {
            return Ok(memory::copy_of(items)?);
        }
        let mut items = memory::zeroed(bytes.len())?;
        self.decode_ranges(chunk, &[bytes], &mut items)?;
        Ok(items)
    }

    /// Returns the plain bytes of several ranges, each in a vector of its own. Decodes like [`Decoder::decode_ranges`].
    ///
    /// ```
    /// use blosc_core::{CParams, Chunk, Decoder};
    /// let plain: Vec<u8> = (0..10_000_u32).flat_map(u32::to_le_bytes).collect();
    /// let bytes = blosc_core::compress(&plain, &CParams::new().typesize(4))?;
    /// let parts = Decoder::new().ranges(&Chunk::parse(&bytes)?, &[39_996..40_000, 0..4])?;
    /// assert_eq!(parts, [9_999_u32.to_le_bytes(), 0_u32.to_le_bytes()]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`DecodeError::Range`] if a range is not within the chunk, [`DecodeError::Limit`] if the ranges together exceed
    /// a limit, any other variant for a damaged block.
    pub fn ranges(&mut self, chunk: &Chunk<'_>, wanted: &[Range<usize>]) -> Result<Vec<Vec<u8>>, DecodeError> {
        let len = wanted.iter().fold(0, |len: usize, range| len.saturating_add(range.len()));
        ranges::check(chunk.header().nbytes(), wanted, len)?;
        self.limits.check_output(len as u64, chunk.header().cbytes() as u64)?;
        let mut all = memory::zeroed(len)?;
        self.decode_ranges(chunk, wanted, &mut all)?;
        let mut rest = all.as_slice();
        memory::try_collect(wanted.iter().map(|range| {
            let (part, after) = rest.split_at(range.len());
            rest = after;
            Ok(memory::copy_of(part)?)
        }))
    }
}
