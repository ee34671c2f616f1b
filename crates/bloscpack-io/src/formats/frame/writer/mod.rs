//! Changes a frame. Changes are collected and committed as a whole.
//!
//! | file | contents |
//! |---|---|
//! | `mod` | [`FrameWriter`]: creates, opens and commits |
//! | `changes` | [`FrameWriter`] of chunks: appends, inserts, replaces, removes, reorders |
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
mod changes;
mod chunker;
mod chunks;
mod compression;
mod current;
mod metalayers;
mod stored;
mod transaction;

use std::path::Path;

use blosc_core::{Auto, Encoder, Limits};
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::frame::{Edit, Frame, FrameType, Trailer, VlMetalayers};

use self::array_grid::ArrayGrid;
use self::chunks::Chunks;
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
