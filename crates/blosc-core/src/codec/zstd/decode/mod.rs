//! Decodes Zstandard frames (RFC 8878) of known uncompressed size.
//!
//! The output is a slice that holds the whole content, so it is also the window of matches. Each compressed block has
//! literals, which are decoded to a buffer, and sequences, each of which copies literals and a match.
//!
//! | file | does |
//! |---|---|
//! | `frame` | reads headers of frames and blocks |
//! | `block` | decodes a block |
//! | `literals`, `huffman` | the section of literals, and its streams |
//! | `singles`, `pairs` | decode these streams, with one or two symbols per look-up |
//! | `sequences`, `execute` | decodes sequences in the fast path; copies of the slow path |
//! | `tables`, `weights`, `fse`, `codes` | the entropy tables of a block, and how they are described |
//! | `bits` | bit readers |
//! | `dict` | dictionaries |
//! | `checksum` | XXH64 |
//!
//! Like libzstd, the decoder accepts several frames and skippable frames, and matches that reach back further than the
//! window that a frame declares.

mod bits;
mod block;
mod checksum;
pub(super) mod codes;
mod dict;
mod execute;
mod frame;
pub(super) mod fse;
mod huffman;
mod literals;
mod pairs;
mod sequences;
mod singles;
mod tables;
#[cfg(test)]
#[cfg(feature = "zstd")]
pub(super) mod tests;
mod weights;

use core::fmt;

use bits::number;
use block::BlockDecoder;
pub(crate) use dict::DecodeDict;
use execute::Output;
use frame::{BlockHeader, BlockKind, Frame, Header, TOO_LONG};
use tables::Tables;

use crate::codec::{CorruptStream, DecodeTask, StreamError};
use crate::kernels;

/// Longest stream whose positions in bits fit into a `usize`: 512 MiB on 32-bit targets.
const MAX_STREAM: usize = usize::MAX / 8 - 64;

/// Decodes streams and reuses its memory.
#[derive(Default)]
pub(crate) struct ZstdDecoder {
    tables: Box<Tables>,
    literals: Vec<u8>,
}

impl ZstdDecoder {
    /// Returns the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        size_of::<Tables>() + self.literals.capacity()
    }

    /// Decodes the frames of a stream, written with `dict` if given.
    pub(crate) fn decompress(&mut self, stream: DecodeTask<'_>, dict: Option<&DecodeDict>) -> Result<(), StreamError> {
        self.decompress_prefix(stream, usize::MAX, dict)
    }

    /// Decodes at least the first `until` bytes of a stream. Errors past them may go unnoticed.
    pub(crate) fn decompress_prefix(
        &mut self,
        stream: DecodeTask<'_>,
        until: usize,
        dict: Option<&DecodeDict>,
    ) -> Result<(), StreamError> {
        let DecodeTask { src, dst, len } = stream;
        if src.len() > MAX_STREAM {
            return Err(CorruptStream::new(0, "the zstd stream is too long for this platform").into());
        }
        let (mut at, mut d) = (0, 0);
        while at < src.len() {
            match Header::read(src, at)? {
                Header::Skippable(end) => at = end,
                Header::Frame(frame) => {
                    let n;
                    (at, n) = self.frame(src, &frame, &mut dst[d..], len - d, until.saturating_sub(d), dict)?;
                    d += n;
                    if d >= until {
                        return Ok(());
                    }
                }
            }
        }
        if d != len {
            return Err(CorruptStream::new(at, "the zstd frame and the stream differ in size").into());
        }
        Ok(())
    }

    /// Decodes the blocks of a frame to the front of `dst`. Returns its end in `src`, and its uncompressed size, which is
    /// at most `len`. Stops after `until` bytes, and then returns the number of decoded ones.
    fn frame(
        &mut self,
        src: &[u8],
        frame: &Frame,
        dst: &mut [u8],
        len: usize,
        until: usize,
        dict: Option<&DecodeDict>,
    ) -> Result<(usize, usize), StreamError> {
        let mut at = frame.blocks;
        if frame.len.is_some_and(|stated| stated > len as u64) {
            return Err(CorruptStream::new(at, TOO_LONG).into());
        }
        if frame.dict_id != 0 && dict.is_none_or(|dict| dict.0.id != frame.dict_id) {
            return Err(CorruptStream::new(at, "the zstd frame needs another dictionary").into());
        }
        let repeats = self.start(dict);
        let content = dict.map_or(&[][..], |dict| &dict.0.content);
        let mut output = Output { dst, d: 0, len, until, dict: content };
        let mut blocks = BlockDecoder { tables: &mut self.tables, repeats, buffer: &mut self.literals };
        loop {
            let BlockHeader { is_last, kind, size } = BlockHeader::read(src, at)?;
            let start = at + BlockHeader::LEN;
            let stored = if matches!(kind, BlockKind::Run) { 1 } else { size };
            let end = start.saturating_add(stored);
            let content = src.get(start..end).ok_or(CorruptStream::new(at, "the zstd frame is truncated"))?;
            match kind {
                BlockKind::Compressed => blocks.decode(src, start, end, &mut output)?,
                BlockKind::Raw | BlockKind::Run => {
                    let to = output.room(size).ok_or(CorruptStream::new(at, TOO_LONG))?;
                    match kind {
                        BlockKind::Run => to.fill(content[0]),
                        _ => kernels::copy(content, to),
                    }
                    output.d += size;
                }
            }
            at = end;
            if output.d >= until {
                return Ok((at, output.d));
            }
            if is_last {
                break;
            }
        }
        let d = output.d;
        if frame.len.is_some_and(|stated| stated != d as u64) {
            return Err(CorruptStream::new(at, "the zstd frame does not have the size that it states").into());
        }
        if frame.has_checksum {
            let stored = number(src, at, 4).ok_or(CorruptStream::new(at, "the zstd frame is truncated"))?;
            if checksum::xxh64(&output.dst[..d]) & 0xFFFF_FFFF != stored {
                return Err(CorruptStream::new(at, "the checksum of the zstd frame does not match").into());
            }
            at += 4;
        }
        Ok((at, d))
    }

    /// Sets the tables that the first block of a frame may use, and returns its repeated offsets.
    fn start(&mut self, dict: Option<&DecodeDict>) -> sequences::Repeats {
        match dict.and_then(|dict| dict.0.entropy.as_ref()) {
            Some((tables, repeats)) => {
                self.tables.load(tables);
                *repeats
            }
            None => {
                self.tables.clear();
                [1, 4, 8]
            }
        }
    }
}

impl fmt::Debug for ZstdDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::ZstdDecoder")
    }
}

impl fmt::Debug for DecodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::DecodeDict")
    }
}
