//! Collecting what a search finds.

use super::sequence::{MAX_LITERALS, Sequence};

/// Where sequences go, and how far they reach.
pub(super) struct Sink<'a> {
    sequences: &'a mut Vec<Sequence>,
    end: u32,
}

impl<'a> Sink<'a> {
    pub(super) fn new(sequences: &'a mut Vec<Sequence>) -> Self {
        sequences.clear();
        Sink { sequences, end: 0 }
    }

    /// The end of the last match.
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Adds a match and the literals in front of it.
    #[inline(always)]
    pub(super) fn push(&mut self, start: u32, length: u32, offset: u32) {
        self.literals(start);
        self.sequences.push(Sequence { literals: start - self.end, length, offset });
        self.end = start + length;
    }

    /// Adds the literals behind the last match.
    pub(super) fn finish(mut self, end: u32) {
        self.literals(end);
        if self.end < end {
            self.sequences.push(Sequence { literals: end - self.end, length: 0, offset: 0 });
        }
    }

    /// Leaves no more than [`MAX_LITERALS`] up to `start`.
    #[inline(always)]
    fn literals(&mut self, start: u32) {
        while start - self.end > MAX_LITERALS {
            self.sequences.push(Sequence { literals: MAX_LITERALS, length: 0, offset: 0 });
            self.end += MAX_LITERALS;
        }
    }
}
