//! The kind of a file, by its content.

use crate::path_or_stdio::PathOrStdio;
use crate::url;
use bloscpack_format::Format;
use bloscpack_io::{AnySource, ReadAt, peek};
use std::io;
use std::path::Path;

/// The kinds of files and directories that are recognised.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileKind {
    Bloscpack,
    /// One bare chunk, Blosc1 or Blosc2.
    Chunk,
    Npy,
    /// A Blosc2 frame, contiguous or a directory.
    Frame,
    /// A bcolz directory that holds an array.
    Carray,
    /// A bcolz directory that holds a table.
    Ctable,
    /// A Zarr array, in a directory or a zip archive.
    Zarr,
    /// A Zarr group, in a directory or a zip archive.
    ZarrGroup,
}

/// Returns the kind of a regular file, a sparse frame, or a directory of bcolz or Zarr. Returns `None` for anything else. In
/// particular, nothing is read from a pipe.
///
/// Returns `None` for an unreadable file. The caller reads it next, and that error names the cause.
pub(crate) fn kind_of(path: &Path) -> Option<FileKind> {
    try_kind_of(path).ok().flatten()
}

/// [`kind_of`] for a name on the command line. Nothing is read from stdin.
pub(crate) fn kind_of_operand(operand: &PathOrStdio) -> Option<FileKind> {
    match operand {
        PathOrStdio::Standard => None,
        PathOrStdio::File(path) => kind_of(path),
        PathOrStdio::Url(url) => kind_of_source(&url::open(url, None).ok()?),
    }
}

/// The kind of an open file or directory.
pub(crate) fn kind_of_source(source: &AnySource) -> Option<FileKind> {
    source.format().ok().flatten().and_then(FileKind::of)
}

/// Like [`kind_of`], for callers that do not read the file afterwards.
pub(crate) fn try_kind_of(path: &Path) -> io::Result<Option<FileKind>> {
    Ok(peek::format_at(path)?.and_then(FileKind::of))
}

/// Whether a path is a directory that can be read as one container.
pub(crate) fn is_container_directory(path: &Path) -> bool {
    path.is_dir() && matches!(kind_of(path), Some(FileKind::Frame | FileKind::Carray | FileKind::Zarr))
}

/// Whether a path is a directory of a recognised format, not a collection of files.
pub(crate) fn is_container(path: &Path) -> bool {
    path.is_dir() && kind_of(path).is_some()
}

/// The kind of an open file.
pub(crate) fn kind_of_file(file: &dyn ReadAt) -> Option<FileKind> {
    peek::format_of(file).ok().flatten().and_then(FileKind::of)
}

impl std::fmt::Display for FileKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FileKind::Bloscpack => "a bloscpack file",
            FileKind::Chunk => "a bare chunk",
            FileKind::Npy => "a NumPy .npy file",
            FileKind::Frame => "a Blosc2 frame",
            FileKind::Carray => "a bcolz carray",
            FileKind::Ctable => "a bcolz ctable",
            FileKind::Zarr => "a Zarr array",
            FileKind::ZarrGroup => "a Zarr group",
        })
    }
}

impl FileKind {
    /// Returns the kind of a detected format.
    pub(crate) fn of(format: Format) -> Option<FileKind> {
        Some(match format {
            Format::Bloscpack { .. } => FileKind::Bloscpack,
            Format::Blosc1Chunk | Format::Blosc2Chunk => FileKind::Chunk,
            Format::Npy => FileKind::Npy,
            Format::Blosc2Frame | Format::SparseFrame => FileKind::Frame,
            Format::Carray => FileKind::Carray,
            Format::Ctable => FileKind::Ctable,
            Format::ZarrArray => FileKind::Zarr,
            Format::ZarrGroup => FileKind::ZarrGroup,
            // Never detected: bytes without a format.
            _ => return None,
        })
    }
}
