//! Collects the sequences that a search finds.

use super::sequence::{MAX_LITERALS, Sequence};
use crate::memory::{self, OutOfMemory};

/// The output of a search, and the end of the data it covers.
pub(super) struct Sink<'a> {
    sequences: &'a mut Vec<Sequence>,
    end: u32,
    /// Set once `sequences` could not grow. The sequences are incomplete from then on.
    failed: Option<OutOfMemory>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(sequences: &'a mut Vec<Sequence>) -> Self {
        sequences.clear();
        Sink { sequences, end: 0, failed: None }
    }

    /// Returns the end of the last match.
    #[inline(always)]
    pub(super) fn end(&self) -> u32 {
        self.end
    }

    /// Returns the sequences up to [`Sink::end`].
    pub(super) fn sequences(&self) -> &[Sequence] {
        self.sequences
    }

    /// Adds a match and the literals before it.
    #[inline(always)]
    pub(super) fn push(&mut self, start: u32, length: u32, offset: u32) {
        self.literals(start);
        self.add(Sequence { literals: start - self.end, length, offset });
        self.end = start + length;
    }

    /// Adds the literals up to `end` without a match, so that a block can end there.
    pub(super) fn literals_until(&mut self, end: u32) {
        self.literals(end);
        if self.end < end {
            self.add(Sequence { literals: end - self.end, length: 0, offset: 0 });
            self.end = end;
        }
    }

    /// Adds the literals after the last match.
    ///
    /// # Errors
    /// [`OutOfMemory`] if not all sequences could be kept.
    pub(super) fn finish(mut self, end: u32) -> Result<(), OutOfMemory> {
        self.literals_until(end);
        self.failed.map_or(Ok(()), Err)
    }

    #[inline(always)]
    fn add(&mut self, sequence: Sequence) {
        if let Err(error) = memory::push(self.sequences, sequence) {
            self.fail(error);
        }
    }

    #[cold]
    fn fail(&mut self, error: OutOfMemory) {
        // Makes room for the sequences that are still found. They are not used.
        self.sequences.clear();
        self.failed = Some(error);
    }

    /// Adds literals so that at most [`MAX_LITERALS`] remain before `start`.
    #[inline(always)]
    fn literals(&mut self, start: u32) {
        while start - self.end > MAX_LITERALS {
            self.add(Sequence { literals: MAX_LITERALS, length: 0, offset: 0 });
            self.end += MAX_LITERALS;
        }
    }
}
