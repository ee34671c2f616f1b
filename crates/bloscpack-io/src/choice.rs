//! The compression parameters of one chunk after another: always the same, or chosen for the data.
//!
//! The coordinator of the pipeline asks for the parameters of each chunk in order, before a worker compresses it.
//! Therefore they do not depend on the number of threads.

use blosc_core::{Advisor, Auto, CParams};

use crate::options::{Event, Observer};
use crate::{Cancel, Error};

/// The parameters of the next chunk.
#[derive(Debug)]
pub(crate) struct Choice {
    params: CParams,
    advisor: Option<Box<Advisor>>,
    /// Parameters that were reported to the observer.
    told: Option<CParams>,
}

/// Number of chunks in a group.
const GROUP: u64 = 16;

impl Choice {
    /// The same parameters for all chunks, or those that `auto` chooses for each.
    pub(crate) fn new(params: CParams, auto: Option<Auto>) -> Self {
        Choice { params, advisor: auto.map(|auto| Box::new(Advisor::new(auto))), told: None }
    }

    /// Returns whether the parameters should be chosen for the next chunk, where the data of a chunk is expensive to get:
    /// for the first one of every group. `before` is the number of chunks that the operation had before.
    pub(crate) fn is_due(&self, before: u64) -> bool {
        self.advisor.is_some() && (self.told.is_none() || before.is_multiple_of(GROUP))
    }

    /// Returns whether the parameters depend on the data.
    pub(crate) fn is_auto(&self) -> bool {
        self.advisor.is_some()
    }

    /// Returns the parameters of the last chunk.
    pub(crate) fn params(&self) -> CParams {
        self.params
    }

    /// Returns the parameters of a chunk with these uncompressed bytes, which follows the last one.
    ///
    /// # Errors
    /// [`Error::Cancelled`] if `cancel` is set during a search.
    pub(crate) fn next(
        &mut self,
        chunk: u64,
        plain: &[u8],
        (observer, cancel): (&Observer, &Cancel),
    ) -> Result<CParams, Error> {
        let Some(advisor) = &mut self.advisor else { return Ok(self.params) };
        advisor.set_cancel(cancel.clone());
        self.params = advisor.advise(plain)?.params;
        if self.told != Some(self.params) && !plain.is_empty() {
            self.told = Some(self.params);
            observer.tell(Event::Choice { chunk, params: &self.params, tried: advisor.tried() });
        }
        Ok(self.params)
    }
}
