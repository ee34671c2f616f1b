//! The rounds of a search.
//!
//! 1. Arrangements, with a cheap codec, on a small sample: unfiltered and shuffled, then other filters for the sizes of an
//!    element that are near the best, then split blocks for the best filters.
//! 2. The best few of them, with two codecs, on a larger sample. The best of these with all codecs and levels of the goal.
//! 3. If unfiltered data profits from longer samples: once more, the best with and without filters.
//! 4. The best with and without filters, with levels that take long.

use super::arrangement::Arrangement;
use super::candidate::Candidate;
use super::effort::Effort;
use super::elements::Elements;
use super::ranking::{Ranking, Tried};
use super::sample;
use super::task::Task;
use super::trial::Trials;
use crate::cancel;
use crate::error::EncodeError;
use crate::memory;
use crate::params::CParams;
use core::mem;

/// Buffers of searches, and the candidates of the last one.
#[derive(Debug, Default)]
pub(super) struct Search {
    trials: Trials,
    sample: Vec<u8>,
    /// Typesize and size of the sample.
    cut: Option<(usize, usize)>,
    ranking: Ranking,
    /// The candidates of the round before, if its sample was the same.
    earlier: Ranking,
    elements: Elements,
    /// The reason why a fixed filter cannot be applied, with one of the typesizes that were tried.
    refused: Option<EncodeError>,
    candidates: Vec<Candidate>,
    winners: Winners,
}

/// The winners of the last searches, newest last.
#[derive(Debug, Default)]
struct Winners([Option<(Arrangement, Effort)>; 4]);

/// Size of the sample on which unfiltered data is compared again.
const LARGE_SAMPLE: usize = 384 << 10;

/// The best with filters is not compared on that sample if unfiltered data has a score there that is worse by this.
const SETTLED_MARGIN: f64 = 0.03;

impl Search {
    /// Returns the candidates of the last search, best first.
    pub(super) fn tried(&self) -> &[Candidate] {
        &self.candidates
    }

    /// Returns the parameters with the best score. `before` stays if it is nearly as good.
    pub(super) fn run(&mut self, task: &Task<'_>, before: Option<CParams>) -> Result<CParams, EncodeError> {
        self.start();
        let first_sample = self.compare_arrangements(task)?;
        let (finalists, plain) = (self.ranking.finalists(task.goal()), self.ranking.best(true).copied());
        self.start_round(task.is_same_sample(first_sample, task.final_sample()));
        self.compare_efforts(task, finalists)?;
        if task.final_sample() < LARGE_SAMPLE && self.ranking.may_grow(plain) {
            let pair = [self.ranking.best(true).copied(), self.ranking.best(false).copied()];
            self.start_round(false);
            self.compare_grown(task, pair)?;
        } else {
            self.compare_slow(task)?;
        }
        self.rank(task);
        self.finish(task, before)
    }

    /// Ranks arrangements with a cheap codec, on a small sample: simple ones, then other filters for the best sizes of an
    /// element, then the best with split blocks. Returns the size of the sample.
    fn compare_arrangements(&mut self, task: &Task<'_>) -> Result<usize, EncodeError> {
        self.elements = Elements::of(task, &mut self.sample)?;
        let sizes = self.elements.sizes;
        let sample = task.first_sample(sizes[0]);
        let (simple, others) = self.elements.arrangements(task)?;
        for arrangement in simple {
            self.try_all(task, arrangement, sample, task.references())?;
        }
        self.rank_first(task);
        let near = self.ranking.near_sizes(sizes);
        for arrangement in others.into_iter().filter(|arrangement| near.contains(&arrangement.typesize)) {
            self.try_all(task, arrangement, sample, task.references())?;
        }
        self.rank_first(task);
        for arrangement in self.ranking.to_split().into_iter().flatten() {
            self.try_all(task, arrangement, sample, task.references())?;
        }
        self.rank_first(task);
        Ok(sample)
    }

    /// Ranks the finalists, on a larger sample. Only the best of them is tried with all efforts.
    fn compare_efforts(&mut self, task: &Task<'_>, finalists: [Option<Arrangement>; 5]) -> Result<(), EncodeError> {
        for arrangement in finalists.into_iter().flatten() {
            self.try_all(task, arrangement, task.final_sample(), task.scouts())?;
        }
        for arrangement in finalists.into_iter().flatten() {
            self.try_all(task, arrangement, task.final_sample(), task.second_scouts())?;
        }
        self.rank(task);
        if let Some(best) = self.ranking.as_slice().first().copied() {
            self.try_all(task, best.arrangement, task.final_sample(), task.ladder())?;
            self.compare_guard(task, &best, task.final_sample())?;
        }
        self.rank(task);
        Ok(())
    }

    /// Compares unfiltered data with the guard of the goal, if that may be smaller than the best.
    fn compare_guard(&mut self, task: &Task<'_>, best: &Tried, sample: usize) -> Result<(), EncodeError> {
        match self.ranking.guarded(best) {
            Some(plain) => self.try_all(task, plain, sample, task.guard()),
            None => Ok(()),
        }
    }

