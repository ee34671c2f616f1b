//! Codecs of single streams and an observer of parallel regions, for benchmarks and fuzzers. Requires the feature
//! `internals`; nothing here is stable.

use crate::codec::Codec;
use crate::error::EncodeError;
pub use crate::parallel::observe_parallel_regions;
use crate::params::CParams;
use crate::registry::Registry;
pub use crate::single_stream::StreamDecompressor;
use crate::stream::StreamEncoder;

/// Compresses streams with one codec at one level, 1..=9.
#[derive(Debug)]
pub struct StreamCompressor(StreamEncoder);

impl StreamCompressor {
    /// Allocates the codec's tables.
    ///
    /// # Errors
    /// [`EncodeError`] if the codec is not in this build.
    pub fn new(codec: Codec, clevel: u8) -> Result<Self, EncodeError> {
        StreamEncoder::new(&CParams::blosc2().codec(codec).clevel(clevel), &Registry::new()).map(StreamCompressor)
    }

    /// Compresses `src` into the start of `dst`. Returns `None` if the result does not fit.
    pub fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        self.0.compress(src, 1, dst).ok()?
    }
}
