//! The parameters of a compression.

use blosc_core::{BlockSize, CParams, ChunkFormat, Codec, Filter, FilterPipeline, SplitMode};

use super::codes::{CODEC_PARAM, CODEC_SUPPORT, INVALID_PARAM, trace};
use super::super_chunk::SuperChunk;
use super::{FIRST_USER_ID, MAX_BLOCKSIZE, MAX_FILTERS};

/// How a chunk is compressed. The numbers are those of C programs, and may be out of range.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    pub(crate) clevel: i32,
    pub(crate) filters: [u8; MAX_FILTERS],
    pub(crate) filters_meta: [u8; MAX_FILTERS],
    pub(crate) typesize: i32,
    pub(crate) compcode: i32,
    pub(crate) compcode_meta: u8,
    /// 0: automatic.
    pub(crate) blocksize: i32,
    pub(crate) split: i32,
    pub(crate) nthreads: i32,
    pub(crate) use_dict: bool,
    /// Measurements are wanted in place of data.
    pub(crate) is_instrumented: bool,
    /// A chunk of Blosc1 is wanted.
    pub(crate) is_blosc1: bool,
}

impl Default for Job {
    fn default() -> Self {
        Job {
            clevel: 5,
            filters: [0; MAX_FILTERS],
            filters_meta: [0; MAX_FILTERS],
            typesize: 8,
            compcode: 0,
            compcode_meta: 0,
            blocksize: 0,
            split: 4,
            nthreads: 1,
            use_dict: false,
            is_instrumented: false,
            is_blosc1: false,
        }
    }
}

/// Codecs from this id on are not built in.
const FIRST_USER_CODEC: i32 = 32;

impl Job {
    /// Returns whether functions of the program may take part, or facts of its super-chunk.
    pub(crate) fn needs_program(&self) -> bool {
        self.has_user_codec() || self.user_filters().next().is_some() || self.needs_super_chunk()
    }

    pub(crate) fn has_user_codec(&self) -> bool {
        self.compcode >= FIRST_USER_CODEC
    }

    /// Returns the ids of filters of the program.
    pub(crate) fn user_filters(&self) -> impl Iterator<Item = &u8> {
        self.filters.iter().filter(|id| i32::from(**id) >= FIRST_USER_ID)
    }

    /// Returns whether a filter needs facts of the super-chunk.
    pub(crate) fn needs_super_chunk(&self) -> bool {
        SuperChunk::is_needed_by(&self.filters, &self.filters_meta)
    }

    /// Checks the parameters, in the order of C-Blosc2.
    ///
    /// # Errors
    /// The code of a parameter that cannot be used.
    pub(crate) fn params(&self) -> Result<CParams, i32> {
        let Some(clevel) = u8::try_from(self.clevel).ok().filter(|clevel| *clevel <= 9) else {
            return Err(trace(CODEC_PARAM, format_args!("clevel is {}, expected 0 to 9", self.clevel)));
        };
        let codec = self.codec()?;
        if self.use_dict && !matches!(codec, Codec::Zstd | Codec::Lz4 | Codec::Lz4Hc) {
            return Err(trace(CODEC_PARAM, format_args!("{codec} does not use a dictionary")));
        }
        if !(1..=MAX_BLOCKSIZE).contains(&self.typesize) {
            let typesize = self.typesize;
            return Err(trace(INVALID_PARAM, format_args!("typesize is {typesize}, expected 1 to {MAX_BLOCKSIZE}")));
        }
        if self.is_instrumented {
            return Err(trace(CODEC_SUPPORT, format_args!("measurements of codecs are not supported")));
        }
        let blocksize = match self.blocksize {
            0 => BlockSize::Auto,
            blocksize => BlockSize::Fixed(blocksize.clamp(1, MAX_BLOCKSIZE) as usize),
        };
        let format = if self.is_blosc1 { ChunkFormat::Blosc1 } else { ChunkFormat::Blosc2 };
        let params = CParams::new().format(format).codec(codec).clevel(clevel).typesize(self.typesize as usize);
        let params = params.filters(self.filters()?).blocksize(blocksize).split(self.split());
        // A chunk that is stored has no dictionary.
        Ok(params.dictionary(self.use_dict && clevel > 0))
    }

    /// Returns the codec.
    fn codec(&self) -> Result<Codec, i32> {
        Ok(match self.compcode {
            0 => Codec::BloscLz,
            1 => Codec::Lz4,
            2 => Codec::Lz4Hc,
            4 => Codec::Zlib,
            5 => Codec::Zstd,
            id @ 32..=255 => Codec::Plugin { id: id as u8, meta: self.compcode_meta },
            compcode => return Err(trace(CODEC_SUPPORT, format_args!("compressor {compcode} does not exist"))),
        })
    }

    fn filters(&self) -> Result<FilterPipeline, i32> {
        let slots = self.filters.iter().zip(&self.filters_meta);
        let filters = slots.filter_map(|(id, meta)| Filter::from_id(*id, *meta));
        let mut pipeline = FilterPipeline::none();
        for filter in filters {
            // A pipeline has the same number of slots.
            pipeline.try_push(filter).map_err(|_| INVALID_PARAM)?;
        }
        Ok(pipeline)
    }

    fn split(&self) -> SplitMode {
        match self.split {
            1 => SplitMode::Always,
            2 => SplitMode::Never,
            3 => SplitMode::Auto,
            _ => SplitMode::ForwardCompat,
        }
    }
}
