//! Chunks of blocks of variable length.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use blosc_core::{EncodeError, Encoder, memory};

use super::codes::{self, DATA, INVALID_HEADER, INVALID_PARAM, MEMORY, trace};
use super::compress::{self, Block, Prefilter, size_or_code};
use super::decompress;
use super::header::{Info, LONG};
use super::params::Job;
use crate::engine::LIMITS;

/// Compresses each of `blocks` to a block of its own. Returns the size of the chunk, 0 if it does not fit into `dst`, or
/// a code.
pub(crate) fn compress(job: &Job, callbacks: Option<compress::Callbacks>, blocks: &[&[u8]], dst: &mut [u8]) -> i32 {
    let params = match job.params() {
        Ok(params) => params,
        Err(code) => return code,
    };
    let failed = callbacks.as_ref().map(|callbacks| Arc::clone(&callbacks.failed));
    let compressed = match callbacks {
        None => Encoder::new(params).and_then(|mut encoder| encoder.compress_vlblocks(blocks)),
        Some(mut callbacks) => {
            let prefilter = callbacks.prefilter.take();
            let encoder = compress::encoder(params, callbacks);
            encoder.and_then(|encoder| filtered(encoder, prefilter, blocks))
        }
    };
    let failed = failed.map_or(0, |failed| failed.load(Relaxed));
    match compressed {
        _ if failed != 0 => failed,
        Ok(chunk) => match dst.get_mut(..chunk.len()) {
            Some(to) => {
                to.copy_from_slice(&chunk);
                size_or_code(&Ok(chunk.len()))
            }
            None => 0,
        },
        Err(error) => codes::of_encode(&error),
    }
}

/// Compresses the prefilter's output for each block.
fn filtered(mut encoder: Encoder, prefilter: Option<Box<Prefilter>>, blocks: &[&[u8]]) -> Result<Vec<u8>, EncodeError> {
    let Some(prefilter) = prefilter else { return encoder.compress_vlblocks(blocks) };
    let typesize = Some(encoder.params().get_typesize()).filter(|typesize| *typesize <= 255).unwrap_or(1);
    let (mut outputs, mut offset) = (memory::with_capacity(blocks.len())?, 0);
    for (index, src) in blocks.iter().enumerate() {
        let mut output = memory::zeroed(src.len())?;
        let block = Block { index, offset, typesize };
        prefilter(block, src, &mut output).map_err(|source| EncodeError::Prefilter { block: index, source })?;
        offset += src.len();
        outputs.push(output);
    }
    let outputs = memory::collect(outputs.iter().map(Vec::as_slice))?;
    encoder.compress_vlblocks(&outputs)
}

/// Returns the number of blocks of a chunk.
pub(crate) fn count(info: Info) -> Result<i32, i32> {
    info.vl_blocks().ok_or_else(|| trace(INVALID_PARAM, format_args!("the chunk has blocks of one size")))
}

/// Decodes blocks, each to memory of its own, which `allocate` returns for the number of a block and its size.
///
/// # Errors
/// The code of damage, or of memory that is missing.
pub(crate) fn decompress<'a>(
    info: Info,
    chunk: &[u8],
    blocks: Range<usize>,
    callbacks: Option<decompress::Callbacks>,
    mut allocate: impl FnMut(usize, usize) -> Option<&'a mut [u8]>,
) -> Result<(), i32> {
    let failed = callbacks.as_ref().map(|callbacks| Arc::clone(&callbacks.failed));
    let mut decoder = callbacks.map_or_else(|| blosc_core::Decoder::new().limits(LIMITS), |it| it.decoder());
    let decoded = decompress::decode(info, chunk, |parsed| {
        for index in blocks {
            let Some(len) = block_len(info, chunk, index) else { return Ok(INVALID_HEADER) };
            let Some(dst) = allocate(index, len) else { return Ok(MEMORY) };
            if decoder.decode_block(parsed, index, dst)? != len {
                return Ok(DATA);
            }
        }
        Ok(0)
    });
    let code = decoded
        .unwrap_or_else(|code| failed.map(|failed| failed.load(Relaxed)).filter(|failed| *failed != 0).unwrap_or(code));
    if code == 0 { Ok(()) } else { Err(code) }
}

/// Returns the size that a block states, which is at most that of the chunk.
fn block_len(info: Info, chunk: &[u8], index: usize) -> Option<usize> {
    let number = |at: usize| {
        let bytes = chunk.get(at..)?.first_chunk::<4>()?;
        Some(i32::from_le_bytes(*bytes))
    };
    let start = number(index.checked_mul(4)?.checked_add(LONG)?)?;
    let len = number(usize::try_from(start).ok()?)?;
    usize::try_from(len).ok().filter(|_| len <= info.nbytes())
}
