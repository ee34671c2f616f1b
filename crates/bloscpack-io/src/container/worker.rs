//! Decodes fetched chunks of any container.

use std::ops::Range;

use blosc_core::{Chunk, DecodeError, Decoder, Limits, Special, memory};

use super::Plain;

/// The decoder of one thread. Its output goes to a writer, so the limits bound chunks and expansion, not the length of
/// the output.
pub(crate) struct Worker {
    pub(crate) decoder: Decoder,
    pub(crate) limits: Limits,
}

/// The compressed bytes of a chunk.
pub(crate) enum Fetched {
    /// A chunk at the start of these bytes, at `offset` in its file. Bytes that are not needed may be zeros.
    Bytes { bytes: Vec<u8>, offset: u64 },
    /// A special value without stored bytes.
    Special { special: Special, nbytes: u32 },
}

impl Fetched {
    pub(crate) fn offset(&self) -> u64 {
        if let Fetched::Bytes { offset, .. } = self { *offset } else { 0 }
    }
}

impl Worker {
    /// Decodes a chunk, or ranges of its plain bytes, concatenated.
    pub(crate) fn decode(
        &mut self,
        fetched: &Fetched,
        typesize: usize,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, DecodeError> {
        let repeated = match fetched {
            Fetched::Special { special, nbytes } => Plain::special(*special, typesize, *nbytes as usize),
            Fetched::Bytes { bytes, .. } => {
                let chunk = Chunk::parse(bytes)?;
                match chunk.repeated_value() {
                    Some(value) => Plain::Repeat { value: memory::copy_of(value)?, range: 0..chunk.header().nbytes() },
                    None => return self.decode_chunk(&chunk, bytes.len(), ranges),
                }
            }
        };
        let nbytes = repeated.len();
        let Some(ranges) = ranges else {
            self.limits.check_chunk(nbytes as u64)?;
            return Ok(repeated);
        };
        if let Some(range) = ranges.iter().find(|range| range.start > range.end || range.end > nbytes) {
            return Err(DecodeError::Range { unit: "bytes", start: range.start, end: range.end, len: nbytes });
        }
        repeated.select(ranges, &self.limits)
    }

    fn decode_chunk(
        &mut self,
        chunk: &Chunk<'_>,
        stored: usize,
        ranges: Option<&[Range<usize>]>,
    ) -> Result<Plain, DecodeError> {
        let Some(ranges) = ranges else { return self.decoder.decompress(chunk).map(Plain::Bytes) };
        let total: usize = ranges.iter().map(Range::len).fold(0, usize::saturating_add);
        self.limits.check_chunk(total as u64)?;
        self.limits.check_unearned(total as u64, stored as u64)?;
        let mut plain = memory::zeroed(total)?;
        self.decoder.decode_ranges(chunk, ranges, &mut plain)?;
        Ok(Plain::Bytes(plain))
    }
}
