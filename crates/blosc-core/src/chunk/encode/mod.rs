//! Encodes a chunk: plan, header, the table of block starts, the blocks.
//!
//! | file | content |
//! |---|---|
//! | `body` | writes the chunk after its header |
//! | `options` | the options that a caller sets before encoding |
//! | `noise` | detects incompressible data, which is stored without trying to compress it |
//! | `special` | chunks without blocks |
//! | `vlblocks` | chunks of blocks of variable length |

mod body;
mod noise;
mod options;
mod special;
mod vlblocks;

use core::fmt;
use std::borrow::Cow;
use std::sync::Arc;

use body::{BodyPlan, Worker, Written};
use noise::Care;

use super::block_info::BlockInfo;
use crate::block::BlockEncoder;
use crate::cancel::{self, Cancel};
use crate::codec::Codec;
use crate::error::EncodeError;
use crate::filter::Filter;
use crate::format::ChunkFormat;
use crate::header::{ChunkKind, Header, Special};
use crate::layout::{BSTART_LEN, tuning};
use crate::memory;
use crate::parallel::Parallelism;
use crate::params::CParams;
use crate::plugin::PluginError;
use crate::registry::Registry;
use crate::stream::StreamEncoder;

/// A prefilter. It fills the second slice (initially zeros) from the first. Both have the length of a block.
type Prefilter = dyn Fn(BlockInfo, &[u8], &mut [u8]) -> Result<(), PluginError> + Send + Sync;

/// Returns the maximum size of a chunk of `nbytes` plain bytes in either generation: the longer header and the
/// uncompressed data. [`ChunkFormat::max_cbytes`] returns the maximum of one generation.
pub const fn max_cbytes(nbytes: usize) -> usize {
    nbytes.saturating_add(Header::EXTENDED_LEN)
}

/// Compresses buffers to chunks and reuses its tables and buffers. Use one per thread.
///
/// ```
/// use blosc_core::{CParams, Codec, Encoder};
/// let mut encoder = Encoder::new(CParams::new().codec(Codec::Lz4).typesize(4))?;
/// let chunk = encoder.compress(&[7; 100_000])?;
/// assert!(chunk.len() < 1_000);
/// # Ok::<(), blosc_core::EncodeError>(())
/// ```
pub struct Encoder {
    params: CParams,
    registry: Registry,
    blockshape: Vec<usize>,
    parallelism: Parallelism,
    prefilter: Option<Arc<Prefilter>>,
    cancel: Option<Cancel>,
    /// Created at first use, because a plugin's codec is not known before the registry is set.
    blocks: Option<BlockEncoder>,
    workers: Vec<Worker>,
}

impl Encoder {
    /// Creates an encoder with these parameters.
    ///
    /// # Errors
    /// [`EncodeError`] if a parameter is out of range, if the chunk format does not support it, or if the codec was
    /// compiled out. A missing [`Registry`] entry or block shape is not an error before compression.
    pub fn new(params: CParams) -> Result<Self, EncodeError> {
        Ok(Encoder {
            params: params.validate()?,
            registry: Registry::new(),
            blockshape: Vec::new(),
            parallelism: Parallelism::Serial,
            prefilter: None,
            cancel: None,
            blocks: None,
            workers: Vec::new(),
        })
    }

    /// Returns the parameters in force.
    pub fn params(&self) -> &CParams {
        &self.params
    }

    /// Sets the parameters of the following chunks. Tables and buffers are kept if the parameters did not change.
    ///
    /// # Errors
    /// As [`Encoder::new`]; then the old parameters stay in force.
    pub fn set_params(&mut self, params: CParams) -> Result<(), EncodeError> {
        let params = params.validate()?;
        // A compressor depends on most of the parameters.
        if params != self.params {
            (self.blocks, self.workers) = (None, Vec::new());
        }
        self.params = params;
        Ok(())
    }

    /// Compresses `src` to a new chunk.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`] for more than [`Header::MAX_NBYTES`] bytes (Blosc2: [`Header::MAX_NBYTES_BLOSC2`]);
    /// [`EncodeError::Filter`] and [`EncodeError::Codec`] for filters and codecs that are not registered or do not fit
    /// the data; [`EncodeError::Prefilter`].
    pub fn compress(&mut self, src: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let mut chunk = memory::zeroed(self.params.format.max_cbytes(src.len()))?;
        let cbytes = self.compress_into(src, &mut chunk)?;
        chunk.truncate(cbytes);
        chunk.shrink_to_fit();
        Ok(chunk)
    }

