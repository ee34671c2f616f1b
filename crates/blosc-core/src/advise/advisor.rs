//! Keeps the parameters in force, and decides when to search for new ones.

use super::arrangement;
use super::auto::Auto;
use super::candidate::Candidate;
use super::goal::Goal;
use super::look::Look;
use super::search::Search;
use super::task::Task;
use crate::cancel::Cancel;
use crate::error::EncodeError;
use crate::params::CParams;

/// Chooses parameters for one buffer after another, by trials on samples of the data.
///
/// Parameters stay in force while the data looks alike, so that most buffers only cost a look. The choice depends on
/// the bytes of the buffers and their order, on nothing else: not on the machine, and not on the time.
///
/// ```
/// use blosc_core::{Advisor, Auto, Encoder, Goal};
/// let plain: Vec<u8> = (0..100_000u32).flat_map(|number| (number / 3).to_le_bytes()).collect();
/// let params = Advisor::new(Auto::new(Goal::Balanced)).advise(&plain)?.params;
/// assert_eq!(params.get_typesize(), 4);
/// let chunk = Encoder::new(params)?.compress(&plain)?;
/// assert!(chunk.len() < plain.len() / 30);
/// # Ok::<(), blosc_core::EncodeError>(())
/// ```
#[derive(Debug)]
pub struct Advisor {
    auto: Auto,
    search: Search,
    cancel: Option<Cancel>,
    regime: Option<Regime>,
}

/// The parameters in force, and the data for which they were chosen.
#[derive(Debug)]
struct Regime {
    params: CParams,
    look: Look,
    /// Size of the buffer that was searched.
    searched: usize,
    /// Bytes since the last look and since the last search.
    unseen: usize,
    age: usize,
    /// Bytes that pay for searches.
    credit: usize,
    /// Whether the parameters are the best of earlier searches, for want of credit.
    is_provisional: bool,
}

/// The parameters for a buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Advice {
    /// The parameters.
    pub params: CParams,
    /// The parameters as one of [`Advisor::tried`] has them. They may differ from `params` in the size of blocks, which is
    /// adapted to the length of each buffer.
    pub chosen: CParams,
    /// Whether the data was searched for them: it is the first buffer, looks different than the one before, or the last
    /// search was long ago. Then [`Advisor::tried`] returns the candidates.
    pub is_searched: bool,
}

/// Bytes after which a buffer is looked at again. Shorter buffers share a look.
const LOOK_EVERY: usize = 256 << 10;
/// Bytes after which a buffer is searched again although it looks alike.
const SEARCH_EVERY: usize = 32 << 20;
/// Bytes that must pass for each search on average, so that changing data does not cost more than its compression.
const SEARCH_COST: usize = 8 << 20;
/// Searches that may follow each other directly.
const MAX_CREDIT: usize = 3 * SEARCH_COST;

impl Advisor {
    /// Creates an advisor that has not seen any data.
    pub fn new(auto: Auto) -> Self {
        Advisor { auto, search: Search::default(), cancel: None, regime: None }
    }

