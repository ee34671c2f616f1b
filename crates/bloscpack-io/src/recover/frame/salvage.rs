//! Builds the new frame from the undamaged chunks.

use std::path::Path;

use blosc_core::{Chunk, DecodeError, Decoder, Filter, Limits, OutOfMemory, Special};
use bloscpack_format::frame::{B2nd, Edit, FrameError, Grid, Header, Trailer};

use super::origin::{ChunkOrigin, MAX_UNSEEN};
use crate::formats::frame::new::NewFrame;
use crate::formats::frame::params::FrameParams;
use crate::formats::frame::writer::FrameWriter;
use crate::recover::lost::LostPart;
use crate::recover::report::{Lost, LostReason, RecoverReport};
use crate::recover::report_budget::ReportBudget;
use crate::{Cancel, Error};

/// The content of the new frame.
pub(super) struct Salvage<'a> {
    pub(super) header: &'a Header,
    pub(super) trailer: Trailer,
    /// Reads the compressed bytes of a chunk.
    pub(super) read: &'a dyn Fn(ChunkOrigin) -> Result<Vec<u8>, Error>,
    pub(super) cancel: &'a Cancel,
    pub(super) limits: Limits,
    /// Number of stored bytes.
    pub(super) stored: u64,
}

impl Salvage<'_> {
    /// Writes a new frame, one chunk at a time, with `found` slots, or with the number of chunks that the array has.
    pub(super) fn write(
        mut self,
        slots: impl Iterator<Item = ChunkOrigin>,
        found: u64,
        output: &Path,
        overwrite: bool,
        mut lost: Vec<Lost>,
    ) -> Result<RecoverReport, Error> {
        let array = B2nd::of(&self.header.metalayers)?;
        let grid = array.as_ref().map(|array| Grid::new(array, self.header.typesize)).transpose()?;
        let expected = grid.as_ref().map_or(found, Grid::nchunks);
        if found < expected {
            if expected > MAX_UNSEEN {
                let what = "chunks of an array, of which most are lost";
                return Err(Error::Format(FrameError::TooMany { what, found: expected, max: MAX_UNSEEN }.into()));
            }
            lost.push(LostPart::MissingChunks { chunks: expected - found }.into());
        } else if found > expected {
            lost.push(LostPart::SurplusChunks { chunks: found - expected }.into());
        }
        // An index of a few bytes can name any number of chunks.
        ReportBudget::new(self.limits).add(found.max(expected), "", self.stored)?;
        let slots = slots.chain(std::iter::repeat(ChunkOrigin::Lost));
        let decoder = Decoder::new().limits(self.limits).cancel(self.cancel.clone());
        let mut decoder = decoder.super_chunk_typesize(self.header.typesize as usize);
        if let Some(array) = &array {
            decoder = decoder.blockshape(&array.block_axes());
        }
        self.drop_vlmetalayers(&mut lost)?;
        let store = NewFrame::create(output, self.header.frame_type, overwrite)?;
        // Chunks are copied unchanged, so the compression parameters have no effect.
        let params = FrameParams::of(self.header).unwrap_or(FrameParams::new(self.header.typesize));
        let edit = Edit::create(self.header.try_clone()?, self.trailer);
        let mut writer = FrameWriter::with_edit(store, edit, params);
        let (mut kept, mut copied) = (0, 0_u64);
        for (number, slot) in (0..expected).zip(slots) {
            self.cancel.check()?;
            let chunk = match slot {
                ChunkOrigin::Special(special, nbytes) => {
                    writer.append_special(special, nbytes)?;
                    kept += 1;
                    continue;
                }
                ChunkOrigin::Lost => None,
                stored => match read_whole(self.read, stored, &mut decoder, grid.as_ref())? {
                    Ok((chunk, unchecked)) => {
                        let part = LostPart::Unchecked { chunk: number };
                        lost.extend(unchecked.map(|reason| Lost::because(part, reason)));
                        Some(chunk)
                    }
                    Err(reason) => {
                        self.cancel.check()?;
                        lost.push(Lost::because(LostPart::Chunk { chunk: number }, reason));
                        None
                    }
                },
            };
            match (chunk, &grid) {
                (Some(chunk), _) => {
                    copied = copied.saturating_add(chunk.len() as u64);
                    // A chunk that several numbers share is copied once for each. The copies beyond the stored bytes
                    // are limited.
                    self.limits.check_unearned(copied.saturating_sub(self.stored), 0)?;
                    writer.append_copied(&chunk)?;
                    kept += 1;
                }
                (None, Some(grid)) => writer.append_special(Special::Zeros, grid.chunk_nbytes() as u32)?,
                (None, None) => {}
            }
        }
        // The chunks of an array have padding in addition to its items.
        let nbytes = match &grid {
            Some(grid) => grid.nbytes_of(&grid.all())?,
            None => writer.frame()?.header.nbytes,
        };
        writer.finish()?;
        Ok(RecoverReport { kept, nbytes, lost, ..RecoverReport::default() }.with_total())
    }

    /// Drops the vlmetalayers that cannot be read back.
    fn drop_vlmetalayers(&mut self, lost: &mut Vec<Lost>) -> Result<(), Error> {
        let layers = &mut self.trailer.vlmetalayers;
        let mut refused: Vec<Option<Lost>> = Vec::new();
        for (layer, checked) in layers.checked(self.limits) {
            self.cancel.check()?;
            let name = || layer.name_lossy().into_owned();
            let lost = |error| Lost::unreadable(LostPart::VlMetalayer { name: name() }, Error::from(error));
            refused.push(checked.err().map(lost).transpose()?);
        }
        if refused.iter().any(Option::is_some) {
            let mut keep = refused.iter().map(Option::is_none);
            layers.retain(|_| keep.next().unwrap_or(true))?;
            lost.extend(refused.into_iter().flatten());
        }
        Ok(())
    }
}

