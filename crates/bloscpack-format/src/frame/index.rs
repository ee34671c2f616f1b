//! The index of a frame: for each chunk its position, or the value it repeats.

use super::layout::no_such_chunk;
use super::{Entry, FrameError, FrameType, Header, MAX_CHUNKS};
use crate::error::{FormatError, Part};
use crate::le::bytes_of;
use blosc_core::{
    BlockSize, CParams, Chunk, Codec, DecodeError, Decoder, Encoder, FilterPipeline, Limits, OutOfMemory, Special,
    SplitMode, memory,
};
use std::collections::BTreeSet;

/// The index of a frame.
///
/// It is stored as an ordinary chunk of one little-endian `i64` for each chunk:
///
/// ```text
/// >= 0  contiguous: where the chunk starts, from the end of the header; sparse: the number of its file
/// <  0  no chunk is stored; the top byte says what it repeats: 81 zeros, 82 not-a-numbers, 84 uninitialised
/// ```
///
/// Entries need not be in order, nor distinct. An index that repeats one entry, such as that of a frame filled with
/// zeros, is kept as that one entry for any number of chunks: it is only 40 bytes in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Index(Entries);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Entries {
    List(Vec<i64>),
    Repeat { entry: i64, nchunks: u64 },
}

/// Uncompressed bytes of an entry.
const ENTRY_LEN: usize = size_of::<i64>();
/// Uncompressed bytes of the blocks of an index, as in C-Blosc2.
const BLOCKSIZE: usize = 16 << 10;

impl Default for Index {
    fn default() -> Self {
        Self(Entries::List(Vec::new()))
    }
}

impl Index {
    /// Decodes the index of a frame with this header. `bytes` starts where the index does
    /// ([`Layout::index`](super::Layout::index)). The index of a frame without uncompressed bytes is empty, whatever
    /// `bytes` contains.
    ///
    /// [`Limits::max_chunks`] bounds the number of entries. An index that repeats one entry is not bounded, because it
    /// takes no memory. Memory grows while the chunk is decoded. The entries are not validated.
    ///
    /// # Errors
    ///
    /// [`FormatError::Limit`]; [`FrameError::Chunk`] if it is not a complete chunk; [`FrameError::IndexLength`] if the
    /// number of entries differs from the number of chunks by the header's sizes.
    pub fn decode(bytes: &[u8], header: &Header, limits: Limits) -> Result<Self, FormatError> {
        let expected = header.nchunks();
        if expected == Some(0) {
            return Ok(Self::default());
        }
        let chunk = Chunk::parse(bytes).map_err(refused)?;
        let nbytes = chunk.header().nbytes();
        let nchunks = (nbytes / ENTRY_LEN) as u64;
        if !nbytes.is_multiple_of(ENTRY_LEN) || nchunks > MAX_CHUNKS || expected.is_some_and(|number| number != nchunks)
        {
            let expected = expected.map(|number| number * ENTRY_LEN as u64);
            return Err(FrameError::IndexLength { found: nbytes as u64, expected }.into());
        }
        if let Some(value) = chunk.repeated_value() {
            let entry = repeated(value).ok_or(DecodeError::Unearned { nbytes, cbytes: chunk.header().cbytes() });
            return Ok(Self(Entries::Repeat { entry: entry.map_err(refused)?, nchunks }));
        }
        limits.check_chunks(nchunks)?;
        limits.check_unearned(nbytes as u64, chunk.header().cbytes() as u64)?;
        // The limits for chunks of data do not apply to the index.
        let mut decoder = Decoder::new().limits(limits.max_nbytes(usize::MAX).max_chunk(usize::MAX));
        let mut block = memory::zeroed(chunk.header().blocksize().min(nbytes))?;
        let mut entries = memory::with_capacity(nchunks as usize)?;
        // A block may end within an entry.
        let mut rest = Vec::new();
        for index in 0..chunk.header().nblocks() {
            let len = decoder.decode_block(&chunk, index, &mut block).map_err(refused)?;
            memory::extend(&mut rest, block.get(..len).unwrap_or_default())?;
            let (whole, _) = rest.as_chunks();
            memory::reserve(&mut entries, whole.len())?;
            entries.extend(whole.iter().copied().map(i64::from_le_bytes));
            rest.drain(..rest.len() / ENTRY_LEN * ENTRY_LEN);
        }
        Ok(Self(Entries::List(entries)))
    }

