//! One search: the buffer, what is fixed, and what follows from the goal.

use super::arrangement::Arrangement;
use super::auto::Auto;
use super::candidate::Candidate;
use super::effort::Effort;
use super::goal::{Goal, UNFIT, ln};
use super::ladder;
use crate::cancel::Cancel;
use crate::codec::Codec;
use crate::error::EncodeError;
use crate::layout::tuning::MAX_SPLITS;
use crate::params::CParams;

/// Values of `slowest` in [`Task::efforts`]: none of a fixed codec, those that may be tried with many arrangements, and with
/// one.
const NONE: f64 = 0.0;
const FAST: f64 = 4.0;
const SLOW: f64 = 8.0;

/// A buffer for which parameters are searched.
pub(super) struct Task<'a> {
    auto: &'a Auto,
    pub(super) plain: &'a [u8],
    pub(super) cancel: Option<&'a Cancel>,
}

impl<'a> Task<'a> {
    /// # Errors
    /// [`EncodeError`] for a fixed parameter that is out of range, or that the chunk format or the build does not
    /// support.
    pub(super) fn new(auto: &'a Auto, plain: &'a [u8], cancel: Option<&'a Cancel>) -> Result<Self, EncodeError> {
        let task = Task { auto, plain, cancel };
        if let Some(codec) = auto.codec {
            codec.availability().map_err(|feature| EncodeError::CodecUnavailable { codec, feature })?;
            if let Codec::Plugin { .. } = codec {
                return Err(EncodeError::Codec { codec, what: "automatic choice only knows built-in codecs" });
            }
        }
        task.fallback().validate()?;
        Ok(task)
    }

    pub(super) fn goal(&self) -> Goal {
        self.auto.goal
    }

    /// Returns the size of an element, if it is known.
    pub(super) fn typesize(&self) -> Option<usize> {
        self.auto.typesize
    }

    /// Returns the parameters where nothing can be tried: the fixed ones, and for all others those of LZ4.
    pub(super) fn fallback(&self) -> CParams {
        let filters = self.auto.filters.unwrap_or_default();
        let arrangement = Arrangement { typesize: self.auto.typesize.unwrap_or(1), filters, is_split: false };
        let clevel = self.auto.clevel.unwrap_or(5);
        self.params(&arrangement, &ladder::of_level(self.auto.codec.unwrap_or(Codec::Lz4), clevel))
    }

    /// Returns the arrangements to compare for elements of `typesize` bytes: all, or those with the fixed filters.
    pub(super) fn arrangements(&self, typesize: usize) -> impl Iterator<Item = Arrangement> + use<> {
        let fixed = self.auto.filters.map(|filters| Arrangement { typesize, filters, is_split: false });
        let all = Arrangement::all(self.auto.format, typesize).filter(move |_| fixed.is_none());
        fixed.into_iter().chain(all)
    }

    /// Returns the size of the sample on which arrangements are compared, if elements have up to `typesize` bytes.
    pub(super) fn first_sample(&self, typesize: usize) -> usize {
        // Enough for a byte plane to show how it is distributed.
        let planes = 3072 * typesize.min(MAX_SPLITS);
        if self.auto.goal == Goal::Small { 256 << 10 } else { planes.max(16 << 10) }
    }

    /// Returns the size of the sample for the finalists.
    pub(super) fn final_sample(&self) -> usize {
        match self.auto.goal {
            Goal::Fast => 32 << 10,
            // An eighth of the buffer: slow levels find repeats that are far apart.
            Goal::Small => (self.plain.len() / 8).clamp(512 << 10, 2 << 20),
            _ => 48 << 10,
        }
    }

    /// Returns whether samples of these two sizes are the same bytes.
    pub(super) fn is_same_sample(&self, one: usize, other: usize) -> bool {
        one == other || self.plain.len() <= one.min(other)
    }

    /// Returns the efforts by which arrangements are compared.
    pub(super) fn references(&self) -> impl Iterator<Item = Effort> + use<> {
        self.efforts(ladder::references(self.auto.goal), FAST)
    }

    /// Returns the efforts that are tried with all finalists, to find the best.
    pub(super) fn scouts(&self) -> impl Iterator<Item = Effort> + use<> {
        self.efforts(ladder::scouts(self.auto.goal), FAST)
    }

