//! How much may salvaging say about chunks that are lost?

use blosc_core::Limits;

use crate::Error;

/// What it takes to say that a chunk is lost, and where it was looked for.
const LOST_MEMORY: u64 = 200;

/// What is said so far. A few bytes can tell of any number of chunks that are not there.
#[derive(Debug)]
pub(crate) struct Told {
    limits: Limits,
    unearned: u64,
}

impl Told {
    /// Nothing yet.
    pub(crate) fn new(limits: Limits) -> Told {
        Told { limits, unearned: 0 }
    }

    /// Of so many chunks it may be said that they are lost, of each by a name; `stored` bytes speak for them.
    ///
    /// # Errors
    /// [`Error::Limit`] if that would take too much memory.
    pub(crate) fn add(&mut self, chunks: u64, name: &str, stored: u64) -> Result<(), Error> {
        // The name of what it is part of, and that of the file.
        let each = LOST_MEMORY.saturating_add(2 * name.len() as u64);
        self.unearned = self.unearned.saturating_add(Limits::unearned(chunks.saturating_mul(each), stored));
        Ok(self.limits.check_unearned(self.unearned, 0)?)
    }
}
