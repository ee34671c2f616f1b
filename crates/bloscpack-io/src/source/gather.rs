//! Reads the runs of a strided copy from a source of uncompressed items.

use blosc_core::memory;
use bloscpack_format::numpy::{Run, Strided};

use super::ReadAt;
use crate::Error;

/// Maximum number of bytes that one read covers, unless a single run is longer.
const PIECE: u64 = 1 << 20;
/// Maximum gap between two runs that one read covers: a second read costs more than the gap.
const GAP: u64 = 4 << 10;

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

fn place<'a>(slab: &'a mut [u8], run: &Run) -> Option<&'a mut [u8]> {
    let to = usize::try_from(run.to).ok()?;
    slab.get_mut(to..to.checked_add(usize::try_from(run.len).ok()?)?)
}
