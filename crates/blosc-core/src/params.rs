//! How data is to be compressed: codec, level, filters, block size, split mode.

use crate::EncodeError;
use crate::codec::Codec;
use crate::filter::{Filter, FilterPipeline};

/// Parameters of compression, with C-Blosc's defaults.
///
/// ```
/// use blosc_core::{CParams, Codec};
/// let params = CParams::new().codec(Codec::Zstd).clevel(5).typesize(8);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CParams {
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) typesize: usize,
    pub(crate) filters: FilterPipeline,
    pub(crate) blocksize: BlockSize,
    pub(crate) split: SplitMode,
}

/// How large the blocks of a chunk are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlockSize {
    /// C-Blosc's rule: by codec, level and typesize, so that a block fits the caches. Best unless you measured.
    #[default]
    Auto,
    /// This many bytes. C-Blosc's adjustments still apply: at least 128, rounded down to the typesize, enlarged where
    /// blocks are split into streams.
    Fixed(usize),
}

/// Whether the bytes of a block's elements are compressed as `typesize` separate streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SplitMode {
    /// Always split. C-Blosc 1 cannot read the result where `typesize` is over 16.
    Always,
    /// Never split.
    Never,
    /// Split for the fast codecs only (BloscLZ, Snappy).
    Auto,
    /// Split wherever C-Blosc before 1.11 did: every codec but zstd. C-Blosc's default.
    #[default]
    ForwardCompat,
}

impl CParams {
    /// BloscLZ, level 5, typesize 8, byte shuffle, automatic block size, `ForwardCompat` splitting.
    pub const fn new() -> Self {
        CParams {
            codec: Codec::BloscLz,
            clevel: 5,
            typesize: 8,
            filters: FilterPipeline::shuffle(),
            blocksize: BlockSize::Auto,
            split: SplitMode::ForwardCompat,
        }
    }

    /// The codec. Best for speed: `Lz4`; for size: `Zstd`; for the oldest readers: `BloscLz`.
    pub const fn codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    /// The level, 0..=9. 0 stores; 1 is fastest; 9 is smallest and may be much slower.
    pub const fn clevel(mut self, clevel: u8) -> Self {
        self.clevel = clevel;
        self
    }

    /// Bytes of one element: 8 for `f64`. The filters work on it, so a wrong one costs most of the ratio. Sizes over
    /// 255 count as 1, as in C-Blosc.
    pub const fn typesize(mut self, typesize: usize) -> Self {
        self.typesize = typesize;
        self
    }

    /// The filters that run before the codec.
    pub const fn filters(mut self, filters: FilterPipeline) -> Self {
        self.filters = filters;
        self
    }

    /// The block size.
    pub const fn blocksize(mut self, blocksize: BlockSize) -> Self {
        self.blocksize = blocksize;
        self
    }

    /// The split mode.
    pub const fn split(mut self, split: SplitMode) -> Self {
        self.split = split;
        self
    }

    /// The typesize that was set.
    pub const fn get_typesize(&self) -> usize {
        self.typesize
    }

    /// Checks the parameters against each other and what a Blosc1 chunk can express.
    pub(crate) fn validate(mut self) -> Result<Self, EncodeError> {
        if self.clevel > 9 {
            return Err(EncodeError::Clevel { found: self.clevel });
        }
        match self.typesize {
            0 => return Err(EncodeError::Typesize),
            1..=255 => {}
            _ => self.typesize = 1,
        }
        match self.filters.as_slice() {
            [] | [Filter::Shuffle] | [Filter::BitShuffle] => Ok(self),
            _ => Err(EncodeError::Filters { what: "a Blosc1 chunk has one of shuffle and bitshuffle, or no filter" }),
        }
    }
}

impl Default for CParams {
    fn default() -> Self {
        CParams::new()
    }
}
