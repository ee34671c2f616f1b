//! Copies all plain bytes of an archive, or a range of them, to a writer.

use std::io::Write;
use std::ops::Range;

use super::decoding::{DecodeJob, Decoding, Ranges, decode};
use crate::Error;
use crate::container::Plain;
use crate::options::Event;

/// Copies the plain bytes of all chunks without interpreting them. Returns their number.
pub(super) fn copy_all(decoding: Decoding<'_>, output: &mut impl Write) -> Result<u64, Error> {
    let archive = decoding.archive();
    let mut at = 0;
    let mut next = || {
        let wanted = (at < archive.nchunks()).then(|| DecodeJob {
            chunk: at,
            ranges: Ranges::Whole,
            task: archive.container().alike(at),
        });
        at += wanted.as_ref().map_or(0, |wanted| wanted.task);
        Ok(wanted)
    };
    let mut write = |plain: &Plain, times| write_times(plain, times, output);
    let written = copy_chunks(decoding, archive.nchunks(), &mut next, &mut write)?;
    archive.container().check_sum(written)?;
    Ok(written)
}

/// Copies a proper part of the plain bytes. The range must be within them.
pub(super) fn copy_range(decoding: Decoding<'_>, range: Range<u64>, output: &mut impl Write) -> Result<(), Error> {
    let archive = decoding.archive();
    let nchunks = (range.end - range.start).div_ceil(archive.chunk_range(0).map_or(1, |first| first.end.max(1)));
    let mut at = range.start;
    let mut next = || {
        if at >= range.end {
            return Ok(None);
        }
        let chunk = archive.chunk_of(at)?;
        let within = archive.chunk_range(chunk)?;
        let end = within.end.min(range.end);
        if end <= at {
            return Err(Error::PlainSize { found: at, expected: archive.nbytes() });
        }
        // A chunk has less than 2 GiB.
        let part = (at - within.start) as usize..(end - within.start) as usize;
        let len = within.end - within.start;
        if part.len() as u64 != len {
            at = end;
            return Ok(Some(DecodeJob { chunk, ranges: Ranges::One(part), task: 1 }));
        }
        let alike = archive.container().alike(chunk);
        let times = alike.min((range.end - at).checked_div(len).unwrap_or(1)).max(1);
        at += len * times;
        Ok(Some(DecodeJob { chunk, ranges: Ranges::Whole, task: times }))
    };
    let mut write = |plain: &Plain, times| write_times(plain, times, output);
    copy_chunks(decoding, nchunks, &mut next, &mut write)?;
    Ok(())
}

/// Decodes the chunks that `next` returns, each with the number of equal chunks that it stands for. Returns the number
/// of plain bytes of all of them.
pub(super) fn copy_chunks(
    decoding: Decoding<'_>,
    nchunks: u64,
    next: &mut dyn FnMut() -> Result<Option<DecodeJob<u64>>, Error>,
    write: &mut dyn FnMut(&Plain, u64) -> Result<(), Error>,
) -> Result<u64, Error> {
    let mut written = 0;
    decoding.each(nchunks, next, |DecodeJob { task: times, .. }, plain| {
        let len = (plain.len() as u64).saturating_mul(times);
        written = u64::saturating_add(written, len);
        decoding.options().observer.tell(Event::Plain(len));
        let all = if times > 1 { plain.repeated(times) } else { None };
        match all {
            Some(all) => write(&all, 1),
            None => write(&plain, times),
        }
    })?;
    Ok(written)
}

/// Checks the chunks without plain bytes, which are not part of any range.
pub(super) fn check_empty_chunks(decoding: Decoding<'_>) -> Result<(), Error> {
    let archive = decoding.archive();
    if !archive.container().may_have_empty_chunks() {
        return Ok(());
    }
    let mut worker = decoding.worker(1);
    for chunk in 0..archive.nchunks() {
        if archive.chunk_range(chunk)?.is_empty() {
            decoding.options().cancel.check()?;
            decode(archive, &mut worker, chunk, None)?;
        }
    }
    Ok(())
}

fn write_times(plain: &Plain, times: u64, output: &mut impl Write) -> Result<(), Error> {
    (0..times).try_for_each(|_| plain.write_to(output)).map_err(Error::writing)
}
