//! The changes of a frame, collected and committed as a whole.
//!
//! | file | what it knows |
//! |---|---|
//! | `chunks` | chunks: appended, inserted, put in place of others, removed, reordered |
//! | `layers` | metalayers and vlmetalayers |
//! | `lookup` | chunks of the frame as it is now, also those that are on no disk yet |

mod chunks;
mod layers;
mod lookup;

use std::path::Path;

use blosc_core::{CParams, Encoder, Limits};
use bloscpack_format::FormatError;
use bloscpack_format::checksum::{Checksum, Digest};
use bloscpack_format::frame::{B2nd, ChunkPlace, Edit, Frame, FrameType, Grid, Plan, Step, Trailer, VlMetalayers};

use crate::formats::frame::local::LocalFrame;
use crate::formats::frame::new::NewFrame;
use crate::formats::frame::params::FrameParams;
use crate::formats::frame::read::{expect_frame, read_frame};
use crate::formats::frame::store::{FrameStore, MemoryFrame};
use crate::{Cancel, Error, OpenOptions, Threads, read_back};

/// A frame that is being written. Changes are collected, their chunks written where nobody looks yet;
/// [`commit`](Self::commit) makes all of them true in one step. A process that is killed at any moment leaves the frame as
/// it was at the last commit. After an error the writer is of no more use: the frame is as it was at the last commit.
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
    pub(crate) store: S,
    /// `None` after an error.
    edit: Option<Edit>,
    pub(crate) params: FrameParams,
    /// Why new chunks cannot be compressed as the header says, if they cannot: all else can be done.
    unusable: Option<&'static str>,
    pub(crate) array: Option<(B2nd, Grid)>,
    max_vlmetalayers: usize,
    pub(crate) limits: Limits,
    /// Whether the blocks of its first chunk have variable lengths, once that has been looked at: the others are to be alike, but
    /// a frame may come with chunks of both kinds, and another one become the first.
    vl_blocks: Option<bool>,
    /// How long the file was at the last commit, where that is known: what is new stands behind.
    committed_len: Option<u64>,
    /// The chunk files that are new.
    new_files: Vec<u32>,
}

impl FrameWriter<LocalFrame> {
    /// Opens a frame on the disk, a file or a directory, to be changed.
    ///
    /// # Errors
    /// [`Error::File`], and as [`FrameWriter::with_store`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        FrameWriter::open_with(path, &OpenOptions::new())
    }

    /// [`FrameWriter::open`] with other options. Limits bound what is there.
    ///
    /// # Errors
    /// As [`FrameWriter::open`], and [`Error::Limit`].
    pub fn open_with(path: impl AsRef<Path>, options: &OpenOptions) -> Result<Self, Error> {
        FrameWriter::with_store(LocalFrame::open(path)?, options)
    }
}

impl FrameWriter<NewFrame> {
    /// Starts a frame that is to become the file or the directory `path`, which appears as a whole by
    /// [`finish`](Self::finish).
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

    /// Commits what was not, and puts the frame in its place.
    ///
    /// # Errors
    /// As [`FrameWriter::commit`], and [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.commit()?;
        self.store.commit()
    }

    /// [`finish`](Self::finish), if what was written has this digest when it is read from the disk and decoded: that of all
    /// plain bytes, of an array in C order.
    ///
    /// # Errors
    /// As [`FrameWriter::finish`], and [`Error::NotAsWritten`]; nothing is in its place then.
    pub fn finish_verified(
        mut self,
        checksum: Checksum,
        expected: &Digest,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<(), Error> {
        self.commit()?;
        read_back::compare(self.store.reopen(), checksum, expected, threads, cancel)?;
        self.store.commit()
    }
}

impl FrameWriter<MemoryFrame> {
    /// Starts a contiguous frame in memory.
    ///
    /// # Errors
    /// [`Error::FrameParams`].
    pub fn in_memory(params: FrameParams) -> Result<Self, Error> {
        FrameWriter::start(MemoryFrame::new(FrameType::Contiguous), params)
    }
}

