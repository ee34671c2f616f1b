//! Compression parameters of new chunks of a frame, and their form in its header.

use blosc_core::{BlockSize, CParams, Codec, Filter, FilterPipeline, SplitMode};
use bloscpack_format::frame::{FrameType, Header};

use crate::Error;

/// Compression parameters of new chunks of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameParams {
    codec: Codec,
    clevel: u8,
    typesize: u32,
    filters: FilterPipeline,
    blocksize: u32,
    split: SplitMode,
    dictionary: bool,
    portable: bool,
}

impl FrameParams {
    /// Returns the defaults of python-blosc2: shuffle, then Zstandard at level 5, automatic block size. `typesize` is
    /// the size of an item in bytes.
    #[must_use]
    pub fn new(typesize: u32) -> Self {
        let filters = FilterPipeline::shuffle();
        let split = SplitMode::Auto;
        FrameParams {
            codec: Codec::Zstd,
            clevel: 5,
            typesize,
            filters,
            blocksize: 0,
            split,
            dictionary: false,
            portable: true,
        }
    }

    /// Sets the codec, which must be one of Blosc2.
    #[must_use]
    pub fn codec(self, codec: Codec) -> Self {
        FrameParams { codec, ..self }
    }

    /// Sets the level, 0 to 9.
    #[must_use]
    pub fn clevel(self, clevel: u8) -> Self {
        FrameParams { clevel, ..self }
    }

    /// Sets the filters, in the order in which they run.
    #[must_use]
    pub fn filters(self, filters: FilterPipeline) -> Self {
        FrameParams { filters, ..self }
    }

    /// Sets the size of a block in bytes, 0 for automatic.
    #[must_use]
    pub fn blocksize(self, blocksize: u32) -> Self {
        FrameParams { blocksize, ..self }
    }

    /// Sets whether blocks are split into streams.
    #[must_use]
    pub fn split(self, split: SplitMode) -> Self {
        FrameParams { split, ..self }
    }

    /// Sets whether the blocks of a chunk share a dictionary.
    #[must_use]
    pub fn dictionary(self, dictionary: bool) -> Self {
        FrameParams { dictionary, ..self }
    }

    /// Sets whether to refuse filters that C-Blosc2 decodes incorrectly: [`CParams::portable`].
    #[must_use]
    pub fn portable(self, portable: bool) -> Self {
        FrameParams { portable, ..self }
    }

    /// Sets the size of an item in bytes.
    #[must_use]
    pub fn typesize(self, typesize: u32) -> Self {
        FrameParams { typesize, ..self }
    }

    /// Returns the parameters without lossy filters and without filters that only arrays can have.
    pub(crate) fn lossless(self) -> Self {
        let stays = |filter: &&Filter| {
            use Filter::{BitShuffle, ByteDelta, Delta, Shuffle, ShuffleGroups};
            matches!(filter, Shuffle | ShuffleGroups(_) | BitShuffle | Delta | ByteDelta(_))
        };
        let filters = FilterPipeline::try_from_iter(self.filters.as_slice().iter().filter(stays).copied());
        // The pipeline is not longer than before, so creating it succeeds.
        FrameParams { filters: filters.unwrap_or(self.filters), ..self }
    }

    /// Returns the size of an item in bytes.
    #[must_use]
    pub fn get_typesize(&self) -> u32 {
        self.typesize
    }

    /// Returns the parameters of new chunks in a header.
    ///
    /// # Errors
    /// [`Error::FrameParams`] for a codec or filter that is not built in.
    pub fn of(header: &Header) -> Result<Self, Error> {
        let codec = header.codec().ok_or(Error::FrameParams { what: "its codec is not in this build" })?;
        let filters: Option<Vec<Filter>> = header.filters().collect();
        let filters = filters.and_then(|filters| FilterPipeline::try_from_iter(filters).ok());
        Ok(FrameParams {
            codec,
            clevel: header.clevel.min(9),
            typesize: header.typesize,
            filters: filters.ok_or(Error::FrameParams { what: "one of its filters is not in this build" })?,
            blocksize: header.blocksize,
            split: header.split_mode(),
            dictionary: header.uses_dictionary(),
            portable: true,
        })
    }

    /// Returns the header of a frame without chunks.
    ///
    /// # Errors
    /// [`Error::FrameParams`] for a codec without a number in Blosc2, for a level above 9, and for items of 0 bytes, or
    /// of 2 GiB or more.
    pub fn header(&self, frame_type: FrameType) -> Result<Header, Error> {
        if !(1..=i32::MAX as u32).contains(&self.typesize) {
            return Err(Error::FrameParams { what: "items must have 1 to 2147483647 bytes" });
        }
        if self.clevel > 9 {
            return Err(Error::FrameParams { what: "the level must be 0 to 9" });
        }
        let mut header = Header::new(frame_type, self.typesize);
        if !header.set_codec(self.codec) {
            return Err(Error::FrameParams { what: "Blosc2 does not support the codec" });
        }
        (header.clevel, header.blocksize) = (self.clevel, self.blocksize);
        header.other_flags = match self.split {
            SplitMode::Always => 0,
            SplitMode::Never => 1,
            SplitMode::Auto => 2,
            SplitMode::ForwardCompat => 3,
        };
        header.other_flags2 = self.dictionary.into();
        (header.filters, header.filters_meta) = ([0; 6], [0; 6]);
        // Like C-Blosc2, put the filters into the last slots.
        let slots = header.filters.iter_mut().zip(&mut header.filters_meta).rev();
        for ((id, meta), filter) in slots.zip(self.filters.as_slice().iter().rev()) {
            (*id, *meta) = (filter.id(), filter.meta());
        }
        Ok(header)
    }

    /// Returns the parameters for an encoder.
    pub(crate) fn cparams(&self) -> CParams {
        let blocksize = match self.blocksize {
            0 => BlockSize::Auto,
            size => BlockSize::Fixed(size as usize),
        };
        let params = CParams::blosc2().codec(self.codec).clevel(self.clevel).typesize(self.typesize as usize);
        params
            .filters(self.filters)
            .blocksize(blocksize)
            .split(self.split)
            .dictionary(self.dictionary)
            .portable(self.portable)
    }
}
