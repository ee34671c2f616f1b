//! Raw Snappy blocks, through the `snap` crate.

use super::CorruptStream;
use crate::memory::{self, OutOfMemory};

/// A Snappy encoder and its output buffer. `snap` requires room for the worst case, which `dst` does not have.
pub(crate) struct SnappyEncoder {
    encoder: Box<snap::raw::Encoder>,
    out: Vec<u8>,
}

impl Default for SnappyEncoder {
    fn default() -> Self {
        SnappyEncoder { encoder: Box::new(snap::raw::Encoder::new()), out: Vec::new() }
    }
}

impl SnappyEncoder {
    /// Returns the bytes of table and buffer.
    pub(crate) fn held(&self) -> usize {
        size_of::<snap::raw::Encoder>() + self.out.capacity()
    }

    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        let bound = snap::raw::max_compress_len(src.len());
        let out = memory::at_least(&mut self.out, bound)?;
        let Ok(len) = self.encoder.compress(src, out) else { return Ok(None) };
        let Some(dst) = dst.get_mut(..len) else { return Ok(None) };
        dst.copy_from_slice(&out[..len]);
        Ok(Some(len))
    }
}

pub(crate) fn decompress(src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
    let corrupt = |_| CorruptStream::new(0, "not a valid Snappy block");
    if snap::raw::decompress_len(src).map_err(corrupt)? != dst.len() {
        return Err(CorruptStream::new(0, "the Snappy block and the stream differ in uncompressed size"));
    }
    snap::raw::Decoder::new().decompress(src, dst).map_err(corrupt)?;
    Ok(())
}
