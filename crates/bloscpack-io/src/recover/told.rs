//! The memory that the report of a recovery may take.

use blosc_core::Limits;

use crate::Error;

/// A line of the report, and an error with another one inside.
const LOST_MEMORY: u64 = 400;

/// The lines of the report so far. A few bytes of input can name any number of chunks that are not there.
#[derive(Debug)]
pub(crate) struct Told {
    limits: Limits,
    unearned: u64,
}

impl Told {
    /// No lines yet.
    pub(crate) fn new(limits: Limits) -> Told {
        Told { limits, unearned: 0 }
    }

    /// Charges the lines of `chunks` chunks with a `name` each; the input has `stored` bytes for them.
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
