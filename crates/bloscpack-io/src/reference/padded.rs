//! Chunks shorter than Zarr needs them, encoded again.

use blosc_core::{CParams, Codec, memory};

use crate::{Archive, Error};

/// Decodes a chunk and compresses it with zeros up to `nbytes` bytes. `None` if all bytes are zeros, unless they are
/// wanted, too.
pub(super) fn padded(
    archive: &Archive<'_>,
    number: u64,
    nbytes: u64,
    itemsize: u64,
    with_zeros: bool,
) -> Result<Option<Vec<u8>>, Error> {
    let limits = archive.get_limits();
    limits.check_chunk(nbytes)?;
    let mut plain = archive.chunk(number)?;
    // The size of the first chunk does not show how many bytes are stored for this one.
    limits.check_unearned(nbytes, plain.len() as u64)?;
    memory::resize(&mut plain, usize::try_from(nbytes).unwrap_or(usize::MAX), 0)?;
    if !with_zeros && plain.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let typesize = usize::try_from(itemsize).ok().filter(|size| *size <= usize::from(u8::MAX)).unwrap_or(1);
    let params = CParams::new().codec(Codec::Zstd).typesize(typesize);
    Ok(Some(blosc_core::compress(&plain, &params)?))
}