impl<S: FrameStore> FrameWriter<S> {
    /// Changes the frame that a store holds. New chunks are compressed as its header says; if they cannot be, what
    /// compresses them answers [`Error::FrameParams`].
    ///
    /// # Errors
    /// As [`Archive::open`](crate::Archive::open).
    pub fn with_store(store: S, options: &OpenOptions) -> Result<Self, Error> {
        let limits = options.limits;
        let len = store.len().map_err(Error::reading)?;
        expect_frame(&store, len)?;
        let frame = read_frame(&store, len, store.frame_type(), &limits)?;
        let array = Grid::of(&frame)?;
        let (params, unusable) = match FrameParams::of(&frame.header) {
            Ok(params) => (params, None),
            Err(Error::FrameParams { what }) => (FrameParams::new(frame.header.typesize), Some(what)),
            Err(error) => return Err(error),
        };
        let blocksize = |(_, grid): &(B2nd, Grid)| grid.block_nbytes() as u32;
        // The header need not say it.
        let params = array.as_ref().map(blocksize).map_or(params, |blocksize| params.blocksize(blocksize));
        Ok(FrameWriter { array, unusable, limits, ..FrameWriter::with_edit(store, Edit::new(frame)?, params) })
    }

    /// Starts a frame in an empty store.
    ///
    /// # Errors
    /// [`Error::FrameParams`].
    pub fn start(store: S, params: FrameParams) -> Result<Self, Error> {
        let edit = Edit::create(params.header(store.frame_type())?, Trailer::default());
        Ok(FrameWriter::with_edit(store, edit, params))
    }

    /// Sets whether new chunks may only have filters that C-Blosc2 decodes right: [`CParams::portable`]. The default is true,
    /// whatever filters the chunks of the frame have.
    #[must_use]
    pub fn portable(mut self, portable: bool) -> Self {
        self.params = self.params.portable(portable);
        self
    }

    pub(crate) fn with_edit(store: S, edit: Edit, params: FrameParams) -> Self {
        FrameWriter {
            committed_len: store.len().ok(),
            store,
            edit: Some(edit),
            params,
            unusable: None,
            array: None,
            max_vlmetalayers: VlMetalayers::MAX_INTERCHANGE,
            limits: Limits::new(),
            vl_blocks: None,
            new_files: Vec::new(),
        }
    }

    /// Sets how many vlmetalayers there may be: 16, which C-Blosc2 can write to, unless told otherwise; 8192 at most.
    #[must_use]
    pub fn max_vlmetalayers(self, max_vlmetalayers: usize) -> Self {
        FrameWriter { max_vlmetalayers, ..self }
    }

