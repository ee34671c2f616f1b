//! The new frame, made of the chunks that stand.

use std::path::Path;

use blosc_core::{Chunk, Decoder, Special};
use bloscpack_format::frame::{B2nd, Edit, Grid, Header, Trailer};

use super::Slot;
use super::report::{Lost, RecoverReport};
use crate::frame::new::NewFrame;
use crate::frame::params::FrameParams;
use crate::frame::writer::FrameWriter;
use crate::{Cancel, Error};

/// What the new frame is made of.
pub(super) struct Salvage<'a> {
    pub(super) header: &'a Header,
    pub(super) trailer: Trailer,
    /// The compressed bytes of a chunk.
    pub(super) read: &'a dyn Fn(Slot) -> Result<Vec<u8>, Error>,
    pub(super) cancel: &'a Cancel,
}

impl Salvage<'_> {
    /// Puts what stands into a new frame, a chunk at a time.
    pub(super) fn write(
        self,
        mut slots: Vec<Slot>,
        output: &Path,
        overwrite: bool,
        mut lost: Vec<Lost>,
    ) -> Result<RecoverReport, Error> {
        let array = B2nd::of(&self.header.metalayers)?;
        let grid = array.as_ref().map(|array| Grid::new(array, self.header.typesize)).transpose()?;
        if let Some(grid) = &grid {
            let (found, expected) = (slots.len() as u64, grid.nchunks());
            if found < expected {
                lost.push(Lost::Missing { chunks: expected - found });
                slots.extend((found..expected).map(|_| Slot::Lost));
            } else if found > expected {
                lost.push(Lost::TooMany { chunks: found - expected });
                slots.truncate(expected as usize);
            }
        }
        let mut decoder = Decoder::new().super_chunk_typesize(self.header.typesize as usize);
        if let Some(array) = &array {
            decoder = decoder.blockshape(&array.blockshape.iter().map(|len| *len as usize).collect::<Vec<_>>());
        }
        let store = NewFrame::create(output, self.header.frame_type, overwrite)?;
        // Chunks are copied as they are: how new ones would be compressed does not matter.
        let params = FrameParams::of(self.header).unwrap_or(FrameParams::new(self.header.typesize));
        let edit = Edit::create(self.header.clone(), self.trailer);
        let mut writer = FrameWriter::with_edit(store, edit, params);
        let mut kept = 0;
        for (number, slot) in (0..).zip(slots) {
            self.cancel.check()?;
            let chunk = match slot {
                Slot::Special(special, nbytes) => {
                    writer.append_special(special, nbytes)?;
                    kept += 1;
                    continue;
                }
                Slot::Lost => None,
                stored => match (self.read)(stored).map_err(|error| error.to_string()).and_then(|chunk| {
                    stands(&chunk, &mut decoder, grid.as_ref())?;
                    Ok(chunk)
                }) {
                    Ok(chunk) => Some(chunk),
                    Err(why) => {
                        lost.push(Lost::Chunk { chunk: number, why });
                        None
                    }
                },
            };
            match (chunk, &grid) {
                (Some(chunk), _) => {
                    writer.append_chunk(&chunk)?;
                    kept += 1;
                }
                (None, Some(grid)) => writer.append_special(Special::Zeros, grid.chunk_nbytes() as u32)?,
                (None, None) => {}
            }
        }
        let nbytes = writer.frame()?.header.nbytes;
        writer.finish()?;
        Ok(RecoverReport { chunks: kept, nbytes, lost })
    }
}

/// Whether a chunk can be decoded, and has the size that all chunks of an array have.
fn stands(bytes: &[u8], decoder: &mut Decoder, grid: Option<&Grid>) -> Result<(), String> {
    let decoded = Chunk::parse(bytes).and_then(|chunk| {
        if chunk.repeated_value().is_none() {
            decoder.decompress(&chunk)?;
        }
        Ok(chunk.header().nbytes())
    });
    let found = decoded.map_err(|error| error.to_string())?;
    match grid.map(Grid::chunk_nbytes).filter(|expected| *expected != found) {
        Some(expected) => Err(format!("nbytes is {found}, expected {expected}")),
        None => Ok(()),
    }
}
