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
    /// The plain bytes of the stream.
    Plain(&'a [u8]),
    /// Compressed bytes.
    Compressed(&'a [u8]),
    /// One byte repeated.
    Run(u8),
}

impl<'a> Stored<'a> {
    /// Returns how the payload of a stream of `neblock` plain bytes is stored.
    #[inline]
    pub(crate) fn of(payload: &'a [u8], neblock: usize) -> Self {
        if payload.len() == neblock { Stored::Plain(payload) } else { Stored::Compressed(payload) }
    }
}

/// Reads the streams of one block, one after another.
#[derive(Clone, Copy)]
pub(crate) struct StreamReader<'a> {
    chunk: &'a [u8],
    /// The chunk from the next `csize` on.
    rest: &'a [u8],
    block: usize,
    /// Plain bytes of a stream.
    neblock: usize,
    /// Maximum bytes of a payload.
    longest: usize,
    has_runs: bool,
}

impl<'a> StreamReader<'a> {
    /// Creates a reader of streams of `neblock` plain bytes. The `csize` of the first one is at offset `start`, which is
    /// within the chunk.
    #[inline]
    pub(crate) fn new(chunk: &'a [u8], block: usize, start: usize, neblock: usize, has_runs: bool) -> Self {
        let rest = chunk.get(start..).unwrap_or_default();
        StreamReader { chunk, rest, block, neblock, longest: longest(neblock), has_runs }
    }

    /// Returns the offset of the next `csize` in the chunk.
    #[inline]
    pub(crate) fn offset(&self) -> usize {
        self.chunk.len() - self.rest.len()
    }

    /// Reads the next stream. After an error, the reader is where it was.
    #[inline(always)]
    pub(crate) fn read(&mut self) -> Result<Stored<'a>, DecodeError> {
        let Some((csize, body)) = self.rest.split_first_chunk::<CSIZE_LEN>() else { return Err(self.explain()) };
        let csize = i32::from_le_bytes(*csize);
        let (stored, rest) = match csize {
            1.. => {
                let Some((payload, rest)) = body.split_at_checked(csize as usize) else { return Err(self.explain()) };
                if payload.len() > self.longest {
                    return Err(self.explain());
                }
                (Stored::of(payload, self.neblock), rest)
            }
            0 if self.has_runs => (Stored::Run(0), body),
            -255..0 if self.has_runs => match body.split_first() {
                Some((token, rest)) if token & RUN_TOKEN != 0 => (Stored::Run(csize.unsigned_abs() as u8), rest),
                _ => return Err(self.explain()),
            },
            _ => return Err(self.explain()),
        };
        self.rest = rest;
        Ok(stored)
    }

    /// Returns the reason why there is no valid stream at the current offset.
    #[cold]
    fn explain(&self) -> DecodeError {
        let at = self.offset();
        let max = self.rest.len().saturating_sub(CSIZE_LEN).min(self.longest);
        explain(self.chunk, self.block, at, i32_at(self.chunk, at), self.has_runs, max)
    }
}

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
