//! How data is to be compressed: codec, level, filters, block size, split mode.

use crate::codec::Codec;
use crate::error::EncodeError;
use crate::filter::{Filter, FilterPipeline};
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};

/// Parameters of compression, with C-Blosc's defaults.
///
/// ```
/// use blosc_core::{CParams, Codec};
/// let params = CParams::new().codec(Codec::Zstd).clevel(5).typesize(8);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CParams {
    pub(crate) format: ChunkFormat,
    pub(crate) codec: Codec,
    pub(crate) clevel: u8,
    pub(crate) typesize: usize,
    pub(crate) filters: FilterPipeline,
    pub(crate) blocksize: BlockSize,
    pub(crate) split: SplitMode,
    pub(crate) dictionary: bool,
    pub(crate) portable: bool,
}

/// How large the blocks of a chunk are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BlockSize {
    /// C-Blosc's rule: by codec, level and typesize, so that a block fits the caches. Best unless you measured.
    #[default]
    Auto,
    /// This many bytes, rounded down to the typesize. In a Blosc1 chunk C-Blosc's adjustments still apply: at least 128,
    /// enlarged where blocks are split into streams.
    Fixed(usize),
}

/// Whether the bytes of a block's elements are compressed as `typesize` separate streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SplitMode {
    /// Always split. C-Blosc 1 cannot read the result where `typesize` is over 16, or a stream has less than 128 plain bytes.
    Always,
    /// Never split.
    Never,
    /// Split for the fast codecs only: BloscLZ and Snappy in a Blosc1 chunk; in a Blosc2 chunk shuffled ones of BloscLZ,
    /// LZ4 and low levels of Zstd.
    Auto,
    /// Split wherever C-Blosc before 1.11 did: every codec but zstd. C-Blosc's default. In Blosc2 the same as `Auto`.
    #[default]
    ForwardCompat,
}

impl CParams {
    /// A Blosc1 chunk: BloscLZ, level 5, typesize 8, byte shuffle, automatic block size, `ForwardCompat` splitting.
    pub const fn new() -> Self {
        CParams {
            format: ChunkFormat::Blosc1,
            codec: Codec::BloscLz,
            clevel: 5,
            typesize: 8,
            filters: FilterPipeline::shuffle(),
            blocksize: BlockSize::Auto,
            split: SplitMode::ForwardCompat,
            dictionary: false,
            portable: true,
        }
    }

    /// The same for a Blosc2 chunk.
    pub const fn blosc2() -> Self {
        CParams { format: ChunkFormat::Blosc2, ..CParams::new() }
    }

    /// The generation of the chunk.
    pub const fn format(mut self, format: ChunkFormat) -> Self {
        self.format = format;
        self
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

    /// Whether blocks share a dictionary, which stands in the chunk: it pays where blocks are small. Blosc2 chunks of
    /// LZ4, LZ4HC and Zstd only; a chunk too small to learn from goes without.
    pub const fn dictionary(mut self, dictionary: bool) -> Self {
        self.dictionary = dictionary;
        self
    }

    /// Whether to refuse filters that C-Blosc2 decodes to other data without an error. The default is true.
    ///
    /// C-Blosc2 is safe with one delta that runs first; only [`Filter::TruncPrec`] and [`Filter::IntTrunc`] may run before
    /// it. With false, any pipeline is written. This crate decodes all of them.
    ///
    /// ```
    /// use blosc_core::{CParams, Filter, FilterPipeline};
    /// let filters = FilterPipeline::from([Filter::Shuffle, Filter::Delta]);
    /// let params = CParams::blosc2().typesize(4).filters(filters);
    /// assert!(blosc_core::compress(&[1; 64], &params).is_err());
    /// let chunk = blosc_core::compress(&[1; 64], &params.portable(false))?;
    /// assert_eq!(blosc_core::decompress(&chunk)?, [1; 64]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn portable(mut self, portable: bool) -> Self {
        self.portable = portable;
        self
    }

