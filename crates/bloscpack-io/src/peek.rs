//! Detects the format of a file or directory, and the size of its chunks, from the first bytes.

use std::fs::File;
use std::io;
use std::path::Path;

use blosc_core::{Header as ChunkHeader, Limits};
use bloscpack_format::bloscpack::Header;
use bloscpack_format::detect::{PREFIX_LEN, detect_directory};
use bloscpack_format::{Format, detect};

use crate::formats::bcolz::LocalDirectory;
use crate::formats::zarr::{self, ZipDirectory};
use crate::source::ReadAt;

/// Detects the format of the regular file or directory at a path from its content. Returns `None` for other formats,
/// and for pipes and devices, which are not read.
///
/// # Errors
/// Any I/O error.
pub fn format_at(path: impl AsRef<Path>) -> io::Result<Option<Format>> {
    fn inner(path: &Path) -> io::Result<Option<Format>> {
        let found = path.metadata()?;
        if found.is_dir() {
            let found = detect_directory(|file| path.join(file).is_file());
            return Ok(found.map(|format| zarr::refined(format, &LocalDirectory::new(path))));
        }
        if found.is_file() { format_of(&File::open(path)?) } else { Ok(None) }
    }
    inner(path.as_ref())
}

/// Detects the format of a file or another source of bytes from its content. Returns `None` for other formats.
///
/// # Errors
/// Any error of reading.
pub fn format_of(source: &(impl ReadAt + ?Sized)) -> io::Result<Option<Format>> {
    let prefix = prefix(source, PREFIX_LEN)?;
    match detect(&prefix, Some(source.len()?)) {
        None if zarr::is_zip(&prefix) => Ok(format_of_zip(source)),
        found => Ok(found),
    }
}

/// Detects Zarr in a zip archive. Other archives, and damaged ones, are of no known format.
fn format_of_zip(source: &(impl ReadAt + ?Sized)) -> Option<Format> {
    let archive = ZipDirectory::open(source).ok()?;
    zarr::format_of(&archive, &Limits::new()).ok().flatten()
}

/// Returns the uncompressed size of the largest chunk of a bloscpack file or of a bare chunk, according to its header.
/// Returns `None` for other formats, and if the header is damaged or does not contain the size.
///
/// # Errors
/// Any error of reading.
pub fn chunk_nbytes(source: &(impl ReadAt + ?Sized)) -> io::Result<Option<u64>> {
    Ok(match format_of(source)? {
        Some(Format::Bloscpack { .. }) => Header::parse(&prefix(source, Header::MAX_LEN)?)
            .ok()
            .and_then(|(header, _)| header.chunk_size)
            .map(u64::from),
        Some(Format::Blosc1Chunk | Format::Blosc2Chunk) => {
            ChunkHeader::parse(&prefix(source, ChunkHeader::EXTENDED_LEN)?).ok().map(|header| header.nbytes() as u64)
        }
        _ => None,
    })
}

/// Returns the first `len` bytes of a source, or all bytes if there are fewer.
///
/// # Errors
/// Any error of reading.
pub fn prefix(source: &(impl ReadAt + ?Sized), len: usize) -> io::Result<Vec<u8>> {
    let mut prefix = vec![0; source.len()?.min(len as u64) as usize];
    source.read_exact_at(0, &mut prefix)?;
    Ok(prefix)
}
