//! RFC 1950 streams: Blosc2 chunks are written by [`deflate`], Blosc1 chunks by the `zlib-rs` crate, which reads both.

use core::fmt;

use zlib_rs::{Deflate, DeflateFlush, Inflate, InflateFlush, Status};

use super::{CorruptStream, deflate};
use crate::params::ChunkFormat;

/// The largest window, 32 KiB: what `compress2` of zlib uses.
const WINDOW_BITS: u8 = 15;

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
    pub(crate) fn new(clevel: u8, format: ChunkFormat) -> Self {
        let clevel = clevel.clamp(1, 9);
        match format {
            ChunkFormat::Blosc1 => Compressor::blosc1(BLOSC1_LEVELS[usize::from(clevel) - 1]),
            ChunkFormat::Blosc2 => Compressor::Blosc2(deflate::Compressor::new(clevel)),
        }
    }

    /// Another one of the same kind.
    pub(crate) fn fresh(&self) -> Self {
        match self {
            Compressor::Blosc1 { level, .. } => Compressor::blosc1(*level),
            Compressor::Blosc2(compressor) => Compressor::Blosc2(compressor.fresh()),
        }
    }

    fn blosc1(level: u8) -> Self {
        Compressor::Blosc1 { level, deflate: Deflate::new(level.into(), true, WINDOW_BITS) }
    }

    pub(crate) fn compress(&mut self, src: &[u8], dst: &mut [u8]) -> Option<usize> {
        let deflate = match self {
            Compressor::Blosc1 { deflate, .. } => deflate,
            Compressor::Blosc2(compressor) => return compressor.compress(src, dst),
        };
        deflate.reset();
        match deflate.compress(src, dst, DeflateFlush::Finish) {
            Ok(Status::StreamEnd) => usize::try_from(deflate.total_out()).ok(),
            _ => None,
        }
    }
}

/// An inflate state.
pub(crate) struct Decompressor {
    inflate: Inflate,
}

impl Default for Decompressor {
    fn default() -> Self {
        Decompressor { inflate: Inflate::new(true, WINDOW_BITS) }
    }
}

impl Decompressor {
    pub(crate) fn decompress(&mut self, src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
        self.inflate.reset(true);
        let status = self.inflate.decompress(src, dst, InflateFlush::Finish);
        let at = usize::try_from(self.inflate.total_in()).unwrap_or(src.len());
        let written = usize::try_from(self.inflate.total_out()).unwrap_or(usize::MAX);
        match status {
            Ok(Status::StreamEnd) if written == dst.len() => Ok(()),
            Ok(Status::StreamEnd) => Err(CorruptStream::new(at, "the zlib stream ends early")),
            Ok(_) => Err(CorruptStream::new(at, "the zlib stream does not end where it should")),
            Err(error) => Err(CorruptStream::new(at, error.as_str())),
        }
    }
}

impl fmt::Debug for Decompressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zlib::Decompressor")
    }
}
