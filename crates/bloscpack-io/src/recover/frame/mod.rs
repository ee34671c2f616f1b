//! Salvages a torn or damaged frame: finds the undamaged chunks and reports what is lost.
//!
//! A frame that opens is read by its index. Other frames are scanned from the header on, chunk by chunk. C-Blosc2 and
//! this crate leave old indexes in a frame. The last index found during the scan gives the order of the chunks before
//! it, and which of them were special values. The chunk files of a sparse frame without an index are used in the order
//! of their numbers.
//!
//! | file | content |
//! |---|---|
//! | `walk` | the parts found in a frame that does not open |
//! | `salvage` | the new frame |
//! | `origin` | the origin of a chunk of the new frame |

mod origin;
mod salvage;
mod walk;

use std::path::Path;

use blosc_core::{Limits, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkRef, FrameType, Header, sframe};

use self::origin::ChunkOrigin;
use self::salvage::Salvage;
use self::walk::Walk;
use super::report::RecoverReport;
use crate::source::parse_start;
use crate::{Archive, Cancel, Error, LocalSource, OpenOptions, ReadAt as _, RecoverOptions};

/// Writes the undamaged chunks of a frame to a new one, contiguous or sparse like the old one.
pub(super) fn recover(
    source: &LocalSource,
    input: &Path,
    output: &Path,
    options: &RecoverOptions,
) -> Result<RecoverReport, Error> {
    let RecoverOptions { limits, ref cancel, overwrite, .. } = *options;
    let mut lost = Vec::new();
    let stored = source.stored().map_err(Error::reading)?;
    if let Ok(archive) = Archive::open_with(source, &OpenOptions::new().limits(limits)) {
        let frame = archive.frame().ok_or(Error::Unsupported { format: archive.format() })?;
        let slots = (0..frame.nchunks()).map(|number| match frame.chunk(number) {
            Ok(ChunkRef::Special { special, nbytes }) => ChunkOrigin::Special(special, nbytes),
            _ => ChunkOrigin::Numbered(number),
        });
        let read = |slot: ChunkOrigin| match slot {
            ChunkOrigin::Numbered(number) => archive.compressed_chunk(number),
            _ => Ok(Vec::new()),
        };
        let new =
            Salvage { header: &frame.header, trailer: frame.trailer.try_clone()?, read: &read, cancel, limits, stored };
        return new.write(slots, frame.nchunks(), output, overwrite, lost);
    }
    let header = parse_start(source.file(), Header::FIXED_LEN as u64, Header::parse)?;
    let walk = match header.frame_type {
        FrameType::Contiguous => Walk::along(source.file(), &header, limits, cancel)?,
        FrameType::Sparse => Walk::through(input)?,
    };
    let trailer = walk.trailer(&mut lost)?;
    let slots = walk.slots(&header, &mut lost);
    let found = slots.len() as u64;
    let read = |slot: ChunkOrigin| match slot {
        ChunkOrigin::At(at, len) => {
            // The scan has found this number of bytes there.
            let mut bytes = memory::zeroed(len as usize)?;
            let read = source.file().read_exact_at(header.header_len() + at, &mut bytes);
            read.map_err(Error::reading).map(|()| bytes)
        }
        ChunkOrigin::File(number) => read_chunk_file(source, input, number, limits, cancel),
        _ => Ok(Vec::new()),
    };
    Salvage { header: &header, trailer, read: &read, cancel, limits, stored }.write(
        slots.into_iter(),
        found,
        output,
        overwrite,
        lost,
    )
}

/// Number of bytes of a chunk file that are read between two checks for cancellation.
const PIECE: usize = 16 << 20;

/// Reads the chunk in a file that no index names. Its header gives the size, which must be within the file and the
/// limits.
fn read_chunk_file(
    source: &LocalSource,
    input: &Path,
    number: u32,
    limits: Limits,
    cancel: &Cancel,
) -> Result<Vec<u8>, Error> {
    let name = || input.join(sframe::chunk_file_name(number));
    let refuse = |error| Error::file("reading", &name(), error);
    let files = source.chunk_files().ok_or_else(|| refuse(std::io::ErrorKind::NotFound.into()))?;
    let file = files.open_chunk(number).map_err(refuse)?;
    let room = file.len().map_err(refuse)?;
    let mut head = vec![0; room.min(blosc_core::Header::EXTENDED_LEN as u64) as usize];
    file.read_exact_at(0, &mut head).map_err(refuse)?;
    let info = ChunkInfo::parse(&head)?;
    info.check(number.into(), room, None)?;
    limits.check_chunk(info.nbytes.into())?;
    limits.check_memory("a chunk", info.cbytes.into())?;
    let mut bytes = memory::zeroed(info.cbytes as usize)?;
    for (piece, at) in bytes.chunks_mut(PIECE).zip((0..).step_by(PIECE)) {
        cancel.check()?;
        file.read_exact_at(at, piece).map_err(refuse)?;
    }
    Ok(bytes)
}
