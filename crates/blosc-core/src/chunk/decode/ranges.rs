//! Ranges of plain bytes, cut at block boundaries, so that every block is decoded once.

use core::ops::Range;

use super::blocks::{Blocks, Buffers};
use crate::chunk::special;
use crate::chunk::view::Body;
use crate::error::DecodeError;
use crate::kernels;
use crate::memory;

/// Decodes `ranges` of a chunk of `len` plain bytes to `dst`. Returns the plain bytes of all blocks that it decoded.
pub(super) fn decode(
    blocks: &Blocks<'_>,
    buffers: &mut Buffers,
    len: usize,
    ranges: &[Range<usize>],
    dst: &mut [u8],
) -> Result<u64, DecodeError> {
    check(len, ranges, dst.len())?;
    Pieces::cut(blocks, ranges)?.decode(blocks, buffers, dst)
}

/// Copies `ranges` of the plain bytes of a chunk. `None` if a range is not within the chunk, or `dst` has another length
/// than all of them: [`check`] tells which.
#[inline]
pub(super) fn copy(plain: &[u8], ranges: &[Range<usize>], dst: &mut [u8]) -> Option<()> {
    let mut rest = dst;
    for range in ranges {
        let from = plain.get(range.clone())?;
        let (part, after) = rest.split_at_mut_checked(from.len())?;
        kernels::copy(from, part);
        rest = after;
    }
    rest.is_empty().then_some(())
}

/// Copies or fills `ranges` of a chunk of `len` plain bytes that stores no blocks. Its block size may be 1, or far more
/// than the ranges.
pub(super) fn without_blocks(
    body: Body<'_>,
    len: usize,
    ranges: &[Range<usize>],
    dst: &mut [u8],
) -> Result<(), DecodeError> {
    check(len, ranges, dst.len())?;
    let mut rest = dst;
    for range in ranges {
        let (part, after) = rest.split_at_mut(range.len());
        match body {
            Body::Plain(bytes) => kernels::copy(&bytes[range.clone()], part),
            Body::Value(value) => special::fill(value, range.start, part),
            Body::Blocks(_) => {}
        }
        rest = after;
    }
    Ok(())
}

/// Checks that `ranges` are within a chunk of `len` plain bytes and have `found` bytes in total.
pub(super) fn check(len: usize, ranges: &[Range<usize>], found: usize) -> Result<(), DecodeError> {
    let mut needed = 0usize;
    for range in ranges {
        if range.start > range.end || range.end > len {
            return Err(DecodeError::Range { unit: "bytes", start: range.start, end: range.end, len });
        }
        needed = needed.saturating_add(range.len());
    }
    if needed != found {
        return Err(DecodeError::Destination { needed, found });
    }
    Ok(())
}

/// The pieces of all ranges, sorted by block.
struct Pieces(Vec<Piece>);

/// `len` bytes at `from` in `block` go to `to` in the destination.
struct Piece {
    block: usize,
    from: usize,
    to: usize,
    len: usize,
}

impl Pieces {
    /// Cuts ranges that are within the chunk into pieces.
    fn cut(blocks: &Blocks<'_>, ranges: &[Range<usize>]) -> Result<Pieces, DecodeError> {
        blocks.add_up_starts()?;
        let mut pieces = Vec::new();
        let mut to = 0;
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                let block = blocks.block_at(at);
                let block_range = blocks.range(block);
                let end = block_range.end.min(range.end);
                // The factor 3 allows for the growing list and its old copy. A block of one byte costs a chunk 4 bytes
                // only.
                blocks.limits().check_memory("pieces of blocks", 3 * (pieces.len() * size_of::<Piece>()) as u64)?;
                let piece = Piece { block, from: at - block_range.start, to, len: end - at };
                memory::push(&mut pieces, piece)?;
                to += end - at;
                at = end;
            }
        }
        pieces.sort_unstable_by_key(|piece| piece.block);
        Ok(Pieces(pieces))
    }

    /// Decodes every block that has a piece. Returns the plain bytes of these blocks.
    fn decode(&self, blocks: &Blocks<'_>, buffers: &mut Buffers, dst: &mut [u8]) -> Result<u64, DecodeError> {
        if self.0.is_empty() {
            return Ok(0);
        }
        let mut decoded = 0;
        blocks.prepare(buffers)?;
        for pieces in self.0.chunk_by(|a, b| a.block == b.block) {
            let index = pieces[0].block;
            let len = blocks.block_len(index)?;
            decoded += len as u64;
            if let [piece] = pieces
                && piece.len == len
            {
                let dst = &mut dst[piece.to..piece.to + piece.len];
                blocks.decode(&mut buffers.decoder, &buffers.reference, index, dst)?;
                continue;
            }
            let Buffers { decoder, reference, partial, .. } = &mut *buffers;
            let block = memory::at_least(partial, len)?;
            let (start, end) = pieces
                .iter()
                .fold((len, 0), |(start, end), piece| (piece.from.min(start), end.max(piece.from + piece.len)));
            blocks.decode_part(decoder, reference, index, start..end, block)?;
            for piece in pieces {
                let wanted = &block[piece.from..piece.from + piece.len];
                kernels::copy(wanted, &mut dst[piece.to..piece.to + piece.len]);
            }
        }
        Ok(decoded)
    }
}
