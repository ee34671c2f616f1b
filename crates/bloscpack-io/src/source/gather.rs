//! Reads the runs of a strided copy from a source of uncompressed items.

use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::numpy::{Run, Runs, Strided};

use super::ReadAt;
use crate::Error;

/// Maximum number of bytes that one read covers, unless a single run is longer.
const PIECE: u64 = 1 << 20;
/// Maximum gap between two runs that one read covers: a second read costs more than the gap.
const GAP: u64 = 4 << 10;

/// Number of bytes that a source on a network reads ahead.
const AHEAD: u64 = 8 << 20;

/// Reads the runs of a copy into `slab`. Offsets in the source count from `start`. Adjacent runs share one read.
pub(crate) fn gather(
    source: &(impl ReadAt + ?Sized),
    start: u64,
    copy: &Strided,
    slab: &mut [u8],
) -> Result<(), Error> {
    let reading = Error::reading;
    let (mut near, mut piece): (Vec<Run>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut runs = copy.runs().peekable();
    let mut ahead = Ahead { runs: copy.runs(), end: 0 };
    while let Some(first) = runs.next() {
        if source.request_cost().is_some() && first.from >= ahead.end {
            source.prefetch(&ahead.spans(start)?);
        }
        near.clear();
        let mut end = first.from + first.len;
        if first.len >= PIECE {
            // A long run is read directly into the slab.
            if let Some(place) = place(slab, &first) {
                source.read_exact_at(start + first.from, place).map_err(&reading)?;
            }
            continue;
        }
        memory::push(&mut near, first)?;
        while let Some(next) = runs.next_if(|next| next.from - end <= GAP && next.from + next.len - first.from <= PIECE)
        {
            end = next.from + next.len;
            memory::push(&mut near, next)?;
        }
        memory::resize(&mut piece, (end - first.from) as usize, 0)?;
        source.read_exact_at(start + first.from, &mut piece).map_err(&reading)?;
        for run in &near {
            let from = (run.from - first.from) as usize;
            if let (Some(place), Some(found)) = (place(slab, run), piece.get(from..from + run.len as usize)) {
                place.copy_from_slice(found);
            }
        }
    }
    Ok(())
}

/// The reads that follow.
struct Ahead {
    runs: Runs,
    /// The end of what was read ahead.
    end: u64,
}

impl Ahead {
    /// Returns what is read next, about [`AHEAD`] bytes of it. Offsets count from `start`.
    fn spans(&mut self, start: u64) -> Result<Vec<Range<u64>>, Error> {
        let (mut spans, mut nbytes): (Vec<Range<u64>>, u64) = (Vec::new(), 0);
        while nbytes < AHEAD
            && let Some(run) = self.runs.next()
        {
            self.end = run.from.saturating_add(run.len);
            nbytes = nbytes.saturating_add(run.len);
            let (from, end) = (start.saturating_add(run.from), start.saturating_add(self.end));
            match spans.last_mut() {
                Some(last) if from.saturating_sub(last.end) <= GAP => last.end = end,
                _ => memory::push(&mut spans, from..end)?,
            }
        }
        Ok(spans)
    }
}

fn place<'a>(slab: &'a mut [u8], run: &Run) -> Option<&'a mut [u8]> {
    let to = usize::try_from(run.to).ok()?;
    slab.get_mut(to..to.checked_add(usize::try_from(run.len).ok()?)?)
}
