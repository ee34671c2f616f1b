//! Reads the runs of a strided copy from a source of uncompressed items.

use std::ops::Range;

use blosc_core::memory;
use bloscpack_format::numpy::{Run, Strided};

use super::ReadAt;
use crate::Error;

/// Maximum number of bytes that one read covers, unless a single run is longer.
const PIECE: u64 = 1 << 20;
/// Maximum gap between two runs that one read covers: a second read costs more than the gap.
const GAP: u64 = 4 << 10;

/// Bytes that are read ahead over a network, with the gaps that cost less than a request.
const AHEAD: u64 = 32 << 20;
/// Maximum number of runs that are read ahead.
const MAX_RUNS: usize = 1 << 16;

/// Reads the runs of a copy into `slab`. Offsets in the source count from `start`. Adjacent runs share one read. Over a
/// network, several requests are in flight.
pub(crate) fn gather(
    source: &(impl ReadAt + ?Sized),
    start: u64,
    copy: &Strided,
    slab: &mut [u8],
) -> Result<(), Error> {
    if let Some(cost) = source.request_cost() {
        return gather_ahead(source, start, copy, slab, cost as u64);
    }
    let reading = Error::reading;
    let (mut near, mut piece): (Vec<Run>, Vec<u8>) = (Vec::new(), Vec::new());
    let mut runs = copy.runs().peekable();
    while let Some(first) = runs.next() {
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

/// [`gather`] over a network, where a request takes as long as `cost` bytes.
fn gather_ahead(
    source: &(impl ReadAt + ?Sized),
    start: u64,
    copy: &Strided,
    slab: &mut [u8],
    cost: u64,
) -> Result<(), Error> {
    // Parts of long runs, so that each fits the bytes ahead.
    let mut parts = copy.runs().flat_map(|run| {
        let starts = (0..run.len).step_by(PIECE as usize);
        starts.map(move |at| Run { from: run.from + at, to: run.to + at, len: PIECE.min(run.len - at) })
    });
    let (mut ahead, mut ranges): (Vec<Run>, Vec<Range<u64>>) = (Vec::new(), Vec::new());
    loop {
        ahead.clear();
        ranges.clear();
        let (mut nbytes, mut end) = (0, None);
        while nbytes < AHEAD && ahead.len() < MAX_RUNS {
            let Some(part) = parts.next() else { break };
            let gap = end.map_or(0, |end| part.from.saturating_sub(end).min(cost));
            nbytes += gap + part.len;
            end = Some(part.from + part.len);
            memory::push(&mut ranges, start + part.from..start + part.from + part.len)?;
            memory::push(&mut ahead, part)?;
        }
        if ahead.is_empty() {
            return Ok(());
        }
        source.prefetch(&ranges);
        for part in &ahead {
            if let Some(place) = place(slab, part) {
                source.read_exact_at(start + part.from, place).map_err(Error::reading)?;
            }
        }
    }
}

fn place<'a>(slab: &'a mut [u8], run: &Run) -> Option<&'a mut [u8]> {
    let to = usize::try_from(run.to).ok()?;
    slab.get_mut(to..to.checked_add(usize::try_from(run.len).ok()?)?)
}
