//! Errors as data: kind, location, limit, refused memory.

use std::error::Error as StdError;
use std::io;

use blosc_core::{ErrorKind, Location, OutOfMemory, OverLimit};
use bloscpack_format::FormatError;
use bloscpack_format::frame::sframe;

use super::{ArrayRefusal, Error};

impl Error {
    /// Returns the category of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::File { source, .. } | Error::Io { source, .. } | Error::ChunkFile { source, .. } => {
                kind_of_io(source)
            }
            Error::InFile { source, .. } => match &**source {
                Error::Format(error) => error.kind(),
                source => source.kind(),
            },
            // The files of bcolz are read with their names. A value without a file is the caller's.
            Error::Format(FormatError::Bcolz(_)) => ErrorKind::InvalidInput,
            Error::Format(error) | Error::FileFormat(error) => error.kind(),
            Error::Chunk { source, .. } => source.kind(),
            Error::Encode(error) => error.kind(),
            Error::InputChanged { found, expected } if found > expected => ErrorKind::InvalidInput,
            Error::Truncated { .. } | Error::InputChanged { .. } => ErrorKind::Truncated,
            #[cfg(feature = "write")]
            Error::OutputExists(_) => ErrorKind::Exists,
            Error::Locked(_) => ErrorKind::Locked,
            Error::Unsupported { .. } | Error::NotWritable { .. } => ErrorKind::Unsupported,
            Error::NoSuchColumn { .. } | Error::NoSuchAttribute { .. } => ErrorKind::NotFound,
            #[cfg(feature = "write")]
            Error::NoMetadataFound => ErrorKind::NotFound,
            #[cfg(feature = "write")]
            Error::SameFile(_)
            | Error::InputReplaced { .. }
            | Error::CarrayParams { .. }
            | Error::ColumnCount { .. }
            | Error::NoChangeInMetadata
            | Error::NotEnoughSpace { .. }
            | Error::UnfitOption { .. } => ErrorKind::InvalidInput,
            Error::NotRows { .. }
            | Error::Range { .. }
            | Error::ItemType { .. }
            | Error::Dimensions { .. }
            | Error::ArraySize { .. }
            | Error::ArrayCut { .. }
            | Error::PackParams { .. }
            | Error::FrameParams { .. }
            | Error::NoText(_)
            | Error::Reference { .. }
            | Error::Argument(_)
            | Error::Attribute { .. } => ErrorKind::InvalidInput,
            #[cfg(feature = "write")]
            Error::NoChunks => ErrorKind::Damaged,
            Error::NotANumpyArray { source } => source.downcast_ref().map_or(ErrorKind::Damaged, ArrayRefusal::kind),
            Error::Unrecognised { .. }
            | Error::ChunkDigest(_)
            | Error::ChunkSize { .. }
            | Error::MixedChunks { .. }
            | Error::PlainSize { .. }
            | Error::MoreData { .. }
            | Error::Offset { .. }
            | Error::ArrayBytes { .. }
            | Error::NotAsWritten { .. }
            | Error::ChunkRows { .. }
            | Error::ChunkGeneration { .. }
            | Error::MissingChunks { .. }
            | Error::ColumnLength { .. }
            | Error::NotBcolz { .. }
            | Error::Pending { .. } => ErrorKind::Damaged,
            Error::EditFailed => ErrorKind::Stale,
            Error::Limit(_) => ErrorKind::Limit,
            Error::OutOfMemory(_) => ErrorKind::OutOfMemory,
            Error::Cancelled => ErrorKind::Cancelled,
        }
    }

    /// Returns the location of the error: file, chunk, offset, field. Offsets are relative to the start of the file, or
    /// of [`Location::part`].
    pub fn location(&self) -> Location {
        let of_chunk = |chunk: u64| {
            let mut location = Location::default();
            location.chunk = Some(chunk);
            location
        };
        let at = |offset: u64| {
            let mut location = Location::default();
            location.offset = Some(offset);
            location
        };
        match self {
            Error::File { path, source, .. } => {
                inside(source).map_or_else(Location::default, Error::location).in_file(path)
            }
            Error::Io { source, .. } => inside(source).map_or_else(Location::default, Error::location),
            Error::Locked(path) => Location::default().in_file(path),
            #[cfg(feature = "write")]
            Error::OutputExists(path) | Error::SameFile(path) => Location::default().in_file(path),
            #[cfg(feature = "write")]
            Error::InputReplaced { output, .. } => Location::default().in_file(output),
            Error::NotWritable { directory, .. } | Error::NotBcolz { directory } => {
                Location::default().in_file(directory)
            }
            Error::Pending { file, .. } => Location::default().in_file(file),
            Error::InFile { file, source } => source.location().in_file(file),
            Error::Argument(source) => source.location(),
            Error::MissingChunks { file, chunks } => of_chunk(chunks.start).in_file(file),
            Error::ColumnLength { column, .. } => Location::default().in_file(column),
            Error::ChunkFile { chunk, file, .. } => of_chunk(*chunk).in_file(sframe::chunk_file_name(*file)),
            Error::Format(error) | Error::FileFormat(error) => error.location(),
            Error::Encode(error) => error.location(),
            Error::Chunk { chunk, offset, source } => source.location().in_chunk(*chunk, *offset),
            Error::ChunkDigest(mismatch) => Location::default().in_chunk(mismatch.chunk, mismatch.offset),
            Error::ChunkSize { chunk, offset, .. } => Location::default().in_chunk(*chunk, *offset),
            Error::MixedChunks { chunk }
            | Error::Offset { chunk, .. }
            | Error::ChunkRows { chunk, .. }
            | Error::ChunkGeneration { chunk, .. } => of_chunk(*chunk),
            Error::Truncated { offset, .. } | Error::MoreData { offset, .. } | Error::ArrayBytes { offset, .. } => {
                at(*offset)
            }
            _ => Location::default(),
        }
    }

    /// Returns the exceeded limit, if a limit is the cause at any level.
    pub fn over_limit(&self) -> Option<&OverLimit> {
        match self {
            Error::Limit(over) => Some(over),
            Error::Format(error) | Error::FileFormat(error) => error.over_limit(),
            Error::Chunk { source, .. } => source.over_limit(),
            Error::InFile { source, .. } => source.over_limit(),
            Error::Io { source, .. } | Error::File { source, .. } => {
                let inner = || source.get_ref()?.downcast_ref();
                inside(source).and_then(Error::over_limit).or_else(inner)
            }
            _ => None,
        }
    }

    /// Returns the size of the refused allocation, if that is the cause at any level.
    pub fn out_of_memory(&self) -> Option<OutOfMemory> {
        match self {
            Error::OutOfMemory(error) => Some(*error),
            Error::Format(error) | Error::FileFormat(error) => error.out_of_memory(),
            Error::Chunk { source, .. } => source.out_of_memory(),
            Error::Encode(error) => error.out_of_memory(),
            Error::InFile { source, .. } => source.out_of_memory(),
            Error::Io { source, .. } | Error::File { source, .. } | Error::ChunkFile { source, .. } => {
                let inner = || source.get_ref()?.downcast_ref().copied();
                inside(source).and_then(Error::out_of_memory).or_else(inner)
            }
            _ => None,
        }
    }

    /// Returns whether the operation was cancelled, between chunks or inside a chunk.
    pub(crate) fn is_cancelled(&self) -> bool {
        self.kind() == ErrorKind::Cancelled
    }

    /// Returns whether the cause is a missing file.
    pub(crate) fn is_not_found(&self) -> bool {
        match self {
            Error::InFile { source, .. } => source.is_not_found(),
            Error::Io { source, .. } | Error::File { source, .. } => source.kind() == io::ErrorKind::NotFound,
            _ => false,
        }
    }
}

/// Returns the error of this crate inside an I/O error.
fn inside(error: &io::Error) -> Option<&Error> {
    error.get_ref()?.downcast_ref()
}

fn kind_of_io(error: &io::Error) -> ErrorKind {
    if let Some(inner) = inside(error) {
        return inner.kind();
    }
    let inner = error.get_ref().map(|inner| inner as &(dyn StdError + 'static));
    if inner.is_some_and(|inner| inner.is::<OverLimit>()) {
        return ErrorKind::Limit;
    }
    match error.kind() {
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::AlreadyExists => ErrorKind::Exists,
        io::ErrorKind::UnexpectedEof => ErrorKind::Truncated,
        io::ErrorKind::OutOfMemory => ErrorKind::OutOfMemory,
        _ => ErrorKind::Io,
    }
}
