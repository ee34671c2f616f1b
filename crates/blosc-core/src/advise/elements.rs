//! The sizes that an element may have, and the arrangements to compare for them.

use super::arrangement::Arrangement;
use super::period::{self, Period};
use super::ranking::Tried;
use super::sample;
use super::task::Task;
use crate::error::EncodeError;
use crate::memory;

/// Facts about the elements of a buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Elements {
    /// The sizes that an element may have, most probable first. Zeros fill the list.
    pub(super) sizes: [usize; period::CANDIDATES],
    /// Whether the sizes were detected, because none was given. The others are false if not.
    is_detected: bool,
    is_text: bool,
    is_regular: bool,
}

/// Bytes in which the size of an element is searched for.
const SAMPLE: usize = 8 << 10;

/// Added to the score of multiples of the most probable size, which resemble it.
const MULTIPLE_PENALTY: f64 = 0.03;

impl Elements {
    /// Detects the size of an element, unless it is known. The sample is cut into `buffer`.
    pub(super) fn of(task: &Task<'_>, buffer: &mut Vec<u8>) -> Result<Self, EncodeError> {
        if let Some(typesize) = task.typesize() {
            return Ok(Elements { sizes: [typesize, 0, 0, 0], ..Elements::default() });
        }
        sample::cut(task.plain, 1, SAMPLE, buffer)?;
        let Period { sizes, is_regular } = period::candidates(buffer)?;
        Ok(Elements { sizes, is_detected: true, is_text: period::is_text(buffer), is_regular })
    }

    /// Returns the arrangements to compare: simple ones, which show what a size is worth, and others.
    pub(super) fn arrangements(&self, task: &Task<'_>) -> Result<(Vec<Arrangement>, Vec<Arrangement>), EncodeError> {
        let (mut simple, mut others) = (Vec::new(), Vec::new());
        for typesize in self.sizes.into_iter().filter(|size| *size > 0) {
            for mut arrangement in task.arrangements(typesize) {
                // Without a filter, the typesize has no effect. Unfiltered text gets 1.
                let is_plain = arrangement.filters.as_slice().is_empty();
                if is_plain && self.is_text {
                    arrangement.typesize = 1;
                }
                // Text of records is shuffled by the length of a line, or of numbers with leading zeros, not by that of
                // a word.
                let is_word = self.is_text && !self.is_regular && (2..=8).contains(&typesize);
                let is_worthwhile = if is_plain { typesize == self.sizes[0] } else { !is_word };
                if is_worthwhile {
                    let list = if arrangement.is_simple() { &mut simple } else { &mut others };
                    memory::push(list, arrangement)?;
                }
            }
        }
        Ok((simple, others))
    }

    /// Returns what is added to the score of a candidate.
    pub(super) fn penalty(&self, tried: &Tried) -> f64 {
        let (typesize, probable) = (tried.arrangement.typesize, self.sizes[0]);
        let is_multiple = probable > 1 && typesize > probable && typesize.is_multiple_of(probable);
        if self.is_detected && is_multiple { MULTIPLE_PENALTY } else { 0.0 }
    }
}
