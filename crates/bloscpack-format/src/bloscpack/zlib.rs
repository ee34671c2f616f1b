//! Zlib streams of metadata, inflated to a given limit and no further.

use crate::error::{FormatError, Part};
use blosc_core::memory;
use zlib_rs::{DeflateConfig, Inflate, InflateFlush, ReturnCode, Status};

/// Bytes that `zlib-rs` allocates to compress, rounded up. It cannot report a failure. To decompress it takes less than 64 KiB.
const ZLIB_RS_MEMORY: usize = 1 << 20;

/// A zlib stream, or `None` if there was none to be had: storing the text as it is is no error.
pub(super) fn compress(text: &[u8], level: u8) -> Result<Option<Vec<u8>>, FormatError> {
    let mut stream = memory::zeroed(zlib_rs::compress_bound(text.len()))?;
    memory::check_free(ZLIB_RS_MEMORY)?;
    let (stream_used, status) = zlib_rs::compress_slice(&mut stream, text, DeflateConfig::new(level.into()));
    let len = stream_used.len();
    stream.truncate(len);
    Ok((status == ReturnCode::Ok).then_some(stream))
}

/// The content of a zlib stream, at most `limit` bytes of it. What follows the stream's end is ignored, as by Python.
pub(super) fn inflate(stream: &[u8], limit: u64) -> Result<Vec<u8>, FormatError> {
    /// zlib's window: metadata is rarely longer.
    const FIRST_ROOM: usize = 1 << 15;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // One byte more than is allowed shows that there is more.
    let most = limit.saturating_add(1);
    let mut inflate = Inflate::new(true, 15);
    let mut text = memory::zeroed(most.min(FIRST_ROOM))?;
    loop {
        let damaged = |inflate: &Inflate| FormatError::Zlib { offset: inflate.total_in() };
        let (read, written) = (inflate.total_in() as usize, inflate.total_out() as usize);
        let (input, output) = (stream.get(read..).unwrap_or_default(), text.get_mut(written..).unwrap_or_default());
        let status = inflate.decompress(input, output, InflateFlush::NoFlush).map_err(|_| damaged(&inflate))?;
        let written_now = inflate.total_out() as usize;
        if written_now > limit {
            return Err(FormatError::LimitExceeded { part: Part::Metadata, limit: limit as u64 });
        }
        if status == Status::StreamEnd {
            text.truncate(written_now);
            return Ok(text);
        }
        if written_now == text.len() {
            let len = text.len().saturating_mul(2).min(most);
            memory::resize(&mut text, len, 0)?;
        } else if inflate.total_in() as usize == read && written_now == written {
            // Neither side is full, and yet nothing moved: the stream ends too early.
            return Err(damaged(&inflate));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_zlib_stream_is_an_error() {
        let stream = compress(&[b'x'; 100_000], 6).unwrap().unwrap();
        assert_eq!(inflate(&stream, 100_000).unwrap().len(), 100_000);
        for cut in 0..stream.len() {
            assert!(matches!(inflate(&stream[..cut], 100_000), Err(FormatError::Zlib { .. })), "{cut}");
        }
        let mut with_rest = stream.clone();
        with_rest.extend(b"rest");
        assert_eq!(inflate(&with_rest, 100_000).unwrap().len(), 100_000);
        assert!(inflate(&stream, 0).is_err());
    }
}