/// A chunk, and the reason if it could not be checked.
type Whole = (Vec<u8>, Option<LostReason>);

/// Reads a stored chunk. Returns it with the reason if it could not be checked, or the reason why it is lost. A failed
/// allocation says nothing about the chunk and ends the recovery.
fn read_whole(
    read: &dyn Fn(ChunkOrigin) -> Result<Vec<u8>, Error>,
    stored: ChunkOrigin,
    decoder: &mut Decoder,
    grid: Option<&Grid>,
) -> Result<Result<Whole, LostReason>, Error> {
    let chunk = match read(stored) {
        Ok(chunk) => chunk,
        Err(error) => return Ok(Err(error.unless_out_of_memory()?.into())),
    };
    Ok(check(&chunk, decoder, grid)?.map(|unchecked| (chunk, unchecked)))
}

/// Checks that a chunk can be decoded and has the size that all chunks of an array have. Otherwise returns the reason.
/// A chunk for which only this build has no decoder is kept; the result names what is missing.
fn check(
    bytes: &[u8],
    decoder: &mut Decoder,
    grid: Option<&Grid>,
) -> Result<Result<Option<LostReason>, LostReason>, OutOfMemory> {
    let chunk = match Chunk::parse(bytes) {
        Ok(chunk) => chunk,
        Err(error) => return Ok(Err(error.into())),
    };
    let unchecked = match chunk.repeated_value() {
        Some(_) => None,
        None => match decoder.decompress(&chunk).err() {
            Some(DecodeError::OutOfMemory(error)) => return Err(error),
            Some(error) if is_ours_to_lack(&error) => Some(error.into()),
            Some(error) => return Ok(Err(error.into())),
            None => None,
        },
    };
    let found = chunk.header().nbytes();
    match grid.map(Grid::chunk_nbytes).filter(|expected| *expected != found) {
        Some(expected) => Ok(Err(LostReason::ChunkSize { found: found as u64, expected: expected as u64 })),
        None => Ok(Ok(unchecked)),
    }
}

/// Returns whether another build, or one with plugins, might decode the chunk.
fn is_ours_to_lack(error: &DecodeError) -> bool {
    use DecodeError::{CodecUnavailable, UnregisteredCodec};
    matches!(error, UnregisteredCodec { .. } | CodecUnavailable { .. })
        || matches!(error, DecodeError::Filter { filter: Filter::Other { .. }, .. })
}
