//! The parameters of a super-chunk, and their form in the header of a frame.

use bloscpack_format::frame::{ChunkSize, FrameType, Header};

use crate::blosc2::MAX_FILTERS;

/// The codec number of a header whose codec is in a byte of its own.
const OTHER_CODEC: u8 = 6;
const DICTIONARY: u8 = 1;

/// The parameters of new chunks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Params {
    pub(crate) compcode: u8,
    pub(crate) compcode_meta: u8,
    pub(crate) clevel: u8,
    pub(crate) split: u8,
    pub(crate) use_dict: bool,
    pub(crate) typesize: i32,
    pub(crate) blocksize: i32,
    pub(crate) filters: [u8; MAX_FILTERS],
    pub(crate) filters_meta: [u8; MAX_FILTERS],
    pub(crate) nthreads: [i16; 2],
}

impl Params {
    /// Returns the parameters in a header.
    pub(crate) fn of(header: &Header) -> Self {
        Params {
            compcode: if header.compcode == OTHER_CODEC { header.udcodec } else { header.compcode },
            compcode_meta: header.codec_meta,
            clevel: header.clevel,
            split: (header.other_flags & 3) + 1,
            use_dict: header.other_flags2 & DICTIONARY != 0,
            typesize: i32::try_from(header.typesize).unwrap_or(i32::MAX),
            blocksize: i32::try_from(header.blocksize).unwrap_or(0),
            filters: header.filters,
            filters_meta: header.filters_meta,
            nthreads: [header.nthreads_compress, header.nthreads_decompress],
        }
    }

    /// Returns the header of a frame without chunks.
    pub(crate) fn header(&self, frame_type: FrameType) -> Header {
        let mut header = Header::new(frame_type, self.typesize.max(1).unsigned_abs());
        header.compcode = self.compcode.min(OTHER_CODEC);
        header.udcodec = self.compcode;
        header.codec_meta = self.compcode_meta;
        header.clevel = self.clevel.min(15);
        header.other_flags = self.split.wrapping_sub(1) & 3;
        header.other_flags2 = if self.use_dict { DICTIONARY } else { 0 };
        header.blocksize = self.blocksize.max(0).unsigned_abs();
        (header.filters, header.filters_meta) = (self.filters, self.filters_meta);
        [header.nthreads_compress, header.nthreads_decompress] = self.nthreads;
        header
    }
}

/// Returns the chunk size of a header as C programs see it.
pub(super) fn chunksize(header: &Header) -> i32 {
    match header.chunksize {
        ChunkSize::Fixed(size) => i32::try_from(size).unwrap_or(i32::MAX),
        ChunkSize::Variable => 0,
        ChunkSize::Unset => -1,
    }
}
