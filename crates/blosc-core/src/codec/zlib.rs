//! Writing RFC 1950 streams: those of Blosc2 chunks by [`deflate`], those of Blosc1 chunks by the `zlib-rs` crate. Both are
//! read by [`deflate`].

use zlib_rs::{Deflate, DeflateFlush, Status};

pub(crate) use super::deflate::Decompressor;

use super::deflate;
use crate::format::ChunkFormat;
use crate::memory::{self, OutOfMemory};

/// The largest window, 32 KiB: what `compress2` of zlib uses.
const WINDOW_BITS: u8 = 15;

/// Bytes that `zlib-rs` allocates for an encoder, rounded up: window, hash chains and pending output. A failure would panic.
const ZLIB_RS_MEMORY: usize = 1 << 20;

/// The `zlib-rs` level behind `clevel` 1..=9 of a Blosc1 chunk. Its levels are zlib-ng's, which are faster than the zlib
/// levels of the same number and compress less, level 1 by 14 %; these come within 1 % of C-Blosc's sizes and, but for level
/// 6, take less time than it (figures in docs/decisions/004-zlib.md). C-Blosc2 has zlib-ng inside, so a Blosc2 chunk takes the
/// level as it is.
const BLOSC1_LEVELS: [u8; 9] = [2, 4, 4, 5, 6, 9, 9, 9, 9];

/// An encoder at one level.
pub(crate) enum Compressor {
    Blosc1 {
        level: u8,
        deflate: Deflate,
    },
    /// As small as zlib-ng on shuffled data, but not on unshuffled records, where C-Blosc 1 is to be matched too.
    Blosc2(deflate::Compressor),
}

impl Compressor {
    pub(crate) fn new(clevel: u8, format: ChunkFormat) -> Result<Self, OutOfMemory> {
        let clevel = clevel.clamp(1, 9);
        match format {
            ChunkFormat::Blosc1 => Compressor::blosc1(BLOSC1_LEVELS[usize::from(clevel) - 1]),
            ChunkFormat::Blosc2 => Ok(Compressor::Blosc2(deflate::Compressor::new(clevel)?)),
        }
    }

    /// Another one of the same kind.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        match self {
            Compressor::Blosc1 { level, .. } => Compressor::blosc1(*level),
            Compressor::Blosc2(compressor) => Ok(Compressor::Blosc2(compressor.fresh()?)),
        }
    }

    fn blosc1(level: u8) -> Result<Self, OutOfMemory> {
        memory::check_free(ZLIB_RS_MEMORY)?;
        Ok(Compressor::Blosc1 { level, deflate: Deflate::new(level.into(), true, WINDOW_BITS) })
    }

    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        let deflate = match self {
            Compressor::Blosc1 { deflate, .. } => deflate,
            Compressor::Blosc2(compressor) => return compressor.compress(src, dst),
        };
        deflate.reset();
        Ok(match deflate.compress(src, dst, DeflateFlush::Finish) {
            Ok(Status::StreamEnd) => usize::try_from(deflate.total_out()).ok(),
            _ => None,
        })
    }
}
