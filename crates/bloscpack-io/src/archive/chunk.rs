//! Reads one chunk of any container, compressed or uncompressed.

use std::ops::Range;

use blosc_core::{CParams, Encoder, Parallelism, Special};

use super::Archive;
use super::decoding::{decode, worker};
use crate::Error;
use crate::container::{Fetched, StoredChunk};

/// Returns the compressed bytes of chunk `number`. A special value has no stored bytes, and is encoded as a chunk.
pub(super) fn compressed(archive: &Archive<'_>, number: u64) -> Result<Vec<u8>, Error> {
    archive.expect_chunk(number)?;
    match archive.container().fetch(number, None, archive.get_limits())? {
        Fetched::Bytes { bytes, .. } => Ok(bytes),
        Fetched::Special { special, nbytes } => special_chunk(special, nbytes as usize, archive.typesize()),
    }
}

/// Returns the chunk that holds exactly the plain bytes `range`, if it is stored as one Blosc1 chunk.
pub(super) fn stored(archive: &Archive<'_>, range: &Range<u64>) -> Result<Option<StoredChunk>, Error> {
    let container = archive.container();
    if container.stored_chunk_nbytes().is_none() || range.start >= range.end {
        return Ok(None);
    }
    let number = archive.chunk_of(range.start)?;
    archive.expect_chunk(number)?;
    let stored = container.stored_chunk(number, archive.get_limits())?;
    Ok(stored.filter(|stored| stored.range == *range))
}

fn special_chunk(special: Special, nbytes: usize, typesize: usize) -> Result<Vec<u8>, Error> {
    // The size of a chunk must be a multiple of the typesize. A typesize of 1 always fits.
    let typesize = if nbytes.is_multiple_of(typesize) { typesize } else { 1 };
    let encoder = Encoder::new(CParams::blosc2().typesize(typesize))?;
    Ok(match special {
        Special::Nan => encoder.nans(nbytes)?,
        Special::Uninit => encoder.uninit(nbytes)?,
        _ => encoder.zeros(nbytes)?,
    })
}

/// Returns the plain bytes of chunk `number`.
pub(super) fn plain(archive: &Archive<'_>, number: u64) -> Result<Vec<u8>, Error> {
    let limits = archive.get_limits();
    if number.checked_add(1) == Some(archive.nchunks()) {
        // If the chunk sizes of a frame vary, this also compares their sum with the header, which needs the sizes of
        // all chunks.
        archive.container().chunk_range(number, limits)?;
    }
    let mut worker = worker(archive, *limits, Parallelism::Serial, archive.get_cancel());
    let plain = decode(archive, &mut worker, number, None).map_err(Error::or_cancelled)?;
    limits.check_output(plain.len() as u64, plain.len() as u64)?;
    plain.into_vec_within(limits)
}
