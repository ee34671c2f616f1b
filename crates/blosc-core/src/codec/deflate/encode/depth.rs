//! Adapts the length of chain walks to their success.

/// The number of candidates per search: halved where the second half of the walks rarely finds a better match, doubled
/// where it often does.
pub(super) struct Depth {
    now: u32,
    max: u32,
    /// Late finds that double the depth, in 1/64 of the long walks.
    many: u32,
    /// Number of walks that got past half of the candidates since the last [`Depth::adapt`].
    long_walks: u32,
    /// Number of better matches found past half of the candidates.
    late_finds: u32,
}

/// Minimum number of long walks before the depth changes.
const MIN_WALKS: u32 = 8;
/// Fewer late finds than this halve the depth, in 1/64 of the long walks.
const FEW: u32 = 3;

impl Depth {
    pub(super) fn new(max: u32, many: u32) -> Self {
        Depth { now: max / 2, max, many, long_walks: 0, late_finds: 0 }
    }

    #[inline(always)]
    pub(super) fn get(&self) -> u32 {
        self.now
    }

    /// Records a better match, found when `left` of `depth` candidates were left.
    #[inline(always)]
    pub(super) fn found(&mut self, left: u32, depth: u32) {
        self.late_finds += u32::from(2 * left <= depth);
    }

    /// Records the end of a walk.
    #[inline(always)]
    pub(super) fn ended(&mut self, left: u32, depth: u32) {
        self.long_walks += u32::from(2 * left <= depth);
    }

    pub(super) fn adapt(&mut self) {
        if self.long_walks < MIN_WALKS {
            return;
        }
        let finds = 64 * u64::from(self.late_finds);
        if finds > u64::from(self.many * self.long_walks) {
            self.now = (2 * self.now).min(self.max);
        } else if finds < u64::from(FEW * self.long_walks) {
            self.now = (self.now / 2).max(self.max / 4);
        }
        (self.long_walks, self.late_finds) = (0, 0);
    }
}
