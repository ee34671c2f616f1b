//! Decoding a chunk: all of it, one block, or ranges of bytes.

use core::ops::Range;

use super::{Chunk, Header, Layout};
use crate::block::BlockDecoder;
use crate::parallel::Parallelism;
use crate::{DecodeError, Limits};

/// An output this many times larger than the chunk is allocated block by block as it is decoded, not at once.
const TRUSTED_RATIO: usize = 64;

/// Decodes chunks, reusing its tables and buffers. One for each thread.
///
/// ```
/// use blosc_core::{CParams, Chunk, Decoder, Limits};
/// let chunk = blosc_core::compress(&[7; 100_000], &CParams::new())?;
/// let mut decoder = Decoder::new().limits(Limits::new().max_nbytes(1 << 20));
/// assert_eq!(decoder.decompress(&Chunk::parse(&chunk)?)?, [7; 100_000]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Decoder {
    limits: Limits,
    parallelism: Parallelism,
    blocks: BlockDecoder,
    block: Vec<u8>,
}

impl Decoder {
    /// A decoder with default limits that works on the calling thread.
    pub fn new() -> Self {
        Decoder::default()
    }

    /// Sets what input may make it spend.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets who works on the blocks.
    pub fn parallelism(mut self, parallelism: Parallelism) -> Self {
        self.parallelism = parallelism;
        self
    }

    /// All plain bytes of the chunk.
    ///
    /// # Errors
    /// [`DecodeError::Limit`] before anything is allocated; any other variant for a damaged chunk.
    pub fn decompress(&mut self, chunk: &Chunk<'_>) -> Result<Vec<u8>, DecodeError> {
        let mut plain = Vec::new();
        self.decompress_to(chunk, &mut plain)?;
        Ok(plain)
    }

    /// All plain bytes of the chunk to `plain`, whose contents they replace and whose allocation they reuse. On an
    /// error the contents are unspecified.
    ///
    /// # Errors
    /// As [`Decoder::decompress`].
    pub fn decompress_to(&mut self, chunk: &Chunk<'_>, plain: &mut Vec<u8>) -> Result<(), DecodeError> {
        let header = chunk.header();
        header.check_limits(&self.limits)?;
        if header.nbytes() <= plain.capacity() || header.nbytes() / TRUSTED_RATIO <= header.cbytes() {
            plain.resize(header.nbytes(), 0);
            self.decompress_into(chunk, plain)?;
            return Ok(());
        }
        plain.clear();
        for index in 0..header.nblocks() {
            let start = plain.len();
            plain.resize(chunk.block_range(index).end, 0);
            self.block_into(chunk, index, &mut plain[start..])?;
        }
        Ok(())
    }

    /// All plain bytes of the chunk to the start of `dst`, which may be longer; how many they are. On an error the
    /// contents of `dst` are unspecified.
    ///
    /// # Errors
    /// [`DecodeError::Destination`] if `dst` is too short; [`DecodeError::Limit`]; any other variant for a damaged
    /// chunk.
    pub fn decompress_into(&mut self, chunk: &Chunk<'_>, dst: &mut [u8]) -> Result<usize, DecodeError> {
        let header = chunk.header();
        header.check_limits(&self.limits)?;
        let nbytes = header.nbytes();
        let found = dst.len();
        let Some(dst) = dst.get_mut(..nbytes) else {
            return Err(DecodeError::Destination { needed: nbytes, found });
        };
        // Of an empty chunk the block size says nothing: it may be 0.
        if nbytes == 0 {
            return Ok(0);
        }
        let Some(layout) = chunk.layout() else {
            dst.copy_from_slice(&chunk.bytes()[Header::LEN..]);
            return Ok(nbytes);
        };
        if self.parallelism.applies(nbytes, layout.nblocks) {
            decode_blocks_parallel(chunk.bytes(), layout, dst)?;
            return Ok(nbytes);
        }
        for (index, block) in dst.chunks_mut(layout.blocksize).enumerate() {
            self.blocks.decode(chunk.bytes(), layout, index, block)?;
        }
        Ok(nbytes)
    }

    /// The plain bytes of block `index` to the start of `dst`; how many they are.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if there is no such block, [`DecodeError::Destination`] if `dst` is too short, any other
    /// variant for a damaged block.
    pub fn decode_block(&mut self, chunk: &Chunk<'_>, index: usize, dst: &mut [u8]) -> Result<usize, DecodeError> {
        let nblocks = chunk.header().nblocks();
        if index >= nblocks {
            return Err(DecodeError::Range { unit: "blocks", start: index, end: index + 1, len: nblocks });
        }
        let needed = chunk.block_range(index).len();
        let found = dst.len();
        let dst = dst.get_mut(..needed).ok_or(DecodeError::Destination { needed, found })?;
        self.block_into(chunk, index, dst)?;
        Ok(needed)
    }

