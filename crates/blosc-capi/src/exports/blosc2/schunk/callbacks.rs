//! Frames in files that functions of the program read and write.

use std::ffi::{CStr, CString, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::PathBuf;
use std::ptr::null_mut;

use bloscpack_format::frame::{FrameType, Header, sframe};
use bloscpack_io::frame::{FrameStore, FrameWriter};
use bloscpack_io::{ChunkFiles, ReadAt};

use crate::blosc2::codes::{FILE_OPEN, FILE_WRITE, of_frame, trace};
use crate::blosc2::schunk::{Files, Stamp};
use crate::exports::blosc2::abi::IoCallbacks;

/// Functions of the program, and their parameters.
#[derive(Clone, Copy)]
struct Functions {
    callbacks: IoCallbacks,
    params: *mut c_void,
}

// SAFETY: the program promises that its functions and their parameters can be used where its super-chunk is.
unsafe impl Send for Functions {}
// SAFETY: as above; each call opens a stream of its own.
unsafe impl Sync for Functions {}

/// The files of a frame.
#[derive(Clone)]
pub(super) struct CallbackFiles {
    functions: Functions,
    path: PathBuf,
    frame_type: FrameType,
}

impl CallbackFiles {
    pub(super) fn new(callbacks: IoCallbacks, params: *mut c_void, path: PathBuf, frame_type: FrameType) -> Self {
        CallbackFiles { functions: Functions { callbacks, params }, path, frame_type }
    }

    /// Returns the file of the frame, or of its index.
    fn main(&self) -> File {
        let is_directory = self.frame_type == FrameType::Sparse;
        let path = if is_directory { self.path.join(sframe::INDEX_FILE) } else { self.path.clone() };
        File { functions: self.functions, path }
    }

    fn chunk(&self, number: u32) -> io::Result<File> {
        match self.frame_type {
            FrameType::Contiguous => Err(io::ErrorKind::Unsupported.into()),
            FrameType::Sparse => {
                Ok(File { functions: self.functions, path: self.path.join(sframe::chunk_file_name(number)) })
            }
        }
    }

    /// Replaces the content of the frame in one file.
    pub(super) fn write_all(&self, bytes: &[u8]) -> io::Result<()> {
        self.main().with(c"wb", |stream| stream.write(0, bytes))
    }

    /// Appends bytes to the frame's file. Returns their offset.
    pub(super) fn append(&self, bytes: &[u8]) -> io::Result<u64> {
        let file = self.main();
        let append = || file.with(c"rb+", |stream| stream.size().and_then(|at| stream.write(at, bytes).map(|()| at)));
        append().or_else(|_| file.with(c"ab", |_| Ok(())).and_then(|()| append()))
    }
}

impl Files for CallbackFiles {
    fn create(&self, header: Header) -> Result<(), i32> {
        let failed = |error: io::Error| trace(FILE_OPEN, format_args!("{}: {error}", self.path.display()));
        match self.frame_type {
            FrameType::Sparse => std::fs::create_dir(&self.path).map_err(failed)?,
            FrameType::Contiguous if self.path.exists() => {
                return Err(failed(io::ErrorKind::AlreadyExists.into()));
            }
            FrameType::Contiguous => {}
        }
        let created = FrameWriter::start_sequence(self.clone(), header).and_then(|mut frame| frame.commit());
        created.map_err(|error| of_frame(&error, FILE_WRITE))
    }

    fn open(&self, _is_change: bool) -> Result<Box<dyn FrameStore>, i32> {
        Ok(Box::new(self.clone()))
    }

    fn stamp(&self) -> Result<Option<Stamp>, i32> {
        Ok(None)
    }

    fn is_directory(&self) -> bool {
        self.frame_type == FrameType::Sparse
    }

    fn sync(&self) -> io::Result<()> {
        // There is no function for it.
        Ok(())
    }
}

impl ReadAt for CallbackFiles {
    fn len(&self) -> io::Result<u64> {
        self.main().len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.main().read_exact_at(offset, buf)
    }
}

impl ChunkFiles for CallbackFiles {
    fn open_chunk(&self, number: u32) -> io::Result<Box<dyn ReadAt + '_>> {
        Ok(Box::new(self.chunk(number)?))
    }
}

