//! The request: a goal, and the parameters that the caller has set.

use super::goal::Goal;
use crate::codec::Codec;
use crate::filter::FilterPipeline;
use crate::format::ChunkFormat;
use crate::params::{BlockSize, SplitMode};

/// A goal, and the parameters that are not to be chosen. All others are.
///
/// ```
/// use blosc_core::{Auto, Codec, Goal};
/// let text = "It is a truth universally acknowledged. ".repeat(1000);
/// let params = Auto::new(Goal::Small).codec(Codec::Lz4Hc).params(text.as_bytes())?;
/// assert_eq!(params.get_codec(), Codec::Lz4Hc);
/// # Ok::<(), blosc_core::EncodeError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Auto {
    pub(super) goal: Goal,
    pub(super) min_decompress: Option<u32>,
    pub(super) format: ChunkFormat,
    pub(super) typesize: Option<usize>,
    pub(super) codec: Option<Codec>,
    pub(super) clevel: Option<u8>,
    pub(super) filters: Option<FilterPipeline>,
    pub(super) blocksize: Option<BlockSize>,
    pub(super) split: Option<SplitMode>,
}

impl Auto {
    /// Everything is chosen, for Blosc1 chunks.
    #[must_use]
    pub fn new(goal: Goal) -> Self {
        Auto { goal, ..Auto::default() }
    }

    /// Sets the generation of the chunks. Blosc2 chunks have more filters.
    #[must_use]
    pub fn format(self, format: ChunkFormat) -> Self {
        Auto { format, ..self }
    }

    /// Sets the bytes of one element, if they are known. Otherwise they are detected.
    #[must_use]
    pub fn typesize(self, typesize: impl Into<Option<usize>>) -> Self {
        Auto { typesize: typesize.into(), ..self }
    }

    /// Sets the codec.
    #[must_use]
    pub fn codec(self, codec: impl Into<Option<Codec>>) -> Self {
        Auto { codec: codec.into(), ..self }
    }

    /// Sets the level, 0..=9.
    #[must_use]
    pub fn clevel(self, clevel: impl Into<Option<u8>>) -> Self {
        Auto { clevel: clevel.into(), ..self }
    }

    /// Sets the filters.
    #[must_use]
    pub fn filters(self, filters: impl Into<Option<FilterPipeline>>) -> Self {
        Auto { filters: filters.into(), ..self }
    }

    /// Sets the block size.
    #[must_use]
    pub fn blocksize(self, blocksize: impl Into<Option<BlockSize>>) -> Self {
        Auto { blocksize: blocksize.into(), ..self }
    }

    /// Sets the split mode.
    #[must_use]
    pub fn split(self, split: impl Into<Option<SplitMode>>) -> Self {
        Auto { split: split.into(), ..self }
    }

    /// Sets the lowest nominal speed of decompression, in MB/s on one thread. If no candidate reaches it, the one that
    /// is fastest to decompress is chosen.
    #[must_use]
    pub fn min_decompress(self, speed: impl Into<Option<u32>>) -> Self {
        Auto { min_decompress: speed.into(), ..self }
    }

    /// Returns the goal.
    pub fn goal(&self) -> Goal {
        self.goal
    }
}

impl From<Goal> for Auto {
    fn from(goal: Goal) -> Self {
        Auto::new(goal)
    }
}
