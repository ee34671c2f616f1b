//! Slices of the chunks of a super-chunk.

use blosc_core::memory;
use bloscpack_format::frame::{ChunkPart, Grid, Region};

use super::abi::NdArray;
use crate::blosc2::codes::{DATA, FAILURE, INVALID_PARAM, MEMORY, trace};
use crate::blosc2::header::Info;
use crate::exports::blosc2::context::blosc2_set_maskout;
use crate::exports::blosc2::context_chunks::blosc2_decompress_ctx;
use crate::exports::blosc2::schunk::{chunk, replaced};
use crate::exports::blosc2::schunk_abi::Schunk;

/// The chunks of an array.
pub(super) struct Chunks {
    schunk: *mut Schunk,
    pub(super) grid: Grid,
}

impl Chunks {
    /// # Safety
    /// The array has a super-chunk, which is used by this call only.
    pub(super) unsafe fn of(array: &NdArray) -> Result<Self, i32> {
        // SAFETY: the caller's promise.
        let typesize = unsafe { (*array.sc).typesize };
        Ok(Chunks { schunk: array.sc, grid: array.shapes()?.grid(typesize)? })
    }

    /// Copies a region of the array to a slice in C order.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    pub(super) unsafe fn read(&self, region: &Region, slice: &mut [u8]) -> Result<(), i32> {
        let mut plain = Vec::new();
        for part in self.grid.parts(region).map_err(refused)? {
            // SAFETY: the caller's promise.
            unsafe { self.decode(part.nchunk, self.grid.blocks(&part), &mut plain) }?;
            self.grid.read(&part, &plain, region, slice).map_err(refused)?;
        }
        Ok(())
    }

    /// Replaces a region of the array with a slice in C order.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    pub(super) unsafe fn write(&self, region: &Region, slice: &[u8]) -> Result<(), i32> {
        let mut plain = Vec::new();
        for part in self.grid.parts(region).map_err(refused)? {
            // SAFETY: the caller's promise.
            unsafe { self.old(&part, &mut plain) }?;
            self.grid.write(&part, &mut plain, region, slice).map_err(refused)?;
            // SAFETY: the caller's promise.
            unsafe { self.encode(part.nchunk, &plain) }?;
        }
        Ok(())
    }

    /// Decodes a chunk for a part to be replaced: zeros if the part is all of it.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    unsafe fn old(&self, part: &ChunkPart, plain: &mut Vec<u8>) -> Result<(), i32> {
        if !self.grid.is_whole(part) {
            // SAFETY: the caller's promise.
            return unsafe { self.decode_all(part.nchunk, plain) };
        }
        self.resize(plain)?;
        plain.fill(0);
        Ok(())
    }

    fn resize(&self, plain: &mut Vec<u8>) -> Result<(), i32> {
        if plain.len() != self.grid.chunk_nbytes() {
            *plain = memory::zeroed(self.grid.chunk_nbytes()).map_err(|_| MEMORY)?;
        }
        Ok(())
    }

    /// Decodes a chunk.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    pub(super) unsafe fn decode_all(&self, nchunk: u64, plain: &mut Vec<u8>) -> Result<(), i32> {
        let count = self.grid.chunk_nbytes().checked_div(self.grid.block_nbytes()).unwrap_or(0);
        // SAFETY: the caller's promise.
        unsafe { self.decode(nchunk, 0..count, plain) }
    }

    /// Decodes blocks of a chunk to their places. Other places may have any bytes.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    pub(super) unsafe fn decode(
        &self,
        nchunk: u64,
        blocks: impl Iterator<Item = usize>,
        plain: &mut Vec<u8>,
    ) -> Result<(), i32> {
        self.resize(plain)?;
        let nchunk = i64::try_from(nchunk).map_err(|_| INVALID_PARAM)?;
        // SAFETY: the caller's promise.
        let (chunk, dctx) = unsafe { chunk(self.schunk, nchunk) }.map_err(|_| FAILURE)?;
        let info = Info::of(&chunk)?;
        if usize::try_from(info.nbytes()) != Ok(plain.len()) {
            let (nbytes, expected) = (info.nbytes(), plain.len());
            return Err(trace(DATA, format_args!("chunk {nchunk} has {nbytes} bytes, expected {expected}")));
        }
        let mask = self.mask(info, blocks)?;
        // SAFETY: the context is that of the super-chunk; the mask, the chunk and the output have their lengths.
        let nbytes = unsafe {
            if let Some(mask) = &mask {
                blosc2_set_maskout(dctx, mask.as_ptr(), mask.len() as i32);
            }
            let (dest, len) = (plain.as_mut_ptr().cast(), plain.len() as i32);
            blosc2_decompress_ctx(dctx, chunk.as_ptr().cast(), chunk.len() as i32, dest, len)
        };
        if nbytes < 0 { Err(FAILURE) } else { Ok(()) }
    }

    /// Returns which blocks are left out. `None` if all are needed, or if the chunk has other blocks than the array.
    fn mask(&self, info: Info, needed: impl Iterator<Item = usize>) -> Result<Option<Vec<u8>>, i32> {
        let block = self.grid.block_nbytes();
        if info.is_special() || info.has_vl_blocks() || usize::try_from(info.blocksize()) != Ok(block) {
            return Ok(None);
        }
        let count = self.grid.chunk_nbytes().checked_div(block).unwrap_or(0);
        let mut mask: Vec<u8> = memory::with_capacity(count).map_err(|_| MEMORY)?;
        mask.resize(count, 1);
        for nblock in needed {
            if let Some(skips) = mask.get_mut(nblock) {
                *skips = 0;
            }
        }
        Ok(mask.contains(&1).then_some(mask))
    }

    /// Replaces a chunk.
    ///
    /// # Safety
    /// As [`Chunks::of`].
    pub(super) unsafe fn encode(&self, nchunk: u64, plain: &[u8]) -> Result<(), i32> {
        let nchunk = i64::try_from(nchunk).map_err(|_| INVALID_PARAM)?;
        // SAFETY: the caller's promise.
        unsafe { replaced(self.schunk, nchunk, plain) }.map_err(|_| FAILURE)
    }
}

fn refused(error: bloscpack_format::FormatError) -> i32 {
    trace(INVALID_PARAM, format_args!("{error}"))
}
