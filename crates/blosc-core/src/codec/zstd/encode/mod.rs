//! Compresses Zstandard frames. The pure-Rust `rust-zstd` crate finds the matches.
//!
//! | file | does |
//! |---|---|
//! | `frame` | writes frames |
//! | `dict` | frames with a dictionary, by `rust-zstd` altogether |
//! | `parts` | cuts a stream into parts with matches and without |
//! | `short` | short streams of random bytes |
//! | `search` | the matches of a block, and where it is cut into several |
//! | `block`, `thrift` | writes a block; when it pays to compress one |
//! | `literals`, `huffman`, `streams` | the section of literals, its code, and the hot loop |
//! | `sequences` | the section of sequences, with the hot loop |
//! | `fse` | entropy tables, and how they are described |
//! | `bits` | a bit writer |

mod bits;
mod block;
mod dict;
mod frame;
mod fse;
mod huffman;
mod literals;
mod parts;
mod search;
mod sequences;
mod short;
mod streams;
#[cfg(test)]
mod tests;
mod thrift;

use dict::DictEncoder;
pub(crate) use dict::EncodeDict;
use frame::FrameEncoder;

use crate::memory::OutOfMemory;

/// A compression context at one level.
pub(crate) struct ZstdEncoder(Context);

enum Context {
    Frames(Box<FrameEncoder>),
    WithDict(Box<DictEncoder>),
}

impl ZstdEncoder {
    /// Creates a compressor of one of Zstandard's own levels.
    pub(crate) fn new(level: i32) -> Self {
        ZstdEncoder(Context::Frames(Box::new(FrameEncoder::new(level))))
    }

    /// Creates a compressor for streams of about `len` bytes. Its frames can only be read with `dict`.
    pub(crate) fn with_dict(dict: &EncodeDict, len: usize) -> Self {
        ZstdEncoder(Context::WithDict(Box::new(DictEncoder::new(dict, len))))
    }

    /// Creates another compressor with the same settings.
    #[cfg_attr(not(feature = "rayon"), allow(dead_code, reason = "all blocks are encoded on one thread"))]
    pub(crate) fn fresh(&self) -> Self {
        match &self.0 {
            Context::Frames(encoder) => ZstdEncoder::new(encoder.level()),
            Context::WithDict(encoder) => ZstdEncoder(Context::WithDict(Box::new(encoder.fresh()))),
        }
    }

    /// Continues at another level, with the same memory. Returns `false` if that is not possible.
    pub(crate) fn set_level(&mut self, level: i32) -> bool {
        let Context::Frames(encoder) = &mut self.0 else { return false };
        encoder.set_level(level);
        true
    }

    /// Chooses tables as for streams of `len` bytes, although shorter ones follow.
    pub(crate) fn samples_of(&mut self, len: usize) {
        if let Context::Frames(encoder) = &mut self.0 {
            encoder.samples_of(len);
        }
    }

    /// Returns an upper bound of the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        match &self.0 {
            Context::Frames(encoder) => encoder.held(),
            Context::WithDict(encoder) => encoder.held(),
        }
    }

    /// Returns an upper bound of the bytes that were claimed or allocated at once.
    #[cfg(test)]
    fn claimed(&self) -> usize {
        match &self.0 {
            Context::Frames(encoder) => encoder.claimed(),
            Context::WithDict(encoder) => encoder.held(),
        }
    }

    /// Writes a frame to the start of `dst`. Returns its length, or `None` if it does not fit. `src` consists of `planes`
    /// parts of the same length, each with bytes of one kind, or of no such parts.
    pub(crate) fn compress(&mut self, src: &[u8], planes: usize, dst: &mut [u8]) -> Result<Option<usize>, OutOfMemory> {
        match &mut self.0 {
            Context::Frames(encoder) => encoder.encode(src, planes, dst),
            // With a dictionary, random bytes may be compressible.
            Context::WithDict(encoder) => encoder.compress(src, dst),
        }
    }
}
