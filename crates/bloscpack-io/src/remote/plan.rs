//! The ranges that requests ask for.

use std::ops::Range;

/// Number of bytes that opening reads, and that the first read near the end reads.
pub(super) const ENDS: u64 = 16 << 10;
/// Minimum number of bytes of a request: fewer take no less time.
const LEAST: u64 = 2 << 10;
/// Maximum number of bytes of one request.
pub(super) const MOST: u64 = 4 << 20;
/// Bytes from this offset on are not read ahead.
pub(super) const LONGEST: u64 = 1 << 60;

/// Widens a range to what takes no longer: to [`LEAST`] bytes, and near the end to the last [`ENDS`] bytes.
pub(super) fn widened(gap: Range<u64>, until: u64, len: u64) -> Range<u64> {
    let tail = len.saturating_sub(ENDS);
    let end = gap.end.max(gap.start.saturating_add(LEAST)).min(until).min(len);
    if gap.start >= tail { tail..len } else { gap.start..end }
}

/// Sorts ranges, joins those with a gap of at most `cost` bytes, and cuts them to requests.
pub(super) fn joined(ranges: &[Range<u64>], cost: u64, len: u64) -> impl Iterator<Item = Range<u64>> {
    let mut sorted: Vec<Range<u64>> =
        ranges.iter().map(|range| range.start..range.end.min(len)).filter(|range| !range.is_empty()).collect();
    sorted.sort_unstable_by_key(|range| range.start);
    let mut joined: Vec<Range<u64>> = Vec::new();
    for range in sorted {
        match joined.last_mut() {
            Some(last) if range.start <= last.end.saturating_add(cost) => last.end = last.end.max(range.end),
            _ => joined.push(range),
        }
    }
    let cut = |range: Range<u64>| {
        let starts = (range.start..range.end).step_by(MOST as usize);
        starts.map(move |start| start..range.end.min(start + MOST))
    };
    joined.into_iter().flat_map(cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_ranges_are_joined_and_long_ones_cut() {
        let joined = |ranges: &[Range<u64>], cost, len| joined(ranges, cost, len).collect::<Vec<_>>();
        assert_eq!(joined(&[50..60, 0..10, 12..20, 25..25], 5, 55), [0..20, 50..55]);
        assert_eq!(joined(&[0..10, 5..8, 60..61], 0, 100), [0..10, 60..61]);
        assert_eq!(joined(&[0..MOST, 5..MOST + 1], 0, LONGEST), [0..MOST, MOST..MOST + 1]);
    }

    #[test]
    fn small_reads_are_widened() {
        assert_eq!(widened(0..32, u64::MAX, 1 << 20), 0..LEAST);
        assert_eq!(widened(0..32, 40, 1 << 20), 0..40);
        let len = 1 << 20;
        assert_eq!(widened(len - 40..len - 8, len, len), len - ENDS..len);
        assert_eq!(widened(1..2, 100, 100), 0..100);
    }
}
