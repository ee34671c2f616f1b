//! The offsets section: where each chunk starts.
//!
//! ```text
//! nchunks        x i64   position of the chunk's Blosc header in the file
//! max_app_chunks x i64   spare entries, -1
//! ```
//!
//! All entries are -1 until every chunk has been written, so a file whose writing was interrupted has only such
//! entries. This module does not validate entries, because that requires the file's length and its chunks.

use super::Header;
use crate::error::FormatError;
use blosc_core::{OutOfMemory, memory};

/// An entry without a chunk, or one whose chunk has not been written yet.
pub const UNKNOWN: i64 = -1;

/// The byte that spare entries consist of: -1 is `ff` eight times.
pub const SPARE_BYTE: u8 = 0xff;

/// Length of an entry in bytes.
pub const ENTRY_LEN: u64 = 8;

/// Returns the length of the section in bytes, spare entries included; 0 if the file has no offsets.
///
/// # Errors
///
/// [`FormatError::TooManyChunks`] if the length does not fit the 63 bits of a position in a file.
pub fn section_len(header: &Header) -> Result<u64, FormatError> {
    if !header.offsets {
        return Ok(0);
    }
    let max_app_chunks = header.max_app_chunks;
    let nchunks = header.nchunks.ok_or(FormatError::UnknownChunkCount { max_app_chunks })?;
    nchunks
        .checked_add(max_app_chunks)
        .and_then(|entries| entries.checked_mul(ENTRY_LEN))
        .filter(|len| i64::try_from(*len).is_ok())
        .ok_or(FormatError::TooManyChunks { nchunks, max_app_chunks })
}

/// Decodes whole entries. The first `8 * nchunks` bytes of the section hold the entries in use.
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn decode(bytes: &[u8]) -> Result<Vec<i64>, OutOfMemory> {
    let (entries, _rest) = bytes.as_chunks();
    memory::collect(entries.iter().copied().map(i64::from_le_bytes))
}

/// Encodes entries. A spare entry is [`ENTRY_LEN`] times [`SPARE_BYTE`].
///
/// # Errors
///
/// [`OutOfMemory`].
pub fn encode(entries: &[i64]) -> Result<Vec<u8>, OutOfMemory> {
    let mut bytes = memory::with_capacity(entries.len().saturating_mul(ENTRY_LEN as usize))?;
    entries.iter().for_each(|entry| bytes.extend(entry.to_le_bytes()));
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::Version;
    use super::*;

    #[test]
    fn length_counts_spare_entries_and_is_checked() {
        let header = |offsets, nchunks, max_app_chunks| Header {
            offsets,
            nchunks: Some(nchunks),
            max_app_chunks,
            ..Header::new(Version::V3)
        };
        assert_eq!(section_len(&header(true, 3, 30)), Ok(264));
        assert_eq!(section_len(&header(false, 3, 30)), Ok(0));
        assert_eq!(section_len(&header(true, 1 << 59, (1 << 59) - 1)), Ok((1 << 63) - 8));
        for (nchunks, max_app_chunks) in [(1 << 60, 0), (1, u64::MAX), (i64::MAX as u64, 0)] {
            let error = FormatError::TooManyChunks { nchunks, max_app_chunks };
            assert_eq!(section_len(&header(true, nchunks, max_app_chunks)), Err(error));
        }
    }

    #[test]
    fn entries_lead_back() {
        let entries = [32, i64::MAX, UNKNOWN, -7];
        let bytes = encode(&entries).unwrap();
        assert_eq!(bytes[16..24], [SPARE_BYTE; 8]);
        assert_eq!(decode(&bytes).unwrap(), entries);
        assert_eq!(decode(&bytes[..17]).unwrap(), entries[..2]);
    }
}
