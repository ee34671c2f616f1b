//! Effects of added and removed chunks on the sizes in a header, and positions of new chunks.

use super::Edit;
use super::change::{Change, ChunkTarget, NewChunk, TOO_MANY_BYTES};
use crate::error::{FormatError, Part};
use crate::frame::msgpack::in_range;
use crate::frame::plan::MIN_ROOM;
use crate::frame::{ChunkInfo, ChunkRef, ChunkSize, Entry, FrameError, FrameType, Step};
use blosc_core::{CParams, Encoder, Special, memory};

impl Edit {
    /// Sets the uncompressed size of chunks before there is one. Otherwise the first chunk decides it. The first chunk may
    /// be shorter, but not longer.
    ///
    /// # Errors
    ///
    /// [`FormatError::OutOfRange`] for a size of 0 or above `i32::MAX`, or if there are chunks.
    pub fn set_chunk_size(&mut self, nbytes: u32) -> Result<(), FormatError> {
        in_range(Part::FrameHeader, 58, "chunksize", nbytes.into(), 1, i32::MAX.into())?;
        let header = &mut self.frame.header;
        in_range(Part::FrameHeader, 30, "nbytes", i64::try_from(header.nbytes).unwrap_or(i64::MAX), 0, 0)?;
        header.chunksize = ChunkSize::Fixed(nbytes);
        self.tail_changed = true;
        Ok(())
    }

    /// Makes chunk sizes variable if `chunk` does not have the size that its number requires.
    pub(super) fn size_rule(&mut self, change: Change, chunk: NewChunk) -> Result<(), FormatError> {
        let (nbytes, vl_blocks) = match chunk {
            NewChunk::Stored(info) => (info.nbytes, info.vl_blocks),
            NewChunk::Special(_, nbytes) => (nbytes, false),
        };
        in_range(Part::FrameChunk, 4, "nbytes", nbytes.into(), 1, i32::MAX.into())?;
        if self.grown {
            return Err(FrameError::MetalayersFixed.into());
        }
        if vl_blocks {
            self.vary()?;
            self.frame.header.vl_blocks = true;
        }
        let nchunks = self.frame.nchunks();
        let header = &mut self.frame.header;
        let size = match header.chunksize {
            ChunkSize::Variable => return Ok(()),
            ChunkSize::Fixed(size) if nchunks > 0 || nbytes <= size => size,
            ChunkSize::Fixed(_) | ChunkSize::Unset => {
                header.chunksize = ChunkSize::Fixed(nbytes);
                nbytes
            }
        };
        let last_is_full = nchunks == 0 || self.frame.last_chunk(size) == Some(size);
        let fits = match change {
            Change::Insert(at) if at == nchunks => last_is_full && nbytes <= size,
            Change::Update(at) if at + 1 == nchunks => nbytes <= size,
            Change::Insert(_) | Change::Update(_) => nbytes == size,
        };
        if fits { Ok(()) } else { self.vary() }
    }

    /// Makes chunk sizes variable. Special values would have no size then, so they are converted to stored chunks.
    pub(super) fn vary(&mut self) -> Result<(), FormatError> {
        if self.frame.header.chunksize == ChunkSize::Variable {
            return Ok(());
        }
        for chunk in 0..self.frame.nchunks() {
            if let ChunkRef::Special { special, nbytes } = self.frame.chunk(chunk)? {
                let entry = self.store_special(special, nbytes)?;
                let entries = self.frame.index.to_mut(self.max_chunks)?;
                entries.get_mut(chunk as usize).into_iter().for_each(|old| *old = entry.to_i64());
            }
        }
        let header = &mut self.frame.header;
        header.chunksize = ChunkSize::Variable;
        header.variable_chunks = true;
        header.version = 3;
        Ok(())
    }

    /// Accounts for a new chunk and returns its position.
    pub(super) fn place(&mut self, at: u64, chunk: NewChunk) -> Result<(Entry, Option<ChunkTarget>), FormatError> {
        self.tail_changed = true;
        let variable = self.frame.header.chunksize == ChunkSize::Variable;
        let (nbytes, entry, place) = match chunk {
            NewChunk::Stored(info) => {
                let place = self.room(info.cbytes)?;
                (info.nbytes, self.entry(place), Some(place))
            }
            // An index has no entry for an arbitrary value.
            NewChunk::Special(Special::Value, _) => {
                let problem = "an index has no entry for a repeated value; add a chunk that repeats it";
                return Err(FrameError::UnfitChunk { chunk: at, problem }.into());
            }
            // C-Blosc2 reads a special value only if it consists of whole items. A last chunk that does not cannot be
            // read there.
            NewChunk::Special(special, nbytes) if variable || !nbytes.is_multiple_of(self.frame.header.typesize) => {
                (nbytes, self.store_special(special, nbytes)?, None)
            }
            NewChunk::Special(special, nbytes) => (nbytes, Entry::Special(special), None),
        };
        let header = &mut self.frame.header;
        header.nbytes = header.nbytes.checked_add(nbytes.into()).ok_or(TOO_MANY_BYTES)?;
        Ok((entry, place))
    }

