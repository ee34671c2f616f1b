//! The two ends of an operation: where bytes are read from, and where they are written.

use std::fmt;
use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::fs::files::known_size;

/// Where bytes come from: a file, memory or a reader.
///
/// ```
/// use bloscpack_io::{PackOptions, Source, pack};
/// let mut packed = Vec::new();
/// pack(Source::reader(b"plain".as_slice()), &mut packed, &PackOptions::new())?;
/// assert!(packed.starts_with(b"blpk"));
/// # Ok::<(), bloscpack_io::Error>(())
/// ```
pub struct Source<'a>(pub(crate) SourceKind<'a>);

/// The kinds of sources.
pub(crate) enum SourceKind<'a> {
    /// A file, or the directory of a container.
    Path(PathBuf),
    Bytes(&'a [u8]),
    /// A reader, and the number of its bytes if that is known.
    Reader(Box<dyn Read + 'a>, Option<u64>),
}

impl<'a> Source<'a> {
    /// A file, or the directory of a container.
    pub fn file(path: impl AsRef<Path>) -> Self {
        Source(SourceKind::Path(path.as_ref().to_owned()))
    }

    /// Bytes in memory.
    pub fn bytes(bytes: &'a [u8]) -> Self {
        Source(SourceKind::Bytes(bytes))
    }

    /// A reader, which is read to its end.
    pub fn reader(reader: impl Read + 'a) -> Self {
        Source(SourceKind::Reader(Box::new(reader), None))
    }

    /// The number of bytes that a reader gives up to its end, if known. With a known size, writing a bloscpack file
    /// needs no temporary file. A reader with fewer or more bytes is an error, [`Error::InputChanged`](crate::Error).
    /// The size of other sources is known anyway. Of a file, the bytes that it has when it is opened count.
    pub fn size(self, size: impl Into<Option<u64>>) -> Self {
        match self.0 {
            SourceKind::Reader(reader, _) => Source(SourceKind::Reader(reader, size.into())),
            other => Source(other),
        }
    }
}

impl From<&Path> for Source<'_> {
    fn from(path: &Path) -> Self {
        Source::file(path)
    }
}

impl From<&PathBuf> for Source<'_> {
    fn from(path: &PathBuf) -> Self {
        Source::file(path)
    }
}

impl<'a> From<&'a [u8]> for Source<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Source::bytes(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Source<'a> {
    fn from(bytes: &'a Vec<u8>) -> Self {
        Source::bytes(bytes)
    }
}

/// An open file, from its position on.
impl From<File> for Source<'_> {
    fn from(file: File) -> Self {
        let size = known_size(&file);
        Source::reader(file).size(size)
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            SourceKind::Path(path) => f.debug_tuple("Source").field(path).finish(),
            SourceKind::Bytes(bytes) => write!(f, "Source of {} bytes", bytes.len()),
            SourceKind::Reader(_, size) => write!(f, "Source with a reader of {size:?} bytes"),
        }
    }
}

/// Where bytes go: a file, memory or a writer.
pub struct Sink<'a>(pub(crate) SinkKind<'a>);

/// The kinds of sinks.
pub(crate) enum SinkKind<'a> {
    /// A file, which appears whole or not at all. An existing device or pipe of this name is written to.
    #[cfg(feature = "write")]
    Path(PathBuf),
    /// A vector, whose content is replaced.
    Memory(&'a mut Vec<u8>),
    Writer(Box<dyn Write + 'a>),
}

impl<'a> Sink<'a> {
    /// A file, which appears whole or not at all. An existing device or pipe of this name is written to. Needs the
    /// feature `write`.
    #[cfg(feature = "write")]
    pub fn file(path: impl AsRef<Path>) -> Self {
        Sink(SinkKind::Path(path.as_ref().to_owned()))
    }

    /// A vector, whose content is replaced. Limits bound its length. After an error it is empty.
    pub fn memory(bytes: &'a mut Vec<u8>) -> Self {
        Sink(SinkKind::Memory(bytes))
    }

    /// Drops the content of a vector, before an error can leave it.
    pub(crate) fn emptied(mut self) -> Self {
        if let SinkKind::Memory(bytes) = &mut self.0 {
            bytes.clear();
        }
        self
    }

    /// A writer, which is written sequentially. After an error its content is incomplete.
    pub fn writer(writer: impl Write + 'a) -> Self {
        Sink(SinkKind::Writer(Box::new(writer)))
    }
}

#[cfg(feature = "write")]
impl From<&Path> for Sink<'_> {
    fn from(path: &Path) -> Self {
        Sink::file(path)
    }
}

#[cfg(feature = "write")]
impl From<&PathBuf> for Sink<'_> {
    fn from(path: &PathBuf) -> Self {
        Sink::file(path)
    }
}

impl<'a> From<&'a mut Vec<u8>> for Sink<'a> {
    fn from(bytes: &'a mut Vec<u8>) -> Self {
        Sink::memory(bytes)
    }
}

impl fmt::Debug for Sink<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            #[cfg(feature = "write")]
            SinkKind::Path(path) => f.debug_tuple("Sink").field(path).finish(),
            SinkKind::Memory(_) => f.write_str("Sink in memory"),
            SinkKind::Writer(_) => f.write_str("Sink with a writer"),
        }
    }
}