    /// Encodes the chunk to store, as C-Blosc2 writes it: BloscLZ after a shuffle, or one repeated entry if all are
    /// equal. Empty if there are no chunks.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`] for more than [`MAX_CHUNKS`] chunks.
    pub fn encode(&self) -> Result<Vec<u8>, FormatError> {
        let found = self.len();
        if found > MAX_CHUNKS {
            return Err(FrameError::TooMany { what: "chunks", found, max: MAX_CHUNKS }.into());
        }
        let params = CParams::blosc2().codec(Codec::BloscLz).clevel(5).typesize(ENTRY_LEN);
        let params = params.filters(FilterPipeline::shuffle()).split(SplitMode::Never);
        let params = params.blocksize(BlockSize::Fixed(BLOCKSIZE));
        let mut encoder = Encoder::new(params).map_err(FrameError::from)?;
        let chunk = match &self.0 {
            _ if found == 0 => return Ok(Vec::new()),
            // At most MAX_CHUNKS.
            Entries::Repeat { entry, nchunks } => encoder.repeat(&entry.to_le_bytes(), *nchunks as usize * ENTRY_LEN),
            Entries::List(entries) => {
                let plain = bytes_of(entries)?;
                encoder.compress(&plain)
            }
        };
        chunk.map_err(|error| FrameError::from(error).into())
    }

    /// Creates an index of these entries.
    ///
    /// # Errors
    ///
    /// [`OutOfMemory`].
    pub fn from_entries(entries: impl IntoIterator<Item = Entry>) -> Result<Self, OutOfMemory> {
        Ok(Self(Entries::List(memory::collect(entries.into_iter().map(Entry::to_i64))?)))
    }

    /// Creates an index in which all chunks are the same special value. It takes no memory for any number of chunks.
    #[must_use]
    pub fn repeat(special: Special, nchunks: u64) -> Self {
        Self(Entries::Repeat { entry: Entry::Special(special).to_i64(), nchunks })
    }

    /// Returns the number of chunks.
    #[must_use]
    pub fn len(&self) -> u64 {
        match &self.0 {
            Entries::List(entries) => entries.len() as u64,
            Entries::Repeat { nchunks, .. } => *nchunks,
        }
    }

    /// Returns whether there are no chunks.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the entry of a chunk as stored in the index, `None` past the last chunk.
    #[must_use]
    pub fn raw(&self, chunk: u64) -> Option<i64> {
        match &self.0 {
            Entries::List(entries) => entries.get(usize::try_from(chunk).ok()?).copied(),
            Entries::Repeat { entry, nchunks } => (chunk < *nchunks).then_some(*entry),
        }
    }

    /// Returns the entry of a chunk.
    ///
    /// # Errors
    ///
    /// [`FrameError::NoSuchChunk`]; [`FrameError::Entry`] for a negative entry that is not a special value.
    pub fn get(&self, chunk: u64) -> Result<Entry, FormatError> {
        let value = self.raw(chunk).ok_or_else(|| no_such_chunk(chunk, self.len()))?;
        let entry = Entry::from_i64(value);
        entry.ok_or_else(|| FrameError::Entry { chunk, value, max: i64::MAX }.into())
    }

    /// Checks that every entry is a special value or an offset below `end`. For files, the number must fit 32 bits.
    ///
    /// # Errors
    ///
    /// [`FrameError::Entry`] for the first that is neither.
    pub fn check(&self, end: u64) -> Result<(), FormatError> {
        let max = i64::try_from(end).unwrap_or(i64::MAX).saturating_sub(1);
        let fits = |value: i64| value <= max && Entry::from_i64(value).is_some();
        let bad = match &self.0 {
            Entries::List(entries) => {
                let bad = entries.iter().enumerate().find(|(_, value)| !fits(**value));
                bad.map(|(chunk, value)| (chunk as u64, *value))
            }
            Entries::Repeat { entry, nchunks } => (*nchunks > 0 && !fits(*entry)).then_some((0, *entry)),
        };
        bad.map_or(Ok(()), |(chunk, value)| Err(FrameError::Entry { chunk, value, max }.into()))
    }

    /// Returns whether the index is kept as one repeated entry: all chunks are equal, except for a shorter last one.
    #[must_use]
    pub fn is_repeated(&self) -> bool {
        matches!(self.0, Entries::Repeat { .. })
    }

    /// Returns the first chunk that is stored.
    #[must_use]
    pub fn first_stored(&self) -> Option<u64> {
        let first = match &self.0 {
            Entries::List(entries) => entries.iter().position(|entry| *entry >= 0)?,
            Entries::Repeat { entry, nchunks } if *entry >= 0 && *nchunks > 0 => 0,
            Entries::Repeat { .. } => return None,
        };
        Some(first as u64)
    }

