//! Chunks of a frame: appended, inserted, put in place of others, removed, reordered.

use blosc_core::{Chunk, DecodeError, Special};
use bloscpack_format::frame::{ChunkInfo, FrameError, NewChunk};

use super::FrameWriter;
use crate::Error;
use crate::formats::frame::store::FrameStore;

impl<S: FrameStore> FrameWriter<S> {
    /// Compresses a chunk of these plain bytes and adds it behind the last. A shorter chunk than those before must be the
    /// last, or chunk sizes vary from then on.
    ///
    /// # Errors
    /// [`Error::Format`] for what the frame cannot take, as no bytes at all; [`Error::Encode`], [`Error::Io`],
    /// [`Error::EditFailed`].
    pub fn append(&mut self, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(plain)?;
        self.append_chunk(&chunk)
    }

    /// [`append`](Self::append) of a chunk that is compressed already.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_chunk(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.insert_chunk(self.frame()?.nchunks(), chunk)
    }

    /// Adds so many plain bytes of a special value, for which nothing is stored where chunks have one size.
    ///
    /// # Errors
    /// As [`append`](Self::append); a repeated value cannot be added so.
    pub fn append_special(&mut self, special: Special, nbytes: u32) -> Result<(), Error> {
        let at = self.frame()?.nchunks();
        self.place(at, Change::Insert, NewChunk::Special(special, nbytes), &[])
    }

    /// Compresses a chunk and inserts it in front of chunk `at`.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn insert(&mut self, at: u64, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(plain)?;
        self.insert_chunk(at, &chunk)
    }

    /// [`insert`](Self::insert) of a chunk that is compressed already.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn insert_chunk(&mut self, at: u64, chunk: &[u8]) -> Result<(), Error> {
        let (new, chunk) = whole(at, chunk)?;
        self.place(at, Change::Insert, new, chunk)
    }

    /// Compresses a chunk and puts it in place of chunk `at`.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update(&mut self, at: u64, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(plain)?;
        self.update_chunk(at, &chunk)
    }

    /// [`update`](Self::update) with a chunk that is compressed already.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update_chunk(&mut self, at: u64, chunk: &[u8]) -> Result<(), Error> {
        let (new, chunk) = whole(at, chunk)?;
        self.place(at, Change::Update, new, chunk)
    }

    /// Puts so many plain bytes of a special value in place of chunk `at`.
    ///
    /// # Errors
    /// As [`append_special`](Self::append_special).
    pub fn update_special(&mut self, at: u64, special: Special, nbytes: u32) -> Result<(), Error> {
        self.place(at, Change::Update, NewChunk::Special(special, nbytes), &[])
    }

    /// Removes a chunk.
    ///
    /// # Errors
    /// [`Error::Format`] if there is no such chunk; [`Error::Io`], [`Error::EditFailed`].
    pub fn delete(&mut self, at: u64) -> Result<(), Error> {
        let old = self.old_info(at)?;
        self.with(|edit| edit.delete(at, old))?;
        self.vl_blocks = None;
        Ok(())
    }

    /// Puts the chunks in a new order: place `i` gets chunk `order[i]`.
    ///
    /// # Errors
    /// [`Error::Format`] if `order` does not name each chunk once; [`Error::EditFailed`].
    pub fn reorder(&mut self, order: &[u64]) -> Result<(), Error> {
        self.with(|edit| edit.reorder(order))?;
        self.vl_blocks = None;
        Ok(())
    }

    fn compress(&self, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.encoder()?.compress(plain)?)
    }

    /// Puts a chunk into the plan, and its bytes where that says.
    fn place(&mut self, at: u64, change: Change, new: NewChunk, bytes: &[u8]) -> Result<(), Error> {
        self.check_size(at, new)?;
        if let NewChunk::Stored(info) = new {
            self.check_kind(at, info)?;
        }
        if at < self.frame()?.nchunks() {
            self.vl_blocks = None;
        }
        let place = match change {
            Change::Insert => self.with(|edit| edit.insert(at, new))?,
            Change::Update => {
                let old = self.old_info(at)?;
                self.with(|edit| edit.update(at, old, new))?
            }
        };
        self.write(place, bytes)
    }

    /// Refuses a chunk whose blocks have variable lengths where those of others have not, and the other way round: nobody
    /// reads such frames.
    pub(crate) fn check_kind(&mut self, chunk: u64, new: ChunkInfo) -> Result<(), Error> {
        let known = match self.vl_blocks {
            Some(known) => known,
            None => self.kind_of_first()?.unwrap_or(new.vl_blocks),
        };
        if known != new.vl_blocks {
            return Err(Error::MixedChunks { chunk });
        }
        self.vl_blocks = Some(known);
        Ok(())
    }

    /// Refuses a chunk of another size than all chunks of an array have.
    fn check_size(&self, chunk: u64, new: NewChunk) -> Result<(), Error> {
        let (NewChunk::Stored(ChunkInfo { nbytes, .. }) | NewChunk::Special(_, nbytes)) = new;
        let expected = self.array.as_ref().map(|(_, grid)| grid.chunk_nbytes() as u64);
        match (expected, u64::from(nbytes)) {
            (Some(expected), found) if found != expected => {
                Err(Error::Format(FrameError::ChunkSize { chunk, found, expected }.into()))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Insert,
    Update,
}

/// A chunk to be put into a frame: it has to be whole, and what follows it is left out.
fn whole(number: u64, bytes: &[u8]) -> Result<(NewChunk, &[u8]), Error> {
    let refuse = |source| Error::Chunk { chunk: number, offset: 0, source };
    let chunk = Chunk::parse(bytes).map_err(refuse)?;
    let info = ChunkInfo::parse(chunk.bytes()).map_err(|_| refuse(DecodeError::Lazy))?;
    Ok((NewChunk::Stored(info), chunk.bytes()))
}
