//! The chunk size for `--memory`, found before anything is decoded.

use crate::path_or_stdio::PathOrStdio;
use crate::url;
use blosc_core::Limits;
use bloscpack_io::peek;
use std::fs::File;

/// Returns the uncompressed size of the largest chunk of a bloscpack file or of a bare chunk, according to the header.
pub(super) fn chunk_size(operand: &PathOrStdio) -> Option<u64> {
    match operand {
        PathOrStdio::Standard => None,
        PathOrStdio::File(path) => peek::chunk_nbytes(&File::open(path).ok()?).ok()?,
        PathOrStdio::Url(url) => peek::chunk_nbytes(url::open(url, None).ok()?.bytes()).ok()?,
    }
}

/// Returns the limits of the decoder, and the chunk size to plan with. If no header gives the size, a chunk may be as
/// large as fits one at a time. Larger chunks are refused.
pub(super) fn limits(memory: Option<u64>, chunk: Option<u64>) -> (Limits, u64) {
    let max_chunk = |nbytes: u64| Limits::new().max_chunk(usize::try_from(nbytes).unwrap_or(usize::MAX));
    match (memory, chunk) {
        (None, chunk) => (Limits::new(), chunk.unwrap_or(0)),
        // A header may claim less than the real size.
        (Some(_), Some(chunk)) => (max_chunk(chunk), chunk),
        (Some(memory), None) => (max_chunk(memory / 2), memory / 2),
    }
}