    /// Reserves space for the bytes of a chunk.
    fn room(&mut self, cbytes: u32) -> Result<ChunkTarget, FormatError> {
        let header = &mut self.frame.header;
        match header.frame_type {
            FrameType::Contiguous => {
                let at = self.end;
                self.end = at
                    .checked_add(u64::from(cbytes).max(MIN_ROOM))
                    .filter(|end| i64::try_from(*end).is_ok())
                    .ok_or(TOO_MANY_BYTES)?;
                // The final value is set later. Until then, this keeps placed chunks within the data.
                header.cbytes = self.end - header.header_len();
                Ok(ChunkTarget::At(at))
            }
            FrameType::Sparse => {
                // The lowest free number: C-Blosc2 does not open a frame with a number above cbytes - 32, as if it were
                // an offset.
                let is_used = |number: u64| u32::try_from(number).is_ok_and(|number| self.used.contains(&number));
                while is_used(self.next_number) {
                    self.next_number += 1;
                }
                let (found, max) = (self.next_number, u32::MAX.into());
                let number =
                    u32::try_from(found).map_err(|_| FrameError::TooMany { what: "chunk files", found, max })?;
                self.next_number += 1;
                header.cbytes = header.cbytes.checked_add(cbytes.into()).ok_or(TOO_MANY_BYTES)?;
                Ok(ChunkTarget::File(number))
            }
        }
    }

    fn entry(&self, place: ChunkTarget) -> Entry {
        Entry::Stored(match place {
            ChunkTarget::At(at) => at - self.frame.header.header_len(),
            ChunkTarget::File(number) => number.into(),
        })
    }

    /// Stores a chunk of a special value. C-Blosc2 takes the frame's typesize for the length of a repeated value, so a
    /// chunk has blocks if its value has another length.
    fn store_special(&mut self, special: Special, nbytes: u32) -> Result<Entry, FormatError> {
        let typesize = u8::try_from(self.frame.header.typesize).ok().map(u32::from);
        let encoder = CParams::blosc2().typesize(typesize.map_or(1, |typesize| typesize as usize));
        let encoder = Encoder::new(encoder).map_err(FrameError::from)?;
        // Stored as a repeated value, not as a special value: C-Blosc2 does not open a frame whose first chunk is a
        // header alone.
        let bytes = match (special, typesize) {
            (Special::Nan, Some(4)) => encoder.repeat(&f32::NAN.to_le_bytes(), nbytes as usize),
            (Special::Nan, _) => encoder.repeat(&f64::NAN.to_le_bytes(), nbytes as usize),
            (_, Some(typesize)) if nbytes.is_multiple_of(typesize) => {
                encoder.repeat(&memory::zeroed(typesize as usize)?, nbytes as usize)
            }
            _ => encoder.zeros_in_blocks(nbytes as usize),
        };
        let bytes = bytes.map_err(FrameError::from)?;
        let place = self.room(bytes.len() as u32)?;
        match (place, self.chunks.last_mut()) {
            (ChunkTarget::At(at), Some(Step::Write { at: before, bytes: run })) if *before + run.len() as u64 == at => {
                run.extend(bytes);
            }
            (ChunkTarget::At(at), _) => self.chunks.push(Step::Write { at, bytes }),
            (ChunkTarget::File(number), _) => self.chunks.push(Step::WriteFile { number, bytes }),
        }
        Ok(self.entry(place))
    }

    /// Returns the sizes of an existing chunk, for the totals.
    pub(super) fn old_chunk(&self, chunk: u64, old: Option<ChunkInfo>) -> Result<ChunkInfo, FormatError> {
        let no_size = FrameError::NoSize { chunk };
        let nbytes = self.frame.chunk_nbytes(chunk)?.or(old.map(|old| old.nbytes)).ok_or(no_size.clone())?;
        let cbytes = match (self.frame.index.get(chunk)?, self.frame.header.frame_type) {
            (Entry::Stored(_), FrameType::Sparse) => old.ok_or(no_size)?.cbytes,
            _ => 0,
        };
        Ok(ChunkInfo { nbytes, cbytes, vl_blocks: false, special: None })
    }

    /// Refuses to remove a chunk of `nbytes` if the total is wrong: if no bytes would be left for `others`, the number of the
    /// other chunks, or if bytes would be left without a chunk. Such a frame cannot be read.
    pub(super) fn check_total(&self, nbytes: u32, others: u64) -> Result<(), FormatError> {
        let total = i64::try_from(self.frame.header.nbytes).unwrap_or(i64::MAX);
        let nbytes = i64::from(nbytes);
        let [least, most] = if others > 0 { [nbytes + 1, i64::MAX] } else { [nbytes; 2] };
        in_range(Part::FrameHeader, 30, "nbytes", total, least, most)
    }

    /// Subtracts a removed chunk from the totals.
    pub(super) fn forget(&mut self, at: u64, old: ChunkInfo) -> Result<(), FormatError> {
        self.tail_changed = true;
        let entry = self.frame.index.get(at)?;
        let header = &mut self.frame.header;
        header.nbytes = header.nbytes.saturating_sub(old.nbytes.into());
        if let (FrameType::Sparse, Entry::Stored(number)) = (header.frame_type, entry) {
            // A special value may just have been converted to a file, which `old` does not describe.
            let own = self.chunks.iter().find_map(|step| match step {
                Step::WriteFile { number: own, bytes } if u64::from(*own) == number => Some(bytes.len() as u64),
                _ => None,
            });
            header.cbytes = header.cbytes.saturating_sub(own.unwrap_or(old.cbytes.into()));
            self.stale.extend(u32::try_from(number).ok());
        }
        Ok(())
    }
}
