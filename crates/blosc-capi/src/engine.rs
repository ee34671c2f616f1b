//! Calls of blosc-core. Small chunks use the encoder and the decoder that each thread keeps: making one takes a fifth of
//! the time of 1 KiB.

use std::cell::Cell;
use std::ops::Range;

use blosc_core::{CParams, Chunk, DecodeError, Decoder, EncodeError, Encoder, Limits};

use crate::threads;

/// Maximum number of uncompressed bytes for which the kept encoder and decoder are used.
pub(crate) const SMALL: usize = 64 * 1024;

/// The caller's memory bounds the output.
pub(crate) const LIMITS: Limits =
    Limits::new().max_nbytes(usize::MAX).max_chunk(usize::MAX).max_unearned(usize::MAX).max_memory(usize::MAX);

thread_local!(static ENCODER: Cell<Option<Box<KeptEncoder>>> = const { Cell::new(None) });
thread_local!(static DECODER: Cell<Option<Box<Decoder>>> = const { Cell::new(None) });

struct KeptEncoder {
    key: Key,
    encoder: Encoder,
}

/// Names parameters: those with the same key are equal. Comparing all parameters takes a tenth of the time of 1 KiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key(u64);

impl Key {
    /// The key of parameters that are compared.
    pub(crate) const NONE: Key = Key(0);
    /// Returns a key that no other parameters have.
    #[cfg(feature = "blosc2")]
    pub(crate) fn unique() -> Key {
        use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
        static LAST: AtomicU64 = AtomicU64::new(0);
        Key(LAST.fetch_add(1, Relaxed) + 1)
    }

    /// Returns the key of settings that are `bits` and nothing else. The highest bit must be 0.
    #[cfg(feature = "blosc1")]
    pub(crate) fn of_settings(bits: u64) -> Key {
        Key(1 << 63 | bits)
    }
}

/// Compresses `src` on `nthreads` threads, with the parameters that `params` returns if they are needed. Returns what
/// `code` makes of the size of the chunk, or of the error.
///
/// `code` is called where the engine returns: passing its result on, of several words, takes 1 to 2 % of the time of 1 KiB.
///
/// # Errors
/// The error of `params`.
pub(crate) fn compress<E>(
    key: Key,
    params: impl FnOnce() -> Result<CParams, E>,
    nthreads: usize,
    src: &[u8],
    dst: &mut [u8],
    code: impl FnOnce(Result<usize, EncodeError>) -> i32 + Send,
) -> Result<i32, E> {
    if src.len() <= SMALL {
        return with_encoder(key, params, |encoder| code(encoder.and_then(|encoder| encoder.compress_into(src, dst))));
    }
    let params = params()?;
    Ok(threads::run(nthreads, |parallelism| {
        code(Encoder::new(params).and_then(|encoder| encoder.parallelism(parallelism).compress_into(src, dst)))
    }))
}

#[cfg(feature = "blosc2")]
/// Decodes a chunk of at most [`SMALL`] uncompressed bytes. `None` if it is damaged: [`decompress`] returns the error.
#[inline]
pub(crate) fn decompress_small(chunk: &Chunk<'_>, dst: &mut [u8]) -> Option<usize> {
    with_decoder(|decoder| decoder.decompress_into(chunk, dst).ok())
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
fn with_encoder<E>(
    key: Key,
    params: impl FnOnce() -> Result<CParams, E>,
    work: impl FnOnce(Result<&mut Encoder, EncodeError>) -> i32,
) -> Result<i32, E> {
    let mut kept = match ENCODER.try_with(Cell::take).ok().flatten() {
        Some(kept) if kept.key == key && key != Key::NONE => kept,
        kept => match keep(key, kept, params()?) {
            Ok(kept) => kept,
            Err(error) => return Ok(work(Err(error))),
        },
    };
    let done = work(Ok(&mut kept.encoder));
    // A thread that is ending keeps nothing.
    let _ = ENCODER.try_with(|place| place.set(Some(kept)));
    Ok(done)
}

/// Returns an encoder with the parameters: the kept one, if it has them.
#[inline(never)]
fn keep(key: Key, kept: Option<Box<KeptEncoder>>, params: CParams) -> Result<Box<KeptEncoder>, EncodeError> {
    match kept {
        Some(mut kept) if *kept.encoder.params() == params => {
            kept.key = key;
            Ok(kept)
        }
        _ => Ok(Box::new(KeptEncoder { key, encoder: Encoder::new(params)? })),
    }
}

/// Calls `work` with the decoder of this thread.
#[inline]
fn with_decoder<R>(work: impl FnOnce(&mut Decoder) -> R) -> R {
    let kept = DECODER.try_with(Cell::take).ok().flatten();
    let mut decoder = kept.unwrap_or_else(|| Box::new(Decoder::new().limits(LIMITS)));
    let done = work(&mut decoder);
    let _ = DECODER.try_with(|kept| kept.set(Some(decoder)));
    done
}
