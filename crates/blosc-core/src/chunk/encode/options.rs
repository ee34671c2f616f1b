//! Options that a caller sets before encoding.

use std::sync::Arc;

use super::Encoder;
use crate::cancel::Cancel;
use crate::chunk::block_info::BlockInfo;
use crate::parallel::Parallelism;
use crate::plugin::PluginError;
use crate::registry::Registry;

impl Encoder {
    /// Sets whether blocks are encoded in parallel. The chunk does not depend on it.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Sets the codecs and filters that are not built in.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Sets the shape of a block in elements, which the n-d filters need.
    pub fn blockshape(mut self, blockshape: &[usize]) -> Self {
        self.blockshape = blockshape.to_vec();
        self
    }

    /// Sets a function that runs on every block before the filters. It fills the block to compress (its second slice,
    /// initially zeros) from the given block. Decoding does not undo it.
    ///
    /// ```
    /// use blosc_core::{CParams, Encoder};
    /// let mut encoder = Encoder::new(CParams::blosc2().typesize(1))?.prefilter(|block, src, dst| {
    ///     for (to, from) in dst.iter_mut().zip(src) {
    ///         *to = from + block.index as u8;
    ///     }
    ///     Ok(())
    /// });
    /// let chunk = encoder.compress(&[1; 1000])?;
    /// assert_eq!(blosc_core::decompress(&chunk).unwrap(), [1; 1000]);
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    pub fn prefilter(
        mut self,
        prefilter: impl Fn(BlockInfo, &[u8], &mut [u8]) -> Result<(), PluginError> + Send + Sync + 'static,
    ) -> Self {
        self.prefilter = Some(Arc::new(prefilter));
        self
    }

    /// Sets the flag that cancels compression, with [`EncodeError::Cancelled`](crate::EncodeError::Cancelled).
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }
}