impl FrameStore for CallbackFiles {
    fn frame_type(&self) -> FrameType {
        self.frame_type
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        (self.frame_type == FrameType::Sparse).then_some(self)
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.main().with(c"rb+", |stream| stream.write(at, bytes))
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.main().with(c"rb+", |stream| stream.truncate(len))
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        self.chunk(number)?.with(c"wb", |stream| stream.write(0, bytes))
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        std::fs::remove_file(self.chunk(number)?.path)
    }

    fn sync(&mut self) -> io::Result<()> {
        // There is no function for it.
        Ok(())
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        // There is no function that renames a file.
        self.main().with(c"wb", |stream| stream.write(0, bytes).and_then(|()| stream.truncate(bytes.len() as u64)))
    }
}

/// One file.
struct File {
    functions: Functions,
    path: PathBuf,
}

impl File {
    /// Opens the file for `work`.
    fn with<R>(&self, mode: &CStr, work: impl FnOnce(&Stream<'_>) -> io::Result<R>) -> io::Result<R> {
        let Functions { callbacks, params } = &self.functions;
        let path = CString::new(self.path.as_os_str().as_bytes())?;
        let open = callbacks.open.ok_or(io::ErrorKind::Unsupported)?;
        // SAFETY: two strings; the program promises the rest.
        let stream = unsafe { open(path.as_ptr(), mode.as_ptr(), *params) };
        if stream.is_null() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let done = work(&Stream { callbacks, stream });
        // SAFETY: the stream that was opened, which is not used any more.
        let closed = callbacks.close.map_or(0, |close| unsafe { close(stream) });
        if closed < 0 && done.is_ok() {
            return Err(io::Error::other("the file was not closed"));
        }
        done
    }
}

impl ReadAt for File {
    fn len(&self) -> io::Result<u64> {
        self.with(c"rb", |stream| stream.size())
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        if buf.is_empty() {
            return Ok(());
        }
        self.with(c"rb", |stream| stream.read(offset, buf))
    }
}

/// An open file.
struct Stream<'a> {
    callbacks: &'a IoCallbacks,
    stream: *mut c_void,
}

impl Stream<'_> {
    fn size(&self) -> io::Result<u64> {
        let size = self.callbacks.size.ok_or(io::ErrorKind::Unsupported)?;
        // SAFETY: an open stream.
        u64::try_from(unsafe { size(self.stream) }).map_err(|_| io::Error::other("the file has no size"))
    }

    fn read(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        let read = self.callbacks.read.ok_or(io::ErrorKind::Unsupported)?;
        let (len, offset) = (buf.len() as i64, i64::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?);
        let has_room = self.callbacks.is_allocation_necessary != 0;
        let mut pointer = if has_room { buf.as_mut_ptr().cast() } else { null_mut() };
        // SAFETY: an open stream, and room for the bytes if the functions need it.
        if unsafe { read(&mut pointer, 1, len, offset, self.stream) } != len || pointer.is_null() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if pointer != buf.as_mut_ptr().cast() {
            // SAFETY: the function returned memory with this number of bytes.
            unsafe { std::ptr::copy(pointer.cast(), buf.as_mut_ptr(), buf.len()) };
        }
        Ok(())
    }

    fn write(&self, at: u64, bytes: &[u8]) -> io::Result<()> {
        let write = self.callbacks.write.ok_or(io::ErrorKind::Unsupported)?;
        let (len, at) = (bytes.len() as i64, i64::try_from(at).map_err(|_| io::ErrorKind::InvalidInput)?);
        // SAFETY: an open stream and an input with its length.
        let written = if len == 0 { 0 } else { unsafe { write(bytes.as_ptr().cast(), 1, len, at, self.stream) } };
        if written == len { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
    }

    fn truncate(&self, len: u64) -> io::Result<()> {
        let truncate = self.callbacks.truncate.ok_or(io::ErrorKind::Unsupported)?;
        let len = i64::try_from(len).map_err(|_| io::ErrorKind::InvalidInput)?;
        // SAFETY: an open stream.
        if unsafe { truncate(self.stream, len) } == 0 {
            Ok(())
        } else {
            Err(io::Error::other("the length was not set"))
        }
    }
}
