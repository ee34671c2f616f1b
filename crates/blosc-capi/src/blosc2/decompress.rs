//! `blosc2_decompress`, `blosc2_getitem` and their variants with a context.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};

use blosc_core::{BlockInfo, Chunk, DecodeError, Decoder, PluginError, Registry, memory};

use super::codes::{self, DATA, INVALID_HEADER, INVALID_PARAM, MEMORY, WRITE_BUFFER, trace};
use super::header::{self, Info};
use super::nthreads;
use super::super_chunk::SuperChunk;
use crate::engine::{self, Kept, LIMITS};
use crate::threads;

/// A function of the program that changes the bytes of a block.
pub(crate) type Postfilter = dyn Fn(BlockInfo, &mut [u8]) -> Result<(), PluginError> + Send + Sync;

/// Functions of the program that take part in a decompression, and what filters need of the super-chunk.
pub(crate) struct Callbacks {
    pub(crate) registry: Registry,
    pub(crate) postfilter: Option<Box<Postfilter>>,
    pub(crate) super_chunk: SuperChunk,
    /// The code of the first filter that failed, or 0.
    pub(crate) failed: Arc<AtomicI32>,
}

impl Callbacks {
    pub(super) fn decoder(self) -> Decoder {
        let decoder = self.super_chunk.for_decoder(Decoder::new().limits(LIMITS).registry(self.registry));
        match self.postfilter {
            Some(postfilter) => decoder.postfilter(postfilter),
            None => decoder,
        }
    }
}

/// Returns the number of uncompressed bytes of a chunk that fits into `destsize` bytes.
pub(crate) fn output_size(info: Info, destsize: i32) -> Result<usize, i32> {
    let nbytes = info.nbytes();
    if nbytes > destsize {
        return Err(trace(WRITE_BUFFER, format_args!("the chunk has {nbytes} bytes, the output {destsize}")));
    }
    usize::try_from(nbytes).map_err(|_| trace(INVALID_HEADER, format_args!("nbytes of the chunk is {nbytes}")))
}

/// Returns the number of bytes of a chunk of which `srcsize` bytes are available.
pub(crate) fn input_size(info: Info, srcsize: i32) -> Result<usize, i32> {
    let cbytes = info.cbytes();
    if info.is_lazy() {
        return Err(trace(INVALID_PARAM, format_args!("the blocks of a lazy chunk are in a file")));
    }
    if cbytes > srcsize {
        return Err(trace(INVALID_HEADER, format_args!("cbytes of the chunk is {cbytes}, found {srcsize} bytes")));
    }
    usize::try_from(cbytes).map_err(|_| INVALID_HEADER)
}

/// Returns a chunk in a version that the engine knows.
pub(super) fn known_version(info: Info, chunk: &[u8]) -> Result<Cow<'_, [u8]>, i32> {
    let Some(version) = info.older_version() else { return Ok(Cow::Borrowed(chunk)) };
    let mut copy = memory::copy_of(chunk).map_err(|_| MEMORY)?;
    copy[0] = version;
    Ok(Cow::Owned(copy))
}

/// Decodes a chunk, except the blocks for which `mask` is true. Returns the number of uncompressed bytes, or a code.
pub(crate) fn decompress(
    info: Info,
    chunk: &[u8],
    dst: &mut [u8],
    count: i32,
    mask: &[bool],
    callbacks: Option<Callbacks>,
) -> i32 {
    if !mask.is_empty() && i32::try_from(mask.len()) != Ok(info.nblocks()) {
        let reason = format_args!("the mask has {} blocks, the chunk {}", mask.len(), info.nblocks());
        return trace(DATA, reason);
    }
    let failed = callbacks.as_ref().map(|callbacks| Arc::clone(&callbacks.failed));
    let decoded = decode(info, chunk, |chunk| match callbacks {
        None if mask.is_empty() => engine::decompress(chunk, nthreads(count), dst, |decoded| decoded),
        None => Decoder::new().limits(LIMITS).decompress_masked(chunk, mask, dst),
        Some(callbacks) if !mask.is_empty() => callbacks.decoder().decompress_masked(chunk, mask, dst),
        Some(callbacks) => threads::run(nthreads(count), |parallelism| {
            callbacks.decoder().parallelism(parallelism).decompress_into(chunk, dst)
        }),
    });
    with_failure(decoded, failed)
}

