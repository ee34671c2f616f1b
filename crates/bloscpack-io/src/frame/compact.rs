//! Rewriting a frame without dead bytes: its chunks as they are, in the order of their numbers.

use std::fs;
use std::path::Path;

use bloscpack_format::frame::{ChunkRef, Edit, Frame, FrameType, sframe};

use super::local::LocalFrame;
use super::new::NewFrame;
use super::params::FrameParams;
use super::store::FrameStore;
use super::writer::FrameWriter;
use crate::{Archive, Cancel, Error, ReadAt};

/// What compacting did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompactReport {
    /// Bytes of the frame before, its chunk files included, and what was behind it.
    pub before: u64,
    /// Bytes of it now.
    pub after: u64,
}

/// Rewrites a frame without deleted chunks, old indexes and what is behind its end. A contiguous one is replaced as a
/// whole; of a sparse one, the files that nothing refers to are removed. Chunks are copied, not decoded.
///
/// # Errors
/// What opening and copying answer; the frame is then as it was.
pub fn compact(path: &Path, cancel: &Cancel) -> Result<CompactReport, Error> {
    if path.is_dir() { compact_sparse(path) } else { compact_contiguous(path, cancel) }
}

fn compact_contiguous(path: &Path, cancel: &Cancel) -> Result<CompactReport, Error> {
    let archive = Archive::open(LocalFrame::open(path)?)?;
    let frame = expect_frame(&archive)?;
    let store = NewFrame::create(path, FrameType::Contiguous, true)?;
    let mut writer = copy_of(frame, store);
    for number in 0..frame.nchunks() {
        cancel.check()?;
        match frame.chunk(number)? {
            ChunkRef::Special { special, nbytes } => writer.append_special(special, nbytes)?,
            _ => writer.append_chunk(&archive.compressed_chunk(number)?)?,
        }
    }
    writer.commit()?;
    let after = writer.frame()?.header.frame_len;
    writer.finish()?;
    Ok(CompactReport { before: archive.cbytes(), after })
}

/// A writer of a frame with the same header, metalayers and trailer, without chunks.
fn copy_of<S: FrameStore>(frame: &Frame, store: S) -> FrameWriter<S> {
    // Chunks are copied as they are: how new ones would be compressed does not matter.
    let params = FrameParams::of(&frame.header).unwrap_or(FrameParams::new(frame.header.typesize));
    let edit = Edit::create(frame.header.clone(), frame.trailer.clone());
    FrameWriter::with_edit(store, edit, params)
}

/// Every file that is no chunk of the frame goes, if its name is that of one; the index is written anew.
fn compact_sparse(path: &Path) -> Result<CompactReport, Error> {
    let mut store = LocalFrame::open(path)?;
    let archive = Archive::open(&store)?;
    let frame = expect_frame(&archive)?;
    let files = |chunk| match frame.chunk(chunk) {
        Ok(ChunkRef::File { number, .. }) => Some(number),
        _ => None,
    };
    let used: std::collections::BTreeSet<u32> = (0..frame.nchunks()).filter_map(files).collect();
    let refuse = |error| Error::file("reading", path, error);
    let (mut before, mut after) = (0, 0);
    let mut leftover = Vec::new();
    for entry in fs::read_dir(path).map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        let Some(number) = entry.file_name().to_str().and_then(sframe::chunk_file_number) else { continue };
        let len = entry.metadata().map_err(refuse)?.len();
        before += len;
        if used.contains(&number) { after += len } else { leftover.push(number) }
    }
    before += store.len().map_err(refuse)?;
    // Without what may be behind the frame's end, or between its parts.
    let mut bytes = frame.header.clone();
    let (index, trailer) = (frame.index.encode()?, frame.trailer.to_bytes()?);
    bytes.frame_len = bytes.header_len() + (index.len() + trailer.len()) as u64;
    let bytes = [bytes.to_bytes()?, index, trailer].concat();
    store.replace(&bytes).map_err(Error::io("writing the frame"))?;
    for number in leftover {
        store.remove_chunk_file(number).map_err(Error::io("removing a chunk file"))?;
    }
    Ok(CompactReport { before, after: after + bytes.len() as u64 })
}

fn expect_frame<R: ReadAt>(archive: &Archive<R>) -> Result<&Frame, Error> {
    archive.frame().ok_or(Error::Unsupported { format: archive.format() })
}
