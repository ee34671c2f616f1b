//! Frames of the file system. A frame is locked while it is changed.

use std::ffi::{CStr, OsStr};
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use bloscpack_format::frame::{FrameType, Header, sframe};
use bloscpack_io::frame::{FrameStore, FrameWriter, LocalFrame, NewFrame};

use super::file::{Files, Stamp};
use crate::blosc2::codes::{FILE_OPEN, of_frame, trace};

/// A file or a directory.
pub(crate) struct LocalFiles(PathBuf);

/// Returns the path that a program means.
pub(crate) fn path_of(urlpath: &CStr) -> PathBuf {
    let bytes = urlpath.to_bytes();
    let mut bytes = bytes.strip_prefix(b"file:///").unwrap_or(bytes);
    while bytes.len() > 1 && bytes.ends_with(b"/") {
        bytes = bytes.get(..bytes.len() - 1).unwrap_or_default();
    }
    PathBuf::from(OsStr::from_bytes(bytes))
}

impl LocalFiles {
    pub(crate) fn new(path: PathBuf) -> Self {
        LocalFiles(path)
    }

    /// Returns the path of a new frame: that which a link leads to if nothing is there yet, as `open` creates it.
    fn target(&self) -> PathBuf {
        match std::fs::read_link(&self.0) {
            Ok(target) if !self.0.exists() => self.0.parent().unwrap_or(Path::new("")).join(target),
            _ => self.0.clone(),
        }
    }
}

impl Files for LocalFiles {
    fn create(&self, header: Header) -> Result<(), i32> {
        let created = NewFrame::create(self.target(), header.frame_type, false)
            .and_then(|store| FrameWriter::start_sequence(store, header))
            .and_then(FrameWriter::finish);
        created.map_err(|error| of_frame(&error, FILE_OPEN))
    }

    fn open(&self, is_change: bool) -> Result<Box<dyn FrameStore>, i32> {
        let opened = if is_change { LocalFrame::open(&self.0) } else { LocalFrame::open_for_reading(&self.0) };
        opened.map(|store| Box::new(store) as _).map_err(|error| of_frame(&error, FILE_OPEN))
    }

    fn stamp(&self) -> Result<Option<Stamp>, i32> {
        let file = if self.is_directory() { self.0.join(sframe::INDEX_FILE) } else { self.0.clone() };
        let of = |found: Metadata| Some((found.dev(), found.ino(), found.len(), found.mtime(), found.mtime_nsec()));
        std::fs::metadata(&file).map(of).map_err(|error| trace(FILE_OPEN, format_args!("{}: {error}", file.display())))
    }

    fn is_directory(&self) -> bool {
        self.0.is_dir()
    }

    fn open_to_keep(&self) -> Option<Box<dyn FrameStore>> {
        let opened = LocalFrame::open_for_reading(&self.0).ok();
        opened.filter(|store| store.frame_type() == FrameType::Contiguous).map(|store| Box::new(store) as _)
    }

    fn sync(&self) -> io::Result<()> {
        match File::open(&self.0).and_then(|file| file.sync_all()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}
