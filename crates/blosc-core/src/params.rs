//! Compression parameters: codec, level, filters, block size, split mode.

use crate::codec::Codec;
use crate::error::EncodeError;
use crate::filter::{Filter, FilterPipeline};
use crate::format::{ChunkFormat, MAX_BLOCKSIZE};

/// Compression parameters, with C-Blosc's defaults.
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
    pub(crate) zstd_level: Option<i8>,
    pub(crate) typesize: usize,
    pub(crate) filters: FilterPipeline,
    pub(crate) blocksize: BlockSize,
    pub(crate) split: SplitMode,
    /// `SplitMode::Always` without blocks that C-Blosc 1 cannot read. Only an automatic choice sets it.
    pub(crate) is_split_readable: bool,
    pub(crate) dictionary: bool,
    pub(crate) portable: bool,
}

/// The size of the blocks of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum BlockSize {
    /// C-Blosc's rule: chosen by codec, level and typesize, so that a block fits the caches. The best choice unless
    /// measurements show otherwise.
    #[default]
    Auto,
    /// This number of bytes, rounded down to a multiple of the typesize. In a Blosc1 chunk C-Blosc's adjustments still
    /// apply: at least 128 bytes, and larger where blocks are split into streams.
    Fixed(usize),
}

/// Whether the bytes of a block's elements are compressed as `typesize` separate streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SplitMode {
    /// Always split. C-Blosc 1 cannot read the result if `typesize` is over 16, or if a stream has fewer than 128 plain
    /// bytes.
    Always,
    /// Never split.
    Never,
    /// Split for the fast codecs only. In a Blosc1 chunk these are BloscLZ and Snappy. In a Blosc2 chunk these are
    /// BloscLZ, LZ4 and low levels of Zstd, after a byte shuffle.
    Auto,
    /// Split as C-Blosc before 1.11 did: with every codec except Zstd. This is C-Blosc's default. In Blosc2 the same as
    /// `Auto`.
    #[default]
    ForwardCompat,
}

impl CParams {
    /// Returns the parameters of a Blosc1 chunk: BloscLZ, level 5, typesize 8, byte shuffle, automatic block size,
    /// `ForwardCompat` splitting.
    pub const fn new() -> Self {
        CParams {
            format: ChunkFormat::Blosc1,
            codec: Codec::BloscLz,
            clevel: 5,
            zstd_level: None,
            typesize: 8,
            filters: FilterPipeline::shuffle(),
            blocksize: BlockSize::Auto,
            split: SplitMode::ForwardCompat,
            is_split_readable: false,
            dictionary: false,
            portable: true,
        }
    }

    /// Returns the same parameters for a Blosc2 chunk.
    pub const fn blosc2() -> Self {
        CParams { format: ChunkFormat::Blosc2, ..CParams::new() }
    }

    /// Sets the generation of the chunk.
    pub const fn format(mut self, format: ChunkFormat) -> Self {
        self.format = format;
        self
    }

    /// Sets the codec. `Lz4` is best for speed, `Zstd` for size, `BloscLz` for the oldest readers.
    pub const fn codec(mut self, codec: Codec) -> Self {
        self.codec = codec;
        self
    }

    /// Sets the level, 0..=9. 0 stores, 1 is fastest, 9 is smallest and may be much slower.
    ///
    /// LZ4 with shuffle in Blosc2 chunks: up to 5, only matches of six bytes and more are searched for. From 6 on,
    /// parts of the data in which these save little, such as mantissas of prices, are searched for four bytes too. They
    /// become up to a fifth smaller, at a tenth of the speed.
    pub const fn clevel(mut self, clevel: u8) -> Self {
        self.clevel = clevel;
        self
    }

