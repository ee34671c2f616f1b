//! Reads how a stream is stored, from its `csize`.
//!
//! ```text
//! csize > 0    csize bytes follow: compressed, or stored if csize is the length of the plain stream
//! csize = 0    zeros (Blosc2)
//! csize < 0    the byte -csize repeated; a token byte follows, whose lowest bit is set (Blosc2)
//! ```

use crate::error::DecodeError;
use crate::le::i32_at;

/// Bytes of the `csize` before every stream.
pub(crate) const CSIZE_LEN: usize = 4;

/// The token after a negative `csize`. Its lowest bit marks a repeated value. The other bits have no meaning yet.
pub(crate) const RUN_TOKEN: u8 = 0x01;

/// A stream as stored in the chunk.
pub(crate) enum Stored<'a> {
    /// Bytes, compressed or not.
    Payload(&'a [u8]),
    /// One byte repeated.
    Run {
        value: u8,
        /// Offset of the next stream.
        end: usize,
    },
}

/// Reads the streams of one block.
#[derive(Clone, Copy)]
pub(crate) struct StreamReader<'a> {
    chunk: &'a [u8],
    block: usize,
    /// Maximum bytes of a payload.
    longest: usize,
    has_runs: bool,
}

impl<'a> StreamReader<'a> {
    /// Creates a reader of streams of `neblock` plain bytes.
    pub(crate) fn new(chunk: &'a [u8], block: usize, neblock: usize, has_runs: bool) -> Self {
        StreamReader { chunk, block, longest: longest(neblock), has_runs }
    }

    /// Reads the stream whose `csize` is at `at`.
    #[inline]
    pub(crate) fn read(&self, at: usize) -> Result<Stored<'a>, DecodeError> {
        let start = at + CSIZE_LEN;
        let body = self.chunk.get(start..).unwrap_or_default();
        let max = body.len().min(self.longest);
        match i32_at(self.chunk, at) {
            Some(csize) if csize > 0 && csize as usize <= max => Ok(Stored::Payload(&body[..csize as usize])),
            Some(0) if self.has_runs => Ok(Stored::Run { value: 0, end: start }),
            Some(csize @ -255..0) if self.has_runs && body.first().is_some_and(|token| token & RUN_TOKEN != 0) => {
                Ok(Stored::Run { value: csize.unsigned_abs() as u8, end: start + 1 })
            }
            csize => Err(explain(self.chunk, self.block, at, csize, self.has_runs, max)),
        }
    }
}

/// Returns the reason why there is no valid stream at `at`.
#[cold]
fn explain(chunk: &[u8], block: usize, at: usize, csize: Option<i32>, has_runs: bool, max: usize) -> DecodeError {
    let min = if has_runs { -i64::from(u8::MAX) } else { 1 };
    let start = at + CSIZE_LEN;
    match (csize.map(i64::from), chunk.get(start)) {
        (None, _) => DecodeError::Truncated { cbytes: start, found: chunk.len() },
        (Some(csize), None) if (min..0).contains(&csize) => {
            DecodeError::Truncated { cbytes: start + 1, found: chunk.len() }
        }
        (Some(csize), Some(&token)) if (min..0).contains(&csize) => DecodeError::Place {
            block,
            offset: start,
            what: "the token of a run",
            found: token.into(),
            min: RUN_TOKEN.into(),
            max: RUN_TOKEN.into(),
        },
        (Some(found), _) => DecodeError::Place { block, offset: at, what: "csize", found, min, max: max as i64 },
    }
}

/// Returns the maximum payload of a stream of `neblock` plain bytes. Writers store a stream uncompressed if the codec
/// enlarges it. The exception is Snappy in C-Blosc 1, which may add a sixth and 32 bytes. Blocks may overlap, and zlib
/// and zstd accept any number of bytes that produce no output. Without a bound, decoding time would grow with the
/// square of the chunk size.
fn longest(neblock: usize) -> usize {
    neblock.saturating_add(neblock / 6).saturating_add(32)
}
