//! The codecs a stream can be stored with, and the one `match` that dispatches to them.
//!
//! Every codec has the same two faces, on plain slices:
//!
//! * compress: `src` into `dst`, `None` where the result does not fit (storing raw is not an error);
//! * decompress: `src` into exactly `len` bytes of `dst`, [`CorruptStream`] for anything else.
//!
//! `dst` may be longer than `len`: a decoder may use the bytes behind `dst[..len]` as scratch for wide copies, so
//! whoever calls it fills them afterwards or does not care. No byte outside `dst` is ever touched.

pub(crate) mod blosclz;
pub(crate) mod lz4;

/// Why a compressed stream could not be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CorruptStream {
    /// Position in the compressed stream at which decoding stopped.
    pub at: usize,
    /// What was wrong there, in a few words.
    pub what: &'static str,
}

impl CorruptStream {
    pub(crate) const fn new(at: usize, what: &'static str) -> Self {
        CorruptStream { at, what }
    }
}
