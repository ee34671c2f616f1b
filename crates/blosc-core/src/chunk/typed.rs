//! Compression of numbers instead of bytes.

use bytemuck::Pod;

use super::{Chunk, Decoder, Encoder};
use crate::error::{DecodeError, EncodeError};
use crate::limits::Limits;
use crate::memory;
use crate::params::CParams;

/// Compresses numbers to a chunk. Their size replaces the typesize of `params`.
///
/// ```
/// use blosc_core::{CParams, Codec, compress_slice, decompress_vec};
/// let numbers: Vec<f32> = (0..1000).map(|i| i as f32).collect();
/// let chunk = compress_slice(&numbers, &CParams::blosc2().codec(Codec::Zstd))?;
/// assert_eq!(decompress_vec::<f32>(&chunk)?, numbers);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`compress`](crate::compress).
pub fn compress_slice<T: Pod>(numbers: &[T], params: &CParams) -> Result<Vec<u8>, EncodeError> {
    let typesize = size_of::<T>().max(1);
    Encoder::new(params.typesize(typesize))?.compress(bytemuck::cast_slice(numbers))
}

/// Decompresses numbers from the chunk at the start of `chunk`. They must have been written in this machine's byte
/// order.
///
/// # Errors
/// As [`decompress`](crate::decompress); [`DecodeError::Destination`] if the plain bytes are not a whole number of `T`.
pub fn decompress_vec<T: Pod>(chunk: &[u8]) -> Result<Vec<T>, DecodeError> {
    let chunk = Chunk::parse(chunk)?;
    let (nbytes, width) = (chunk.header().nbytes(), size_of::<T>().max(1));
    if !nbytes.is_multiple_of(width) {
        return Err(DecodeError::Destination { needed: nbytes, found: nbytes / width * width });
    }
    chunk.header().check_earned(&Limits::new())?;
    let mut numbers = memory::zeroed::<T>(nbytes / width)?;
    Decoder::new().decompress_into(&chunk, bytemuck::cast_slice_mut(&mut numbers))?;
    Ok(numbers)
}
