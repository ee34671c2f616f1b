//! Calls of blosc-core. Small chunks use the encoder and the decoder that each thread keeps: making one takes a fifth of
//! the time of 1 KiB.

use std::cell::Cell;
use std::ops::Range;

use blosc_core::{CParams, Chunk, DecodeError, Decoder, EncodeError, Encoder, Limits};

use crate::threads;

/// Maximum number of uncompressed bytes for which the kept encoder and decoder are used.
const SMALL: usize = 64 * 1024;

/// The caller's memory bounds the output.
pub(crate) const LIMITS: Limits =
    Limits::new().max_nbytes(usize::MAX).max_chunk(usize::MAX).max_unearned(usize::MAX).max_memory(usize::MAX);

thread_local!(static ENCODER: Cell<Option<Box<Encoder>>> = const { Cell::new(None) });
thread_local!(static DECODER: Cell<Option<Box<Decoder>>> = const { Cell::new(None) });

/// Compresses `src` on `nthreads` threads. Returns the size of the chunk.
pub(crate) fn compress(params: &CParams, nthreads: usize, src: &[u8], dst: &mut [u8]) -> Result<usize, EncodeError> {
    if src.len() <= SMALL {
        return with_encoder(params, |encoder| encoder.compress_into(src, dst));
    }
    threads::run(nthreads, |parallelism| Encoder::new(*params)?.parallelism(parallelism).compress_into(src, dst))
}

/// Decodes a chunk on `nthreads` threads. Returns the number of uncompressed bytes.
pub(crate) fn decompress(chunk: &Chunk<'_>, nthreads: usize, dst: &mut [u8]) -> Result<usize, DecodeError> {
    if dst.len() <= SMALL {
        return with_decoder(|decoder| decoder.decompress_into(chunk, dst));
    }
    threads::run(nthreads, |parallelism| {
        Decoder::new().limits(LIMITS).parallelism(parallelism).decompress_into(chunk, dst)
    })
}

/// Decodes a range of the uncompressed bytes of a chunk into `dst`, which has its length.
pub(crate) fn range(chunk: &Chunk<'_>, range: Range<usize>, dst: &mut [u8]) -> Result<(), DecodeError> {
    let ranges = std::slice::from_ref(&range);
    if chunk.header().blocksize() <= SMALL {
        return with_decoder(|decoder| decoder.decode_ranges(chunk, ranges, dst));
    }
    Decoder::new().limits(LIMITS).decode_ranges(chunk, ranges, dst)
}

/// Calls `work` with the encoder of this thread.
fn with_encoder(
    params: &CParams,
    work: impl FnOnce(&mut Encoder) -> Result<usize, EncodeError>,
) -> Result<usize, EncodeError> {
    let mut encoder = match ENCODER.try_with(Cell::take).ok().flatten() {
        Some(kept) if kept.params() == params => kept,
        _ => Box::new(Encoder::new(*params)?),
    };
    let done = work(&mut encoder);
    // A thread that is ending keeps nothing.
    let _ = ENCODER.try_with(|kept| kept.set(Some(encoder)));
    done
}

/// Calls `work` with the decoder of this thread.
fn with_decoder<R>(work: impl FnOnce(&mut Decoder) -> R) -> R {
    let kept = DECODER.try_with(Cell::take).ok().flatten();
    let mut decoder = kept.unwrap_or_else(|| Box::new(Decoder::new().limits(LIMITS)));
    let done = work(&mut decoder);
    let _ = DECODER.try_with(|kept| kept.set(Some(decoder)));
    done
}
