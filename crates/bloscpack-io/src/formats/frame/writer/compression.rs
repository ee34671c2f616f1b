//! Compression and decompression of the chunks of a frame.

use blosc_core::{Auto, BlockSize, CParams, ChunkFormat, Decoder, Encoder, Limits};
use bloscpack_format::frame::Header;

use super::array_grid::ArrayGrid;
use crate::choice::Choice;
use crate::formats::frame::params::FrameParams;
use crate::{Cancel, Error};

/// Compression parameters of new chunks, as specified by the header.
#[derive(Debug)]
pub(super) struct Compression {
    params: FrameParams,
    /// The reason why new chunks cannot be compressed as the header specifies, if any. Everything else can still be
    /// changed.
    unusable: Option<&'static str>,
    /// The shape of a block of an array, which some filters need.
    blockshape: Vec<usize>,
}

/// The encoders and decoders of many threads.
#[derive(Debug)]
pub(super) struct Coders {
    params: CParams,
    typesize: u32,
    blockshape: Vec<usize>,
}

impl Compression {
    /// Creates the compression for these parameters.
    pub(super) fn new(params: FrameParams) -> Self {
        Compression { params, unusable: None, blockshape: Vec::new() }
    }

    /// Creates the compression that a header specifies. If that is not possible, [`coders`](Self::coders) returns
    /// the reason.
    pub(super) fn of(header: &Header) -> Result<Self, Error> {
        match FrameParams::of(header) {
            Ok(params) => Ok(Compression::new(params)),
            Err(Error::FrameParams { what }) => {
                Ok(Compression { unusable: Some(what), ..Compression::new(FrameParams::new(header.typesize)) })
            }
            Err(error) => Err(error),
        }
    }

    /// Sets the block size and shape of an array. The header need not contain them.
    pub(super) fn of_array(self, array: &ArrayGrid) -> Self {
        let params = self.params.blocksize(array.block_nbytes());
        Compression { params, blockshape: array.array().block_axes(), ..self }
    }

    /// Sets [`CParams::portable`].
    pub(super) fn portable(self, portable: bool) -> Self {
        Compression { params: self.params.portable(portable), ..self }
    }

    /// Returns the size of an item in bytes.
    pub(super) fn typesize(&self) -> u32 {
        self.params.get_typesize()
    }

    /// Returns a decoder of chunks.
    pub(super) fn decoder(&self, limits: Limits) -> Decoder {
        decoder(limits, self.typesize(), &self.blockshape)
    }

    /// Returns an encoder of new chunks.
    ///
    /// # Errors
    /// [`Error::FrameParams`] if chunks cannot be compressed as the header specifies.
    pub(super) fn encoder(&self) -> Result<Encoder, Error> {
        Ok(Encoder::new(self.cparams()?)?.blockshape(&self.blockshape))
    }

    /// Returns the encoders and decoders of many threads.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(super) fn coders(&self) -> Result<Coders, Error> {
        Ok(Coders { params: self.cparams()?, typesize: self.typesize(), blockshape: self.blockshape.clone() })
    }

    /// Returns the parameters of one chunk after another. Readers of a frame expect the same typesize in all its chunks,
    /// and of an array the blocks that its metalayer specifies.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(super) fn choice(&self, auto: Option<Auto>) -> Result<Choice, Error> {
        let params = self.cparams()?;
        let blocksize = Some(params.get_blocksize()).filter(|size| *size != BlockSize::Auto);
        let fix = |auto: Auto| {
            let auto = auto.format(ChunkFormat::Blosc2).typesize(params.get_typesize());
            if blocksize.is_some() { auto.blocksize(blocksize) } else { auto }
        };
        Ok(Choice::new(params, auto.map(fix)))
    }

    fn cparams(&self) -> Result<CParams, Error> {
        match self.unusable {
            Some(what) => Err(Error::FrameParams { what }),
            None => Ok(self.params.cparams()),
        }
    }
}

impl Coders {
    /// Returns the encoder of one thread.
    pub(super) fn encoder(&self, cancel: &Cancel) -> Result<Encoder, Error> {
        Ok(Encoder::new(self.params)?.blockshape(&self.blockshape).cancel(cancel.clone()))
    }

    /// Returns the decoder of one thread.
    pub(super) fn decoder(&self, limits: Limits) -> Decoder {
        decoder(limits, self.typesize, &self.blockshape)
    }

    /// Returns the size of an item in bytes.
    pub(super) fn typesize(&self) -> u32 {
        self.typesize
    }
}

fn decoder(limits: Limits, typesize: u32, blockshape: &[usize]) -> Decoder {
    Decoder::new().limits(limits).super_chunk_typesize(typesize as usize).blockshape(blockshape)
}
