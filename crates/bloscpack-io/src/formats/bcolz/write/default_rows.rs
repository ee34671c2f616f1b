//! New rows of a carray that have its default value.

use blosc_core::{Limits, OutOfMemory, memory};
use bloscpack_format::FormatError;
use bloscpack_format::bcolz::dflt;

use crate::Error;
use crate::formats::bcolz::carray::Meta;

/// Refuses a default value that does not fit the dtype, and chunks of it that would take too much memory. A few bytes
/// of metadata can request a chunk of any size.
pub(super) fn check_default_rows(meta: &Meta, limits: &Limits) -> Result<(), Error> {
    let (storage, sizes) = (&meta.storage, &meta.sizes);
    dflt::check(&storage.dflt, &storage.dtype, sizes.atom_shape()).map_err(FormatError::from)?;
    // Three buffers of up to a chunk's size: a row, the chunk, and its compressed bytes.
    let memory = 3 * meta.rows.chunk_nbytes();
    limits.check_unearned(memory, 0)?;
    Ok(limits.check_memory("rows of the default value", memory)?)
}

/// Returns the bytes of a row of the default value.
pub(super) fn default_row(meta: &Meta) -> Result<Vec<u8>, Error> {
    let (storage, sizes) = (&meta.storage, &meta.sizes);
    let value = dflt::to_bytes(&storage.dflt, &storage.dtype, sizes.atom_shape()).map_err(FormatError::from)?;
    // A row has less than 2 GiB.
    Ok(memory::collect(value.iter().copied().cycle().take(meta.rows.atomsize() as usize))?)
}

/// Appends `count` copies of `one`. Each step copies all bytes that were appended before it.
pub(super) fn extend_repeated(bytes: &mut Vec<u8>, one: &[u8], count: usize) -> Result<(), OutOfMemory> {
    let (start, nbytes) = (bytes.len(), one.len() * count);
    if nbytes == 0 {
        return Ok(());
    }
    memory::reserve(bytes, nbytes)?;
    bytes.extend_from_slice(one);
    while let done @ 1.. = bytes.len() - start
        && done < nbytes
    {
        bytes.extend_from_within(start..start + done.min(nbytes - done));
    }
    Ok(())
}

/// Returns `count` copies of `one`.
pub(super) fn repeated(one: &[u8], count: usize) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = Vec::new();
    extend_repeated(&mut bytes, one, count)?;
    Ok(bytes)
}
