//! Offsets and sizes of blocks of variable length (chunk version 6).
//!
//! ```text
//! | header 32 | bstarts, ascending | dictionary? | plain size i32 | payload | plain size | payload | …
//! ```
//!
//! A block extends to the start of the next one, the last block to the end of the chunk. A block is one stream. It is
//! stored uncompressed if payload and plain size have equal length. The header's `blocksize` is the number of blocks.

use core::ops::Range;

use super::tables::Layout;
use crate::error::DecodeError;
use crate::le::i32_at;
use crate::memory;

/// Bytes of the plain size before a payload.
pub(crate) const SIZE_LEN: usize = 4;

/// A block of variable length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct VlBlock<'a> {
    /// Plain bytes.
    pub(crate) nbytes: usize,
    /// Offset of the payload in the chunk.
    pub(crate) offset: usize,
    pub(crate) payload: &'a [u8],
}

/// Returns block `index`.
pub(crate) fn block<'a>(layout: Layout, chunk: &'a [u8], index: usize) -> Result<VlBlock<'a>, DecodeError> {
    let start = layout.bstart(chunk, index)?;
    let end = if index + 1 < layout.nblocks() { layout.bstart(chunk, index + 1)? } else { chunk.len() };
    let place = |what, found: i64, min, max| DecodeError::Place { block: index, offset: start, what, found, min, max };
    let offset = start + SIZE_LEN;
    let Some(payload) = chunk.get(offset..end).filter(|payload| !payload.is_empty()) else {
        return Err(place("the end", end as i64, offset as i64 + 1, chunk.len() as i64));
    };
    let nbytes = i32_at(chunk, start).unwrap_or_default();
    match usize::try_from(nbytes) {
        Ok(nbytes) if (1..=layout.header().nbytes()).contains(&nbytes) => Ok(VlBlock { nbytes, offset, payload }),
        _ => Err(place("the plain size", nbytes.into(), 1, layout.header().nbytes() as i64)),
    }
}

/// Checks that the plain sizes of all blocks add up to `nbytes`.
pub(crate) fn check(layout: Layout, chunk: &[u8]) -> Result<(), DecodeError> {
    add_up(layout, chunk, |_| Ok(())).map(drop)
}

/// Returns the plain offset of each block and the end of the last. The sizes must add up to `nbytes`.
pub(crate) fn starts(layout: Layout, chunk: &[u8]) -> Result<Vec<usize>, DecodeError> {
    let mut starts = memory::with_capacity(layout.nblocks() + 1)?;
    let end = add_up(layout, chunk, |start| Ok(memory::push(&mut starts, start)?))?;
    memory::push(&mut starts, end)?;
    Ok(starts)
}

/// Returns the plain offset of block `index` and its end, without storing the offsets of all blocks.
pub(crate) fn range(layout: Layout, chunk: &[u8], index: usize) -> Result<Range<usize>, DecodeError> {
    let before = (0..index)
        .try_fold(0usize, |sum, index| Ok::<_, DecodeError>(sum.saturating_add(block(layout, chunk, index)?.nbytes)))?;
    Ok(before..before.saturating_add(block(layout, chunk, index)?.nbytes))
}

/// Adds up the sizes of all blocks, calls `each` with the plain offset of each block, and returns the end of the last.
fn add_up(
    layout: Layout,
    chunk: &[u8],
    mut each: impl FnMut(usize) -> Result<(), DecodeError>,
) -> Result<usize, DecodeError> {
    let mut total = 0usize;
    for index in 0..layout.nblocks() {
        each(total)?;
        total = total.saturating_add(block(layout, chunk, index)?.nbytes);
    }
    if total != layout.header().nbytes() {
        let expected = total as i64;
        return Err(DecodeError::Field {
            offset: 4,
            field: "nbytes",
            found: layout.header().nbytes() as i64,
            min: expected,
            max: expected,
        });
    }
    Ok(total)
}
