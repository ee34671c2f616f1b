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
use super::period::{self, Period};
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
    detected: Detected,
    /// The reason why a fixed filter cannot be applied, with one of the typesizes that were tried.
    refused: Option<EncodeError>,
    candidates: Vec<Candidate>,
    winners: Winners,
}

/// Properties that a sample shows if the typesize is not known.
#[derive(Debug, Clone, Copy, Default)]
struct Detected {
    /// The most probable size of an element, 0 if the size is known.
    typesize: usize,
    is_text: bool,
    is_regular: bool,
}

/// The winners of the last searches, newest last.
#[derive(Debug, Default)]
struct Winners([Option<(Arrangement, Effort)>; 4]);

/// Bytes in which the size of an element is searched for.
const PERIOD_SAMPLE: usize = 8 << 10;

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
        let sizes = self.typesizes(task)?;
        let sample = task.first_sample(sizes[0]);
        let (simple, others) = self.arrangements(task, sizes)?;
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
        (self.cut, self.detected, self.refused) = (None, Detected::default(), None);
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
        let (least, detected) = (self.ranking.least_ratio(task), self.detected);
        self.ranking.sort(|tried| task.score(&tried.candidate, least) + detected.penalty(tried));
    }

    /// Ranks the candidates of the small sample.
    fn rank_first(&mut self, task: &Task<'_>) {
        let detected = self.detected;
        self.ranking.sort(|tried| task.first_score(&tried.candidate) + detected.penalty(tried));
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

    /// Returns the sizes that an element may have, most probable first. Zeros fill the list.
    fn typesizes(&mut self, task: &Task<'_>) -> Result<[usize; period::CANDIDATES], EncodeError> {
        if let Some(typesize) = task.typesize() {
            return Ok([typesize, 0, 0, 0]);
        }
        sample::cut(task.plain, 1, PERIOD_SAMPLE, &mut self.sample)?;
        let Period { sizes, is_regular } = period::candidates(&self.sample)?;
        self.detected = Detected { typesize: sizes[0], is_text: period::is_text(&self.sample), is_regular };
        Ok(sizes)
    }

    /// Returns the arrangements to compare: simple ones, which show what a size is worth, and others.
    fn arrangements(
        &self,
        task: &Task<'_>,
        sizes: [usize; period::CANDIDATES],
    ) -> Result<(Vec<Arrangement>, Vec<Arrangement>), EncodeError> {
        let (mut simple, mut others) = (Vec::new(), Vec::new());
        for typesize in sizes.into_iter().filter(|size| *size > 0) {
            for mut arrangement in task.arrangements(typesize) {
                // Without a filter, the typesize has no effect. Unfiltered text gets 1.
                let is_plain = arrangement.filters.as_slice().is_empty();
                if is_plain && self.detected.is_text {
                    arrangement.typesize = 1;
                }
                // Text of records is shuffled by the length of a line, or of numbers with leading zeros, not by that of
                // a word.
                let is_text = self.detected.is_text && !self.detected.is_regular;
                let is_word = is_text && (2..=8).contains(&typesize);
                let is_worthwhile = if is_plain { typesize == sizes[0] } else { !is_word };
                if is_worthwhile {
                    let list = if arrangement.is_simple() { &mut simple } else { &mut others };
                    memory::push(list, arrangement)?;
                }
            }
        }
        Ok((simple, others))
    }
}

impl Detected {
    /// Added to the score of multiples of the most probable size, which resemble it.
    fn penalty(&self, tried: &Tried) -> f64 {
        let typesize = tried.arrangement.typesize;
        let is_multiple = self.typesize > 1 && typesize > self.typesize && typesize.is_multiple_of(self.typesize);
        if is_multiple { 0.03 } else { 0.0 }
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
