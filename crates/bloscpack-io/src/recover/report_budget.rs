//! The memory limit of a recovery's report.

use blosc_core::Limits;

use crate::Error;

/// Memory of a line of the report, and of an error with a nested one.
const LOST_MEMORY: u64 = 400;

/// Accounts for the lines of the report so far. A few bytes of input can name any number of missing chunks.
#[derive(Debug)]
pub(crate) struct ReportBudget {
    limits: Limits,
    unearned: u64,
}

impl ReportBudget {
    /// No lines yet.
    pub(crate) fn new(limits: Limits) -> ReportBudget {
        ReportBudget { limits, unearned: 0 }
    }

    /// Charges the lines of `chunks` chunks with a `name` each. The input has `stored` bytes for them.
    ///
    /// # Errors
    /// [`Error::Limit`] if the report would take too much memory.
    pub(crate) fn add(&mut self, chunks: u64, name: &str, stored: u64) -> Result<(), Error> {
        // The name of the container that the chunk belongs to, and the name of the file.
        let each = LOST_MEMORY.saturating_add(2 * name.len() as u64);
        self.unearned = self.unearned.saturating_add(Limits::unearned(chunks.saturating_mul(each), stored));
        Ok(self.limits.check_unearned(self.unearned, 0)?)
    }
}
