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
    /// The choice that was reported to the observer.
    told: Option<CParams>,
    /// Number of chunks left in the group for which parameters were chosen.
    left: u64,
}

/// Number of chunks in a group.
const GROUP: u64 = 16;

impl Choice {
    /// The same parameters for all chunks, or those that `auto` chooses for each.
    pub(crate) fn new(params: CParams, auto: Option<Auto>) -> Self {
        Choice { params, advisor: auto.map(|auto| Box::new(Advisor::new(auto))), told: None, left: 0 }
    }

    /// Starts a group: an operation that asks [`is_due`](Self::is_due) begins.
    pub(crate) fn start_group(&mut self) {
        self.left = 0;
    }

    /// Returns whether the parameters should be chosen for the next chunk, where the data of a chunk is expensive to get:
    /// for the first one of every group. To be called once for each chunk.
    pub(crate) fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due && self.advisor.is_some()
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
        let advice = advisor.advise(plain)?;
        self.params = advice.params;
        // A chunk of fill values says nothing about the chunks after it.
        self.left = if repeats_element(plain, self.params.get_typesize()) { 0 } else { GROUP - 1 };
        if self.told != Some(advice.chosen) && !plain.is_empty() {
            self.told = Some(advice.chosen);
            observer.tell(Event::Choice { chunk, params: &advice.chosen, tried: advisor.tried() });
        }
        Ok(self.params)
    }
}

/// Returns whether all elements are equal.
fn repeats_element(plain: &[u8], typesize: usize) -> bool {
    plain.get(typesize..).is_some_and(|rest| plain.starts_with(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use blosc_core::Goal;

    #[test]
    fn chunks_of_fill_values_do_not_decide_for_others() {
        let mut choice = Choice::new(CParams::new(), Some(Auto::new(Goal::Fast).typesize(4)));
        let numbers = testdata::ramp(30_000, 4, 0);
        let (observer, cancel) = (Observer::default(), Cancel::new());
        let mut is_due = |chunk, plain: &[u8]| {
            let is_due = choice.is_due();
            if is_due {
                choice.next(chunk, plain, (&observer, &cancel)).unwrap();
            }
            is_due
        };
        let fill = 1.5_f32.to_le_bytes().repeat(5000);
        assert!([0, 1].map(|chunk| is_due(chunk, &fill)) == [true; 2]);
        let due: Vec<u64> = (2..2 + 2 * GROUP).filter(|chunk| is_due(*chunk, &numbers)).collect();
        assert_eq!(due, [2, 2 + GROUP]);
    }
}
