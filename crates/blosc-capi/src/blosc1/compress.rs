//! `blosc_compress` and `blosc_compress_ctx`.

use blosc_core::{BlockSize, CParams, ChunkFormat, EncodeError, FilterPipeline, SplitMode};

use super::header::RawHeader;
use super::settings::{self, Arguments};
use super::{ARGUMENT, FAILED, MAX_BLOCKSIZE, MAX_BUFFERSIZE, NO_CODEC, OVERHEAD, names, nthreads, refused_threads};
use crate::engine::{self, Kept, Key, KeyedEncoder, SMALL};
use crate::warning::warn;

/// A larger typesize counts as 1.
const MAX_TYPESIZE: usize = 255;

/// How a context compresses.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Job {
    pub(crate) arguments: Arguments,
    /// The code of the codec, which may not exist.
    pub(crate) compressor: i32,
    /// 0: automatic.
    pub(crate) blocksize: i32,
    pub(crate) nthreads: i32,
    pub(crate) warning_level: i64,
}

impl Job {
    /// Returns the job for the settings of the process.
    #[inline]
    pub(crate) fn with_settings(arguments: Arguments, warning_level: i64) -> Self {
        Job {
            arguments,
            compressor: settings::compressor(),
            blocksize: settings::blocksize(),
            nthreads: settings::nthreads(),
            warning_level,
        }
    }
}

/// Returns the result for sizes that C-Blosc refuses without looking at the data. A caller checks them before it makes a
/// slice of the data.
#[inline]
pub(crate) fn refused_size(nbytes: usize, destsize: usize, warning_level: i64) -> Option<i32> {
    let is_refused = nbytes > MAX_BUFFERSIZE || destsize < OVERHEAD;
    is_refused.then(|| refuse_size(nbytes, destsize, warning_level))
}

#[cold]
fn refuse_size(nbytes: usize, destsize: usize, warning_level: i64) -> i32 {
    match warning_level {
        ..=0 => {}
        _ if nbytes > MAX_BUFFERSIZE => {
            warn(format_args!("the input has {nbytes} bytes, expected at most {MAX_BUFFERSIZE}"));
        }
        _ => warn(format_args!("the output has {destsize} bytes, expected at least {OVERHEAD}")),
    }
    0
}

/// Compresses `src`, whose size is not [refused](refused_size), with the encoder at `place` if there is one. Returns the size of
/// the chunk, 0 if it does not fit into `dst`, or the code of an error.
#[inline(always)]
pub(crate) fn compress(job: Job, place: Option<&Kept<KeyedEncoder>>, src: &[u8], dst: &mut [u8]) -> i32 {
    let split_mode = settings::split_mode();
    let key = key(&job, split_mode);
    match place {
        Some(place) if src.len() <= SMALL && nthreads(job.nthreads).is_some() => {
            let done = engine::compress_small(place, key, || params(&job, split_mode), src, dst, size_or_code);
            done.unwrap_or_else(|code| code)
        }
        _ => compress_with(&job, key, split_mode, src, dst),
    }
}

#[inline(never)]
fn compress_with(job: &Job, key: Key, split_mode: SplitMode, src: &[u8], dst: &mut [u8]) -> i32 {
    let count = nthreads(job.nthreads);
    match engine::compress(key, || params(job, split_mode), count.unwrap_or(1), src, dst, size_or_code) {
        // C-Blosc only looks at the number of threads if there are several blocks.
        Ok(1..) if count.is_none() && is_shared(dst) => refused_threads(job.nthreads),
        Ok(code) | Err(code) => code,
    }
}

#[inline]
fn size_or_code(compressed: &Result<usize, EncodeError>) -> i32 {
    match compressed {
        Ok(cbytes) => i32::try_from(*cbytes).unwrap_or(FAILED),
        Err(error) => code_of(error),
    }
}

#[cold]
fn code_of(error: &EncodeError) -> i32 {
    match error {
        EncodeError::Destination { .. } => 0,
        EncodeError::CodecUnavailable { .. } => NO_CODEC,
        _ => FAILED,
    }
}

/// Returns whether C-Blosc shares a chunk among threads.
fn is_shared(chunk: &[u8]) -> bool {
    chunk.first_chunk().is_some_and(|header| RawHeader(header).is_shared())
}

/// Returns a key of all that [`params`] returns, [`Key::NONE`] if a value is out of range.
fn key(job: &Job, split_mode: SplitMode) -> Key {
    let Job { arguments: Arguments { clevel, shuffle, typesize }, compressor, blocksize, .. } = *job;
    let fits = (0..16).contains(&clevel)
        && (0..16).contains(&shuffle)
        && (0..16).contains(&compressor)
        && typesize <= MAX_TYPESIZE
        && blocksize >= 0;
    if !fits {
        return Key::NONE;
    }
    let fields = [(clevel as u64, 4), (shuffle as u64, 4), (compressor as u64, 4), (split_mode as u64, 4)];
    let bits = fields.iter().fold(typesize as u64, |bits, (field, width)| bits << width | field);
    Key::of_settings(bits << 32 | blocksize as u64)
}

/// Checks the arguments, in the order of C-Blosc.
#[inline(never)]
fn params(job: &Job, split_mode: SplitMode) -> Result<CParams, i32> {
    let Arguments { clevel, shuffle, typesize } = job.arguments;
    let Some(clevel) = u8::try_from(clevel).ok().filter(|clevel| *clevel <= 9) else {
        warn(format_args!("clevel is {clevel}, expected 0 to 9"));
        return Err(ARGUMENT);
    };
    let filters = match shuffle {
        0 => FilterPipeline::none(),
        1 => FilterPipeline::shuffle(),
        2 => FilterPipeline::bitshuffle(),
        _ => {
            warn(format_args!("shuffle is {shuffle}, expected 0, 1 or 2"));
            return Err(ARGUMENT);
        }
    };
    // C-Blosc keeps the low 32 bits, as a signed number.
    let typesize = match typesize as i32 {
        ..=0 => {
            warn(format_args!("typesize is {typesize}, expected more than 0"));
            return Err(ARGUMENT);
        }
        typesize => usize::try_from(typesize).ok().filter(|typesize| *typesize <= MAX_TYPESIZE).unwrap_or(1),
    };
    let Some(named) = names::of_code(job.compressor) else {
        warn(format_args!("compressor {} does not exist", job.compressor));
        return Err(NO_CODEC);
    };
    let blocksize = match job.blocksize {
        0 => BlockSize::Auto,
        blocksize => BlockSize::Fixed(blocksize.clamp(1, MAX_BLOCKSIZE) as usize),
    };
    let params = CParams::new().format(ChunkFormat::Blosc1).codec(named.codec).clevel(clevel).typesize(typesize);
    Ok(params.filters(filters).blocksize(blocksize).split(split_mode))
}