    /// Sets the flag that cancels searches, with [`EncodeError::Cancelled`]. It is checked before every trial. The
    /// parameters in force stay as they are.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.set_cancel(cancel);
        self
    }

    /// As [`cancel`](Self::cancel).
    pub fn set_cancel(&mut self, cancel: Cancel) {
        self.cancel = Some(cancel);
    }

    /// Returns the parameters for the next buffer.
    ///
    /// # Errors
    /// [`EncodeError`] if a fixed parameter is out of range, or not supported by the chunk format or this build, or if the
    /// search was cancelled.
    pub fn advise(&mut self, plain: &[u8]) -> Result<Advice, EncodeError> {
        let state = self.state_for(plain);
        let before = self.regime.as_ref().map(|regime| regime.params);
        if let (State::Good, Some(params)) = (state, before) {
            return Ok(Advice { params: self.auto.fitted(params, plain), chosen: params, is_searched: false });
        }
        let task = Task::new(&self.auto, plain, self.cancel.as_ref())?;
        let params = match (state, before) {
            (State::Unaffordable, Some(_)) => self.search.run_among_winners(&task)?,
            _ => self.search.run(&task, before)?,
        };
        let look = Look::of(plain, params.get_typesize());
        let credit = self.regime.as_ref().map_or(MAX_CREDIT, |regime| regime.credit);
        let is_provisional = state == State::Unaffordable;
        let credit = credit.saturating_sub(if is_provisional { 0 } else { SEARCH_COST });
        self.regime = Some(Regime { params, look, searched: plain.len(), unseen: 0, age: 0, credit, is_provisional });
        Ok(Advice { params: self.auto.fitted(params, plain), chosen: params, is_searched: true })
    }

    /// Counts `nbytes` bytes between two buffers, which are not shown to the advisor. They pay for searches, and the next
    /// buffer is looked at as if they had come before it.
    pub fn skip(&mut self, nbytes: usize) {
        if let Some(regime) = &mut self.regime {
            regime.count(nbytes);
        }
    }

    /// Returns the candidates of the last search, best first.
    pub fn tried(&self) -> &[Candidate] {
        self.search.tried()
    }

    /// Returns whether the parameters in force are good for this buffer.
    fn state_for(&mut self, plain: &[u8]) -> State {
        let Some(regime) = &mut self.regime else { return State::Stale };
        regime.count(plain.len());
        let has_grown = plain.len() > 4 * regime.searched;
        if regime.unseen < LOOK_EVERY && !has_grown {
            return State::Good;
        }
        regime.unseen = 0;
        let is_stale = regime.age >= SEARCH_EVERY
            || has_grown
            || regime.is_provisional && regime.credit >= SEARCH_COST
            || !Look::of(plain, regime.params.get_typesize()).resembles(&regime.look);
        match is_stale {
            false => State::Good,
            true if regime.credit >= SEARCH_COST => State::Stale,
            true => State::Unaffordable,
        }
    }
}

impl Regime {
    fn count(&mut self, nbytes: usize) {
        self.age = self.age.saturating_add(nbytes);
        self.unseen = self.unseen.saturating_add(nbytes);
        self.credit = self.credit.saturating_add(nbytes).min(MAX_CREDIT);
    }
}

impl Auto {
    /// Returns the parameters for a buffer, whose blocks have equal sizes where that matters.
    pub(super) fn fitted(&self, params: CParams, plain: &[u8]) -> CParams {
        let fitted = arrangement::fitted(params, plain.len());
        let is_free = self.blocksize.is_none() && (self.split.is_none() || fitted.split == params.split);
        if is_free { fitted } else { params }
    }

    /// Returns the parameters for one buffer: [`Advisor::advise`] of a new advisor.
    ///
    /// # Errors
    /// As [`Advisor::advise`].
    pub fn params(&self, plain: &[u8]) -> Result<CParams, EncodeError> {
        Ok(Advisor::new(*self).advise(plain)?.params)
    }
}

impl CParams {
    /// Returns Blosc1 parameters for this data. [`Auto`] has more options, and [`Advisor`] is faster for many buffers.
    ///
    /// ```
    /// use blosc_core::{CParams, Goal};
    /// let text = "It is a truth universally acknowledged. ".repeat(1000);
    /// let params = CParams::auto(Goal::Small, text.as_bytes())?;
    /// assert!(blosc_core::compress(text.as_bytes(), &params)?.len() < 200);
    /// # Ok::<(), blosc_core::EncodeError>(())
    /// ```
    ///
    /// # Errors
    /// [`EncodeError::OutOfMemory`].
    pub fn auto(goal: Goal, plain: &[u8]) -> Result<CParams, EncodeError> {
        Auto::new(goal).params(plain)
    }
}

/// Whether the parameters in force are good for the next buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// The data has changed, or the last search was long ago.
    Stale,
    /// The same, but there were many searches lately.
    Unaffordable,
}
