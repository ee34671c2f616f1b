//! Encodes RFC 1950 streams: with [`deflate`] for Blosc2 chunks, with the `zlib-rs` crate for Blosc1 chunks.
//! [`deflate`] decodes both.

use zlib_rs::{Deflate, DeflateFlush, Status};

pub(crate) use super::deflate::DeflateDecoder;

use super::deflate;
use crate::format::ChunkFormat;
use crate::memory::{self, OutOfMemory};

/// The largest window, 32 KiB, as in zlib's `compress2`.
const WINDOW_BITS: u8 = 15;

/// Upper bound of the bytes that `zlib-rs` allocates for an encoder: window, hash chains and pending output. It would
/// panic if an allocation failed.
const ZLIB_RS_MEMORY: usize = 1 << 20;

/// The `zlib-rs` level for each `clevel` 1..=9 of a Blosc1 chunk.
///
/// `zlib-rs` has zlib-ng's levels, which are faster than zlib's levels of the same number and compress less, level 1 by
/// 14 %. The levels chosen here come within 1 % of C-Blosc's sizes and take less time than C-Blosc, except level 6
/// (figures in docs/decisions/004-zlib.md). C-Blosc2 contains zlib-ng, so Blosc2 chunks use `clevel` unchanged.
const BLOSC1_LEVELS: [u8; 9] = [2, 4, 4, 5, 6, 9, 9, 9, 9];

/// An encoder at one level.
pub(crate) enum ZlibEncoder {
    Blosc1 {
        level: u8,
        deflate: Deflate,
    },
    /// Compresses shuffled data as small as zlib-ng, but not unshuffled records. Blosc1 output must match C-Blosc 1
    /// there too.
    Blosc2(deflate::DeflateEncoder),
}

impl ZlibEncoder {
    pub(crate) fn new(clevel: u8, format: ChunkFormat) -> Result<Self, OutOfMemory> {
        let clevel = clevel.clamp(1, 9);
        match format {
            ChunkFormat::Blosc1 => ZlibEncoder::blosc1(BLOSC1_LEVELS[usize::from(clevel) - 1]),
            ChunkFormat::Blosc2 => Ok(ZlibEncoder::Blosc2(deflate::DeflateEncoder::new(clevel)?)),
        }
    }

    /// Creates another compressor with the same settings.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        match self {
            ZlibEncoder::Blosc1 { level, .. } => ZlibEncoder::blosc1(*level),
            ZlibEncoder::Blosc2(compressor) => Ok(ZlibEncoder::Blosc2(compressor.fresh()?)),
        }
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        match self {
            ZlibEncoder::Blosc1 { .. } => ZLIB_RS_MEMORY,
            ZlibEncoder::Blosc2(compressor) => compressor.held(),
        }
    }

    fn blosc1(level: u8) -> Result<Self, OutOfMemory> {
        memory::check_free(ZLIB_RS_MEMORY)?;
        Ok(ZlibEncoder::Blosc1 { level, deflate: Deflate::new(level.into(), true, WINDOW_BITS) })
    }

    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        let deflate = match self {
            ZlibEncoder::Blosc1 { deflate, .. } => deflate,
            ZlibEncoder::Blosc2(compressor) => return compressor.compress(src, dst),
        };
        deflate.reset();
        Ok(match deflate.compress(src, dst, DeflateFlush::Finish) {
            Ok(Status::StreamEnd) => usize::try_from(deflate.total_out()).ok(),
            _ => None,
        })
    }
}
