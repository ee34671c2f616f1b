//! Zstandard's own level for each `clevel`.

/// The Zstandard level for each `clevel` 1..=9, as in C-Blosc: every second level, and for 9 the highest
/// (`ZSTD_maxCLevel`).
const LEVELS: [i32; 9] = [1, 3, 5, 7, 9, 11, 13, 15, 22];

/// The level of clevel 9 for shuffled blocks: as small as level 22 and 1.6 times as fast (docs/decisions/005-zstd.md).
const STRONGEST_SHUFFLED: i32 = 19;

/// Returns Zstandard's own level for streams of shuffled or unshuffled blocks.
pub(crate) fn level_of(clevel: u8, is_shuffled: bool) -> i32 {
    if is_shuffled { level(clevel).min(STRONGEST_SHUFFLED) } else { level(clevel) }
}

/// Returns Zstandard's own level for streams of unshuffled blocks.
pub(super) fn level(clevel: u8) -> i32 {
    LEVELS[usize::from(clevel.clamp(1, 9)) - 1]
}
