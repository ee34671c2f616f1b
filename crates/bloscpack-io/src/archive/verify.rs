//! Verifies an archive. Each chunk is decoded once, even if a frame's index refers to it many times.

use super::decoding::{DecodeJob, Decoding, Ranges};
use super::stream;
use crate::Error;
use crate::container::ToVerify;
use crate::options::Event;

pub(super) fn verify(decoding: Decoding<'_>) -> Result<(), Error> {
    let (container, options) = (decoding.archive().container(), decoding.options());
    let ToVerify { unstored, nchunks, mut chunks } = container.to_verify(&options.limits)?;
    if unstored > 0 {
        options.observer.tell(Event::Plain(unstored));
    }
    let mut next = || match chunks.next().transpose()? {
        Some((chunk, times)) => Ok(Some(DecodeJob { chunk, ranges: Ranges::Whole, task: times })),
        None => Ok(None),
    };
    let found = stream::copy_chunks(decoding, nchunks, &mut next, &mut |_, _| Ok(()))?;
    container.check_sum(unstored.saturating_add(found))?;
    container.verify_rest(&options.limits, &options.cancel)
}
