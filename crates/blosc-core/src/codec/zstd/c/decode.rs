//! Decompresses Zstandard frames.

use core::fmt;
use std::sync::Arc;

use ::zstd::zstd_safe::{DCtx, DDict};

use super::{REFUSED, is_out_of_memory, refusal_of};
use crate::codec::{CorruptStream, DecodeTask, StreamError};

/// A decompression context, created for the first stream.
#[derive(Default)]
pub(crate) struct ZstdDecoder(Option<DCtx<'static>>);

impl ZstdDecoder {
    /// Returns the bytes that it holds.
    pub(crate) fn held(&self) -> usize {
        self.0.as_ref().map_or(0, DCtx::sizeof)
    }

    /// Decodes the whole stream: the library cannot stop earlier.
    pub(crate) fn decompress_prefix(
        &mut self,
        stream: DecodeTask<'_>,
        _: usize,
        dict: Option<&DecodeDict>,
    ) -> Result<(), StreamError> {
        self.decompress(stream, dict)
    }

    /// Decodes the frames of a stream, written with `dict` if given. The library does not tell where a fault is, so the
    /// position of an error is 0.
    pub(crate) fn decompress(&mut self, stream: DecodeTask<'_>, dict: Option<&DecodeDict>) -> Result<(), StreamError> {
        let DecodeTask { src, dst, len } = stream;
        let context = match &mut self.0 {
            Some(context) => context,
            none => none.insert(DCtx::try_create().ok_or(REFUSED)?),
        };
        // The library writes within the slice only.
        let dst = &mut dst[..len];
        let decompressed = match dict {
            Some(dict) => context.decompress_using_ddict(dst, src, &dict.0),
            None => context.decompress(dst, src),
        };
        match decompressed {
            Ok(found) if found == len => Ok(()),
            Ok(_) => Err(CorruptStream::new(0, "the zstd frame and the stream differ in size").into()),
            Err(error) if is_out_of_memory(error) => Err(REFUSED.into()),
            Err(_) => Err(CorruptStream::new(0, "the zstd frame is malformed").into()),
        }
    }
}

impl fmt::Debug for ZstdDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::ZstdDecoder")
    }
}

/// A dictionary prepared for decompressing, with or without entropy tables. Clones share it.
#[derive(Clone)]
pub(crate) struct DecodeDict(Arc<DDict<'static>>);

impl DecodeDict {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, StreamError> {
        let dict = DDict::try_create(dict).ok_or_else(|| refusal_of(dict))?;
        Ok(DecodeDict(Arc::new(dict)))
    }
}

impl fmt::Debug for DecodeDict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("zstd::DecodeDict")
    }
}
