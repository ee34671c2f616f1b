//! Options that a caller sets before decoding.

use std::sync::Arc;

use super::Decoder;
use crate::cancel::Cancel;
use crate::chunk::block_info::BlockInfo;
use crate::limits::Limits;
use crate::parallel::Parallelism;
use crate::plugin::PluginError;
use crate::registry::Registry;

impl Decoder {
    /// Sets the bounds on the memory and output that input may cost.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the bounds on the memory and output that input may cost.
    pub fn get_limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets whether blocks are decoded in parallel.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// Sets the codecs and filters that are not built in.
    pub fn registry(mut self, registry: Registry) -> Self {
        self.registry = registry;
        self
    }

    /// Sets the shape of a block in elements, which the n-d filters need. It is stored in the frame of a b2nd array,
    /// not in its chunks.
    pub fn blockshape(mut self, blockshape: &[usize]) -> Self {
        self.blockshape = blockshape.to_vec();
        self
    }

    /// Sets the typesize of the super-chunk that the chunks belong to. It is the number of channels of a bytedelta
    /// filter with meta 0.
    pub fn super_chunk_typesize(mut self, typesize: usize) -> Self {
        self.super_chunk_typesize = Some(typesize);
        self
    }

    /// Sets a function that processes the plain bytes of every decoded block, on the thread that decodes the block.
    ///
    /// ```
    /// use blosc_core::{CParams, Chunk, Decoder};
    /// let chunk = blosc_core::compress(&[1; 1000], &CParams::blosc2())?;
    /// let mut decoder = Decoder::new().postfilter(|_, plain| {
    ///     plain.iter_mut().for_each(|byte| *byte *= 2);
    ///     Ok(())
    /// });
    /// assert_eq!(decoder.decompress(&Chunk::parse(&chunk)?)?, [2; 1000]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn postfilter(
        mut self,
        postfilter: impl Fn(BlockInfo, &mut [u8]) -> Result<(), PluginError> + Send + Sync + 'static,
    ) -> Self {
        self.postfilter = Some(Arc::new(postfilter));
        self
    }

    /// Sets the flag that cancels decoding, with [`DecodeError::Cancelled`](crate::DecodeError::Cancelled).
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = Some(cancel);
        self
    }
}
