//! How a stream is stored: `csize` says it.
//!
//! ```text
//! csize > 0    that many bytes follow: compressed, or as they are if the plain stream is just as long
//! csize = 0    zeros (Blosc2)
//! csize < 0    a token byte follows, whose lowest bit is set: -csize again and again (Blosc2)
//! ```

use crate::error::DecodeError;
use crate::le::i32_at;

/// Bytes of the `csize` in front of every stream.
pub(crate) const CSIZE_LEN: usize = 4;

/// The token behind a negative `csize`: its lowest bit says that a value is repeated, the others say nothing yet.
pub(crate) const RUN_TOKEN: u8 = 0x01;

/// A stream as it is stored.
pub(crate) enum Stored<'a> {
    /// Bytes, compressed or not.
    Payload(&'a [u8]),
    /// One byte repeated.
    Run {
        value: u8,
        /// Where the next stream starts.
        end: usize,
    },
}

/// Reads the streams of one block.
#[derive(Clone, Copy)]
pub(crate) struct StreamReader<'a> {
    chunk: &'a [u8],
    block: usize,
    /// The longest payload.
    longest: usize,
    has_runs: bool,
}

impl<'a> StreamReader<'a> {
    /// For streams of `neblock` plain bytes.
    pub(crate) fn new(chunk: &'a [u8], block: usize, neblock: usize, has_runs: bool) -> Self {
        StreamReader { chunk, block, longest: longest(neblock), has_runs }
    }

    /// The stream whose `csize` stands at `at`.
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

/// Why there is no stream at `at`.
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

/// The longest payload of a stream of `neblock` plain bytes. Writers store what a codec makes longer as it is, but for
/// Snappy in C-Blosc 1, which may add a sixth and 32 bytes. Blocks may lie over each other, and zlib and zstd read any
/// number of bytes that say nothing: without a bound, time would grow with the square of the chunk.
fn longest(neblock: usize) -> usize {
    neblock.saturating_add(neblock / 6).saturating_add(32)
}
