//! Replaces the metadata of a bloscpack file, within the reserved space or in a file with a larger section.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use blosc_core::{Limits, memory};
use bloscpack_format::bloscpack::{Layout, MetadataArgs, MetadataRewrite, MetadataSection, Version, offsets};
use bloscpack_format::{FormatError, Json};

use crate::fs::atomic::AtomicFile;
use crate::fs::lock::open_locked;
use crate::{Archive, Error, OpenOptions};

/// Replaces the metadata of the bloscpack file at `path` by the result of `change`. The new file is written next to the
/// old one and replaces it atomically. Chunks are copied unchanged.
///
/// # Errors
/// [`Error::NotWritable`] for versions 1 and 2, which have no metadata; [`Error::Limit`] for metadata that could not be
/// read back within the limits; the errors of `change`; errors for damage before the chunks and in chunk headers.
pub(super) fn update_metadata(
    path: &Path,
    limits: Limits,
    change: impl FnOnce(Option<&Json>) -> Result<Json, Error>,
) -> Result<(), Error> {
    let file = open_locked(path, |path| File::open(path))?;
    let archive = Archive::open_with(&*file, &OpenOptions::new().limits(limits).walk(true))?;
    let (Some(old), Some(layout)) = (archive.header().copied(), archive.layout().cloned()) else {
        return Err(Error::Unsupported { format: archive.format() });
    };
    if old.version != Version::V3 {
        let what = "the format has metadata since version 3, which 'blpk convert' writes";
        return Err(Error::NotWritable { directory: path.display().to_string(), what });
    }
    let new = change(archive.metadata())?;
    if archive.metadata() == Some(&new) {
        return Ok(());
    }
    let section = section(archive.metadata_section(), &new)?;
    limits.check_metadata(section.header().meta_size.into(), 1)?;
    let mut header = old;
    header.metadata = true;
    let place = Layout::new(&header, section.header().section_len())?;
    let positions = (0..archive.nchunks()).filter_map(|chunk| archive.chunk_position(chunk));
    let moved = positions.map(|at| (at - layout.first_chunk + place.first_chunk).cast_signed());
    let entries: Vec<i64> = if header.offsets { memory::collect(moved)? } else { Vec::new() };
    let mut front = header.to_bytes()?;
    memory::extend(&mut front, &section.to_bytes()?)?;
    memory::extend(&mut front, &offsets::encode(&entries)?)?;
    let spare = place.first_chunk.saturating_sub(front.len() as u64);

    let mut output = AtomicFile::create(path, true)?;
    let written = output.write_all(&front);
    let written = written.and_then(|()| io::copy(&mut io::repeat(offsets::SPARE_BYTE).take(spare), &mut output));
    written.map_err(Error::writing)?;
    copy(&file, layout.first_chunk, archive.end(), &mut output)?;
    output.commit()
}

/// Returns a section with new metadata. It keeps the size of the old one if they fit.
fn section(old: Option<&MetadataSection>, metadata: &Json) -> Result<MetadataSection, FormatError> {
    let args = match old {
        None => MetadataArgs::new(),
        Some(old) => match old.rewrite(metadata, &MetadataRewrite::default()) {
            Err(FormatError::MetadataSectionTooSmall { .. }) => {
                MetadataArgs::new().meta_checksum(old.header().meta_checksum)
            }
            section => return section,
        },
    };
    MetadataSection::encode(metadata, &args)
}

/// Copies the bytes of the file from `start` to `end`.
fn copy(mut file: &File, start: u64, end: u64, output: &mut AtomicFile) -> Result<(), Error> {
    let expected = end.saturating_sub(start);
    let copied = file.seek(SeekFrom::Start(start)).and_then(|_| io::copy(&mut file.take(expected), output.writer()));
    match copied.map_err(Error::io("copying the file"))? {
        found if found < expected => Err(Error::InputChanged { expected, found }),
        _ => Ok(()),
    }
}
