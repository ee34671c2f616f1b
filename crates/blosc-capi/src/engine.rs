//! Calls of blosc-core. Small chunks use an encoder and a decoder that is kept, because making one takes a fifth of the
//! time of 1 KiB. A context keeps them for the thread that uses it first, and `blosc_compress` for the first thread of the
//! process. For all other calls each thread keeps them, and looks each up once in a call, which takes 2 to 3 ns.

use std::cell::Cell;
use std::ops::Range;

use blosc_core::{CParams, Chunk, DecodeError, Decoder, EncodeError, Encoder, Limits};

use crate::threads;

/// Maximum number of uncompressed bytes for which the kept encoder and decoder are used.
pub(crate) const SMALL: usize = 64 * 1024;

/// The caller's memory bounds the output.
pub(crate) const LIMITS: Limits =
    Limits::new().max_nbytes(usize::MAX).max_chunk(usize::MAX).max_unearned(usize::MAX).max_memory(usize::MAX);

/// An encoder or a decoder, once it was needed. Nothing while it is in use.
pub(crate) type Kept<T> = Cell<Option<Box<T>>>;

thread_local!(static ENCODER: Kept<KeyedEncoder> = const { Cell::new(None) });
thread_local!(static DECODER: Kept<Decoder> = const { Cell::new(None) });

/// An encoder and the key of its parameters.
pub(crate) struct KeyedEncoder {
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

/// Compresses `src` on `nthreads` threads, with the parameters that `key` names. `params` returns them if they are needed.
/// Returns what `code` makes of the size of the chunk, or of the error.
///
/// `code` is called where the engine returns, and by reference. Moving the result, of several words, takes 3 % of the time of
/// 1 KiB: it loads more bytes at once than were stored, which waits for the stores.
///
/// # Errors
/// The error of `params`.
pub(crate) fn compress<E>(
    key: Key,
    params: impl Fn() -> Result<CParams, E>,
    nthreads: usize,
    src: &[u8],
    dst: &mut [u8],
    code: impl Fn(&Result<usize, EncodeError>) -> i32 + Sync,
) -> Result<i32, E> {
    if src.len() <= SMALL {
        let mut work = |place: &_| compress_small(place, key, &params, src, dst, &code);
        return match ENCODER.try_with(&mut work) {
            Ok(done) => done,
            Err(_) => in_ending_thread(work),
        };
    }
    let params = params()?;
    Ok(threads::run(nthreads, |parallelism| {
        code(&Encoder::new(params).and_then(|encoder| encoder.parallelism(parallelism).compress_into(src, dst)))
    }))
}

/// As [`compress`], for at most [`SMALL`] bytes and with the encoder that the caller keeps at `place`.
///
/// In the caller's frame: with three calls in between, 1 and 4 KiB took 2 to 3 % longer.
#[inline(always)]
pub(crate) fn compress_small<E>(
    place: &Kept<KeyedEncoder>,
    key: Key,
    params: impl FnOnce() -> Result<CParams, E>,
    src: &[u8],
    dst: &mut [u8],
    code: impl FnOnce(&Result<usize, EncodeError>) -> i32,
) -> Result<i32, E> {
    let mut kept = match place.take() {
        Some(kept) if kept.key == key && key != Key::NONE => kept,
        kept => match keep(key, kept, params()?) {
            Ok(kept) => kept,
            Err(error) => return Ok(code(&Err(error))),
        },
    };
    let done = code(&kept.encoder.compress_into(src, dst));
    put_back(place, kept);
    Ok(done)
}

/// Keeps a value that was taken from `place`.
#[inline]
fn put_back<T>(place: &Kept<T>, value: Box<T>) {
    // Nothing is there, unless a function of the program compressed meanwhile. Setting it would call a destructor.
    if let Some(other) = place.replace(Some(value)) {
        drop_other(other);
    }
}

#[cold]
fn drop_other<T>(other: Box<T>) {
    drop(other);
}

/// Decodes a chunk of at most [`SMALL`] uncompressed bytes with the decoder that the caller keeps at `place`, or the thread.
/// `None` if the chunk is damaged: [`decompress`] returns the error.
#[cfg(feature = "blosc2")]
#[inline]
pub(crate) fn decompress_small(chunk: &Chunk<'_>, place: Option<&Kept<Decoder>>, dst: &mut [u8]) -> Option<usize> {
    let work = |decoder: &mut Decoder| decoder.decompress_into(chunk, dst).ok();
    match place {
        Some(place) => with_kept(place, work),
        None => with_decoder(work),
    }
}

/// Decodes a chunk on `nthreads` threads. Returns what `code` makes of the number of uncompressed bytes, or of the error,
/// as in [`compress`].
#[inline]
pub(crate) fn decompress<R: Send>(
    chunk: &Chunk<'_>,
    nthreads: usize,
    dst: &mut [u8],
    code: impl Fn(Result<usize, DecodeError>) -> R + Sync,
) -> R {
    if dst.len() <= SMALL {
        return with_decoder(|decoder| code(decoder.decompress_into(chunk, dst)));
    }
    threads::run(nthreads, |parallelism| {
        code(Decoder::new().limits(LIMITS).parallelism(parallelism).decompress_into(chunk, dst))
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

/// Returns an encoder with the parameters: the kept one, if it has them.
#[inline(never)]
fn keep(key: Key, kept: Option<Box<KeyedEncoder>>, params: CParams) -> Result<Box<KeyedEncoder>, EncodeError> {
    match kept {
        Some(mut kept) if *kept.encoder.params() == params => {
            kept.key = key;
            Ok(kept)
        }
        _ => Ok(Box::new(KeyedEncoder { key, encoder: Encoder::new(params)? })),
    }
}

/// Calls `work` with the decoder of this thread.
#[inline]
fn with_decoder<R>(mut work: impl FnMut(&mut Decoder) -> R) -> R {
    match DECODER.try_with(|place| with_kept(place, &mut work)) {
        Ok(done) => done,
        Err(_) => in_ending_thread(|place| with_kept(place, work)),
    }
}

/// Calls `work` with a kept decoder, or with a new one that is kept from then on.
#[inline]
fn with_kept<R>(place: &Kept<Decoder>, work: impl FnOnce(&mut Decoder) -> R) -> R {
    let mut decoder = place.take().unwrap_or_else(new_decoder);
    let done = work(&mut decoder);
    put_back(place, decoder);
    done
}

#[cold]
fn new_decoder() -> Box<Decoder> {
    Box::new(Decoder::new().limits(LIMITS))
}

/// Calls `work` without what the thread kept: it is gone.
#[cold]
#[inline(never)]
fn in_ending_thread<T, R>(work: impl FnOnce(&Kept<T>) -> R) -> R {
    work(&Kept::default())
}