    /// The plain bytes of several ranges, one behind the other, to `dst`, which is exactly as long as they are
    /// together. Every block that a range touches is decoded once, however many ranges touch it; others are not read.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if a range is not within the chunk, [`DecodeError::Destination`] if `dst` has another
    /// length, any other variant for a damaged block.
    pub fn decode_ranges(
        &mut self,
        chunk: &Chunk<'_>,
        ranges: &[Range<usize>],
        dst: &mut [u8],
    ) -> Result<(), DecodeError> {
        let mut pieces = Pieces::cut(chunk, ranges, dst.len())?;
        pieces.0.sort_unstable_by_key(|piece| piece.block);
        for pieces in pieces.0.chunk_by(|a, b| a.block == b.block) {
            let index = pieces[0].block;
            let block_range = chunk.block_range(index);
            if let [piece] = pieces
                && piece.len == block_range.len()
            {
                self.block_into(chunk, index, &mut dst[piece.to..piece.to + piece.len])?;
                continue;
            }
            let mut block = core::mem::take(&mut self.block);
            block.resize(block_range.len(), 0);
            let decoded = self.block_into(chunk, index, &mut block);
            if decoded.is_ok() {
                for piece in pieces {
                    dst[piece.to..piece.to + piece.len].copy_from_slice(&block[piece.from..piece.from + piece.len]);
                }
            }
            self.block = block;
            decoded?;
        }
        Ok(())
    }

    /// The plain bytes of the items `range`, each of the chunk's typesize.
    ///
    /// # Errors
    /// [`DecodeError::Range`] if the range is not within the chunk's whole items, any other variant for a damaged
    /// block.
    pub fn items(&mut self, chunk: &Chunk<'_>, range: Range<usize>) -> Result<Vec<u8>, DecodeError> {
        let typesize = chunk.header().typesize();
        let len = chunk.header().nbytes() / typesize;
        if range.start > range.end || range.end > len {
            return Err(DecodeError::Range { unit: "items", start: range.start, end: range.end, len });
        }
        let bytes = range.start * typesize..range.end * typesize;
        let mut items = vec![0; bytes.len()];
        self.decode_ranges(chunk, &[bytes], &mut items)?;
        Ok(items)
    }

    /// Block `index`, which exists, to `dst`, which has its length.
    fn block_into(&mut self, chunk: &Chunk<'_>, index: usize, dst: &mut [u8]) -> Result<(), DecodeError> {
        match chunk.layout() {
            Some(layout) => self.blocks.decode(chunk.bytes(), layout, index, dst),
            None => {
                let start = Header::LEN + chunk.block_range(index).start;
                dst.copy_from_slice(&chunk.bytes()[start..start + dst.len()]);
                Ok(())
            }
        }
    }
}

/// Ranges cut at block borders.
struct Pieces(Vec<Piece>);

/// `len` bytes at `from` in `block` go to `to` in the destination.
struct Piece {
    block: usize,
    from: usize,
    to: usize,
    len: usize,
}

impl Pieces {
    fn cut(chunk: &Chunk<'_>, ranges: &[Range<usize>], found: usize) -> Result<Pieces, DecodeError> {
        let len = chunk.header().nbytes();
        let mut pieces = Vec::new();
        let mut to = 0usize;
        for range in ranges {
            if range.start > range.end || range.end > len {
                return Err(DecodeError::Range { unit: "bytes", start: range.start, end: range.end, len });
            }
            let mut at = range.start;
            while at < range.end {
                let block = at / chunk.header().blocksize();
                let block_range = chunk.block_range(block);
                let end = block_range.end.min(range.end);
                pieces.push(Piece { block, from: at - block_range.start, to, len: end - at });
                to = to.saturating_add(end - at);
                at = end;
            }
        }
        if to != found {
            return Err(DecodeError::Destination { needed: to, found });
        }
        Ok(Pieces(pieces))
    }
}

#[cfg(feature = "rayon")]
fn decode_blocks_parallel(chunk: &[u8], layout: &Layout, dst: &mut [u8]) -> Result<(), DecodeError> {
    use rayon::prelude::*;

    dst.par_chunks_mut(layout.blocksize)
        .enumerate()
        .try_for_each_init(BlockDecoder::default, |decoder, (index, block)| decoder.decode(chunk, layout, index, block))
}

#[cfg(not(feature = "rayon"))]
fn decode_blocks_parallel(chunk: &[u8], layout: &Layout, dst: &mut [u8]) -> Result<(), DecodeError> {
    let mut decoder = BlockDecoder::default();
    dst.chunks_mut(layout.blocksize)
        .enumerate()
        .try_for_each(|(index, block)| decoder.decode(chunk, layout, index, block))
}
