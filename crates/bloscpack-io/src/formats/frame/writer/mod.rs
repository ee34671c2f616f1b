//! Changes a frame. Changes are collected and committed as a whole.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | [`FrameWriter`]: creates, opens and commits; chunks and metalayers |
//! | `arrays` | [`FrameWriter`] of an array: its items and its shape |
//! | `transaction` | `Transaction`: the store, the uncommitted changes, commit and rollback |
//! | `array_items` | `NewItems`: new items of an array, and where they are |
//! | `array_parts` | chunks put together from old and new items, in parallel |
//! | `chunks` | `Chunks`: chunks put into a frame and removed, all of one kind |
//! | `current` | `CurrentChunks`: reads chunks, uncommitted ones included |
//! | `compression` | `Compression`: encoders and decoders as the header specifies |
//! | `array_grid` | `ArrayGrid`: the metalayer of an array, and its chunks |
//! | `metalayers` | [`FrameWriter`] of metalayers and vlmetalayers |
//! | `stored` | [`FrameWriter`] of compressed chunks: the frame as a sequence |
//! | `chunker` | `FrameChunker`: chunks from a stream, compressed in parallel |

mod array_grid;
mod array_items;
mod array_parts;
mod arrays;
mod chunker;
mod chunks;
mod compression;
mod current;
mod metalayers;
mod stored;
mod transaction;

use std::io::Read;
use std::path::Path;

use blosc_core::{Auto, Encoder, Limits, Special};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::frame::{ChunkInfo, Edit, Frame, FrameError, FrameType, NewChunk, Trailer, VlMetalayers};

use self::array_grid::ArrayGrid;
use self::chunker::{FrameChunker, chunk_size, has_short_chunk};
use self::chunks::{Change, Chunks, ParsedChunk};
use self::compression::Compression;
pub use self::stored::ChunkBytes;
use self::transaction::Transaction;
use crate::choice::Choice;
use crate::formats::frame::local::LocalFrame;
use crate::formats::frame::new::NewFrame;
use crate::formats::frame::params::FrameParams;
use crate::formats::frame::read::{expect_frame, read_frame};
use crate::formats::frame::store::{FrameStore, MemoryFrame};
use crate::options::{Event, Observer};
use crate::{Cancel, Error, OpenOptions, Threads, read_back};

/// Creates or changes a frame. Changes are collected, and their chunks are written where readers do not look.
/// [`commit`](Self::commit) commits all of them atomically. If the process is killed at any moment, the frame of the
/// last commit remains.
///
/// A change that returns an error has no effect. If the error is found before the frame is changed, as when a chunk
/// cannot be compressed, the writer can be used further, and keeps the earlier changes. Otherwise it refuses further
/// changes and commits with [`Error::EditFailed`]; so it does after a panic of the store or of an
/// [`ArrayItems`](super::ArrayItems). The frame on disk remains that of the last commit.
///
/// Dropping the writer drops the changes since the last commit. Bytes or chunk files that were already written for them
/// may stay, where readers do not look, until the next commit or until [`compact`](super::compact).
///
/// ```
/// use bloscpack_io::Archive;
/// use bloscpack_io::frame::{FrameParams, FrameWriter};
/// let mut frame = FrameWriter::in_memory(FrameParams::new(4))?;
/// frame.append(&[1; 4000])?;
/// frame.append(&[2; 4000])?;
/// frame.set_vlmetalayer("author", b"me")?;
/// frame.commit()?;
/// frame.delete(0)?;
/// frame.commit()?;
/// let archive = Archive::open(frame.into_store().file)?;
/// assert_eq!(archive.chunk(0)?, [2; 4000]);
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
#[derive(Debug)]
pub struct FrameWriter<S> {
    transaction: Transaction<S>,
    chunks: Chunks,
    compression: Compression,
    array: Option<ArrayGrid>,
    max_vlmetalayers: usize,
    limits: Limits,
    auto: Option<Auto>,
    /// The parameters of new chunks, and the encoder of single ones. Created when the first chunk is compressed.
    choice: Option<Choice>,
    encoder: Option<Encoder>,
    observer: Observer,
    threads: Threads,
    cancel: Cancel,
}