    /// Compresses `src` to `chunk`, replacing its contents and reusing its allocation. On an error `chunk` is empty.
    ///
    /// ```
    /// use blosc_core::{CParams, Encoder};
    /// let (mut encoder, mut chunk) = (Encoder::new(CParams::new())?, Vec::new());
    /// for part in [7; 200_000].chunks(50_000) {
    ///     encoder.compress_to(part, &mut chunk)?;
    ///     assert_eq!(blosc_core::decompress(&chunk).unwrap(), part);
    /// }
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Encoder::compress`].
    pub fn compress_to(&mut self, src: &[u8], chunk: &mut Vec<u8>) -> Result<(), EncodeError> {
        memory::reuse(chunk, self.params.format.max_cbytes(src.len()))?;
        let cbytes = self.compress_into(src, chunk);
        chunk.truncate(cbytes.as_ref().copied().unwrap_or(0));
        cbytes.map(drop)
    }

    /// Compresses `src` into the start of `dst` and returns the chunk's size. A `dst` of [`max_cbytes`] bytes always
    /// suffices. Bytes of `dst` past the chunk may be overwritten.
    ///
    /// # Errors
    /// As [`Encoder::compress`]; [`EncodeError::Destination`] if the chunk, compressed or not, does not fit into `dst`.
    pub fn compress_into(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, EncodeError> {
        cancel::check(self.cancel.as_ref())?;
        let nbytes = src.len();
        let params = &self.params;
        let format = params.format;
        if nbytes > format.max_nbytes() {
            return Err(EncodeError::TooLarge { nbytes, max: format.max_nbytes() });
        }
        let blocksize = tuning::blocksize(params, nbytes);
        let typesize = params.machine_typesize();
        let split = tuning::is_split(params, typesize, blocksize);
        let kind = ChunkKind { format, codec: params.codec, filters: params.filters, split };
        let header = Header::new(typesize, nbytes, blocksize, kind);
        let src = self.prefiltered(src, blocksize)?;

        let stored = header.len() + nbytes;
        // A compressed chunk takes longer to decode, so it must be smaller than a stored one.
        let room = dst.len().min(stored - 1);
        let bstarts_fit = header.nblocks().saturating_mul(BSTART_LEN) <= nbytes;
        let tried = self.params.clevel > 0 && nbytes >= format.min_compressible() && nbytes >= typesize && bstarts_fit;
        let is_hopeless = tried && self.may_give_up().is_some_and(|care| noise::is_noise(&src, typesize, care));
        let written = if tried && !is_hopeless { self.compress_blocks(&src, &header, &mut dst[..room])? } else { None };
        let header = match written {
            Some(Written { all_zeros: true, .. }) => header.with_special(Special::Zeros),
            Some(Written { cbytes, has_dictionary: true, .. }) => header.with_dictionary().finish(cbytes),
            Some(Written { cbytes, .. }) => header.finish(cbytes),
            None if dst.len() < stored => {
                return Err(EncodeError::Destination { needed: stored, found: dst.len() });
            }
            None => {
                dst[header.len()..stored].copy_from_slice(&src);
                header.finish_memcpyed(tried)
            }
        };
        header.write(dst);
        Ok(header.cbytes())
    }

    /// Returns the data to compress: `src`, or the prefilter's output for its blocks.
    fn prefiltered<'a>(&self, src: &'a [u8], blocksize: usize) -> Result<Cow<'a, [u8]>, EncodeError> {
        let Some(prefilter) = &self.prefilter else { return Ok(Cow::Borrowed(src)) };
        let mut filtered = memory::zeroed(src.len())?;
        let typesize = self.params.machine_typesize();
        for (index, (src, dst)) in src.chunks(blocksize).zip(filtered.chunks_mut(blocksize)).enumerate() {
            let info = BlockInfo { index, offset: index * blocksize, typesize };
            prefilter(info, src, dst).map_err(|source| EncodeError::Prefilter { block: index, source })?;
        }
        Ok(Cow::Owned(filtered))
    }

    /// Returns the sample size of the test for incompressible data, which is then stored. `None` if filters or codec
    /// may make such data compressible.
    fn may_give_up(&self) -> Option<Care> {
        let CParams { codec, clevel, filters, dictionary, .. } = self.params;
        let is_known = |filter: &Filter| matches!(filter, Filter::Shuffle | Filter::BitShuffle);
        match codec {
            _ if dictionary || !filters.as_slice().iter().all(is_known) => None,
            Codec::BloscLz | Codec::Lz4 | Codec::Snappy if clevel < 9 => Some(Care::Little),
            Codec::Plugin { .. } => None,
            _ => Some(Care::Much),
        }
    }

    /// Writes tables and blocks. Returns `None` if they do not fit.
    fn compress_blocks(&mut self, src: &[u8], header: &Header, dst: &mut [u8]) -> Result<Option<Written>, EncodeError> {
        let mut blocks = self.take_blocks()?;
        let mut workers = core::mem::take(&mut self.workers);
        let written = self.plan(header)?.write(&mut blocks, &mut workers, src, self.parallelism, dst);
        (self.blocks, self.workers) = (Some(blocks), workers);
        written
    }

    /// Takes the block encoder, creating it if needed. The caller puts it back, so that its tables are reused.
    fn take_blocks(&mut self) -> Result<BlockEncoder, EncodeError> {
        if let Some(blocks) = self.blocks.take() {
            return Ok(blocks);
        }
        Ok(BlockEncoder::new(StreamEncoder::new(&self.params, &self.registry)?))
    }

    /// Returns the plan for the blocks of a chunk with this header.
    fn plan(&self, header: &Header) -> Result<BodyPlan<'_>, EncodeError> {
        BodyPlan::new(&self.params, header, &self.registry, &self.blockshape, self.cancel.as_ref())
    }
}

impl ChunkFormat {
    /// Returns the maximum size of a chunk of `nbytes` plain bytes: a header of 16 bytes in Blosc1 and 32 in Blosc2,
    /// and the uncompressed data.
    pub const fn max_cbytes(self, nbytes: usize) -> usize {
        let header = match self {
            ChunkFormat::Blosc1 => Header::LEN,
            ChunkFormat::Blosc2 => Header::EXTENDED_LEN,
        };
        nbytes.saturating_add(header)
    }

    /// Maximum plain bytes of a chunk.
    pub(crate) const fn max_nbytes(self) -> usize {
        match self {
            ChunkFormat::Blosc1 => Header::MAX_NBYTES,
            ChunkFormat::Blosc2 => Header::MAX_NBYTES_BLOSC2,
        }
    }

    /// The C libraries store anything smaller than this uncompressed.
    const fn min_compressible(self) -> usize {
        match self {
            ChunkFormat::Blosc1 => 128,
            ChunkFormat::Blosc2 => 32,
        }
    }
}

impl fmt::Debug for Encoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Encoder");
        debug.field("params", &self.params).field("parallelism", &self.parallelism).field("registry", &self.registry);
        debug.finish_non_exhaustive()
    }
}
