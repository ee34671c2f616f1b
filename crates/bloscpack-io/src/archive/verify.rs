//! Verifying an archive: every chunk is decoded, once, however often a frame's index names it.

use super::Archive;
use super::stream::Wanted;
use crate::container::ToVerify;
use crate::options::Event;
use crate::{Error, UnpackOptions};

impl Archive<'_> {
    /// Checks everything that can be checked: every chunk is decoded, sizes are compared, and vlmetalayers are read. Of a
    /// bloscpack file, [`verify`](crate::verify) checks more. Of a frame it takes as long as its different
    /// chunks do: a chunk that is not stored, or stored once for many, is not decoded many times.
    ///
    /// # Errors
    /// The first damage, as [`Archive::unpack`].
    pub fn verify(&self, options: &UnpackOptions) -> Result<(), Error> {
        let ToVerify { unstored, nchunks, mut chunks } = self.container.to_verify(&options.limits)?;
        if unstored > 0 {
            options.observer.tell(Event::Plain(unstored));
        }
        let mut next = || match chunks.next().transpose()? {
            Some((chunk, times)) => Ok(Some(Wanted { chunk, part: None, times })),
            None => Ok(None),
        };
        let found = self.copy_wanted(&mut next, nchunks, &mut |_, _| Ok(()), options)?;
        self.container.check_sum(unstored.saturating_add(found))?;
        self.container.verify_rest(&options.limits, &options.cancel)
    }
}