impl FrameWriter<LocalFrame> {
    /// Opens a frame of the file system, a file or a directory.
    ///
    /// # Errors
    /// [`Error::File`], and as [`FrameWriter::with_store`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        FrameWriter::open_with(path, &OpenOptions::new())
    }

    /// [`FrameWriter::open`] with other options. The limits apply to reading.
    ///
    /// # Errors
    /// As [`FrameWriter::open`], and [`Error::Limit`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        FrameWriter::with_store(LocalFrame::open(path)?, options)
    }
}

impl FrameWriter<NewFrame> {
    /// Creates a frame that [`finish`](Self::finish) moves to the file or the directory `path` as a whole.
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::FrameParams`].
    pub fn create(
        path: impl AsRef<Path>,
        frame_type: FrameType,
        overwrite: bool,
        params: FrameParams,
    ) -> Result<Self, Error> {
        FrameWriter::start(NewFrame::create(path.as_ref(), frame_type, overwrite)?, params)
    }

    /// Commits, and moves the frame to its target.
    ///
    /// # Errors
    /// As [`FrameWriter::commit`], and [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.commit()?;
        self.into_store().commit()
    }

    /// [`finish`](Self::finish) if the written frame, read from the disk and decoded, has this digest: that of all
    /// uncompressed bytes, of an array in C order.
    ///
    /// # Errors
    /// As [`FrameWriter::finish`], and [`Error::NotAsWritten`]; the target is then unchanged.
    pub fn finish_verified(
        mut self,
        checksum: Checksum,
        expected: &Digest,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        self.commit()?;
        read_back::compare(self.transaction.store_mut().reopen(), checksum, expected, threads, cancel)?;
        self.into_store().commit()
    }
}

impl FrameWriter<MemoryFrame> {
    /// Creates a contiguous frame in memory.
    ///
    /// # Errors
    /// [`Error::FrameParams`].
    pub fn in_memory(params: FrameParams) -> Result<Self, Error> {
        FrameWriter::start(MemoryFrame::new(FrameType::Contiguous), params)
    }
}

impl<S: FrameStore> FrameWriter<S> {
    /// Opens the frame in a store. New chunks are compressed as its header specifies. If that is not possible, the
    /// methods that compress chunks return [`Error::FrameParams`].
    ///
    /// # Errors
    /// As [`Archive::open`](crate::Archive::open).
    pub fn with_store(store: S, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let len = store.len().map_err(Error::reading)?;
        expect_frame(&store, len)?;
        let frame = read_frame(&store, len, store.frame_type(), &limits)?;
        let array = ArrayGrid::of(&frame)?;
        let mut compression = Compression::of(&frame.header)?;
        if let Some(array) = &array {
            compression = compression.of_array(array);
        }
        Ok(FrameWriter { array, limits, ..FrameWriter::with(store, Edit::new(frame)?, compression) })
    }

    /// Creates a frame in an empty store.
    ///
    /// # Errors
    /// [`Error::FrameParams`].
    pub fn start(store: S, params: FrameParams) -> Result<Self, Error> {
        let edit = Edit::create(params.header(store.frame_type())?, Trailer::default());
        Ok(FrameWriter::with_edit(store, edit, params))
    }

    pub(crate) fn with_edit(store: S, edit: Edit, params: FrameParams) -> Self {
        FrameWriter::with(store, edit, Compression::new(params))
    }

    fn with(store: S, edit: Edit, compression: Compression) -> Self {
        FrameWriter {
            transaction: Transaction::new(store, edit),
            chunks: Chunks::default(),
            compression,
            array: None,
            max_vlmetalayers: VlMetalayers::MAX_INTERCHANGE,
            limits: Limits::new(),
            auto: None,
            choice: None,
            encoder: None,
            observer: Observer::default(),
            threads: Threads::Serial,
            cancel: Cancel::new(),
        }
    }

    /// Sets whether new chunks may only have filters that C-Blosc2 decodes correctly:
    /// [`CParams::portable`](blosc_core::CParams::portable). The default is true, also for frames with chunks of other
    /// filters.
    #[must_use]
    pub fn portable(self, portable: bool) -> Self {
        FrameWriter { compression: self.compression.portable(portable), choice: None, encoder: None, ..self }
    }

    /// Chooses the parameters of each new chunk for its data, except those that `auto` fixes, and the typesize, which is
    /// that of the frame. Where chunks of an array are put together from items, the parameters of the first of every 16
    /// are for all of them. The parameters in the header of the frame do not change. `None` turns it off.
    #[must_use]
    pub fn auto(self, auto: impl Into<Option<Auto>>) -> Self {
        FrameWriter { auto: auto.into(), choice: None, ..self }
    }

    /// [`auto`](Self::auto) with a receiver of the choices.
    pub(crate) fn auto_observed(self, auto: Option<Auto>, observer: &Observer) -> Self {
        FrameWriter { observer: observer.clone(), ..self.auto(auto) }
    }

    /// Sets the switch that ends [`write_slice`](Self::write_slice), [`write_selection`](Self::write_selection), [`resize`](Self::resize) and the compression of
    /// single chunks with [`Error::Cancelled`].
    #[must_use]
    pub fn cancel(self, cancel: Cancel) -> Self {
        FrameWriter { cancel, encoder: None, ..self }
    }

    /// Sets the threads of [`write_slice`](Self::write_slice) and [`write_selection`](Self::write_selection). The default
    /// is one. The frame does not depend on their number.
    #[must_use]
    pub fn threads(self, threads: Threads) -> Self {
        FrameWriter { threads, ..self }
    }

    /// Sets a function that is called with each [`Event::Choice`].
    #[must_use]
    pub fn observe(self, observer: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        FrameWriter { observer: Observer::new(observer), ..self }
    }

    /// Sets the maximum number of vlmetalayers. The default is 16, the maximum that C-Blosc2 can write to; more than
    /// 8192 are not possible.
    #[must_use]
    pub fn max_vlmetalayers(self, max_vlmetalayers: usize) -> Self {
        FrameWriter { max_vlmetalayers, ..self }
    }

    /// Sets the memory limits for reading old chunks and compressing new ones. The default is the limits used for
    /// opening.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        FrameWriter { limits, ..self }
    }

    /// The frame after the next commit, except for its length.
    ///
    /// # Errors
    /// [`Error::EditFailed`].
    pub fn frame(&self) -> Result<&Frame, Error> {
        self.transaction.frame()
    }

    /// The store, as the last commit left it. After an I/O error it may contain bytes that are not part of the frame.
    pub fn into_store(self) -> S {
        self.transaction.into_store()
    }

    /// Commits all changes since the last commit that returned `Ok`, by one write or one rename.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Argument`] or [`Error::Format`] if a part of the frame has become too large for the
    /// format, or if the number of chunks does not fit the shape of the array, so that the frame could not be opened;
    /// [`Error::EditFailed`].
    pub fn commit(&mut self) -> Result<(), Error> {
        self.transaction.commit()
    }

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
    fn take_choice(&mut self) -> Result<Choice, Error> {
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

    fn put_chunk(&mut self, at: u64, change: Change, chunk: &[u8]) -> Result<(), Error> {
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

    /// Applies several changes. If one fails or panics, none of them is ever committed.
    fn all_or_none<T>(&mut self, changes: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let guard = Unfinished(self);
        let done = changes(&mut *guard.0)?;
        std::mem::forget(guard);
        Ok(done)
    }
}

/// Several changes of a writer. Rolls them back when dropped.
struct Unfinished<'a, S: FrameStore>(&'a mut FrameWriter<S>);

impl<S: FrameStore> Drop for Unfinished<'_, S> {
    fn drop(&mut self) {
        self.0.transaction.roll_back();
    }
}
