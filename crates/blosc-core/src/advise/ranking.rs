//! The candidates of a round, ranked by their scores.

use super::arrangement::Arrangement;
use super::candidate::Candidate;
use super::effort::Effort;
use super::goal::Goal;
use super::ladder;
use super::task::Task;
use crate::codec::Codec;
use crate::memory::{self, OutOfMemory};
use crate::params::CParams;

/// A candidate that was tried, and the result.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tried {
    pub(super) arrangement: Arrangement,
    pub(super) effort: Effort,
    pub(super) candidate: Candidate,
    pub(super) score: f64,
}

/// Candidates. After [`Ranking::sort`], the best is first.
#[derive(Debug, Default)]
pub(super) struct Ranking(Vec<Tried>);

/// A change of parameters must improve the score by this, so that they do not alternate.
const HYSTERESIS: f64 = 0.01;

/// Arrangements whose score is worse by this than the best are not finalists.
const FINALIST_MARGIN: f64 = 0.05;

/// The same for arrangements that differ from the best in one respect.
const OTHER_MARGIN: f64 = 0.35;

/// Other filters are not tried for sizes of an element whose score is worse by this than the best.
const NEAR_MARGIN: f64 = 0.1;

/// The same for unfiltered data, and the margin within which it may be the best in a whole chunk.
const PLAIN_MARGIN: f64 = 0.4;

/// The factor by which the ratio of unfiltered data must have grown from the first sample to the second.
const GROWTH: f64 = 1.03;

/// The factor by which the ratio of Zstandard is at most greater than that of LZ4 for the same bytes.
const ENTROPY_GAIN: f64 = 3.5;

/// The factor by which the guard's ratio is at most greater than that of Zstandard's faster levels. Fast levels of LZ4
/// find much less than slow ones.
const GUARD_GAIN: f64 = 1.25;

/// Candidates may be larger than the guard by this factor.
const GUARD_MARGIN: f64 = 1.01;

impl Tried {
    pub(super) fn is_plain(&self) -> bool {
        self.arrangement.filters.as_slice().is_empty()
    }
}

impl Ranking {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    pub(super) fn push(&mut self, tried: Tried) -> Result<(), OutOfMemory> {
        memory::push(&mut self.0, tried)
    }

    pub(super) fn as_slice(&self) -> &[Tried] {
        &self.0
    }

    pub(super) fn find(&self, params: &CParams) -> Option<&Tried> {
        self.0.iter().find(|tried| tried.candidate.params == *params)
    }

    /// Returns whether the goal excludes Zstandard with these parameters, as far as the ratio of LZ4 shows.
    pub(super) fn is_hopeless(&self, params: &CParams, goal: Goal) -> bool {
        let is_lz4 = |tried: &&Tried| {
            let CParams { codec, typesize, filters, .. } = tried.candidate.params;
            codec == Codec::Lz4 && typesize == params.typesize && filters == params.filters
        };
        let wanted = goal.least_ratio(params);
        wanted > 0.0 && self.0.iter().find(is_lz4).is_some_and(|lz4| lz4.candidate.ratio * ENTROPY_GAIN < wanted)
    }

    /// Sets the scores and sorts by them. Of equal ones, the first that was tried is the simplest and stays first.
    pub(super) fn sort(&mut self, score: impl Fn(&Tried) -> f64) {
        for tried in &mut self.0 {
            tried.score = score(tried);
        }
        // An insertion sort is stable, and does not allocate.
        for end in 1..self.0.len() {
            let at = self.0[..end].partition_point(|tried| tried.score <= self.0[end].score);
            self.0[at..=end].rotate_right(1);
        }
    }

    /// Returns the least ratio that candidates of this goal need: that of unfiltered data with the guard.
    pub(super) fn least_ratio(&self, task: &Task<'_>) -> f64 {
        let Some(guard) = ladder::guard(task.goal()) else { return 0.0 };
        let guard = self.0.iter().find(|tried| tried.is_plain() && guard.is_of(&tried.candidate.params));
        guard.map_or(0.0, |guard| guard.candidate.ratio / GUARD_MARGIN)
    }

