//! Cuts a stream into parts that are searched for matches, and parts in which no match would pay.
//!
//! A stream of shuffled elements consists of planes, one for each byte of an element. Mantissas of measured numbers are
//! random, exponents of random numbers and characters of random keys are
//! [independent bytes](crate::codec::independent). The search for matches in them takes most of the time of a chunk, and
//! finds matches by chance only.
//!
//! ```text
//! planes    noise   noise   noise   digits   few values   counter
//! parts   | as is | as is | as is | codes  |       searched       |
//! ```

use core::iter::Peekable;
use core::ops::Range;

use rust_zstd::compress::Strategy;

use crate::codec::independent::{Care, are_independent};

/// A part of a stream.
pub(super) struct Part {
    pub(super) range: Range<usize>,
    pub(super) is_searched: bool,
}

/// The parts of a stream, in order. An empty stream has one empty part.
pub(super) struct Parts<'a>(Peekable<Planes<'a>>);

impl<'a> Parts<'a> {
    /// Cuts `src` into `planes` planes of the same length, each with bytes of one kind. With 0, bytes of several kinds may
    /// be anywhere, and all of `src` counts as one plane.
    pub(super) fn new(src: &'a [u8], strategy: Strategy, planes: usize) -> Self {
        let care = match strategy {
            Strategy::Fast | Strategy::DFast => Care::Little,
            Strategy::BtUltra2 => Care::Most,
            Strategy::BtOpt | Strategy::BtUltra => Care::Much,
            // These pass quickly over planes of random bytes. A whole stream of such bytes has been stored.
            _ if planes > 1 => Care::More,
            _ => Care::Much,
        };
        let len = (src.len() / planes.max(1)).max(1);
        Parts(Planes { src, len, care, next: Some(0) }.peekable())
    }
}

impl Iterator for Parts<'_> {
    type Item = Part;

    /// Each plane that is not searched is a part, as the frequencies of its bytes are its own.
    fn next(&mut self) -> Option<Part> {
        let mut part = self.0.next()?;
        while part.is_searched
            && let Some(plane) = self.0.next_if(|plane| plane.is_searched)
        {
            part.range.end = plane.range.end;
        }
        Some(part)
    }
}

/// The planes of a stream.
struct Planes<'a> {
    src: &'a [u8],
    len: usize,
    care: Care,
    /// The start of the next plane.
    next: Option<usize>,
}

impl Iterator for Planes<'_> {
    type Item = Part;

    fn next(&mut self) -> Option<Part> {
        let start = self.next.take()?;
        // Bytes after the last whole plane belong to that.
        let rest = self.src.len() - start;
        let end = start + if rest < 2 * self.len { rest } else { self.len };
        self.next = (end < self.src.len()).then_some(end);
        let is_searched = !are_independent(self.src, start..end, self.care);
        Some(Part { range: start..end, is_searched })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(len: usize, seed: u64) -> Vec<u8> {
        let mut random = testdata::SplitMix64::new(seed);
        (0..len).map(|_| (random.next_u64() % 10) as u8).collect()
    }

    fn parts(src: &[u8], planes: usize) -> Vec<(Range<usize>, bool)> {
        Parts::new(src, Strategy::BtUltra2, planes).map(|part| (part.range, part.is_searched)).collect()
    }

    #[test]
    fn planes_that_are_searched_are_one_part() {
        let counter: Vec<u8> = (0..20_000).map(|i| (i / 50) as u8).collect();
        let src = [digits(10_000, 1), counter, testdata::noise(10_000, 2), testdata::noise(10_003, 3)].concat();
        let searched = [(0..10_000, false), (10_000..30_000, true), (30_000..40_000, false), (40_000..50_003, false)];
        assert_eq!(parts(&src, 5), searched);
        assert_eq!(parts(&src, 0), [(0..50_003, true)]);
        assert_eq!(parts(&src, 1), [(0..50_003, true)]);
    }

    #[test]
    fn planes_that_are_alike_are_searched() {
        let noise = testdata::noise(10_000, 4);
        let src = [&noise[..], &digits(10_000, 5), &noise].concat();
        assert_eq!(parts(&src, 3), [(0..10_000, true), (10_000..20_000, false), (20_000..30_000, true)]);
    }

    #[test]
    fn short_streams_are_one_part() {
        assert_eq!(parts(&[], 4), [(0..0, true)]);
        assert_eq!(parts(&[1, 2, 3], 4), [(0..3, true)]);
        assert_eq!(parts(&digits(4000, 6), 2), [(0..4000, true)]);
    }
}