    /// Sets what reading old chunks and compressing new ones may hold in memory: as when it was opened unless told otherwise.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        FrameWriter { limits, ..self }
    }

    /// The frame as it is going to be after the next commit, but for its length.
    ///
    /// # Errors
    /// [`Error::EditFailed`].
    pub fn frame(&self) -> Result<&Frame, Error> {
        self.edit.as_ref().map(Edit::frame).ok_or(Error::EditFailed)
    }

    /// The store, as it was left by the last commit. After an error of the disk there may be bytes that mean nothing.
    pub fn into_store(self) -> S {
        self.store
    }

    /// Makes all changes since the last commit true, by one write to the disk or one renaming.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] if a part of the frame has become larger than the format can say, or if an array
    /// has got more chunks or fewer than its shape makes, with which nobody could open it; [`Error::EditFailed`].
    pub fn commit(&mut self) -> Result<(), Error> {
        if let Err(error) = self.frame().and_then(|frame| Ok(Grid::of(frame)?)) {
            self.forget();
            return Err(error);
        }
        let Plan { frame, steps } = self.edit.take().ok_or(Error::EditFailed)?.finish()?;
        let mut is_decided = false;
        for step in steps {
            let store = &mut self.store;
            let done = match step {
                Step::Write { at, bytes } => store.write_at(at, &bytes),
                Step::WriteFile { number, bytes } => {
                    self.new_files.push(number);
                    store.write_chunk_file(number, &bytes)
                }
                Step::Commit { at, bytes } => {
                    // If it fails, nobody knows how much of it was done.
                    is_decided = true;
                    store.write_at(at, &bytes)
                }
                Step::SetLen { len } => store.set_len(len),
                Step::Sync => store.sync(),
                Step::Replace { bytes } => {
                    let replaced = store.replace(&bytes);
                    is_decided = replaced.is_ok() || holds(store, &bytes);
                    replaced
                }
                Step::Remove { number } => {
                    // The change is true already, and the file means nothing: compacting finds it.
                    let _ = store.remove_chunk_file(number);
                    Ok(())
                }
            };
            if let Err(error) = done {
                if is_decided {
                    // Nothing that was written may go any more, whatever is asked of this next.
                    (self.committed_len, self.new_files) = (None, Vec::new());
                } else {
                    self.forget();
                }
                return Err(Error::io("writing the frame")(error));
            }
        }
        self.committed_len = self.store.len().ok();
        self.new_files.clear();
        self.edit = Some(Edit::new(frame)?);
        Ok(())
    }

    /// There is to be no next commit: what was written for it goes, as far as it can be, for others may need the room.
    fn forget(&mut self) {
        self.edit = None;
        if let (Some(before), Ok(len)) = (self.committed_len, self.store.len())
            && len > before
        {
            let _ = self.store.set_len(before);
        }
        for number in std::mem::take(&mut self.new_files) {
            let _ = self.store.remove_chunk_file(number);
        }
    }

    /// The shape of a block, which some filters want to know.
    pub(crate) fn blockshape(&self) -> Vec<usize> {
        self.array.as_ref().map_or(Vec::new(), |(array, _)| array.block_axes())
    }

    /// How new chunks are compressed.
    pub(crate) fn cparams(&self) -> Result<CParams, Error> {
        match self.unusable {
            Some(what) => Err(Error::FrameParams { what }),
            None => Ok(self.params.cparams()),
        }
    }

    /// Somebody to compress chunks.
    pub(crate) fn encoder(&self) -> Result<Encoder, Error> {
        Ok(Encoder::new(self.cparams()?)?.blockshape(&self.blockshape()))
    }

    /// Changes the plan; after an error there is none any more.
    pub(crate) fn with<T>(&mut self, change: impl FnOnce(&mut Edit) -> Result<T, FormatError>) -> Result<T, Error> {
        let mut edit = self.edit.take().ok_or(Error::EditFailed)?;
        let done = change(&mut edit)?;
        self.edit = Some(edit);
        Ok(done)
    }

    /// Does several changes; if one fails, none of them is ever committed.
    pub(crate) fn all_or_none<T>(&mut self, changes: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let done = changes(self);
        if done.is_err() {
            self.forget();
        }
        done
    }

    /// Writes a chunk to its place.
    pub(crate) fn write(&mut self, place: Option<ChunkPlace>, bytes: &[u8]) -> Result<(), Error> {
        let written = match place {
            Some(ChunkPlace::At(at)) => self.store.write_at(at, bytes),
            Some(ChunkPlace::File(number)) => {
                self.new_files.push(number);
                self.store.write_chunk_file(number, bytes)
            }
            None => Ok(()),
        };
        written.map_err(|error| {
            self.forget();
            Error::io("writing a chunk of the frame")(error)
        })
    }
}

/// Whether a store that could not be replaced holds what was to be put in its place all the same.
fn holds(store: &impl FrameStore, bytes: &[u8]) -> bool {
    // In pieces: what is found out here must not depend on memory.
    let mut found = [0; 4096];
    let mut is_next = |(at, piece): (u64, &[u8])| {
        let found = found.get_mut(..piece.len()).unwrap_or_default();
        store.read_exact_at(at, found).is_ok() && *found == *piece
    };
    store.len().is_ok_and(|len| len == bytes.len() as u64)
        && (0..).step_by(4096).zip(bytes.chunks(4096)).all(&mut is_next)
}
