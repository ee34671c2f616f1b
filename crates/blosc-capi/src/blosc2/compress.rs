//! `blosc2_compress` and `blosc2_compress_ctx`.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use blosc_core::{CParams, EncodeError, Encoder, PluginError, Registry};

use super::codes::{self, MAX_BUFSIZE, trace};
use super::super_chunk::SuperChunk;
use super::{MAX_BUFFERSIZE, OVERHEAD, nthreads};
use crate::engine::{self, Kept, Key, KeyedEncoder, SMALL};
use crate::threads;

/// A block that a prefilter is called for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Block {
    pub(crate) index: usize,
    /// Bytes of the chunk before the block.
    pub(crate) offset: usize,
    pub(crate) typesize: usize,
}

/// A function of the program that fills a block, which is zero at first.
pub(crate) type Prefilter = dyn Fn(Block, &[u8], &mut [u8]) -> Result<(), PluginError> + Send + Sync;

/// Functions of the program that take part in a compression, and what filters need of the super-chunk.
pub(crate) struct Callbacks {
    pub(crate) registry: Registry,
    pub(crate) prefilter: Option<Box<Prefilter>>,
    pub(crate) super_chunk: SuperChunk,
    /// The code of the first codec that failed, or 0.
    pub(crate) failed: Arc<AtomicI32>,
}

/// Checks sizes before slices are made of them.
///
/// # Errors
/// The code of sizes that cannot be used.
#[inline]
pub(crate) fn check_sizes(srcsize: i32, destsize: i32) -> Result<(), i32> {
    // A negative size is a large unsigned one.
    let fit = srcsize as u32 <= MAX_BUFFERSIZE as u32 && destsize >= OVERHEAD as i32;
    if fit { Ok(()) } else { Err(refused_sizes(srcsize, destsize)) }
}

#[cold]
fn refused_sizes(srcsize: i32, destsize: i32) -> i32 {
    if !(0..=MAX_BUFFERSIZE).contains(&srcsize) {
        let reason = format_args!("the input has {srcsize} bytes, expected at most {MAX_BUFFERSIZE}");
        return trace(MAX_BUFSIZE, reason);
    }
    trace(MAX_BUFSIZE, format_args!("the output has {destsize} bytes, expected at least {OVERHEAD}"))
}

/// Compresses `src` on `count` threads, with parameters that `key` names. Returns the size of the chunk, 0 if it does not fit
/// into `dst`, or a code.
pub(crate) fn compress(key: Key, params: &CParams, count: i32, src: &[u8], dst: &mut [u8]) -> i32 {
    let params = || Ok::<_, Infallible>(*params);
    let Ok(code) = engine::compress(key, params, nthreads(count), src, dst, size_or_code);
    code
}

/// As [`compress`], for a small `src` and with the encoder at `place`. `params` returns the parameters if they are needed.
/// `None` if `src` is not small, and if the parameters cannot be used.
#[inline]
pub(crate) fn compress_small<'a>(
    place: &Kept<KeyedEncoder>,
    key: Key,
    params: impl FnOnce() -> Result<&'a CParams, i32>,
    src: &[u8],
    dst: &mut [u8],
) -> Option<i32> {
    if src.len() > SMALL {
        return None;
    }
    engine::compress_small(place, key, || params().copied(), src, dst, size_or_code).ok()
}

/// As [`compress`], with functions of the program.
pub(crate) fn compress_with(params: &CParams, count: i32, callbacks: Callbacks, src: &[u8], dst: &mut [u8]) -> i32 {
    let failed = Arc::clone(&callbacks.failed);
    let compressed = threads::run(nthreads(count), |parallelism| {
        encoder(*params, callbacks)?.parallelism(parallelism).compress_into(src, dst)
    });
    match failed.load(Relaxed) {
        0 => size_or_code(&compressed),
        code => code,
    }
}

/// Returns an encoder with functions of the program.
pub(super) fn encoder(params: CParams, callbacks: Callbacks) -> Result<Encoder, EncodeError> {
    let encoder = callbacks.super_chunk.for_encoder(Encoder::new(params)?.registry(callbacks.registry));
    Ok(match callbacks.prefilter {
        Some(prefilter) => encoder.prefilter(move |block, src, dst| {
            prefilter(Block { index: block.index, offset: block.offset, typesize: block.typesize }, src, dst)
        }),
        None => encoder,
    })
}

#[inline]
pub(super) fn size_or_code(compressed: &Result<usize, EncodeError>) -> i32 {
    match compressed {
        Ok(cbytes) => i32::try_from(*cbytes).unwrap_or(codes::FAILURE),
        Err(error) => code_of(error),
    }
}

#[cold]
fn code_of(error: &EncodeError) -> i32 {
    codes::of_encode(error)
}