    /// Returns the best, or the candidate of `before` if it is nearly as good.
    pub(super) fn winner(&self, before: Option<CParams>) -> Option<&Tried> {
        let best = self.0.first()?;
        let kept = before.and_then(|before| self.find(&before));
        Some(kept.filter(|kept| kept.score <= best.score + HYSTERESIS).unwrap_or(best))
    }

    /// Returns the best candidate with or without filters.
    pub(super) fn best(&self, is_plain: bool) -> Option<&Tried> {
        self.0.iter().find(|tried| tried.is_plain() == is_plain)
    }

    /// Returns unfiltered data, if it may be smaller than `best` with the guard's level.
    pub(super) fn guarded(&self, best: &Tried) -> Option<Arrangement> {
        let plain = self.best(true)?;
        let by_zstd = self.0.iter().filter(|tried| tried.is_plain() && tried.effort.codec == Codec::Zstd);
        let ratio = by_zstd.map(|tried| tried.candidate.ratio).reduce(f64::max);
        let is_larger = ratio.is_some_and(|ratio| ratio * GUARD_GAIN <= best.candidate.ratio);
        (!is_larger).then_some(plain.arrangement)
    }

    /// Returns the best arrangements, if several are nearly as good: two with filters, and unfiltered data unless it is
    /// much worse, because other programs compress it so. For [`Goal::Small`] also the best with other filters, and the
    /// best split the other way: a cheap codec does not show what the optimal parser makes of them.
    pub(super) fn finalists(&self, goal: Goal) -> [Option<Arrangement>; 5] {
        let best = self.0.first().map_or(0.0, |best| best.score);
        let near = |is_plain: bool, margin: f64| {
            let tried = self.0.iter().filter(move |tried| tried.is_plain() == is_plain);
            tried.filter(move |tried| tried.score <= best + margin).map(|tried| tried.arrangement)
        };
        let filtered = near(false, FINALIST_MARGIN).next();
        let second = near(false, FINALIST_MARGIN).find(|arrangement| Some(*arrangement) != filtered);
        let first = filtered.filter(|_| goal == Goal::Small);
        let mut others = first.into_iter().flat_map(|_| near(false, OTHER_MARGIN));
        let other_filters = others.clone().find(|other| first.is_some_and(|first| first.filters != other.filters));
        let other_split = others.find(|other| first.is_some_and(|first| first.is_split_otherwise(other)));
        [filtered, second, other_filters, other_split, near(true, PLAIN_MARGIN).next()]
    }

    /// Returns those of `sizes` with which filtered data is nearly as small as with the best of them, and those that were
    /// not tried with a filter. Zeros replace the others.
    pub(super) fn near_sizes<const N: usize>(&self, sizes: [usize; N]) -> [usize; N] {
        let best = self.best(false).map_or(0.0, |best| best.score);
        let of_size = |size: usize| {
            let filtered = self.0.iter().filter(|tried| !tried.is_plain());
            filtered.filter(move |tried| tried.arrangement.typesize == size).map(|tried| tried.score).next()
        };
        sizes.map(|size| if of_size(size).is_none_or(|score| score <= best + NEAR_MARGIN) { size } else { 0 })
    }

    /// Returns the best arrangements with filters, split.
    pub(super) fn to_split(&self) -> [Option<Arrangement>; 2] {
        let mut split = self.0.iter().filter(|tried| !tried.is_plain()).filter_map(|tried| tried.arrangement.split());
        let first = split.next();
        [first, split.find(|arrangement| Some(*arrangement) != first)]
    }

    /// Returns whether unfiltered data may be the best in a whole chunk, although it is not in the sample: this sample
    /// has shown more repeats than a smaller one, in which it had the ratio of `smaller`.
    pub(super) fn may_grow(&self, smaller: Option<Tried>) -> bool {
        let (Some(best), Some(plain), Some(smaller)) = (self.0.first(), self.best(true), smaller) else { return false };
        let has_grown = |tried: &Tried| {
            let is_same = tried.is_plain() && tried.effort == smaller.effort;
            is_same && tried.candidate.ratio > smaller.candidate.ratio * GROWTH
        };
        !best.is_plain() && plain.score <= best.score + PLAIN_MARGIN && self.0.iter().any(has_grown)
    }
}
