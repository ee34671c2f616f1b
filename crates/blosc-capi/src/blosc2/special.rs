//! Chunks without blocks: zeros, not-a-numbers, one value, uninitialized bytes.

use blosc_core::{EncodeError, Encoder};

use super::OVERHEAD;
use super::codes::{self, DATA, trace};
use super::params::Job;

/// The content of a chunk without blocks.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Content<'a> {
    Zeros,
    Nans,
    Uninit,
    Value(&'a [u8]),
}

/// Checks sizes before a value is read.
///
/// # Errors
/// The code of sizes that cannot be used.
pub(crate) fn check_sizes(typesize: i32, nbytes: i32, value_len: i32, destsize: i32) -> Result<(), i32> {
    if i64::from(destsize) < OVERHEAD as i64 + i64::from(value_len) {
        return Err(trace(DATA, format_args!("the output has {destsize} bytes, too few for a chunk")));
    }
    if typesize <= 0 || nbytes < 0 || nbytes % typesize != 0 {
        return Err(trace(DATA, format_args!("{nbytes} bytes, expected a multiple of {typesize}")));
    }
    Ok(())
}

/// Creates a chunk of `nbytes` bytes. Returns its size, or a code.
pub(crate) fn create(job: &Job, content: Content<'_>, nbytes: i32, dst: &mut [u8]) -> i32 {
    let params = match (Job { use_dict: false, ..*job }).params() {
        Ok(params) => params,
        Err(code) => return code,
    };
    let Ok(nbytes) = usize::try_from(nbytes) else { return DATA };
    match chunk(&Encoder::new(params), content, nbytes) {
        Ok(chunk) => match dst.get_mut(..chunk.len()) {
            Some(to) => {
                to.copy_from_slice(&chunk);
                i32::try_from(chunk.len()).unwrap_or(codes::FAILURE)
            }
            None => DATA,
        },
        Err(error @ EncodeError::SpecialValue { .. }) => trace(DATA, format_args!("{}", error.report())),
        Err(error) => codes::of_encode(&error),
    }
}

fn chunk(encoder: &Result<Encoder, EncodeError>, content: Content<'_>, nbytes: usize) -> Result<Vec<u8>, EncodeError> {
    let encoder = encoder.as_ref().map_err(Clone::clone)?;
    match content {
        Content::Zeros => encoder.zeros(nbytes),
        Content::Nans => encoder.nans(nbytes),
        Content::Uninit => encoder.uninit(nbytes),
        Content::Value(value) => encoder.repeat(value, nbytes),
    }
}
