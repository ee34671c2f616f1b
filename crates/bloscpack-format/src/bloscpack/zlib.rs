//! Zlib streams of metadata, with a limit on the decompressed size.

use crate::error::{FormatError, Part};
use blosc_core::memory;
use zlib_rs::{DeflateConfig, Inflate, InflateFlush, ReturnCode, Status};

/// Bytes that `zlib-rs` allocates to compress, rounded up. It cannot report a failed allocation. Decompression takes
/// less than 64 KiB.
const ZLIB_RS_MEMORY: usize = 1 << 20;

/// Compresses to a zlib stream. `None` if compression fails: storing the text uncompressed is a valid fallback.
pub(super) fn compress(text: &[u8], level: u8) -> Result<Option<Vec<u8>>, FormatError> {
    let mut stream = memory::zeroed(zlib_rs::compress_bound(text.len()))?;
    memory::check_free(ZLIB_RS_MEMORY)?;
    let (stream_used, status) = zlib_rs::compress_slice(&mut stream, text, DeflateConfig::new(level.into()));
    let len = stream_used.len();
    stream.truncate(len);
    Ok((status == ReturnCode::Ok).then_some(stream))
}

/// Decompresses a zlib stream, to at most `limit` bytes. Bytes after the end of the stream are ignored, as in Python.
pub(super) fn inflate(stream: &[u8], limit: u64) -> Result<Vec<u8>, FormatError> {
    /// zlib's window size: metadata is rarely longer.
    const FIRST_ROOM: usize = 1 << 15;
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // One byte more than allowed shows that the limit is exceeded.
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
            // Neither buffer is full, but there was no progress: the stream is truncated.
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