    /// Sets Zstandard's own level, for example −5 to 22, instead of the one that C-Blosc derives from the level
    /// ([`Codec::zstd_level`]). Other codecs ignore it.
    ///
    /// The level itself still determines block size and splitting, and a frame stores it. A chunk stores neither: any
    /// reader decodes it.
    ///
    /// ```
    /// use blosc_core::{CParams, Codec};
    /// // Level 5 alone would be Zstandard's level 9.
    /// let params = CParams::new().codec(Codec::Zstd).clevel(5).zstd_level(Some(2));
    /// let plain = [7; 100_000];
    /// assert_eq!(blosc_core::decompress(&blosc_core::compress(&plain, &params)?)?, plain);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub const fn zstd_level(mut self, zstd_level: Option<i8>) -> Self {
        self.zstd_level = zstd_level;
        self
    }

    /// Sets the bytes of one element: 8 for `f64`. The filters depend on it, so a wrong typesize costs most of the
    /// ratio. Sizes over 255 count as 1, as in C-Blosc.
    pub const fn typesize(mut self, typesize: usize) -> Self {
        self.typesize = typesize;
        self
    }

    /// Sets the filters that run before the codec.
    pub const fn filters(mut self, filters: FilterPipeline) -> Self {
        self.filters = filters;
        self
    }

    /// Sets the block size.
    pub const fn blocksize(mut self, blocksize: BlockSize) -> Self {
        self.blocksize = blocksize;
        self
    }

    /// Sets the split mode.
    pub const fn split(mut self, split: SplitMode) -> Self {
        self.split = split;
        self.is_split_readable = false;
        self
    }

    /// Splits all blocks that C-Blosc 1 can read then.
    pub(crate) const fn split_if_readable(self) -> Self {
        CParams { is_split_readable: true, ..self.split(SplitMode::Always) }
    }

    /// Sets whether blocks share a dictionary, which is stored in the chunk. It pays off for small blocks. Only Blosc2
    /// chunks of LZ4, LZ4HC and Zstd have one. A chunk too small to train a dictionary is written without.
    pub const fn dictionary(mut self, dictionary: bool) -> Self {
        self.dictionary = dictionary;
        self
    }

    /// Sets whether to refuse filters that C-Blosc2 decodes to other data without an error. The default is true.
    ///
    /// C-Blosc2 decodes a pipeline correctly if it has one delta that runs first. Only [`Filter::TruncPrec`] and
    /// [`Filter::IntTrunc`] may run before the delta. With false, any pipeline is written. This crate decodes all of
    /// them.
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

    /// Checks the parameters against each other and against the chunk format.
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
            return Err(EncodeError::Codec { codec: self.codec, what: "a Blosc1 chunk cannot store its id" });
        }
        if self.dictionary {
            return Err(EncodeError::Codec { codec: self.codec, what: "a Blosc1 chunk has no dictionary" });
        }
        match self.filters.as_slice() {
            [] | [Filter::Shuffle] | [Filter::BitShuffle] => Ok(self),
            [filter] | [_, filter, ..] => Err(EncodeError::Filter {
                filter: *filter,
                what: "a Blosc1 chunk supports shuffle, bitshuffle or no filter",
            }),
        }
    }

    fn validate_blosc2(mut self) -> Result<Self, EncodeError> {
        // In a chunk outside of a super-chunk, C-Blosc2 does not read 0 channels as the typesize.
        self.filters = self.filters.with_channels(self.machine_typesize() as u8);
        if self.codec == Codec::Snappy {
            return Err(EncodeError::Codec { codec: self.codec, what: "Blosc2 does not support it" });
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

    /// Returns the typesize that filters, streams and the header use. C-Blosc2 uses a typesize over 255 for the block
    /// size only.
    pub(crate) fn machine_typesize(&self) -> usize {
        if self.typesize > 255 { 1 } else { self.typesize }
    }
}

/// The values that were set. [`Encoder::params`](crate::Encoder::params) returns those in force.
impl CParams {
    /// Returns the generation of the chunk.
    pub const fn get_format(&self) -> ChunkFormat {
        self.format
    }

    /// Returns the codec.
    pub const fn get_codec(&self) -> Codec {
        self.codec
    }

    /// Returns the level, 0..=9.
    pub const fn get_clevel(&self) -> u8 {
        self.clevel
    }

    /// Returns Zstandard's own level, if it was set.
    pub const fn get_zstd_level(&self) -> Option<i8> {
        self.zstd_level
    }

    /// Returns the bytes of one element.
    pub const fn get_typesize(&self) -> usize {
        self.typesize
    }

    /// Returns the filters that run before the codec.
    pub const fn get_filters(&self) -> FilterPipeline {
        self.filters
    }

    /// Returns the block size.
    pub const fn get_blocksize(&self) -> BlockSize {
        self.blocksize
    }

    /// Returns the split mode.
    pub const fn get_split(&self) -> SplitMode {
        self.split
    }

    /// Returns whether blocks share a dictionary.
    pub const fn get_dictionary(&self) -> bool {
        self.dictionary
    }

    /// Returns whether filters that C-Blosc2 decodes to other data are refused.
    pub const fn get_portable(&self) -> bool {
        self.portable
    }
}

impl Default for CParams {
    fn default() -> Self {
        CParams::new()
    }
}
