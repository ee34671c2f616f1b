//! The report of unpacking and verifying.

use bloscpack_format::bloscpack::{Header, MetadataHeader};
use bloscpack_format::{Format, Json};

use crate::Archive;

/// The properties of a file that was unpacked or verified.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct UnpackReport {
    /// The format that was found.
    pub format: Format,
    /// The bloscpack header, if the file has one.
    pub header: Option<Header>,
    /// The header of its metadata section, if it has one.
    pub metadata_header: Option<MetadataHeader>,
    /// Its metadata.
    pub metadata: Option<Json>,
    /// Its offsets, as stored in the file.
    pub offsets: Vec<i64>,
    /// The positions of its chunks.
    pub chunk_positions: Vec<u64>,
    /// Number of bytes after the last chunk. They are ignored.
    pub trailing: u64,
    /// Number of uncompressed bytes.
    pub nbytes: u64,
    /// Number of bytes of the input.
    pub cbytes: u64,
}

impl UnpackReport {
    /// The report of a file without a bloscpack header.
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

    /// The report of a frame.
    pub(super) fn of_frame(archive: &Archive<'_>, nbytes: u64) -> Self {
        let trailing = archive.frame().map_or(0, |frame| archive.cbytes().saturating_sub(frame.header.frame_len));
        UnpackReport { trailing, ..UnpackReport::new(archive.format(), nbytes, archive.cbytes()) }
    }
}
