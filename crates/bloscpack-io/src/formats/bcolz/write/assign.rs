//! Replacing rows: the selected rows of each chunk, and their new values.

use std::num::NonZeroU64;
use std::ops::Range;

use bloscpack_format::bcolz::{ChunkRows, Rows};

/// New values for every `step`th row of a range: a row for each of them, or one row for all.
pub(super) struct Assignment<'a> {
    rows: Range<u64>,
    step: NonZeroU64,
    plain: &'a [u8],
}

/// The part of an assignment in one chunk.
pub(super) struct ChunkAssignment {
    chunk: u64,
    /// The selected rows, counted from the first of the chunk.
    rows: Range<usize>,
    stride: usize,
    /// Whether all rows of a full chunk are replaced by values of their own.
    is_whole: bool,
}

impl<'a> Assignment<'a> {
    /// Assigns the bytes of rows: one row for all selected rows, or one for each.
    pub(super) fn new(rows: Range<u64>, step: NonZeroU64, plain: &'a [u8]) -> Self {
        Assignment { rows, step, plain }
    }

    /// Returns the first row that changes, `None` if none does.
    pub(super) fn first(&self) -> Option<u64> {
        (!self.rows.is_empty() && !self.plain.is_empty()).then_some(self.rows.start)
    }

    /// Returns the new rows in order, repeated without end.
    pub(super) fn atoms(&self, atomsize: usize) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.plain.chunks_exact(atomsize).cycle()
    }

    /// Returns the changed chunks in order.
    pub(super) fn chunks(&self, all: Rows) -> impl Iterator<Item = ChunkAssignment> + '_ {
        all.parts(self.rows.clone()).filter_map(move |part| self.in_chunk(all, part))
    }

    fn in_chunk(&self, all: Rows, ChunkRows { chunk, rows }: ChunkRows) -> Option<ChunkAssignment> {
        let base = all.rows_of(chunk).start;
        // Number of rows from `rows.start` on before the first selected row of this chunk.
        let skipped = match (base + rows.start - self.rows.start) % self.step {
            0 => 0,
            before => self.step.get() - before,
        };
        let start = rows.start.checked_add(skipped).filter(|start| *start < rows.end)?;
        let one_for_all = self.plain.len() as u64 == all.atomsize();
        Some(ChunkAssignment {
            chunk,
            is_whole: rows == (0..all.chunklen()) && self.step == NonZeroU64::MIN && !one_for_all,
            // A chunk has less than 2 GiB.
            rows: start as usize..rows.end as usize,
            // With a larger step, the chunk has only one selected row.
            stride: usize::try_from(self.step.get()).unwrap_or(usize::MAX),
        })
    }
}

impl ChunkAssignment {
    /// Returns the number of the chunk.
    pub(super) fn chunk(&self) -> u64 {
        self.chunk
    }

    /// Returns whether all rows of a full chunk get values of their own, so that the old ones need not be read.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Replaces the selected rows in the uncompressed bytes of the chunk.
    pub(super) fn apply<'a>(&self, plain: &mut [u8], atomsize: usize, atoms: &mut impl Iterator<Item = &'a [u8]>) {
        let rows = plain.chunks_exact_mut(atomsize).take(self.rows.end).skip(self.rows.start).step_by(self.stride);
        for (to, from) in rows.zip(atoms) {
            to.copy_from_slice(from);
        }
    }
}
