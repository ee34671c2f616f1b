//! The index of a shard: offset and length of each chunk, then a checksum.
//!
//! ```text
//! chunks in C order: offset u64, length u64       both 2^64 - 1: the chunk is missing
//! CRC-32C of the bytes before: u32, little-endian  if the index has a checksum
//! ```

use super::{IndexLocation, Sharding, ZarrError, crc32c::crc32c};
use crate::error::FormatError;
use blosc_core::memory;

/// Size of an entry in bytes.
const ENTRY: u64 = 16;

/// The index of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardIndex {
    entries: Vec<(u64, u64)>,
}

/// Where a chunk is in its shard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShardEntry {
    /// Offset in the shard.
    pub offset: u64,
    /// Length in bytes.
    pub len: u64,
}

impl ShardIndex {
    /// Returns the size of the index of `nchunks` chunks in bytes, `None` if it overflows.
    #[must_use]
    pub fn nbytes(nchunks: u64, sharding: &Sharding) -> Option<u64> {
        nchunks.checked_mul(ENTRY)?.checked_add(if sharding.index_checksum { 4 } else { 0 })
    }

    /// Returns the offset of an index of `nbytes` bytes in a shard of `len` bytes, `None` if the shard is shorter.
    #[must_use]
    pub fn offset(nbytes: u64, len: u64, sharding: &Sharding) -> Option<u64> {
        let end = len.checked_sub(nbytes)?;
        Some(match sharding.location {
            IndexLocation::Start => 0,
            IndexLocation::End => end,
        })
    }

    /// Parses the index of `nchunks` chunks, which must have the size of [`nbytes`](Self::nbytes).
    ///
    /// # Errors
    ///
    /// [`ZarrError::ShardIndex`]; [`FormatError::OutOfMemory`].
    pub fn parse(bytes: &[u8], nchunks: u64, sharding: &Sharding) -> Result<Self, FormatError> {
        let damaged = |problem: String| FormatError::from(ZarrError::ShardIndex { problem: problem.into() });
        let expected = Self::nbytes(nchunks, sharding).unwrap_or(u64::MAX);
        if bytes.len() as u64 != expected {
            return Err(damaged(format!("{} bytes, expected {expected}", bytes.len())));
        }
        let entries = match sharding.index_checksum {
            false => bytes,
            true => {
                let (entries, stored) = bytes.split_last_chunk::<4>().ok_or_else(|| damaged("no bytes".into()))?;
                let (stored, computed) = (u32::from_le_bytes(*stored), crc32c(entries));
                if stored != computed {
                    return Err(damaged(format!("CRC-32C is {computed:#010x}, expected {stored:#010x}")));
                }
                entries
            }
        };
        let number = |bytes: [u8; 8]| match sharding.index_is_big {
            true => u64::from_be_bytes(bytes),
            false => u64::from_le_bytes(bytes),
        };
        let (pairs, _) = entries.as_chunks::<16>();
        let entry = |pair: &[u8; 16]| {
            let [offset, len] = [0, 8].map(|at| {
                let mut bytes = [0; 8];
                bytes.iter_mut().zip(pair.iter().skip(at)).for_each(|(to, byte)| *to = *byte);
                number(bytes)
            });
            (offset, len)
        };
        Ok(ShardIndex { entries: memory::collect(pairs.iter().map(entry))? })
    }

    /// Creates an index from its entries, `None` for missing chunks.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfMemory`].
    pub fn from_entries(entries: impl IntoIterator<Item = Option<ShardEntry>>) -> Result<Self, FormatError> {
        let pair = |entry: Option<ShardEntry>| entry.map_or((u64::MAX, u64::MAX), |entry| (entry.offset, entry.len));
        Ok(ShardIndex { entries: memory::collect(entries.into_iter().map(pair))? })
    }

    /// Encodes the index.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfMemory`].
    pub fn to_bytes(&self, sharding: &Sharding) -> Result<Vec<u8>, FormatError> {
        let mut bytes = memory::with_capacity(self.entries.len().saturating_mul(ENTRY as usize).saturating_add(4))?;
        for number in self.entries.iter().flat_map(|(offset, len)| [offset, len]) {
            bytes.extend_from_slice(&match sharding.index_is_big {
                true => number.to_be_bytes(),
                false => number.to_le_bytes(),
            });
        }
        if sharding.index_checksum {
            let checksum = crc32c(&bytes);
            bytes.extend_from_slice(&checksum.to_le_bytes());
        }
        Ok(bytes)
    }

    /// Returns the number of chunks, missing ones included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether the shard has no chunks, not even missing ones.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns the entry of chunk `number`, `None` if the chunk is missing.
    #[must_use]
    pub fn get(&self, number: u64) -> Option<ShardEntry> {
        let (offset, len) = *self.entries.get(usize::try_from(number).ok()?)?;
        (offset != u64::MAX || len != u64::MAX).then_some(ShardEntry { offset, len })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        for (index_is_big, index_checksum) in [(false, true), (true, true), (false, false)] {
            let sharding = Sharding { index_is_big, index_checksum, ..Sharding::new(vec![4]) };
            let entries = [Some(ShardEntry { offset: 7, len: 5 }), None, Some(ShardEntry { offset: 0, len: 7 })];
            let index = ShardIndex::from_entries(entries).unwrap();
            let bytes = index.to_bytes(&sharding).unwrap();
            assert_eq!(Some(bytes.len() as u64), ShardIndex::nbytes(3, &sharding));
            assert_eq!(ShardIndex::parse(&bytes, 3, &sharding), Ok(index.clone()));
            assert_eq!([0, 1, 2, 3].map(|chunk| index.get(chunk)), [entries[0], None, entries[2], None]);
            for len in 0..bytes.len() {
                assert!(ShardIndex::parse(&bytes[..len], 3, &sharding).is_err());
            }
        }
    }
}
