//! Verifying an archive: every chunk is decoded, once, however often a frame's index names it.

use blosc_core::memory;
use bloscpack_format::frame::{ChunkInfo, ChunkRef, Frame, FrameType};

use super::stream::Wanted;
use super::{Archive, Content};
use crate::options::Event;
use crate::source::ReadAt;
use crate::{Error, UnpackOptions};

impl<R: ReadAt> Archive<R> {
    /// Checks everything that can be checked: every chunk is decoded, sizes are compared, and vlmetalayers are read. Of a
    /// bloscpack file, [`verify_stream`](crate::verify_stream) checks more. Of a frame it takes as long as its different
    /// chunks do: what is not stored, or is stored once for many, is not looked at many times.
    ///
    /// # Errors
    /// The first thing that is wrong, as [`Archive::unpack`].
    pub fn verify(&self, options: &UnpackOptions) -> Result<(), Error> {
        let Content::Frame(open) = &self.content else {
            let mut chunks = 0..self.nchunks();
            let mut next = || Ok(chunks.next().map(|chunk| Wanted { chunk, part: None, times: 1 }));
            return self.copy_wanted(&mut next, self.nchunks(), &mut |_, _| Ok(()), options).map(drop);
        };
        let Plan { unstored, stored } = plan(&open.frame, options)?;
        options.observer.tell(Event::Plain(unstored));
        let nchunks = match &stored {
            Stored::Once => self.nchunks(),
            Stored::Listed(chunks) => chunks.len() as u64,
        };
        let mut once = 0..self.nchunks();
        let mut listed = if let Stored::Listed(chunks) = &stored { chunks.as_slice() } else { &[] }.iter();
        let mut room = Room::of(&open.frame);
        let mut next = || {
            let wanted = match &stored {
                Stored::Once => once.find(|chunk| is_stored(&open.frame, *chunk)).map(|chunk| (chunk, 1)),
                Stored::Listed(_) => listed.next().copied(),
            };
            let Some((chunk, times)) = wanted else { return Ok(None) };
            room.take(chunk, || open.info(&self.source, chunk))?;
            Ok(Some(Wanted { chunk, part: None, times }))
        };
        let found = self.copy_wanted(&mut next, nchunks, &mut |_, _| Ok(()), options)?;
        open.check_sum(unstored.saturating_add(found))?;
        for (_, checked) in open.frame.trailer.vlmetalayers.checked(options.limits) {
            options.cancel.check()?;
            checked?;
        }
        Ok(())
    }
}

/// What is left for chunks of the file, if they are in one. Chunks that lie in each other, which no writer makes, would take
/// time by the square of what is stored.
struct Room {
    left: Option<u64>,
    last: Option<u64>,
}

impl Room {
    fn of(frame: &Frame) -> Room {
        let left = (frame.header.frame_type == FrameType::Contiguous).then_some(frame.header.cbytes);
        Room { left, last: frame.nchunks().checked_sub(1) }
    }

    /// Takes away what chunk `number` has, which is looked at once but for the last: that may be one of the others.
    fn take(&mut self, number: u64, info: impl FnOnce() -> Result<ChunkInfo, Error>) -> Result<(), Error> {
        if let Some(left) = self.left.as_mut().filter(|_| self.last != Some(number)) {
            // Who decodes it says what is wrong with it.
            let Ok(info) = info() else { return Ok(()) };
            info.check(number, *left, None)?;
            *left -= u64::from(info.cbytes);
        }
        Ok(())
    }
}

/// Which chunks are to be decoded.
struct Plan {
    /// Plain bytes of special values.
    unstored: u64,
    stored: Stored,
}

enum Stored {
    /// All that are stored, for each is in a place of its own.
    Once,
    /// These, and how many there are of each.
    Listed(Vec<(u64, u64)>),
}

fn is_stored(frame: &Frame, chunk: u64) -> bool {
    frame.index.raw(chunk).is_some_and(|entry| entry >= 0)
}

fn plan(frame: &Frame, options: &UnpackOptions) -> Result<Plan, Error> {
    let Some(last) = frame.nchunks().checked_sub(1) else {
        return Ok(Plan { unstored: 0, stored: Stored::Listed(Vec::new()) });
    };
    let special = |chunk: u64| -> Result<Option<u64>, Error> {
        let ChunkRef::Special { nbytes, .. } = frame.chunk(chunk)? else { return Ok(None) };
        options.limits.check_chunk(nbytes.into())?;
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
    // Memory for an index counts this list, too.
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
