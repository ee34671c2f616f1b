//! The changes of a frame, collected and committed as a whole.

use std::path::Path;

use blosc_core::{CParams, Chunk, DecodeError, Decoder, Encoder, Special};
use bloscpack_format::FormatError;
use bloscpack_format::frame::{
    B2nd, ChunkInfo, ChunkPlace, ChunkRef, ChunkSize, Edit, Frame, FrameType, Grid, NewChunk, Plan, Step, Trailer,
    VlMetalayers,
};

use super::local::{LocalFrame, NewFrame};
use super::params::FrameParams;
use super::store::{FrameStore, MemoryFrame};
use crate::source::ReadAt;
use crate::{Archive, Error};

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
    pub(super) store: S,
    /// `None` after an error.
    edit: Option<Edit>,
    pub(super) params: FrameParams,
    /// Why new chunks cannot be compressed as the header says, if they cannot: all else can be done.
    unusable: Option<&'static str>,
    pub(super) array: Option<(B2nd, Grid)>,
    max_vlmetalayers: usize,
}

impl FrameWriter<LocalFrame> {
    /// Opens a frame on the disk, a file or a directory, to be changed.
    ///
    /// # Errors
    /// [`Error::File`], and as [`FrameWriter::with_store`].
    pub fn open(path: &Path) -> Result<Self, Error> {
        FrameWriter::with_store(LocalFrame::open(path)?)
    }
}

impl FrameWriter<NewFrame> {
    /// Starts a frame that is to become the file or the directory `path`, which appears as a whole by
    /// [`finish`](Self::finish).
    ///
    /// # Errors
    /// [`Error::OutputExists`], [`Error::File`], [`Error::FrameParams`].
    pub fn create(path: &Path, frame_type: FrameType, overwrite: bool, params: FrameParams) -> Result<Self, Error> {
        FrameWriter::start(NewFrame::create(path, frame_type, overwrite)?, params)
    }

    /// Commits what was not, and puts the frame in its place.
    ///
    /// # Errors
    /// As [`FrameWriter::commit`], and [`Error::OutputExists`], [`Error::File`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.commit()?;
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
    /// As [`Archive::open`].
    pub fn with_store(store: S) -> Result<Self, Error> {
        let archive = Archive::open(&store)?;
        let Some(frame) = archive.frame().cloned() else { return Err(Error::Unsupported { format: archive.format() }) };
        let array = Grid::of(&frame)?;
        drop(archive);
        let (params, unusable) = match FrameParams::of(&frame.header) {
            Ok(params) => (params, None),
            Err(Error::FrameParams { what }) => (FrameParams::new(frame.header.typesize), Some(what)),
            Err(error) => return Err(error),
        };
        Ok(FrameWriter { array, unusable, ..FrameWriter::with_edit(store, Edit::new(frame)?, params) })
    }

    /// Starts a frame in an empty store.
    ///
    /// # Errors
    /// [`Error::FrameParams`].
    pub fn start(store: S, params: FrameParams) -> Result<Self, Error> {
        let edit = Edit::create(params.header(store.frame_type())?, Trailer::default());
        Ok(FrameWriter::with_edit(store, edit, params))
    }

    pub(super) fn with_edit(store: S, edit: Edit, params: FrameParams) -> Self {
        let max_vlmetalayers = VlMetalayers::MAX_INTERCHANGE;
        FrameWriter { store, edit: Some(edit), params, unusable: None, array: None, max_vlmetalayers }
    }

    /// Sets how many vlmetalayers there may be: 16, which C-Blosc2 can write to, unless told otherwise; 8192 at most.
    #[must_use]
    pub fn max_vlmetalayers(self, max_vlmetalayers: usize) -> Self {
        FrameWriter { max_vlmetalayers, ..self }
    }

    /// The frame as it is going to be after the next commit, but for its length.
    ///
    /// # Errors
    /// [`Error::EditFailed`].
    pub fn frame(&self) -> Result<&Frame, Error> {
        self.edit.as_ref().map(Edit::frame).ok_or(Error::EditFailed)
    }

    /// The store, as it was left by the last commit, with bytes that mean nothing if there was an error.
    pub fn into_store(self) -> S {
        self.store
    }

