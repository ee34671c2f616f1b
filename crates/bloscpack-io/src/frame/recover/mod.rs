//! Salvaging a frame that was torn or damaged: which chunks still stand, and what is lost.
//!
//! A frame that opens is read by its index; one that does not, from the header on, chunk by chunk. Of the indexes that
//! are met on the way, which C-Blosc2 and we leave behind, the last one says in which order the chunks before it were, and
//! which were special values. Files of a sparse frame whose index is gone are taken in the order of their numbers.
//!
//! | file | what it knows |
//! |---|---|
//! | `walk` | what stands in a frame that does not open |
//! | `salvage` | the new frame |
//! | `report` | what was lost |

mod report;
mod salvage;
mod walk;

use std::fs;
use std::path::Path;

use blosc_core::{Limits, Special};
use bloscpack_format::frame::{ChunkRef, FrameType, Header, sframe};

pub use self::report::{Lost, RecoverReport};
use self::salvage::Salvage;
use self::walk::Walk;
use crate::source::parse_start;
use crate::{Archive, Cancel, Error, LocalSource, ReadAt as _};

/// Writes what still stands of the frame `input` to a new frame, contiguous or sparse as the old one is.
///
/// # Errors
/// [`Error::Format`] if not even the header stands; [`Error::OutputExists`], [`Error::File`], [`Error::Io`],
/// [`Error::Cancelled`].
pub fn recover(input: &Path, output: &Path, overwrite: bool, cancel: &Cancel) -> Result<RecoverReport, Error> {
    recover_with_limits(input, output, overwrite, cancel, Limits::new())
}

/// [`recover`] within other limits: what would cost more counts as lost.
///
/// # Errors
/// As [`recover`]; [`Error::Limit`] if what is lost would take more memory to tell.
pub fn recover_with_limits(
    input: &Path,
    output: &Path,
    overwrite: bool,
    cancel: &Cancel,
    limits: Limits,
) -> Result<RecoverReport, Error> {
    let source = LocalSource::open(input)?;
    source.refuse_as_output(output)?;
    let mut lost = Vec::new();
    let stored = source.stored().map_err(Error::io("reading the input"))?;
    if let Ok(archive) = Archive::open_with_limits(&source, limits) {
        let frame = archive.frame().ok_or(Error::Unsupported { format: archive.format() })?;
        let slots = (0..frame.nchunks()).map(|number| match frame.chunk(number) {
            Ok(ChunkRef::Special { special, nbytes }) => Slot::Special(special, nbytes),
            _ => Slot::Numbered(number),
        });
        let read = |slot: Slot| match slot {
            Slot::Numbered(number) => archive.compressed_chunk(number),
            _ => Ok(Vec::new()),
        };
        let new =
            Salvage { header: &frame.header, trailer: frame.trailer.clone(), read: &read, cancel, limits, stored };
        return new.write(slots, frame.nchunks(), output, overwrite, lost);
    }
    let header = parse_start(&source, Header::FIXED_LEN as u64, Header::parse)?;
    let walk = match header.frame_type {
        FrameType::Contiguous => Walk::along(&source, &header, limits, cancel)?,
        FrameType::Sparse => Walk::through(input)?,
    };
    let trailer = walk.trailer(&mut lost);
    let slots = walk.slots(&header, &mut lost);
    let found = slots.len() as u64;
    let read = |slot: Slot| match slot {
        Slot::At(at, len) => {
            // As many as were found there.
            let mut bytes = vec![0; len as usize];
            let read = source.read_exact_at(header.header_len() + at, &mut bytes);
            read.map_err(Error::io("reading the input")).map(|()| bytes)
        }
        Slot::File(number) => {
            let path = input.join(sframe::chunk_file_name(number));
            fs::read(&path).map_err(|error| Error::file("reading", &path, error))
        }
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

/// The most chunks that an index says there are, or an array, without having shown them: as many as an index may have that
/// does not repeat itself, 256 MiB of it.
const MAX_UNSEEN: u64 = 1 << 25;

/// What a chunk of the new frame is to be.
#[derive(Debug, Clone, Copy)]
enum Slot {
    /// A chunk of a frame that opens.
    Numbered(u64),
    /// So many bytes from a place on, counted from the end of the header.
    At(u64, u64),
    /// A chunk file.
    File(u32),
    Special(Special, u32),
    Lost,
}
