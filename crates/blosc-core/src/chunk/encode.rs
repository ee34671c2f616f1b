//! Encoding a chunk: plan, header, the table of block starts, the blocks.

use super::header::ChunkKind;
use super::layout::BSTART_LEN;
use super::{Header, max_cbytes};
use crate::EncodeError;
use crate::block::{BlockEncoder, tuning};
use crate::filter;
use crate::le::put_i32;
use crate::parallel::Parallelism;
use crate::params::CParams;

/// C-Blosc 1 stores anything smaller than this as it is.
const MIN_COMPRESSIBLE: usize = 128;

/// Compresses buffers to chunks, reusing its tables and buffers. One for each thread.
///
/// ```
/// use blosc_core::{CParams, Codec, Encoder};
/// let mut encoder = Encoder::new(CParams::new().codec(Codec::Lz4).typesize(4))?;
/// let chunk = encoder.compress(&[7; 100_000])?;
/// assert!(chunk.len() < 1_000);
/// # Ok::<(), blosc_core::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Encoder {
    params: CParams,
    blocks: BlockEncoder,
    parallelism: Parallelism,
}

impl Encoder {
    /// An encoder with these parameters.
    ///
    /// # Errors
    /// [`EncodeError`] if a parameter is out of range or the codec was compiled out.
    pub fn new(params: CParams) -> Result<Self, EncodeError> {
        let params = params.validate()?;
        Ok(Encoder { blocks: BlockEncoder::new(&params)?, params, parallelism: Parallelism::Serial })
    }

    /// Sets who works on the blocks. The chunk is the same for every choice.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// The parameters.
    pub fn params(&self) -> &CParams {
        &self.params
    }

    /// Compresses `src` to a chunk of its own.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`] for more than [`Header::MAX_NBYTES`] bytes.
    pub fn compress(&mut self, src: &[u8]) -> Result<Vec<u8>, EncodeError> {
        let mut chunk = vec![0; max_cbytes(src.len())];
        let cbytes = self.compress_into(src, &mut chunk)?;
        chunk.truncate(cbytes);
        chunk.shrink_to_fit();
        Ok(chunk)
    }

    /// Compresses `src` to the start of `dst`; the chunk's size. A `dst` of [`max_cbytes`] always suffices. What is
    /// behind the chunk in `dst` may be overwritten.
    ///
    /// # Errors
    /// [`EncodeError::TooLarge`] for more than [`Header::MAX_NBYTES`] bytes; [`EncodeError::Destination`] if the
    /// chunk, compressed or not, does not fit into `dst`.
    pub fn compress_into(&mut self, src: &[u8], dst: &mut [u8]) -> Result<usize, EncodeError> {
        let nbytes = src.len();
        if nbytes > Header::MAX_NBYTES {
            return Err(EncodeError::TooLarge { nbytes, max: Header::MAX_NBYTES });
        }
        let blocksize = tuning::blocksize(&self.params, nbytes);
        let split = tuning::is_split(&self.params, blocksize);
        let kind = ChunkKind { format: self.params.codec.format(), filters: self.params.filters, split };
        let header = Header::new(self.params.typesize, nbytes, blocksize, kind);

        let stored = max_cbytes(nbytes);
        // Compressed, a chunk has to be smaller than stored: it takes longer to read.
        let room = dst.len().min(stored - 1);
        let worth_it = self.params.clevel > 0 && nbytes >= MIN_COMPRESSIBLE && nbytes >= self.params.typesize;
        let compressed = if worth_it { self.compress_blocks(src, blocksize, split, &mut dst[..room]) } else { None };
        let (cbytes, memcpyed) = match compressed {
            Some(cbytes) => (cbytes, false),
            None if dst.len() < stored => {
                return Err(EncodeError::Destination { needed: stored, found: dst.len() });
            }
            None => {
                dst[Header::LEN..stored].copy_from_slice(src);
                (stored, true)
            }
        };
        dst[..Header::LEN].copy_from_slice(&header.finish(cbytes, memcpyed).to_bytes());
        Ok(cbytes)
    }

    /// Table and blocks; the size of the chunk, or `None` where it does not fit.
    fn compress_blocks(&mut self, src: &[u8], blocksize: usize, split: bool, dst: &mut [u8]) -> Option<usize> {
        let nblocks = src.len().div_ceil(blocksize);
        let at = Header::LEN + nblocks * BSTART_LEN;
        if at >= dst.len() {
            return None;
        }
        if self.parallelism.applies(src.len(), nblocks) {
            return self.compress_blocks_parallel(src, blocksize, split, dst, at);
        }
        let mut at = at;
        for (index, block) in src.chunks(blocksize).enumerate() {
            put_i32(dst, Header::LEN + index * BSTART_LEN, i32::try_from(at).ok()?);
            at += encode_block(&self.params, &mut self.blocks, block, blocksize, split, dst.get_mut(at..)?)?;
        }
        Some(at)
    }

    /// The same with every block compressed into a buffer of its own, then put in order: the same bytes.
    #[cfg(feature = "rayon")]
    fn compress_blocks_parallel(
        &self,
        src: &[u8],
        blocksize: usize,
        split: bool,
        dst: &mut [u8],
        mut at: usize,
    ) -> Option<usize> {
        use rayon::prelude::*;

        let params = &self.params;
        let blocks: Vec<Option<Vec<u8>>> = src
            .par_chunks(blocksize)
            .map_init(
                || BlockEncoder::new(params).ok(),
                |encoder, block| {
                    let nstreams = if split { params.typesize } else { 1 };
                    let mut out = vec![0; block.len() + nstreams * BSTART_LEN];
                    let len = encode_block(params, encoder.as_mut()?, block, blocksize, split, &mut out)?;
                    out.truncate(len);
                    Some(out)
                },
            )
            .collect();
        for (index, block) in blocks.into_iter().enumerate() {
            let block = block?;
            put_i32(dst, Header::LEN + index * BSTART_LEN, i32::try_from(at).ok()?);
            dst.get_mut(at..at + block.len())?.copy_from_slice(&block);
            at += block.len();
        }
        Some(at)
    }

    #[cfg(not(feature = "rayon"))]
    fn compress_blocks_parallel(&self, _: &[u8], _: usize, _: bool, _: &mut [u8], _: usize) -> Option<usize> {
        None
    }
}

/// One block; the short last one is never split.
fn encode_block(
    params: &CParams,
    encoder: &mut BlockEncoder,
    block: &[u8],
    blocksize: usize,
    split: bool,
    dst: &mut [u8],
) -> Option<usize> {
    let filter = filter::for_block(params.filters, params.typesize, block.len());
    let nstreams = if split && block.len() == blocksize { params.typesize } else { 1 };
    encoder.encode(filter, params.typesize, block, nstreams, dst)
}
