//! Finds byte planes in which no match pays, so that the search passes over them.
//!
//! A stream of shuffled elements consists of planes, one for each byte of an element. Exponents of random numbers or
//! characters of random keys are [independent bytes](crate::codec::independent): codes are all that shortens them.
//!
//! ```text
//! plane   | searched |               tested, then searched or passed over               |
//!         0         512                                                                len
//! ```
//!
//! The test takes up to a quarter of the time in which data that repeats is searched. So a plane is not tested if its
//! start has long matches. If the plane before had them in spite of its test, the start is a quarter of the plane.

use super::super::symbols::MAX_OFFSET;
use super::sequence::Sequence;
use crate::codec::independent::{Care, are_independent};

/// Bytes of a plane that are searched before it is tested.
const START: usize = 512;

/// Independent bytes hardly ever have longer matches.
const LONG: u32 = 24;

/// The planes of a stream.
pub(super) struct Planes<'a> {
    src: &'a [u8],
    len: usize,
    /// The first byte and the first sequence of this plane.
    start: (usize, usize),
    state: State,
    /// Where this plane is tested, or the next one begins.
    next: usize,
}

/// How a plane is treated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Untested,
    /// Not tested, as its start has long matches.
    Repeating,
    /// Tested.
    Independent,
    Dependent,
}

impl<'a> Planes<'a> {
    /// Cuts `src` into planes of `len` bytes. With 0, all of it is searched.
    pub(super) fn new(src: &'a [u8], len: usize) -> Self {
        let next = if len < START { usize::MAX } else { 0 };
        Planes { src, len: len.max(1), start: (0, 0), state: State::Repeating, next }
    }

    /// Returns the first position at which [`Planes::independent_until`] has something to do.
    pub(super) fn next(&self) -> u32 {
        self.next as u32
    }

    /// Returns the end of the plane at `at` if no match in the rest of it would pay. `done` are the sequences before.
    pub(super) fn independent_until(&mut self, at: u32, done: &[Sequence]) -> Option<u32> {
        let at = at as usize;
        if at < self.next {
            return None;
        }
        if self.state != State::Untested || at >= self.start.0 + self.len {
            self.begin(at, done);
            return None;
        }
        self.next = self.end(at);
        self.state = if self.is_repeating(at, done) {
            State::Repeating
        } else if self.is_independent(at) {
            State::Independent
        } else {
            State::Dependent
        };
        (self.state == State::Independent).then_some(self.next as u32)
    }

    /// Begins the plane at `at`.
    fn begin(&mut self, at: usize, done: &[Sequence]) {
        let is_like_the_last = self.state == State::Dependent && self.is_repeating(at, done);
        self.next = at + if is_like_the_last { self.len / 4 } else { START };
        self.start = (at, done.len());
        self.state = State::Untested;
    }

    /// Returns whether most bytes since the start of this plane are in long matches.
    fn is_repeating(&self, at: usize, done: &[Sequence]) -> bool {
        let (start, before) = self.start;
        // After a failure there may be fewer sequences.
        let lengths = done.get(before..).unwrap_or_default().iter().map(|sequence| sequence.length);
        2 * lengths.filter(|&length| length > LONG).sum::<u32>() as usize > at - start
    }

    fn is_independent(&self, at: usize) -> bool {
        let window = &self.src[at.saturating_sub(MAX_OFFSET as usize)..self.next];
        are_independent(window, window.len() - (self.next - at)..window.len(), Care::More)
    }

    /// Returns the end of the plane at `at`. Bytes after the last whole plane belong to that.
    fn end(&self, at: usize) -> usize {
        let end = (at / self.len + 1) * self.len;
        if self.src.len().saturating_sub(end) < self.len { self.src.len() } else { end }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(len: usize, seed: u64) -> Vec<u8> {
        let mut random = testdata::SplitMix64::new(seed);
        (0..len).map(|_| (random.next_u64() % 10) as u8).collect()
    }

    #[test]
    fn a_plane_is_tested_after_its_start() {
        let src = digits(50_003, 1);
        let mut planes = Planes::new(&src, 25_000);
        assert_eq!((planes.next(), planes.independent_until(0, &[])), (0, None));
        assert_eq!((planes.next(), planes.independent_until(511, &[])), (512, None));
        assert_eq!(planes.independent_until(512, &[]), Some(25_000));
        assert_eq!((planes.next(), planes.independent_until(25_000, &[])), (25_000, None));
        assert_eq!(planes.independent_until(25_600, &[]), Some(50_003));
    }

    #[test]
    fn a_plane_that_repeats_is_searched() {
        let src = [digits(8000, 2), digits(8000, 2), digits(8000, 2)].concat();
        let mut planes = Planes::new(&src, 24_000);
        assert_eq!(planes.independent_until(0, &[]), None);
        assert_eq!(planes.independent_until(512, &[]), None);
        assert_eq!(planes.next(), 24_000);
        // Long matches at the start of a plane: no test, although it would find independent bytes.
        let src = digits(24_000, 3);
        let long = [Sequence { literals: 212, length: 300, offset: 1 }];
        let mut planes = Planes::new(&src, 24_000);
        assert_eq!(planes.independent_until(0, &[]), None);
        assert_eq!(planes.independent_until(512, &long), None);
    }

    #[test]
    fn after_a_plane_that_turned_out_to_repeat_the_next_is_tested_late() {
        let src = [digits(12_000, 4), digits(12_000, 4), digits(24_000, 5)].concat();
        let mut planes = Planes::new(&src, 24_000);
        assert_eq!((planes.independent_until(0, &[]), planes.independent_until(512, &[])), (None, None));
        let long = [Sequence { literals: 11_000, length: 13_000, offset: 12_000 }];
        assert_eq!(planes.independent_until(24_000, &long), None);
        assert_eq!(planes.next(), 30_000);
        assert_eq!(planes.independent_until(30_000, &long), Some(48_000));
    }

    #[test]
    fn short_planes_are_not_tested() {
        assert_eq!(Planes::new(&digits(4000, 6), 0).next(), u32::MAX);
        assert_eq!(Planes::new(&digits(4000, 6), 500).next(), u32::MAX);
    }
}
