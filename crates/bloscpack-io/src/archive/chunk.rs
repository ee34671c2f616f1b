//! One chunk of any container: its compressed bytes, or its plain bytes.

use blosc_core::{CParams, Encoder, Parallelism, Special};

use super::Archive;
use super::decoding::{decode, worker};
use crate::Error;
use crate::container::Fetched;

/// The compressed bytes of chunk `number`. A special value, of which nothing is stored, is encoded as a chunk.
pub(super) fn compressed(archive: &Archive<'_>, number: u64) -> Result<Vec<u8>, Error> {
    archive.expect_chunk(number)?;
    match archive.container().fetch(number, None, archive.get_limits())? {
        Fetched::Bytes { bytes, .. } => Ok(bytes),
        Fetched::Special { special, nbytes } => special_chunk(special, nbytes as usize, archive.typesize()),
    }
}

fn special_chunk(special: Special, nbytes: usize, typesize: usize) -> Result<Vec<u8>, Error> {
    // A chunk is a whole number of elements; single bytes always are.
    let typesize = if nbytes.is_multiple_of(typesize) { typesize } else { 1 };
    let encoder = Encoder::new(CParams::blosc2().typesize(typesize))?;
    Ok(match special {
        Special::Nan => encoder.nans(nbytes)?,
        Special::Uninit => encoder.uninit(nbytes)?,
        _ => encoder.zeros(nbytes)?,
    })
}

/// The plain bytes of chunk `number`.
pub(super) fn plain(archive: &Archive<'_>, number: u64) -> Result<Vec<u8>, Error> {
    let limits = archive.get_limits();
    if number.checked_add(1) == Some(archive.nchunks()) {
        // Where the sizes of a frame's chunks vary, only the last one shows whether their sum is that of the header.
        archive.container().chunk_range(number, limits)?;
    }
    let mut worker = worker(archive, *limits, Parallelism::Serial, archive.get_cancel());
    let plain = decode(archive, &mut worker, number, None).map_err(Error::or_cancelled)?;
    limits.check_output(plain.len() as u64, plain.len() as u64)?;
    plain.into_vec_within(limits)
}