    /// Returns the efforts that are tried next with those finalists for which they are worth it.
    pub(super) fn second_scouts(&self) -> impl Iterator<Item = Effort> + use<> {
        self.efforts(ladder::second_scouts(self.auto.goal), NONE)
    }

    /// Returns the effort that unfiltered data is compared with.
    pub(super) fn guard(&self) -> impl Iterator<Item = Effort> + use<> {
        let is_free = self.auto.codec.is_none() && self.auto.clevel.is_none();
        ladder::guard(self.auto.goal).into_iter().filter(move |effort| is_free && effort.codec.is_available())
    }

    /// Returns the efforts that are tried with the best finalist.
    pub(super) fn ladder(&self) -> impl Iterator<Item = Effort> + use<> {
        // Codecs that decode fast, where that matters.
        let fast = if self.auto.min_decompress.is_some() { ladder::FAST_TO_DECODE } else { &[] };
        self.efforts(ladder::ladder(self.auto.goal), NONE)
            .chain(self.efforts(fast, NONE))
            .chain(self.efforts(&[], SLOW))
    }

    /// Returns the efforts that are tried with the best arrangements.
    pub(super) fn polish(&self) -> impl Iterator<Item = Effort> + use<> {
        self.efforts(ladder::polish(self.auto.goal), NONE)
    }

    /// Returns those of `usual` that this build has. Of a fixed codec it is the efforts that take up to `slowest` times the
    /// time of its fastest level, but of Zstandard, whose levels differ by a factor of 300, the usual ones. A fixed level
    /// replaces the levels of all.
    fn efforts(&self, usual: &'static [Effort], slowest: f64) -> impl Iterator<Item = Effort> + use<> {
        let (codec, clevel) = (self.auto.codec, self.auto.clevel);
        let is_available = |effort: &Effort| effort.codec.is_available();
        // Without Zstandard, LZ4 is left.
        let usual = if usual.is_empty() || usual.iter().any(is_available) { usual } else { ladder::ladder(Goal::Fast) };
        let has_usual = codec.is_none_or(|codec| codec == Codec::Zstd) && !usual.is_empty();
        let is_usual =
            move |effort: &Effort| has_usual && codec.map_or(is_available(effort), |codec| effort.codec == codec);
        let of_codec = codec.into_iter().flat_map(ladder::of_codec);
        let of_codec = of_codec.filter(move |effort| !has_usual && effort.slowness <= slowest);
        usual.iter().copied().filter(is_usual).chain(of_codec).map(move |effort| match clevel {
            Some(clevel) => ladder::of_level(effort.codec, clevel),
            None => effort,
        })
    }

    /// Returns the parameters of chunks of this arrangement and effort.
    pub(super) fn params(&self, arrangement: &Arrangement, effort: &Effort) -> CParams {
        let params = arrangement.params(self.auto.format, effort);
        let params = self.auto.blocksize.map_or(params, |blocksize| params.blocksize(blocksize));
        self.auto.split.map_or(params, |split| params.split(split))
    }

    /// Returns the parameters for this buffer, whose blocks have equal sizes where that matters.
    pub(super) fn fitted(&self, params: CParams) -> CParams {
        self.auto.fitted(params, self.plain)
    }

    /// Returns the score by which arrangements are compared. With a goal that names a number, any of them may reach it at
    /// another level.
    pub(super) fn first_score(&self, candidate: &Candidate) -> f64 {
        match self.auto.goal {
            Goal::Speed(_) | Goal::Ratio(_) => Goal::Balanced.score(candidate),
            _ => self.score(candidate, 0.0),
        }
    }

    /// Returns the score of a candidate. Candidates that miss a bound are worse than all others.
    pub(super) fn score(&self, candidate: &Candidate, least_ratio: f64) -> f64 {
        let is_slow = self.auto.min_decompress.is_some_and(|wanted| candidate.decompress < f64::from(wanted));
        match self.auto.goal {
            _ if is_slow => 2.0 * UNFIT - ln(candidate.decompress),
            goal if candidate.ratio < least_ratio.max(goal.least_ratio(&candidate.params)) => {
                UNFIT + goal.score(candidate)
            }
            goal => goal.score(candidate),
        }
    }
}
