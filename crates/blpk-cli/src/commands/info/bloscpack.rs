//! `blpk info` of a bloscpack file.

use crate::events;
use crate::json::{Object, number, text};
use crate::report::Report;
use anyhow::{Context as _, Result};
use bloscpack_format::Json;
use bloscpack_io::{AnySource, Archive, ReadAt, describe};

/// Prints header, metadata and the header of the first chunk.
pub(super) fn print(source: &AnySource, report: &Report) -> Result<()> {
    let archive = Archive::open(source)?;
    let header = archive.header().context("the file has no header")?;
    // Read before anything is printed, so that an error leaves no partial output.
    let first = match archive.chunk_position(0) {
        Some(position) => Some(first_chunk(source.bytes(), position)?),
        None => None,
    };
    events::header_read(report, header);
    if let Some(header) = archive.metadata_header() {
        events::metadata_read(report, header);
    }
    describe::bloscpack(&archive, header, first.as_ref())?.iter().for_each(|text| report.normal(text));
    Ok(())
}

/// Returns the same as an object. No chunk is read.
pub(super) fn object(source: AnySource) -> Result<Object> {
    let archive = Archive::open(source)?;
    let header = archive.header().context("the file has no header")?;
    let size = |size: Option<u32>| size.map_or(Json::Null, |size| number(size.into()));
    let mut object = Object::new("bloscpack")
        .with("version", number(header.version.number().into()))
        .with("nbytes", number(archive.nbytes()))
        .with("cbytes", number(archive.cbytes()))
        .with("typesize", number(archive.typesize() as u64))
        .with("nchunks", number(archive.nchunks()))
        .with("chunk_size", size(header.chunk_size))
        .with("last_chunk", size(header.last_chunk))
        .with("max_app_chunks", number(header.max_app_chunks))
        .with("offsets", Json::Bool(header.offsets))
        .with("checksum", text(header.checksum.name()));
    if let Some(array) = archive.numpy() {
        object = object.with_array(array)?;
    }
    Ok(match archive.metadata() {
        Some(metadata) => object.with("metadata", metadata.try_clone()?),
        None => object,
    })
}

/// Reads the first 16 bytes of the first chunk.
fn first_chunk(file: &dyn ReadAt, position: u64) -> Result<[u8; 16]> {
    let mut header = [0; 16];
    let cut = || format!("offset {position}: the file ends within the header of the first chunk");
    file.read_exact_at(position, &mut header).with_context(cut)?;
    Ok(header)
}
