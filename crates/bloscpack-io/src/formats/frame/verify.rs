//! The chunks of a frame to decode for verifying all. Each occurs once, even if the index refers to it many times.

use blosc_core::{Limits, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkRef, Frame, FrameType};

use crate::Error;
use crate::container::ToVerify;

/// Returns the chunks to decode. `chunk_ref` finds a chunk, and `info` reads its header.
pub(super) fn chunks<'a>(
    frame: &'a Frame,
    chunk_ref: impl Fn(u64) -> Result<ChunkRef, Error>,
    info: impl Fn(u64) -> Result<ChunkInfo, Error> + 'a,
    limits: &Limits,
) -> Result<ToVerify<'a>, Error> {
    let Plan { unstored, stored } = plan(frame, chunk_ref, limits)?;
    let (nchunks, numbers): (u64, Box<dyn Iterator<Item = (u64, u64)>>) = match stored {
        Stored::Once => {
            let stored = (0..frame.nchunks()).filter(|chunk| is_stored(frame, *chunk));
            (frame.nchunks(), Box::new(stored.map(|chunk| (chunk, 1))))
        }
        Stored::Listed(chunks) => (chunks.len() as u64, Box::new(chunks.into_iter())),
    };
    let mut room = Room::of(frame);
    let checked = move |(chunk, times)| {
        room.take(chunk, || info(chunk))?;
        Ok((chunk, times))
    };
    Ok(ToVerify { unstored, nchunks, chunks: Box::new(numbers.map(checked)) })
}

/// Number of bytes of the file that no chunk has used yet. No writer makes overlapping chunks. They could take time
/// quadratic in the stored bytes.
struct Room {
    left: Option<u64>,
    last: Option<u64>,
}

impl Room {
    fn of(frame: &Frame) -> Room {
        let left = (frame.header.frame_type == FrameType::Contiguous).then_some(frame.header.cbytes);
        Room { left, last: frame.nchunks().checked_sub(1) }
    }

    /// Subtracts the size of chunk `number`. Each chunk is counted once. The last chunk is not counted, because it may
    /// be the same as another one.
    fn take(&mut self, number: u64, info: impl FnOnce() -> Result<ChunkInfo, Error>) -> Result<(), Error> {
        if let Some(left) = self.left.as_mut().filter(|_| self.last != Some(number)) {
            // Decoding it reports the damage.
            let Ok(info) = info() else { return Ok(()) };
            info.check(number, *left, None)?;
            *left -= u64::from(info.cbytes);
        }
        Ok(())
    }
}

/// The chunks to decode.
struct Plan {
    /// Number of plain bytes in special values.
    unstored: u64,
    stored: Stored,
}

enum Stored {
    /// All stored chunks, because no two of them share a position.
    Once,
    /// These chunks, each with the number of equal chunks that it stands for.
    Listed(Vec<(u64, u64)>),
}

fn is_stored(frame: &Frame, chunk: u64) -> bool {
    frame.index.raw(chunk).is_some_and(|entry| entry >= 0)
}

fn plan(frame: &Frame, chunk_ref: impl Fn(u64) -> Result<ChunkRef, Error>, limits: &Limits) -> Result<Plan, Error> {
    let Some(last) = frame.nchunks().checked_sub(1) else {
        return Ok(Plan { unstored: 0, stored: Stored::Listed(Vec::new()) });
    };
    let special = |chunk: u64| -> Result<Option<u64>, Error> {
        let ChunkRef::Special { nbytes, .. } = chunk_ref(chunk)? else { return Ok(None) };
        limits.check_chunk(nbytes.into())?;
        Ok(Some(nbytes.into()))
    };
    // The last chunk may be shorter than the others.
    if frame.index.is_repeated() {
        let (first, end) = (special(0)?, special(last)?);
        let unstored = first.unwrap_or(0).saturating_mul(last).saturating_add(end.unwrap_or(0));
        let mut chunks = vec![(0, last), (last, 1)];
        chunks.retain(|(_, times)| *times > 0 && first.is_none());
        return Ok(Plan { unstored, stored: Stored::Listed(chunks) });
    }
    let (mut unstored, mut before, mut ascending) = (0_u64, -1, true);
    for chunk in 0..=last {
        unstored = unstored.saturating_add(special(chunk)?.unwrap_or(0));
        if let Some(entry) = frame.index.raw(chunk).filter(|entry| *entry >= 0) {
            ascending &= entry > before;
            before = entry;
        }
    }
    if ascending {
        return Ok(Plan { unstored, stored: Stored::Once });
    }
    // The memory limit of an index includes this list.
    let places = (0..last).filter(|chunk| is_stored(frame, *chunk));
    let mut places: Vec<(i64, u64)> =
        memory::collect(places.filter_map(|chunk| Some((frame.index.raw(chunk)?, chunk))))?;
    places.sort_unstable();
    let alike = places.chunk_by(|a, b| a.0 == b.0);
    let mut chunks: Vec<(u64, u64)> =
        memory::collect(alike.filter_map(|alike| Some((alike.first()?.1, alike.len() as u64))))?;
    chunks.extend(is_stored(frame, last).then_some((last, 1)));
    chunks.sort_unstable();
    Ok(Plan { unstored, stored: Stored::Listed(chunks) })
}
