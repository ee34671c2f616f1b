//! Efforts that each goal tries.

use super::effort::{
    Effort, LZ4, LZ4_CAREFUL, ZSTD_1, ZSTD_3, ZSTD_5, ZSTD_9, ZSTD_15, ZSTD_19, ZSTD_22, ZSTD_FAST, level,
};
use super::goal::Goal;
use crate::codec::Codec;

/// The ladder of all goals that name a number.
const ALL: [Effort; 9] = [LZ4, LZ4_CAREFUL, ZSTD_FAST, ZSTD_1, ZSTD_3, ZSTD_5, ZSTD_9, ZSTD_15, ZSTD_19];
/// The levels of codecs that are only used on request.
const ASKED: [Effort; 10] = [
    level(Codec::BloscLz, 5, 1.0),
    level(Codec::BloscLz, 9, 1.5),
    level(Codec::Lz4Hc, 1, 1.0),
    level(Codec::Lz4Hc, 5, 2.0),
    level(Codec::Lz4Hc, 9, 4.0),
    level(Codec::Snappy, 5, 1.0),
    level(Codec::Zlib, 1, 1.0),
    level(Codec::Zlib, 5, 2.5),
    level(Codec::Zlib, 9, 8.0),
    ZSTD_22,
];

/// Efforts whose results are decompressed fast, small ones last.
pub(super) const FAST_TO_DECODE: &[Effort] = &[LZ4_CAREFUL, level(Codec::Lz4Hc, 9, 4.0)];

/// Returns the efforts by which arrangements are compared, cheap ones.
pub(super) fn references(goal: Goal) -> &'static [Effort] {
    match goal {
        Goal::Fast => &[LZ4, ZSTD_1],
        Goal::Balanced | Goal::Speed(_) | Goal::Ratio(_) => &[ZSTD_1],
        Goal::Small => &[ZSTD_9],
    }
}

/// Returns the efforts that are tried with all finalists, to find the best arrangement.
pub(super) fn scouts(goal: Goal) -> &'static [Effort] {
    match goal {
        Goal::Fast => &[LZ4, ZSTD_FAST],
        Goal::Balanced => &[LZ4_CAREFUL, ZSTD_1],
        Goal::Small => &[LZ4, ZSTD_FAST, ZSTD_9],
        Goal::Speed(_) | Goal::Ratio(_) => ladder(goal),
    }
}

/// Returns the efforts that are tried next with those finalists for which they are worth it: slow levels may find another
/// arrangement best.
pub(super) fn second_scouts(goal: Goal) -> &'static [Effort] {
    if goal == Goal::Small { &[ZSTD_19] } else { &[] }
}

/// Returns the efforts that are tried with the best arrangements.
pub(super) fn ladder(goal: Goal) -> &'static [Effort] {
    match goal {
        Goal::Fast => &[LZ4, LZ4_CAREFUL, ZSTD_FAST],
        Goal::Balanced => &[LZ4_CAREFUL, ZSTD_FAST, ZSTD_1, ZSTD_3],
        // The fast ones win where the others hardly save anything, and on sparse data.
        Goal::Small => &[LZ4, ZSTD_FAST, ZSTD_9, ZSTD_19],
        Goal::Speed(_) | Goal::Ratio(_) => &ALL,
    }
}

/// Returns the efforts that are only tried with the best arrangements, because they take long.
pub(super) fn polish(goal: Goal) -> &'static [Effort] {
    if goal == Goal::Small { &[ZSTD_15, ZSTD_22] } else { &[] }
}

/// Returns the effort of a general-purpose program. Results of the goal must not be larger.
pub(super) fn guard(goal: Goal) -> Option<Effort> {
    match goal {
        Goal::Fast => Some(LZ4_CAREFUL),
        Goal::Balanced => Some(ZSTD_3),
        _ => None,
    }
}

/// Returns all efforts of a codec.
pub(super) fn of_codec(codec: Codec) -> impl Iterator<Item = Effort> {
    ALL.into_iter().chain(ASKED).filter(move |effort| effort.codec == codec)
}

/// Returns a codec at one of Blosc's levels.
pub(super) fn of_level(codec: Codec, clevel: u8) -> Effort {
    let nearest = of_codec(codec).min_by_key(|effort| effort.clevel.abs_diff(clevel));
    let slowness = nearest.map_or(1.0, |effort| effort.slowness);
    Effort { codec, clevel, zstd_level: None, slowness }
}
