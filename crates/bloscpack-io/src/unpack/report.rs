//! The report of unpacking and verifying.

use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::{Format, Json};

use crate::Archive;

/// The facts of a file that was unpacked or verified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UnpackReport {
    /// The format that was found.
    pub format: Format,
    /// The bloscpack header, if it is such a file.
    pub header: Option<Header>,
    /// The header of its metadata section, if it has one.
    pub metadata_header: Option<MetadataHeader>,
    /// Its metadata.
    pub metadata: Option<Json>,
    /// Its offsets, as they stand in the file.
    pub offsets: Vec<i64>,
    /// Where its chunks are.
    pub chunk_positions: Vec<u64>,
    /// Bytes after the last chunk, which mean nothing.
    pub trailing: u64,
    /// Plain bytes.
    pub nbytes: u64,
    /// Bytes of the input.
    pub cbytes: u64,
}

impl UnpackReport {
    /// Of a file without a bloscpack header.
    pub(super) fn new(format: Format, nbytes: u64, cbytes: u64) -> Self {
        UnpackReport {
            format,
            header: None,
            metadata_header: None,
            metadata: None,
            offsets: Vec::new(),
            chunk_positions: Vec::new(),
            trailing: 0,
            nbytes,
            cbytes,
        }
    }

    /// Of a frame.
    pub(super) fn of_frame(archive: &Archive<'_>, nbytes: u64) -> Self {
        let trailing = archive.frame().map_or(0, |frame| archive.cbytes().saturating_sub(frame.header.frame_len));
        UnpackReport { trailing, ..UnpackReport::new(archive.format(), nbytes, archive.cbytes()) }
    }
}
