//! `blosc_decompress`, `blosc_decompress_ctx` and `blosc_getitem`.

use blosc_core::{Chunk, DecodeError};

use super::header::RawHeader;
use super::{FAILED, MAX_BLOCKSIZE, NO_CODEC, VERSION, names, nthreads, refused_threads, settings};
use crate::engine;
use crate::warning::warn;

const MEMCPYED: u8 = 0x02;
/// A flag that Blosc1 never sets.
const FUTURE: u8 = 0x08;

/// Checks a header before the bytes after it are looked at. Returns the number of plain bytes of a chunk that can be
/// decoded.
///
/// # Errors
/// The return value of `blosc_decompress`: 0 for an empty chunk, or the code of an error.
pub(crate) fn check(header: RawHeader<'_>, destsize: usize) -> Result<usize, i32> {
    let (nbytes, blocksize) = (header.nbytes(), header.blocksize());
    if nbytes == 0 {
        return Err(0);
    }
    // C-Blosc also refuses a block that is larger than the output, though not than the chunk.
    let fits = usize::try_from(blocksize).is_ok_and(|blocksize| blocksize <= destsize);
    if blocksize <= 0 || !fits || blocksize > MAX_BLOCKSIZE || header.typesize() == 0 {
        return Err(FAILED);
    }
    if !header.is_supported() || header.flags() & FUTURE != 0 {
        return Err(FAILED);
    }
    let Some(nbytes) = usize::try_from(nbytes).ok().filter(|nbytes| *nbytes <= destsize) else { return Err(FAILED) };
    check_codec(header)?;
    Ok(nbytes)
}

fn check_codec(header: RawHeader<'_>) -> Result<(), i32> {
    if header.flags() & MEMCPYED != 0 {
        return Ok(());
    }
    match header.flags() >> 5 {
        library if !names::is_decodable(library) => Err(NO_CODEC),
        _ if header.stream_version() != 1 => Err(VERSION),
        _ => Ok(()),
    }
}

/// Decodes a chunk whose header was checked, with the number of threads that `threads` returns if there are several blocks.
/// Returns the number of plain bytes, or the code of an error.
pub(crate) fn decompress(chunk: &[u8], dst: &mut [u8], threads: impl FnOnce() -> i32) -> i32 {
    // Borrowed where it was parsed: a moved `Chunk` stalls its next reader.
    let parsed = Chunk::parse(chunk);
    let Ok(parsed) = &parsed else { return FAILED };
    if !chunk.first_chunk().is_some_and(|header| RawHeader(header).is_shared()) {
        return engine::decompress(parsed, 1, dst, length);
    }
    let threads = threads();
    match nthreads(threads) {
        Some(count) => engine::decompress(parsed, count, dst, length),
        None => refused_threads(threads),
    }
}

fn length(decoded: Result<usize, DecodeError>) -> i32 {
    decoded.ok().and_then(|nbytes| i32::try_from(nbytes).ok()).unwrap_or(FAILED)
}

/// Returns the number of threads for a call without a context, given whether the environment has variables of Blosc.
pub(crate) fn nthreads_of_settings(has_variables: bool) -> i32 {
    settings::init();
    if has_variables {
        settings::apply_nthreads();
    }
    settings::nthreads()
}

/// The range of plain bytes that `blosc_getitem` copies.
///
/// # Errors
/// The return value of `blosc_getitem`.
pub(crate) fn item_range(header: RawHeader<'_>, start: i32, nitems: i32) -> Result<std::ops::Range<usize>, i32> {
    let (nbytes, blocksize) = (header.nbytes(), header.blocksize());
    if !header.is_supported() {
        return Err(VERSION);
    }
    if blocksize <= 0 || blocksize > nbytes || blocksize > MAX_BLOCKSIZE || header.typesize() == 0 {
        return Err(FAILED);
    }
    check_codec(header)?;
    let typesize = i64::from(header.typesize());
    let (start, stop) = (i64::from(start), i64::from(start) + i64::from(nitems));
    let is_inside = |item: i64| item >= 0 && item * typesize <= i64::from(nbytes);
    if !is_inside(start) {
        warn(format_args!("start is {start}, which is not in the chunk"));
        return Err(FAILED);
    }
    if !is_inside(stop) || stop < start {
        warn(format_args!("start + nitems is {stop}, which is not in the chunk"));
        return Err(FAILED);
    }
    // Both are between 0 and nbytes.
    Ok((start * typesize) as usize..(stop * typesize) as usize)
}

/// Decodes a range of the plain bytes of a chunk. Returns its length, or the code of an error.
pub(crate) fn items(chunk: &[u8], range: std::ops::Range<usize>, dst: &mut [u8]) -> i32 {
    let Ok(parsed) = Chunk::parse(chunk) else { return FAILED };
    let len = i32::try_from(range.len()).unwrap_or(FAILED);
    match engine::range(&parsed, range, dst) {
        Ok(()) => len,
        Err(_) => FAILED,
    }
}
