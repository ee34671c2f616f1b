//! Frames in files. A frame is opened for each change, and otherwise only read.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bloscpack_format::frame::{FrameType, Header};
use bloscpack_io::frame::FrameStore;
use bloscpack_io::{Error, OpenOptions, ReadAt as _};

use super::change::Change;
use super::lock::{Access, FrameLock, Held};
use super::store::{AnyStore, Writer};
use crate::blosc2::codes::{FILE_READ, FILE_WRITE, of_frame, trace};

/// Device, inode, length and time of a file.
pub(crate) type Stamp = (u64, u64, u64, i64, i64);

/// Access to the files of a frame.
pub(crate) trait Files: Send + Sync {
    /// Writes a frame without chunks.
    ///
    /// # Errors
    /// The code of a frame that exists, or cannot be written.
    fn create(&self, header: Header) -> Result<(), i32>;

    /// Opens the frame for reading, or for a change.
    ///
    /// # Errors
    /// The code of a frame that cannot be opened.
    fn open(&self, is_change: bool) -> Result<Box<dyn FrameStore>, i32>;

    /// Returns what identifies the content of the frame. `None` if that is not possible.
    ///
    /// # Errors
    /// The code of a frame that cannot be opened.
    fn stamp(&self) -> Result<Option<Stamp>, i32>;

    /// Returns whether the chunks are in files of their own.
    fn is_directory(&self) -> bool;

    /// Opens a new frame that is one file, to read it when there is no file at its path any more. `None` if that is not
    /// possible.
    fn open_to_keep(&self) -> Option<Box<dyn FrameStore>> {
        None
    }

    /// Waits until a frame in one file is durable, if there is a way to. A file that was removed is not an error.
    ///
    /// # Errors
    /// The error of the system.
    fn sync(&self) -> io::Result<()>;
}

/// A frame in files.
pub(crate) struct FileFrame {
    files: Box<dyn Files>,
    /// The offset of the frame.
    start: u64,
    /// The lock of the frame, if the program asked for one.
    lock: Option<Arc<FrameLock>>,
    state: Mutex<State>,
    /// Whether the file has changes that may not be durable.
    is_unsynced: bool,
}

/// The frame in the files, as far as it is known.
#[derive(Default)]
struct State {
    /// The frame as it was last read.
    read: Option<Read>,
    /// The file that was read before the last change, until it is read again. It is read if there is none at the path.
    kept: Option<AnyStore>,
    /// The header that the last change wrote.
    written: Option<Vec<u8>>,
    /// Increases each time the frame is read again, unless the last change wrote its header.
    generation: u64,
}

/// A frame that was read, and the state of its file then.
struct Read {
    frame: Writer,
    stamp: Option<Stamp>,
    header: [u8; Header::FIXED_LEN],
}

impl State {
    /// Forgets what is known, but not the open file: changes are written into it.
    fn forget(&mut self) {
        let read = self.read.take().filter(|read| read.stamp.is_some());
        let store = read.map(|read| read.frame.into_store());
        self.kept = store.filter(|store| store.frame_type() == FrameType::Contiguous).or(self.kept.take());
        self.written = None;
    }
}

impl Read {
    fn new(frame: Writer, stamp: Option<Stamp>) -> Result<Self, i32> {
        let mut header = [0; Header::FIXED_LEN];
        let filled = frame.store().read_exact_at(0, &mut header);
        filled.map_err(|error| trace(FILE_READ, format_args!("{error}")))?;
        Ok(Read { frame, stamp, header })
    }
}

impl FileFrame {
    /// Creates a frame without chunks.
    ///
    /// # Errors
    /// As [`Files::create`].
    pub(crate) fn create(files: Box<dyn Files>, lock: Option<Arc<FrameLock>>, header: Header) -> Result<Self, i32> {
        files.create(header)?;
        let kept = files.open_to_keep().map(|store| AnyStore::new(store, 0));
        let state = State { kept, ..State::default() };
        Ok(FileFrame { state: Mutex::new(state), ..FileFrame::new(files, lock, 0) })
    }

    /// Returns the frame that starts at an offset.
    pub(crate) fn new(files: Box<dyn Files>, lock: Option<Arc<FrameLock>>, start: u64) -> Self {
        FileFrame { files, start, lock, state: Mutex::default(), is_unsynced: false }
    }

    /// Returns the lock of the frame, if the program asked for one.
    pub(crate) fn frame_lock(&self) -> Option<&FrameLock> {
        self.lock.as_deref()
    }

