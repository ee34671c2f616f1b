//! Decides whether a slow level of Zstandard is worth a trial.
//!
//! A trial at level 19 takes 16 times as long as one at level 9. The ratios of faster levels show cases in which level 19
//! cannot win: arrangements that are much larger than the best one at the same level, and data without matches.

use super::arrangement::Arrangement;
use super::effort::{Effort, ZSTD_9, ZSTD_15, ZSTD_19, ZSTD_22, ZSTD_FAST};
use super::ranking::Ranking;
use crate::codec::Codec;
use core::ops::Range;

/// Level 19 may make up for this share of the best ratio at level 9.
const BEHIND_AT_9: f64 = 0.82;
/// Levels 15 and 22 may make up for this share of the best ratio at level 19.
const BEHIND_AT_19: f64 = 0.92;
/// Gain of level 9 over level −3 in data in which a search finds nothing. Where level 9 is worse than this, it has found
/// matches that the optimal parser of level 19 uses better.
const FINDS_NOTHING: Range<f64> = 0.999..1.0005;
/// Gain of level 19 over level 9 in data in which levels 15 and 22 save nothing either.
const FINDS_NO_MORE: Range<f64> = 0.995..1.002;
/// Gain of level 19 over level 15 in data in which level 22 saves little more: most samples are too short for its larger
/// tables.
const IS_SETTLED: Range<f64> = 1.0..1.005;

impl Ranking {
    /// Returns whether this effort may win with this arrangement, as far as the trials show.
    pub(super) fn is_worth_trying(&self, arrangement: &Arrangement, effort: &Effort) -> bool {
        let is_slow = effort.codec == Codec::Zstd && effort.slowness > ZSTD_9.slowness;
        if !is_slow {
            return true;
        }
        let gain = |slow: &Effort, fast: &Effort| {
            let ratios = self.ratio(arrangement, slow).zip(self.ratio(arrangement, fast));
            ratios.map(|(slow, fast)| slow / fast)
        };
        let is_outside = |slow: &Effort, fast: &Effort, range: Range<f64>| {
            gain(slow, fast).is_none_or(|gain| !range.contains(&gain))
        };
        let is_near = |reference: &Effort, share: f64| {
            let ratio = self.ratio(arrangement, reference);
            ratio.is_none_or(|ratio| ratio >= share * self.best_ratio(reference))
        };
        let is_19 = *effort == ZSTD_19;
        is_outside(&ZSTD_9, &ZSTD_FAST, FINDS_NOTHING)
            && is_near(&ZSTD_9, BEHIND_AT_9)
            && (is_19 || is_outside(&ZSTD_19, &ZSTD_9, FINDS_NO_MORE) && is_near(&ZSTD_19, BEHIND_AT_19))
            && (*effort != ZSTD_22 || is_outside(&ZSTD_19, &ZSTD_15, IS_SETTLED))
    }

    fn ratio(&self, arrangement: &Arrangement, effort: &Effort) -> Option<f64> {
        let is_same = |arranged: &Arrangement, other: &Effort| arranged == arrangement && other == effort;
        let tried = self.as_slice().iter().find(|tried| is_same(&tried.arrangement, &tried.effort));
        tried.map(|tried| tried.candidate.ratio)
    }

    /// Returns the best ratio of all arrangements with this effort.
    fn best_ratio(&self, effort: &Effort) -> f64 {
        let tried = self.as_slice().iter().filter(|tried| tried.effort == *effort);
        tried.map(|tried| tried.candidate.ratio).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::candidate::Candidate;
    use crate::advise::ranking::Tried;
    use crate::filter::FilterPipeline;
    use crate::format::ChunkFormat;

    const PLAIN: Arrangement = Arrangement { typesize: 4, filters: FilterPipeline::none(), is_split: false };
    const SHUFFLED: Arrangement = Arrangement { filters: FilterPipeline::shuffle(), ..PLAIN };

    /// Returns those of levels 19, 15 and 22 that are worth a trial with unfiltered data after trials with these ratios.
    fn worth_trying(ratios: &[(Arrangement, Effort, f64)]) -> [bool; 3] {
        let mut ranking = Ranking::default();
        for &(arrangement, effort, ratio) in ratios {
            let params = arrangement.params(ChunkFormat::Blosc1, &effort);
            let candidate = Candidate { params, ratio, compress: 1.0, decompress: 1.0 };
            ranking.push(Tried { arrangement, effort, candidate, score: 0.0 }).unwrap();
        }
        [ZSTD_19, ZSTD_15, ZSTD_22].map(|effort| ranking.is_worth_trying(&PLAIN, &effort))
    }

    #[test]
    fn slow_levels_are_skipped_where_a_search_finds_nothing() {
        let tried = |gain: f64| worth_trying(&[(PLAIN, ZSTD_FAST, 2.0), (PLAIN, ZSTD_9, 2.0 * gain)]);
        assert_eq!([0.998, 0.9995, 1.0, 1.002].map(tried), [[true; 3], [false; 3], [false; 3], [true; 3]]);
    }

    #[test]
    fn slow_levels_are_skipped_where_an_arrangement_is_much_larger_at_the_same_level() {
        let tried = |plain: f64, level| worth_trying(&[(PLAIN, level, plain), (SHUFFLED, level, 2.0)]);
        assert_eq!(tried(1.6, ZSTD_9), [false; 3]);
        assert_eq!(tried(1.7, ZSTD_9), [true; 3]);
        assert_eq!(tried(1.8, ZSTD_19), [true, false, false]);
        assert_eq!(tried(1.9, ZSTD_19), [true; 3]);
        assert_eq!(worth_trying(&[(PLAIN, ZSTD_9, 1.0), (SHUFFLED, ZSTD_19, 2.0)]), [true; 3]);
    }

    #[test]
    fn levels_beside_19_are_skipped_where_they_would_save_little() {
        let tried = |ratio: f64| worth_trying(&[(PLAIN, ZSTD_9, 2.0), (PLAIN, ZSTD_19, ratio)]);
        assert_eq!(tried(2.0), [true, false, false]);
        assert_eq!([1.9, 2.1].map(tried), [[true; 3]; 2]);
        let tried = |ratio: f64| worth_trying(&[(PLAIN, ZSTD_15, 2.0), (PLAIN, ZSTD_19, ratio)]);
        assert_eq!(tried(2.005), [true, true, false]);
        assert_eq!([1.99, 2.02].map(tried), [[true; 3]; 2]);
    }

    #[cfg(feature = "zstd")]
    #[test]
    fn a_search_in_data_without_matches_is_short() {
        // The entropy coder saves a quarter of six random bits in each byte.
        let mut rng = testdata::SplitMix64::new(3);
        let plain: Vec<u8> = (0..600_000).map(|_| rng.below(64) as u8).collect();
        let mut advisor = crate::Advisor::new(crate::Auto::new(crate::Goal::Small).typesize(1));
        advisor.advise(&plain).unwrap();
        let levels = advisor.tried().iter().filter_map(|tried| tried.params.zstd_level);
        assert_eq!(levels.max(), Some(9));
    }
}
