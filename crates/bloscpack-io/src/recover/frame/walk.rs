//! Scans the bytes or files of a frame that does not open.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;

use blosc_core::{Limits, memory};
use bloscpack_format::frame::{
    ChunkInfo, ChunkSize, Entry, FrameType, Header, Index, Salvaged, Trailer, identify, sframe,
};

use super::origin::{ChunkOrigin, MAX_UNSEEN};
use crate::recover::lost::LostPart;
use crate::recover::report::{Lost, LostReason};
use crate::{Cancel, Error, ReadAt as _};

/// The parts found in a frame whose index or trailer is damaged.
#[derive(Default)]
pub(super) struct Walk {
    /// The position and length of each chunk. The position is an offset from the end of the header, or the number of a
    /// file.
    chunks: Vec<(u64, u64)>,
    /// Bytes that were recognised as an index, as position and length.
    indexes: Vec<(u64, u64)>,
    /// The last index, and the number of chunks before it.
    index: Option<(Index, usize)>,
    trailer: Option<Trailer>,
    /// Whether other data follows the trailer.
    trailer_is_old: bool,
    /// The bytes from the first unrecognised position on.
    rest: Option<Range<u64>>,
}

/// The sizes of the windows in which a trailer is searched. A frame that was changed often has many small trailers. So
/// the search starts with a small window and enlarges it, which keeps the bytes read proportional to the bytes found. A
/// trailer larger than the last window is not found.
const TRAILERS: [u64; 4] = [16 << 10, 256 << 10, 4 << 20, 64 << 20];

impl Walk {
    pub(super) fn along(source: &File, header: &Header, limits: Limits, cancel: &Cancel) -> Result<Walk, Error> {
        let reading = Error::reading;
        let (start, len) = (header.header_len(), source.len().map_err(&reading)?);
        let read = |at: u64, wanted: u64| -> Result<Vec<u8>, Error> {
            // Never more bytes than the file has.
            let mut bytes = memory::zeroed(wanted.min(len.saturating_sub(at)) as usize)?;
            source.read_exact_at(at, &mut bytes).map_err(&reading)?;
            Ok(bytes)
        };
        let (mut walk, mut places, mut at) = (Walk::default(), Vec::new(), start);
        while at < len {
            cancel.check()?;
            let head = read(at, blosc_core::Header::EXTENDED_LEN as u64)?;
            let windows = ChunkInfo::parse(&head).map_or(TRAILERS.to_vec(), |info| vec![info.cbytes.into()]);
            let (mut bytes, mut found) = (Vec::new(), Salvaged::Nothing);
            for window in windows {
                bytes = read(at, window)?;
                found = identify(&bytes, header, &places, limits);
                if found != Salvaged::Nothing || bytes.len() as u64 == len - at {
                    break;
                }
            }
            let step = match found {
                Salvaged::Chunk(info) if u64::from(info.cbytes) <= len - at => {
                    memory::push(&mut places, at - start)?;
                    memory::push(&mut walk.chunks, (at - start, info.cbytes.into()))?;
                    u64::from(info.cbytes)
                }
                Salvaged::Index { len } => {
                    // If it is a chunk after all, a later index says so.
                    memory::push(&mut places, at - start)?;
                    memory::push(&mut walk.indexes, (at - start, len.into()))?;
                    let mut any = header.without_metalayers();
                    any.chunksize = ChunkSize::Variable;
                    any.nbytes = header.nbytes.max(1);
                    let index = Index::decode(&bytes, &any, limits).ok().filter(|index| index.len() <= MAX_UNSEEN);
                    walk.index = index.map(|index| (index, walk.chunks.len()));
                    len.into()
                }
                Salvaged::Trailer { len } => {
                    let trailer = Trailer::parse(bytes.get(..len as usize).unwrap_or_default());
                    walk.trailer = trailer.ok();
                    walk.trailer_is_old = at + len < source.len().map_err(&reading)?;
                    len
                }
                Salvaged::Chunk(_) | Salvaged::Nothing => break,
            };
            at += step;
        }
        walk.rest = (at < len).then_some(at..len);
        Ok(walk)
    }

    /// Lists the chunk files of a sparse frame whose index cannot be read, in the order of their numbers.
    pub(super) fn through(directory: &Path) -> Result<Walk, Error> {
        let refuse = |error| Error::file("reading", directory, error);
        let mut walk = Walk::default();
        for entry in fs::read_dir(directory).map_err(refuse)? {
            let entry = entry.map_err(refuse)?;
            let Some(number) = entry.file_name().to_str().and_then(sframe::chunk_file_number) else { continue };
            memory::push(&mut walk.chunks, (number.into(), entry.metadata().map_err(refuse)?.len()))?;
        }
        walk.chunks.sort_unstable();
        Ok(walk)
    }

    pub(super) fn trailer(&self, lost: &mut Vec<Lost>) -> Result<Trailer, Error> {
        match &self.trailer {
            Some(trailer) => {
                lost.extend(self.trailer_is_old.then(|| LostPart::OldVlMetalayers.into()));
                Ok(trailer.try_clone()?)
            }
            None => {
                lost.push(LostPart::VlMetalayers.into());
                Ok(Trailer::default())
            }
        }
    }

    /// Returns the chunks in the order that is known.
    pub(super) fn slots(&self, header: &Header, lost: &mut Vec<Lost>) -> Vec<ChunkOrigin> {
        let mut order: Vec<Entry> = Vec::new();
        let after = match &self.index {
            Some((index, before)) => {
                order.extend((0..index.len()).filter_map(|chunk| index.get(chunk).ok()));
                lost.extend((*before < self.chunks.len()).then(|| LostPart::OldIndex.into()));
                *before
            }
            None => {
                lost.push(LostPart::Index.into());
                0
            }
        };
        order.extend(self.chunks.iter().skip(after).map(|(at, _)| Entry::Stored(*at)));
        lost.extend(self.rest.clone().map(|bytes| LostPart::Trailing { bytes }.into()));
        let lens: BTreeMap<u64, u64> = self.chunks.iter().chain(&self.indexes).copied().collect();
        // The header's sizes belong to this index if they give the same number of chunks. Only then is the size of a
        // short last chunk known.
        let nchunks =
            self.index.as_ref().map(|(index, _)| index.len()).filter(|found| header.nchunks() == Some(*found));
        let last = nchunks.and_then(|nchunks| nchunks.checked_sub(1));
        let size_of = |number: u64, size: u32| match last {
            Some(last) if last == number => header
                .nbytes
                .checked_sub(last * u64::from(size))
                .and_then(|rest| u32::try_from(rest).ok())
                .unwrap_or(size),
            _ => size,
        };
        let slot = |(number, entry)| match (entry, header.chunksize, header.frame_type) {
            (Entry::Special(special), ChunkSize::Fixed(size), _) => {
                ChunkOrigin::Special(special, size_of(number, size))
            }
            (Entry::Special(_), ..) => {
                lost.push(Lost::because(LostPart::Chunk { chunk: number }, LostReason::UnknownSize));
                ChunkOrigin::Lost
            }
            (Entry::Stored(at), _, FrameType::Contiguous) => ChunkOrigin::At(at, lens.get(&at).copied().unwrap_or(0)),
            // File numbers have 32 bits.
            (Entry::Stored(number), _, FrameType::Sparse) => ChunkOrigin::File(number as u32),
        };
        (0..).zip(order).map(slot).collect()
    }
}