/// Decodes a chunk described by [`SmallChunk`](super::header::SmallChunk), with the decoder at `place` if there is one. Returns the number of uncompressed bytes,
/// `None` if it is damaged.
#[inline]
pub(crate) fn small(chunk: &[u8], place: Option<&Kept<Decoder>>, dst: &mut [u8]) -> Option<i32> {
    if header::is_lazy(chunk) {
        return None;
    }
    // Borrowed where it was parsed: a moved `Chunk` stalls its next reader.
    let parsed = Chunk::parse(chunk);
    engine::decompress_small(parsed.as_ref().ok()?, place, dst).and_then(|nbytes| i32::try_from(nbytes).ok())
}

/// Returns the code of a failed function of the program, if there is one, else the result.
pub(super) fn with_failure(decoded: Result<usize, i32>, failed: Option<Arc<AtomicI32>>) -> i32 {
    match decoded {
        Ok(nbytes) => i32::try_from(nbytes).unwrap_or(codes::FAILURE),
        Err(code) => failed.map(|failed| failed.load(Relaxed)).filter(|failed| *failed != 0).unwrap_or(code),
    }
}

/// Parses a chunk and calls `work` with it.
pub(super) fn decode<R>(
    info: Info,
    chunk: &[u8],
    work: impl FnOnce(&Chunk<'_>) -> Result<R, DecodeError>,
) -> Result<R, i32> {
    let chunk = known_version(info, chunk)?;
    let parsed = Chunk::parse(&chunk).map_err(|error| codes::of_decode(&error))?;
    work(&parsed).map_err(|error| codes::of_decode(&error))
}

/// Returns the range of uncompressed bytes of items. `None` if there is nothing to copy.
///
/// # Errors
/// The code of arguments that are out of range.
pub(crate) fn item_range(info: Info, start: i32, nitems: i32, destsize: i32) -> Result<Option<Range<usize>>, i32> {
    if info.has_vl_blocks() {
        return Err(trace(INVALID_PARAM, format_args!("blocks of variable length have no items")));
    }
    if nitems == 0 {
        return Ok(None);
    }
    let typesize = i64::from(info.typesize());
    let (first, count) = (i64::from(start) * typesize, i64::from(nitems) * typesize);
    if nitems < 0 {
        return Err(trace(INVALID_PARAM, format_args!("nitems is {nitems}")));
    }
    if count > i64::from(destsize) {
        return Err(trace(WRITE_BUFFER, format_args!("the items have {count} bytes, the output {destsize}")));
    }
    if start < 0 || first + count > i64::from(info.nbytes()) {
        return Err(trace(INVALID_PARAM, format_args!("items {start} and {nitems} more are not in the chunk")));
    }
    // Both are between 0 and nbytes.
    Ok(Some(first as usize..(first + count) as usize))
}

/// Returns the items of a range of bytes.
pub(crate) fn items_of_bytes(info: Info, start: i32, nbytes: i32) -> Result<(i32, i32), i32> {
    let typesize = info.typesize();
    if start < 0 || nbytes < 0 || start % typesize != 0 || nbytes % typesize != 0 {
        let reason = format_args!("bytes {start} and {nbytes} more, expected multiples of {typesize}");
        return Err(trace(INVALID_PARAM, reason));
    }
    Ok((start / typesize, nbytes / typesize))
}

/// Decodes a range of bytes of a chunk into `dst`, which has its length. Returns the length, or a code.
pub(crate) fn items(
    info: Info,
    chunk: &[u8],
    range: Range<usize>,
    dst: &mut [u8],
    callbacks: Option<Callbacks>,
) -> i32 {
    let len = range.len();
    let failed = callbacks.as_ref().map(|callbacks| Arc::clone(&callbacks.failed));
    let decoded = decode(info, chunk, |chunk| {
        match callbacks {
            None => engine::range(chunk, range, dst)?,
            Some(callbacks) => callbacks.decoder().decode_ranges(chunk, std::slice::from_ref(&range), dst)?,
        }
        Ok(len)
    });
    with_failure(decoded, failed)
}
