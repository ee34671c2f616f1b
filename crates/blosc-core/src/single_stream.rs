//! Decodes single streams of a codec, without a chunk around them. Zarr stores such streams of Zstandard.

use crate::codec::{CodecFormat, CorruptStream, StreamError};
use crate::error::DecodeError;
use crate::stream::{StreamCodec, StreamDecoder};

/// Decompresses streams of one format.
#[derive(Debug)]
pub struct StreamDecompressor {
    format: CodecFormat,
    state: StreamDecoder,
}

impl StreamDecompressor {
    /// Returns a decoder. Its state is allocated by the first stream.
    ///
    /// # Errors
    /// [`DecodeError::CodecUnavailable`] if the codec is not in this build.
    pub fn new(format: CodecFormat) -> Result<Self, DecodeError> {
        StreamDecoder::check(format)?;
        Ok(StreamDecompressor { format, state: StreamDecoder::default() })
    }

    /// Decodes `src` to exactly `len` bytes at the start of `dst`. Bytes past them may be overwritten.
    ///
    /// # Errors
    /// [`CorruptStream`] if `src` does not decode to `len` bytes, or if `dst` is shorter than `len`.
    pub fn decompress(&mut self, src: &[u8], dst: &mut [u8], len: usize) -> Result<(), CorruptStream> {
        if dst.len() < len {
            return Err(CorruptStream::new(0, "the output is too small for the decoded stream"));
        }
        let decoded = self.state.decompress(&StreamCodec::BuiltIn(self.format), src, dst, len);
        decoded.map_err(|error| match error {
            StreamError::Corrupt(error) => error,
            StreamError::Plugin(_) => CorruptStream::new(0, "the plug-in returned an error"),
            StreamError::OutOfMemory(_) => CorruptStream::new(0, "out of memory"),
        })
    }
}