    /// Makes all changes since the last commit true, by one write to the disk or one renaming.
    ///
    /// # Errors
    /// [`Error::Io`]; [`Error::Format`] if a part of the frame has become larger than the format can say;
    /// [`Error::EditFailed`].
    pub fn commit(&mut self) -> Result<(), Error> {
        let Plan { frame, steps } = self.edit.take().ok_or(Error::EditFailed)?.finish()?;
        let store = &mut self.store;
        for step in steps {
            let done = match step {
                Step::Write { at, bytes } | Step::Commit { at, bytes } => store.write_at(at, &bytes),
                Step::WriteFile { number, bytes } => store.write_chunk_file(number, &bytes),
                Step::SetLen { len } => store.set_len(len),
                Step::Sync => store.sync(),
                Step::Replace { bytes } => store.replace(&bytes),
                Step::Remove { number } => store.remove_chunk_file(number),
            };
            done.map_err(Error::io("writing the frame"))?;
        }
        self.edit = Some(Edit::new(frame)?);
        Ok(())
    }

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
        self.with(|edit| edit.delete(at, old))
    }

    /// Puts the chunks in a new order: place `i` gets chunk `order[i]`.
    ///
    /// # Errors
    /// [`Error::Format`] if `order` does not name each chunk once; [`Error::EditFailed`].
    pub fn reorder(&mut self, order: &[u64]) -> Result<(), Error> {
        self.with(|edit| edit.reorder(order))
    }

    /// Adds a metalayer to a frame without chunks. In a frame that is on the disk already, chunks can be added after the
    /// next commit only.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn add_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.with(|edit| edit.add_metalayer(name, content))
    }

    /// Gives a metalayer a new content, no longer than the old.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn update_metalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        self.with(|edit| edit.update_metalayer(name, content))
    }

    /// Adds a vlmetalayer, or gives one a new content.
    ///
    /// # Errors
    /// [`Error::Format`], [`Error::EditFailed`].
    pub fn set_vlmetalayer(&mut self, name: &str, content: &[u8]) -> Result<(), Error> {
        let chunk = blosc_core::compress(content, &CParams::blosc2().typesize(1))?;
        let max = self.max_vlmetalayers;
        self.with(|edit| edit.set_vlmetalayer(name, &chunk, max))
    }

    /// Removes a vlmetalayer.
    ///
    /// # Errors
    /// [`Error::Format`] if there is none of this name; [`Error::EditFailed`].
    pub fn remove_vlmetalayer(&mut self, name: &str) -> Result<(), Error> {
        self.with(|edit| edit.remove_vlmetalayer(name))
    }

    /// The plain bytes of a chunk, as it is now.
    ///
    /// # Errors
    /// As [`Archive::chunk`].
    pub fn chunk(&self, number: u64) -> Result<Vec<u8>, Error> {
        let place = self.frame()?.chunk(number)?;
        if let ChunkRef::Special { special, nbytes } = place {
            return Ok(self.special(special, nbytes));
        }
        let info = self.info_of(number, place)?;
        let bytes = self.read(number, place, info.cbytes.into())?;
        let at = if let ChunkRef::Stored { at, .. } = place { at } else { 0 };
        let refuse = |source| Error::Chunk { chunk: number, offset: at, source };
        self.decoder().decompress(&Chunk::parse(&bytes).map_err(refuse)?).map_err(refuse)
    }

    fn special(&self, special: Special, nbytes: u32) -> Vec<u8> {
        let nan = match self.params.get_typesize() {
            4 => f32::NAN.to_le_bytes().to_vec(),
            _ => f64::NAN.to_le_bytes().to_vec(),
        };
        let value = if special == Special::Nan { nan } else { vec![0] };
        value.iter().copied().cycle().take(nbytes as usize).collect()
    }

    fn decoder(&self) -> Decoder {
        let decoder = Decoder::new().super_chunk_typesize(self.params.get_typesize() as usize);
        decoder.blockshape(&self.blockshape())
    }

    /// The shape of a block, which some filters want to know.
    pub(super) fn blockshape(&self) -> Vec<usize> {
        let array = self.array.as_ref();
        array.map_or(Vec::new(), |(array, _)| array.blockshape.iter().map(|len| *len as usize).collect())
    }

    /// How new chunks are compressed.
    pub(super) fn cparams(&self) -> Result<CParams, Error> {
        match self.unusable {
            Some(what) => Err(Error::FrameParams { what }),
            None => Ok(self.params.cparams()),
        }
    }

    /// Somebody to compress chunks.
    pub(super) fn encoder(&self) -> Result<Encoder, Error> {
        Ok(Encoder::new(self.cparams()?)?.blockshape(&self.blockshape()))
    }

    fn compress(&self, plain: &[u8]) -> Result<Vec<u8>, Error> {
        Ok(self.encoder()?.compress(plain)?)
    }

    /// Changes the plan; after an error there is none any more.
    pub(super) fn with<T>(&mut self, change: impl FnOnce(&mut Edit) -> Result<T, FormatError>) -> Result<T, Error> {
        let mut edit = self.edit.take().ok_or(Error::EditFailed)?;
        let done = change(&mut edit)?;
        self.edit = Some(edit);
        Ok(done)
    }

    /// Does several changes; if one fails, none of them is ever committed.
    pub(super) fn all_or_none<T>(&mut self, changes: impl FnOnce(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let done = changes(self);
        if done.is_err() {
            self.edit = None;
        }
        done
    }

    /// Puts a chunk into the plan, and its bytes where that says.
    fn place(&mut self, at: u64, change: Change, new: NewChunk, bytes: &[u8]) -> Result<(), Error> {
        let place = match change {
            Change::Insert => self.with(|edit| edit.insert(at, new))?,
            Change::Update => {
                let old = self.old_info(at)?;
                self.with(|edit| edit.update(at, old, new))?
            }
        };
        self.write(place, bytes)
    }

    /// Writes a chunk to its place.
    pub(super) fn write(&mut self, place: Option<ChunkPlace>, bytes: &[u8]) -> Result<(), Error> {
        let written = match place {
            Some(ChunkPlace::At(at)) => self.store.write_at(at, bytes),
            Some(ChunkPlace::File(number)) => self.store.write_chunk_file(number, bytes),
            None => Ok(()),
        };
        written.map_err(|error| {
            self.edit = None;
            Error::io("writing a chunk of the frame")(error)
        })
    }

    /// What the plan needs to know of a chunk that goes.
    pub(super) fn old_info(&self, at: u64) -> Result<Option<ChunkInfo>, Error> {
        let frame = self.frame()?;
        let known = frame.header.frame_type == FrameType::Contiguous && frame.header.chunksize != ChunkSize::Variable;
        match frame.chunk(at)? {
            ChunkRef::Special { .. } => Ok(None),
            _ if known => Ok(None),
            place => self.info_of(at, place).map(Some),
        }
    }

    /// What a stored chunk's header says.
    fn info_of(&self, chunk: u64, place: ChunkRef) -> Result<ChunkInfo, Error> {
        Ok(ChunkInfo::parse(&self.read(chunk, place, blosc_core::Header::EXTENDED_LEN as u64)?)?)
    }

    /// The first `len` bytes of a chunk, or as many as there are.
    fn read(&self, chunk: u64, place: ChunkRef, len: u64) -> Result<Vec<u8>, Error> {
        let made = self.edit.as_ref().and_then(|edit| edit.made(place));
        match (made, place) {
            (Some(made), _) => Ok(made.get(..made.len().min(len as usize)).unwrap_or_default().to_vec()),
            (None, ChunkRef::File { number: file, .. }) => {
                let refuse = |source| Error::ChunkFile { chunk, file, source };
                let files = self.store.chunk_files().ok_or_else(|| refuse(std::io::ErrorKind::Unsupported.into()))?;
                let source = files.open_chunk(file).map_err(refuse)?;
                let mut bytes = vec![0; source.len().map_err(refuse)?.min(len) as usize];
                source.read_exact_at(0, &mut bytes).map_err(refuse)?;
                Ok(bytes)
            }
            (None, ChunkRef::Stored { at, room, .. }) => {
                let mut bytes = vec![0; room.min(len) as usize];
                self.store.read_exact_at(at, &mut bytes).map_err(Error::io("reading the frame"))?;
                Ok(bytes)
            }
            (None, ChunkRef::Special { .. }) => Ok(Vec::new()),
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
