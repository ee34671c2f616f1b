//! The high-compression encoder: its levels and its tables.

use super::finder::Finder;
use super::mid::{self, MidTable};
use super::rows::RowTable;
use super::{MAX_INPUT, lazy};
use crate::kernels::run_hot;
use crate::memory::OutOfMemory;

/// Hash tables of positions; reusable.
pub(crate) struct HcTable {
    mid: MidTable,
    rows: RowTable,
}

impl HcTable {
    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        Ok(HcTable { mid: MidTable::new()?, rows: RowTable::new()? })
    }
}

/// Compresses `src` into `dst` and returns the length of the block, or `None` if it does not fit.
///
/// Levels 1 and 2 are identical, the fastest. Higher levels have longer rows ([`width`]).
pub(crate) fn compress_hc(src: &[u8], dst: &mut [u8], level: u8, table: &mut HcTable) -> Option<usize> {
    if src.len() > MAX_INPUT {
        return None;
    }
    if level <= 2 {
        return run_hot(mid::Compress { src, dst, table: &mut table.mid });
    }
    table.rows.clear_for(src.len());
    compress_with(width(level, src.len()), src, 0, dst, 0, &mut table.rows)
}

/// Returns the number of slots per row for an input of `len` bytes.
///
/// The C library follows 4, 8, 16 .. 256 links, depending on the level. With the row widths used here, ten shuffled
/// data sets compress to 0.99 (level 3) to 1.003 (level 9) times the size of C's output, in the geometric mean. Twice
/// the width at level 4 or 5 saves 0.3 % and takes a quarter more time.
pub(super) fn width(level: u8, len: usize) -> usize {
    match level {
        // A short input has only a few positions per hash.
        _ if len <= SHORT_INPUT => 8,
        ..=5 => 8,
        6 => 16,
        7 | 8 => 32,
        _ => 64,
    }
}

const SHORT_INPUT: usize = 8 << 10;

/// Compresses `src[start..]` with rows of `width` slots. The positions before `noted` are already inserted.
pub(super) fn compress_with(
    width: usize,
    src: &[u8],
    start: u32,
    dst: &mut [u8],
    noted: u32,
    table: &mut RowTable,
) -> Option<usize> {
    match width {
        8 => run_hot(lazy::Compress { src, start, dst, finder: Finder::<8>::new(src, noted, table)? }),
        16 => run_hot(lazy::Compress { src, start, dst, finder: Finder::<16>::new(src, noted, table)? }),
        32 => run_hot(lazy::Compress { src, start, dst, finder: Finder::<32>::new(src, noted, table)? }),
        _ => run_hot(lazy::Compress { src, start, dst, finder: Finder::<64>::new(src, noted, table)? }),
    }
}

/// Inserts the positions before `end` into rows of `width` slots.
pub(super) fn note_with(width: usize, src: &[u8], end: u32, table: &mut RowTable) -> Option<()> {
    match width {
        8 => Finder::<8>::new(src, 0, table)?.note_before(end),
        16 => Finder::<16>::new(src, 0, table)?.note_before(end),
        32 => Finder::<32>::new(src, 0, table)?.note_before(end),
        _ => Finder::<64>::new(src, 0, table)?.note_before(end),
    }
    Some(())
}
