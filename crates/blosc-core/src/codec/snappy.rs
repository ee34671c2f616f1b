//! Raw Snappy blocks, through the `snap` crate.

use super::CorruptStream;

/// A Snappy encoder with the buffer it compresses into: `snap` wants room for the worst case, which a stream has not.
pub(crate) struct Compressor {
    encoder: Box<snap::raw::Encoder>,
    out: Vec<u8>,
}

impl Default for Compressor {
    fn default() -> Self {
        Compressor { encoder: Box::new(snap::raw::Encoder::new()), out: Vec::new() }
    }
}

impl Compressor {
    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let bound = snap::raw::max_compress_len(src.len());
        if self.out.len() < bound {
            self.out.resize(bound, 0);
        }
        let len = self.encoder.compress(src, &mut self.out).ok()?;
        dst.get_mut(..len)?.copy_from_slice(&self.out[..len]);
        Some(len)
    }
}

pub(crate) fn decompress(src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
    let corrupt = |_| CorruptStream::new(0, "not a valid Snappy block");
    if snap::raw::decompress_len(src).map_err(corrupt)? != dst.len() {
        return Err(CorruptStream::new(0, "the Snappy block has another plain size than the stream"));
    }
    snap::raw::Decoder::new().decompress(src, dst).map_err(corrupt)?;
    Ok(())
}
