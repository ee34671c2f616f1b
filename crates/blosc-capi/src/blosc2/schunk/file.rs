//! Frames of the file system. A frame is locked while it is changed, and otherwise only read.

use std::ffi::{CStr, OsStr};
use std::fs::Metadata;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use bloscpack_format::frame::{Header, sframe};
use bloscpack_io::frame::{FrameStore, FrameWriter, LocalFrame, NewFrame};
use bloscpack_io::{Error, OpenOptions, ReadAt as _};

use super::change::Change;
use super::store::{AnyStore, Writer};
use crate::blosc2::codes::{FILE_OPEN, FILE_READ, FILE_WRITE, of_frame, trace};

/// A frame in a file or a directory.
pub(crate) struct FileFrame {
    path: PathBuf,
    start: u64,
    state: Mutex<State>,
}

/// The frame on disk, as far as it is known.
#[derive(Default)]
struct State {
    /// The frame as it was last read.
    read: Option<Read>,
    /// The header that the last change wrote.
    written: Option<Vec<u8>>,
    /// Increases each time the frame is read again, unless the last change wrote its header.
    generation: u64,
}

/// A frame that was read, and the state of its file then.
struct Read {
    frame: Writer,
    stamp: (u64, u64, u64, i64, i64),
    header: [u8; Header::FIXED_LEN],
}

/// Returns the path that a program means.
pub(crate) fn path_of(urlpath: &CStr) -> PathBuf {
    let bytes = urlpath.to_bytes();
    let mut bytes = bytes.strip_prefix(b"file:///").unwrap_or(bytes);
    while bytes.len() > 1 && bytes.ends_with(b"/") {
        bytes = bytes.get(..bytes.len() - 1).unwrap_or_default();
    }
    PathBuf::from(OsStr::from_bytes(bytes))
}

impl FileFrame {
    /// Creates a frame without chunks.
    ///
    /// # Errors
    /// The code of a frame that exists, or cannot be written.
    pub(crate) fn create(path: PathBuf, header: Header) -> Result<Self, i32> {
        let created = NewFrame::create(&path, header.frame_type, false)
            .and_then(|store| FrameWriter::start_sequence(store, header))
            .and_then(FrameWriter::finish);
        created.map_err(|error| of_frame(&error, FILE_OPEN))?;
        Ok(FileFrame { path, start: 0, state: Mutex::default() })
    }

    /// Opens a frame that starts at an offset of a file.
    pub(crate) fn open(path: PathBuf, start: u64) -> Self {
        FileFrame { path, start, state: Mutex::default() }
    }

    /// Returns whether the chunks are in files of their own.
    pub(crate) fn is_directory(&self) -> bool {
        self.path.is_dir()
    }

    /// Calls `work` with the frame as it is on disk.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(super) fn read<R>(&self, work: impl FnOnce(&Writer) -> Result<R, i32>) -> Result<R, i32> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = self.stamp()?;
        let is_fresh = |read: &Read| {
            let mut header = [0; Header::FIXED_LEN];
            let same = read.frame.store().read_exact_at(0, &mut header).is_ok() && header == read.header;
            same && read.stamp == stamp
        };
        if let Some(read) = state.read.as_ref().filter(|read| is_fresh(read)) {
            return work(&read.frame);
        }
        let store = LocalFrame::open_for_reading(&self.path).map_err(|error| of_frame(&error, FILE_OPEN))?;
        let frame = self.sequence(store).map_err(|error| of_frame(&error, FILE_READ))?;
        let mut header = [0; Header::FIXED_LEN];
        let filled = frame.store().read_exact_at(0, &mut header);
        filled.map_err(|error| trace(FILE_READ, format_args!("{error}")))?;
        if state.written.is_none() || state.written != header_of(&frame) {
            state.generation += 1;
        }
        work(&state.read.insert(Read { frame, stamp, header }).frame)
    }

    /// Returns a number that increases when another handle changes the frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(crate) fn generation(&self) -> Result<u64, i32> {
        self.read(|_| Ok(()))?;
        Ok(self.state.lock().unwrap_or_else(PoisonError::into_inner).generation)
    }

    /// Changes the frame on disk. Returns the changed frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be opened for writing, or `code`. The frame on disk is then unchanged.
    pub(super) fn change(&mut self, change: &Change<'_>, code: i32) -> Result<Writer, i32> {
        let state = self.state.get_mut().unwrap_or_else(PoisonError::into_inner);
        (state.read, state.written) = (None, None);
        let store = LocalFrame::open(&self.path).map_err(|error| of_frame(&error, FILE_OPEN))?;
        let mut frame = self.sequence(store).map_err(|error| of_frame(&error, FILE_READ))?;
        change.apply(&mut frame).map_err(|error| of_frame(&error, code))?;
        frame.commit().map_err(|error| of_frame(&error, FILE_WRITE))?;
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).written = header_of(&frame);
        Ok(frame)
    }

    fn sequence(&self, store: impl FrameStore + 'static) -> Result<Writer, Error> {
        Writer::open_sequence(AnyStore::new(store, self.start), &OpenOptions::new())
    }

    /// Returns the device, inode, length and time of the file.
    fn stamp(&self) -> Result<(u64, u64, u64, i64, i64), i32> {
        let file = if self.is_directory() { self.path.join(sframe::INDEX_FILE) } else { self.path.clone() };
        let of = |found: Metadata| (found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec());
        std::fs::metadata(&file).map(of).map_err(|error| trace(FILE_OPEN, format_args!("{}: {error}", file.display())))
    }
}

/// Returns the header of a frame, with its metalayers.
fn header_of(frame: &Writer) -> Option<Vec<u8>> {
    frame.frame().ok()?.header.to_bytes().ok()
}
