//! [`FrameWriter`] of chunks: appends, inserts, replaces, removes and reorders them.

use std::io::Read;

use blosc_core::Special;
use bloscpack_format::frame::{ChunkInfo, FrameError, NewChunk};

use super::FrameWriter;
use super::chunker::{FrameChunker, chunk_size, has_short_chunk};
use super::chunks::{Change, ParsedChunk};
use crate::choice::Choice;
use crate::formats::frame::store::FrameStore;
use crate::{Cancel, Error, Threads};

impl<S: FrameStore> FrameWriter<S> {
    /// Returns the uncompressed bytes of a chunk, uncommitted changes included.
    ///
    /// # Errors
    /// As [`Archive::chunk`](crate::Archive::chunk).
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        self.transaction.chunks()?.plain(number, &self.compression, self.limits)
    }

    /// Compresses a chunk and appends it. A chunk that is shorter than those before it must be the last, or chunk sizes
    /// vary from then on.
    ///
    /// # Errors
    /// [`Error::Argument`] or [`Error::Format`] for a chunk that cannot be in the frame, such as an empty one;
    /// [`Error::Encode`], [`Error::Io`], [`Error::Cancelled`], [`Error::EditFailed`].
    pub fn append(&mut self, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(self.frame()?.nchunks(), plain)?;
        self.append_chunk(&chunk)
    }

    /// [`append`](Self::append) of a compressed chunk. Chunks that C-Blosc2 cannot read are refused: of Blosc1, with
    /// fewer than 32 bytes or with Snappy; in an array, of Blosc1, or with another block size than that of its blocks.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_chunk(&mut self, chunk: &[u8]) -> Result<(), Error> {
        self.insert_chunk(self.frame()?.nchunks(), chunk)
    }

    /// Appends a chunk of a special value with `nbytes` uncompressed bytes. If all chunks have the same size, it is
    /// stored only in the index.
    ///
    /// # Errors
    /// As [`append`](Self::append); also for a repeated value.
    pub fn append_special(&mut self, special: Special, nbytes: u32) -> Result<(), Error> {
        let at = self.frame()?.nchunks();
        self.put(at, Change::Insert, NewChunk::Special(special, nbytes), &[])
    }

    /// Appends all bytes of `input` in chunks of the frame's size, after filling up a short last chunk. Returns their
    /// number. `chunk_size` applies to a frame without chunks: it is rounded down to items of up to 32 MiB, and is 1
    /// MiB if `None`.
    ///
    /// # Errors
    /// As [`FrameWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_stream(
        &mut self,
        input: impl Read,
        chunk_size: Option<u32>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        let frame = self.frame()?;
        let (chunk_size, typesize) = (self::chunk_size(&frame.header, chunk_size), frame.header.typesize);
        // The short chunk is replaced by the first chunk of the stream.
        let short = has_short_chunk(&frame.header, chunk_size).then(|| frame.nchunks() - 1);
        let plain = short.map(|last| self.chunk(last)).transpose()?.unwrap_or_default();
        let (first, coders) = (short.unwrap_or(frame.nchunks()), self.compression.coders()?);
        let (mut choice, observer) = (self.take_choice()?, self.observer.clone());
        if chunk_size < typesize {
            // A chunk with less than an item would be stored uncompressed.
            choice = Choice::new(choice.params().typesize(1), None);
        }
        let stream = FrameChunker { chunk_size, coders, observer: &observer, limits: self.limits, threads, cancel };
        let mut replaced = short;
        let read = self.all_or_none(|this| {
            stream.run((&plain, first), &mut choice, input, |chunk| match replaced.take() {
                Some(last) => this.update_chunk(last, chunk),
                None => this.append_compressed(chunk),
            })
        })?;
        self.choice = Some(choice).filter(Choice::is_auto);
        Ok(read)
    }

    /// Compresses a chunk and inserts it before chunk `at`.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn insert(&mut self, at: u64, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(at, plain)?;
        self.insert_chunk(at, &chunk)
    }

    /// [`insert`](Self::insert) of a compressed chunk, as for [`append_chunk`](Self::append_chunk).
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn insert_chunk(&mut self, at: u64, chunk: &[u8]) -> Result<(), Error> {
        self.put_chunk(at, Change::Insert, chunk)
    }

    /// Compresses a chunk and replaces chunk `at` with it.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update(&mut self, at: u64, plain: &[u8]) -> Result<(), Error> {
        let chunk = self.compress(at, plain)?;
        self.update_chunk(at, &chunk)
    }

    /// [`update`](Self::update) with a compressed chunk, as for [`append_chunk`](Self::append_chunk).
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn update_chunk(&mut self, at: u64, chunk: &[u8]) -> Result<(), Error> {
        self.put_chunk(at, Change::Update, chunk)
    }

    /// Replaces chunk `at` with `nbytes` uncompressed bytes of a special value.
    ///
    /// # Errors
    /// As [`append_special`](Self::append_special).
    pub fn update_special(&mut self, at: u64, special: Special, nbytes: u32) -> Result<(), Error> {
        self.put(at, Change::Update, NewChunk::Special(special, nbytes), &[])
    }

    /// Removes a chunk.
    ///
    /// # Errors
    /// [`Error::Format`] if there is no such chunk; [`Error::Io`], [`Error::EditFailed`].
    pub fn delete(&mut self, at: u64) -> Result<(), Error> {
        self.chunks.delete(&mut self.transaction, at)
    }

    /// Reorders the chunks: chunk `order[i]` becomes chunk `i`.
    ///
    /// # Errors
    /// [`Error::Format`] if `order` does not name each chunk once; [`Error::EditFailed`].
    pub fn reorder(&mut self, order: &[u64]) -> Result<(), Error> {
        self.chunks.reorder(&mut self.transaction, order)
    }

    /// Returns the parameters of new chunks, those that were used last first. They are kept if they are given back.
    pub(super) fn take_choice(&mut self) -> Result<Choice, Error> {
        match self.choice.take() {
            Some(choice) => Ok(choice),
            None => self.compression.choice(self.auto),
        }
    }

    fn compress(&mut self, number: u64, plain: &[u8]) -> Result<Vec<u8>, Error> {
        let mut choice = self.take_choice()?;
        let params = choice.next(number, plain, (&self.observer, &self.cancel))?;
        self.choice = Some(choice);
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert(self.compression.encoder()?.cancel(self.cancel.clone())),
        };
        if params != *encoder.params() {
            encoder.set_params(params)?;
        }
        Ok(encoder.compress(plain)?)
    }

    /// Appends a chunk as it is in another frame, even if C-Blosc2 cannot read it.
    pub(crate) fn append_copied(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let at = self.frame()?.nchunks();
        let ParsedChunk { new, bytes, .. } = ParsedChunk::parse(at, chunk)?;
        self.put(at, Change::Insert, new, bytes)
    }

    pub(super) fn put_chunk(&mut self, at: u64, change: Change, chunk: &[u8]) -> Result<(), Error> {
        let chunk = ParsedChunk::parse(at, chunk)?;
        self.check(at, chunk.new)?;
        let in_array = || self.array.as_ref()?.problem(&chunk.header);
        if let Some(problem) = chunk.problem().or_else(in_array) {
            return Err(Error::Format(FrameError::UnfitChunk { chunk: at, problem }.into()));
        }
        self.put(at, change, chunk.new, chunk.bytes)
    }

    fn put(&mut self, at: u64, change: Change, new: NewChunk, bytes: &[u8]) -> Result<(), Error> {
        self.check(at, new)?;
        self.chunks.put(&mut self.transaction, at, change, new, bytes)
    }

    /// Appends a chunk that was just compressed, without parsing its blocks.
    fn append_compressed(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let new = ChunkInfo::parse(chunk)?;
        self.check(self.frame()?.nchunks(), NewChunk::Stored(new))?;
        self.chunks.append_compressed(&mut self.transaction, new, chunk)
    }

    /// Refuses a chunk that does not fit the array, if the frame has one.
    fn check(&self, at: u64, new: NewChunk) -> Result<(), Error> {
        let (NewChunk::Stored(ChunkInfo { nbytes, .. }) | NewChunk::Special(_, nbytes)) = new;
        self.array.as_ref().map_or(Ok(()), |array| array.check_chunk(at, nbytes).map_err(Error::argument))
    }
}