    /// Compares the best with and without filters again, on a large sample.
    fn compare_grown(&mut self, task: &Task<'_>, pair: [Option<Tried>; 2]) -> Result<(), EncodeError> {
        let [plain, filtered] = pair;
        for tried in plain.into_iter().chain(filtered) {
            // Filtered data has hardly another ratio in the large sample.
            if self.ranking.best(true).is_some_and(|plain| plain.score > tried.score + SETTLED_MARGIN) {
                self.ranking.push(tried)?;
            } else {
                self.try_all(task, tried.arrangement, LARGE_SAMPLE, [tried.effort].into_iter())?;
            }
            self.rank(task);
        }
        if let Some(best) = self.ranking.as_slice().first().copied() {
            self.compare_guard(task, &best, LARGE_SAMPLE)?;
        }
        Ok(())
    }

    /// Tries the best with and without filters with levels that take long.
    fn compare_slow(&mut self, task: &Task<'_>) -> Result<(), EncodeError> {
        for best in [self.ranking.best(false).copied(), self.ranking.best(true).copied()].into_iter().flatten() {
            self.try_all(task, best.arrangement, task.final_sample(), task.polish())?;
        }
        Ok(())
    }

    /// Returns the best of the parameters that earlier searches have chosen. This takes a fraction of the time of a
    /// search.
    pub(super) fn run_among_winners(&mut self, task: &Task<'_>) -> Result<CParams, EncodeError> {
        self.start();
        for (arrangement, effort) in self.winners.0.into_iter().flatten() {
            self.try_all(task, arrangement, task.final_sample(), [effort].into_iter())?;
        }
        self.rank(task);
        self.finish(task, None)
    }

    fn start(&mut self) {
        self.start_round(false);
        (self.cut, self.elements, self.refused) = (None, Elements::default(), None);
    }

    /// Starts a round. Candidates of the last one are not tried again if the sample is the same.
    fn start_round(&mut self, is_same_sample: bool) {
        mem::swap(&mut self.ranking, &mut self.earlier);
        self.ranking.clear();
        if !is_same_sample {
            self.earlier.clear();
        }
    }

    /// Ranks the candidates. Candidates larger than unfiltered data with the goal's guard are last.
    fn rank(&mut self, task: &Task<'_>) {
        let (least, elements) = (self.ranking.least_ratio(task), self.elements);
        self.ranking.sort(|tried| task.score(&tried.candidate, least) + elements.penalty(tried));
    }

    /// Ranks the candidates of the small sample.
    fn rank_first(&mut self, task: &Task<'_>) {
        let elements = self.elements;
        self.ranking.sort(|tried| task.first_score(&tried.candidate) + elements.penalty(tried));
    }

    fn finish(&mut self, task: &Task<'_>, before: Option<CParams>) -> Result<CParams, EncodeError> {
        self.candidates.clear();
        memory::reserve(&mut self.candidates, self.ranking.as_slice().len())?;
        self.candidates.extend(self.ranking.as_slice().iter().map(|tried| tried.candidate));
        let Some(winner) = self.ranking.winner(before) else {
            return self.refused.take().map_or_else(|| Ok(task.fallback()), Err);
        };
        self.winners.add((winner.arrangement, winner.effort));
        Ok(winner.candidate.params)
    }

    /// Tries an arrangement with efforts that were not tried yet.
    fn try_all(
        &mut self,
        task: &Task<'_>,
        arrangement: Arrangement,
        size: usize,
        efforts: impl Iterator<Item = Effort>,
    ) -> Result<(), EncodeError> {
        for effort in efforts {
            let arrangement = arrangement.adapted(effort.codec);
            let params = task.params(&arrangement, &effort);
            let is_hopeless =
                self.ranking.is_hopeless(&params, task.goal()) || !self.ranking.is_worth_trying(&arrangement, &effort);
            if is_hopeless || self.ranking.find(&params).is_some() {
                continue;
            }
            if let Some(known) = self.earlier.find(&params) {
                self.ranking.push(*known)?;
                continue;
            }
            cancel::check(task.cancel)?;
            self.cut(task, arrangement.element(), size)?;
            let fitted = task.fitted(params);
            match self.trials.run(&arrangement, fitted, &effort, &self.sample, task.plain.len()) {
                Ok(candidate) => self.ranking.push(Tried {
                    arrangement,
                    effort,
                    candidate: Candidate { params, ..candidate },
                    score: 0.0,
                })?,
                // A slow level may need more memory than there is. Faster ones have been tried before.
                Err(EncodeError::OutOfMemory(_)) if !self.ranking.as_slice().is_empty() => {}
                // A fixed filter may suit another size of an element.
                Err(error @ EncodeError::Filter { .. }) => self.refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Cuts a sample of about `size` bytes for elements of `element` bytes, unless it is the last one.
    fn cut(&mut self, task: &Task<'_>, element: usize, size: usize) -> Result<(), EncodeError> {
        if self.cut != Some((element, size)) {
            sample::cut(task.plain, element, size, &mut self.sample)?;
            self.cut = Some((element, size));
        }
        Ok(())
    }
}

impl Winners {
    fn add(&mut self, winner: (Arrangement, Effort)) {
        let Winners(winners) = self;
        let index = winners.iter().position(|known| *known == Some(winner)).unwrap_or(0);
        winners[index..].rotate_left(1);
        let [.., newest] = winners;
        *newest = Some(winner);
    }
}