    /// Maps each entry with `change`, which also gets the chunk's number. For an index that repeats one entry it is
    /// called once.
    ///
    /// # Errors
    ///
    /// The errors of `change`; [`FrameError::Entry`] for an invalid entry.
    pub fn try_map<E: From<FormatError>>(
        &self,
        mut change: impl FnMut(u64, Entry) -> Result<Entry, E>,
    ) -> Result<Self, E> {
        let mut changed = |chunk| change(chunk, self.get(chunk)?).map(Entry::to_i64);
        Ok(Self(match self.0 {
            Entries::Repeat { nchunks, .. } if nchunks > 0 => Entries::Repeat { entry: changed(0)?, nchunks },
            _ => Entries::List(
                memory::try_collect((0..self.len()).map(|chunk| changed(chunk).map_err(Changed)))
                    .map_err(|Changed(error)| error)?,
            ),
        }))
    }

    /// Returns the numbers of the chunk files; empty for a contiguous frame.
    #[must_use]
    pub fn numbers(&self, frame_type: FrameType) -> BTreeSet<u32> {
        let entries = match &self.0 {
            _ if frame_type == FrameType::Contiguous => &[],
            Entries::List(entries) => entries.as_slice(),
            Entries::Repeat { entry, .. } => std::slice::from_ref(entry),
        };
        // `collect` would first put all of them into one allocation.
        let mut numbers = BTreeSet::new();
        numbers.extend(entries.iter().filter_map(|entry| u32::try_from(*entry).ok()));
        numbers
    }

    pub(super) fn from_raw(entries: Vec<i64>) -> Self {
        Self(Entries::List(entries))
    }

    /// Adds a chunk at the end.
    pub(super) fn push(&mut self, entry: Entry, max: u64) -> Result<(), FormatError> {
        match &mut self.0 {
            Entries::Repeat { entry: same, nchunks } if *same == entry.to_i64() => *nchunks += 1,
            _ => memory::push(self.to_mut(max)?, entry.to_i64())?,
        }
        Ok(())
    }

    /// Returns the entries as a mutable list, which takes 8 bytes a chunk. The limit is for an index that repeats one
    /// entry: the length of its input does not justify the allocation.
    ///
    /// # Errors
    ///
    /// [`FrameError::TooMany`] for more than `max` chunks that had been kept as one entry.
    pub(super) fn to_mut(&mut self, max: u64) -> Result<&mut Vec<i64>, FormatError> {
        let too_many =
            |found| FrameError::TooMany { what: "chunks of a repeated value to list individually", found, max };
        loop {
            match self.0 {
                Entries::List(ref mut entries) => return Ok(entries),
                Entries::Repeat { nchunks, .. } if nchunks > max => return Err(too_many(nchunks).into()),
                Entries::Repeat { entry, nchunks } => {
                    let mut entries = Vec::new();
                    memory::resize(&mut entries, nchunks as usize, entry)?;
                    self.0 = Entries::List(entries);
                }
            }
        }
    }
}

/// Returns the entry that every chunk has in an index whose chunk repeats `value`. `None` if `value` cannot be an
/// entry, such as one of 12 bytes.
fn repeated(value: &[u8]) -> Option<i64> {
    if value.is_empty() {
        return Some(0);
    }
    let fits = value.len() <= ENTRY_LEN && ENTRY_LEN.is_multiple_of(value.len());
    let mut bytes = value.iter().copied().cycle();
    fits.then(|| i64::from_le_bytes([(); ENTRY_LEN].map(|()| bytes.next().unwrap_or(0))))
}

/// An error of [`Index::try_map`], which may also be an allocation failure.
struct Changed<E>(E);

impl<E: From<FormatError>> From<OutOfMemory> for Changed<E> {
    fn from(error: OutOfMemory) -> Self {
        Changed(FormatError::from(error).into())
    }
}

fn refused(source: DecodeError) -> FormatError {
    FrameError::Chunk { part: Part::FrameIndex, source: Box::new(source) }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_an_entry_for_each_chunk() {
        let index = Index::from_entries([0, 40, 80].map(Entry::Stored)).unwrap();
        let chunk = index.encode().unwrap();
        let header = |nbytes| Header {
            nbytes,
            chunksize: super::super::ChunkSize::Fixed(100),
            ..Header::new(FrameType::Contiguous, 1)
        };
        for (nbytes, nchunks) in [(200, 2), (301, 4)] {
            let error = FrameError::IndexLength { found: 24, expected: Some(nchunks * 8) };
            assert_eq!(Index::decode(&chunk, &header(nbytes), Limits::new()), Err(error.into()));
        }
        assert_eq!(Index::decode(&chunk, &header(300), Limits::new()), Ok(index.clone()));
        assert_eq!(Index::decode(b"no chunk", &header(0), Limits::new()), Ok(Index::default()));
        assert!(Index::decode(&chunk, &header(300), Limits::new().max_chunks(2)).is_err());
        assert_eq!((index.check(81), index.check(80).is_err()), (Ok(()), true));
    }
}