    /// Waits for the lock of the frame, if the program asked for one.
    ///
    /// # Errors
    /// The code of a file that cannot be locked.
    pub(super) fn hold(&self, access: Access) -> Result<Held, i32> {
        Held::wait(self.lock.as_ref(), access)
    }

    /// Returns whether the chunks are in files of their own.
    pub(crate) fn is_directory(&self) -> bool {
        self.files.is_directory()
    }

    /// Calls `work` with the frame in the files.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(super) fn read<R>(&self, work: impl FnOnce(&Writer) -> Result<R, i32>) -> Result<R, i32> {
        let _held = self.hold(Access::Read)?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lock.as_ref().is_some_and(|lock| lock.take_changed()) {
            (state.read, state.written) = (None, None);
        }
        let stamp = match self.files.stamp() {
            Err(code) => return work(FileFrame::read_kept(&mut state, code)?),
            stamp => stamp?,
        };
        let is_fresh = |read: &Read| {
            let mut header = [0; Header::FIXED_LEN];
            let is_same = read.frame.store().read_exact_at(0, &mut header).is_ok() && header == read.header;
            is_same && stamp.is_some() && read.stamp == stamp
        };
        if let Some(read) = state.read.as_ref().filter(|read| is_fresh(read)) {
            return work(&read.frame);
        }
        let read = Read::new(self.open(false)?, stamp)?;
        let found = header_of(&read.frame);
        if state.written.is_none() || state.written != found {
            state.generation += 1;
        }
        if stamp.is_none() {
            // The only way to tell whether another handle changes the frame.
            state.written = found;
        }
        state.kept = None;
        work(&state.read.insert(read).frame)
    }

    /// Returns the frame in the file that was open when it was last read or created, as C-Blosc2 does: the program may
    /// have changed its directory, or moved or removed the file. `code` is the error of its path.
    fn read_kept(state: &mut State, code: i32) -> Result<&Writer, i32> {
        if state.read.is_none() {
            let frame = frame_in(state.kept.take().ok_or(code)?)?;
            // The last change may have been made to another file, which was then at the path.
            if state.written.is_some() && state.written != header_of(&frame) {
                return Err(code);
            }
            state.read = Some(Read::new(frame, None)?);
        }
        state.read.as_ref().map(|read| &read.frame).ok_or(code)
    }

    /// Returns a number that increases when another handle changes the frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be read.
    pub(crate) fn generation(&self) -> Result<u64, i32> {
        self.read(|_| Ok(()))?;
        Ok(self.read_generation())
    }

    /// Returns the number of [`FileFrame::generation`] for the frame as it was last read.
    pub(super) fn read_generation(&self) -> u64 {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).generation
    }

    /// Changes the frame in the files. Returns the changed frame.
    ///
    /// # Errors
    /// The code of a frame that cannot be opened for writing, or `code`. The frame is then unchanged.
    pub(super) fn change(&mut self, change: &Change<'_>, code: i32) -> Result<Writer, i32> {
        let _held = self.hold(Access::Write)?;
        let mut frame = self.open(true)?;
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).forget();
        self.is_unsynced = !self.files.is_directory();
        change.apply(&mut frame).map_err(|error| of_frame(&error, code))?;
        frame.commit().map_err(|error| of_frame(&error, FILE_WRITE))?;
        self.state.get_mut().unwrap_or_else(PoisonError::into_inner).written = header_of(&frame);
        Ok(frame)
    }

    /// Waits until the changes of a frame in one file are durable. A change of a directory is durable at once.
    ///
    /// # Errors
    /// The code of a failure: a power failure may lose the changes.
    pub(crate) fn sync(&mut self) -> Result<(), i32> {
        if self.is_unsynced {
            self.files.sync().map_err(|error| trace(FILE_WRITE, format_args!("{error}")))?;
        }
        self.is_unsynced = false;
        Ok(())
    }

    fn open(&self, is_change: bool) -> Result<Writer, i32> {
        frame_in(AnyStore::new(self.files.open(is_change)?, self.start))
    }
}

fn frame_in(store: AnyStore) -> Result<Writer, i32> {
    let opened: Result<_, Error> = Writer::open_sequence(store, &OpenOptions::new());
    opened.map_err(|error| of_frame(&error, FILE_READ))
}

/// Returns the header of a frame, with its metalayers.
fn header_of(frame: &Writer) -> Option<Vec<u8>> {
    frame.frame().ok()?.header.to_bytes().ok()
}