    /// Checks the parameters against each other and what the chunk format can express.
    pub(crate) fn validate(self) -> Result<Self, EncodeError> {
        if self.clevel > 9 {
            return Err(EncodeError::Clevel { found: self.clevel });
        }
        if self.typesize == 0 {
            return Err(EncodeError::Typesize);
        }
        match self.format {
            ChunkFormat::Blosc1 => self.validate_blosc1(),
            ChunkFormat::Blosc2 => self.validate_blosc2(),
        }
    }

    fn validate_blosc1(mut self) -> Result<Self, EncodeError> {
        if self.typesize > 255 {
            self.typesize = 1;
        }
        if let Codec::Plugin { .. } = self.codec {
            return Err(EncodeError::Codec { codec: self.codec, what: "a Blosc1 chunk has no room for its id" });
        }
        if self.dictionary {
            return Err(EncodeError::Codec { codec: self.codec, what: "a Blosc1 chunk has no dictionary" });
        }
        match self.filters.as_slice() {
            [] | [Filter::Shuffle] | [Filter::BitShuffle] => Ok(self),
            [filter] | [_, filter, ..] => Err(EncodeError::Filter {
                filter: *filter,
                what: "a Blosc1 chunk has one of shuffle and bitshuffle, or no filter",
            }),
        }
    }

    fn validate_blosc2(mut self) -> Result<Self, EncodeError> {
        // C-Blosc2 does not take 0 for the typesize where it sees a chunk alone.
        self.filters = self.filters.with_channels(self.machine_typesize() as u8);
        if self.codec == Codec::Snappy {
            return Err(EncodeError::Codec { codec: self.codec, what: "Blosc2 does not have it" });
        }
        if self.dictionary && !matches!(self.codec, Codec::Lz4 | Codec::Lz4Hc | Codec::Zstd) {
            return Err(EncodeError::Codec { codec: self.codec, what: "it does not use a dictionary" });
        }
        if self.portable
            && let Some(what) = self.filters.delta_problem(self.machine_typesize())
        {
            return Err(EncodeError::Filter { filter: Filter::Delta, what });
        }
        if let BlockSize::Fixed(size) = self.blocksize
            && size > MAX_BLOCKSIZE
        {
            return Err(EncodeError::BlockSize { found: size, max: MAX_BLOCKSIZE });
        }
        Ok(self)
    }

    /// The typesize that filters, streams and the header go by: C-Blosc2 looks at larger ones for the block size only.
    pub(crate) fn machine_typesize(&self) -> usize {
        if self.typesize > 255 { 1 } else { self.typesize }
    }
}

/// The values that were set. [`Encoder::params`](crate::Encoder::params) has those in force.
impl CParams {
    /// The generation of the chunk.
    pub const fn get_format(&self) -> ChunkFormat {
        self.format
    }

    /// The codec.
    pub const fn get_codec(&self) -> Codec {
        self.codec
    }

    /// The level, 0..=9.
    pub const fn get_clevel(&self) -> u8 {
        self.clevel
    }

    /// Bytes of one element.
    pub const fn get_typesize(&self) -> usize {
        self.typesize
    }

    /// The filters that run before the codec.
    pub const fn get_filters(&self) -> FilterPipeline {
        self.filters
    }

    /// The block size.
    pub const fn get_blocksize(&self) -> BlockSize {
        self.blocksize
    }

    /// The split mode.
    pub const fn get_split(&self) -> SplitMode {
        self.split
    }

    /// Whether blocks share a dictionary.
    pub const fn get_dictionary(&self) -> bool {
        self.dictionary
    }

    /// Whether filters are refused that C-Blosc2 decodes to other data.
    pub const fn get_portable(&self) -> bool {
        self.portable
    }
}

impl Default for CParams {
    fn default() -> Self {
        CParams::new()
    }
}
