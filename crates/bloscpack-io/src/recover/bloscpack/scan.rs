//! Scans a damaged file from start to end for all chunks, and the gaps between them.

use std::ops::Range;

use blosc_core::Header as ChunkHeader;

use super::head::Head;
use super::probe::{IntactChunk, Probe};
use crate::Error;

/// A part of the file.
#[derive(Debug)]
pub(super) enum Piece {
    Chunk(IntactChunk),
    Gap(Gap),
}

/// Bytes without an undamaged chunk.
#[derive(Debug)]
pub(super) struct Gap {
    pub(super) bytes: Range<u64>,
    /// The uncompressed size if these bytes are one damaged chunk whose header and following bytes agree about its end.
    pub(super) nbytes: Option<u32>,
}

/// The parts of the file after its head, in order.
#[derive(Debug)]
pub(super) struct Pieces {
    pub(super) pieces: Vec<Piece>,
    /// The part that was not searched because the search ended early.
    pub(super) unsearched: Option<Range<u64>>,
}

impl Pieces {
    pub(super) fn chunks(&self) -> impl Iterator<Item = &IntactChunk> {
        self.pieces.iter().filter_map(|piece| if let Piece::Chunk(found) = piece { Some(found) } else { None })
    }
}

/// Memory for one part of the file: this entry, its slot in the new file, and its line in the report.
const PIECE_MEMORY: u64 = 400;

/// Finds all chunks.
pub(super) fn scan(head: &Head, probe: &mut Probe<'_>) -> Result<Pieces, Error> {
    let mut entries: Vec<u64> = head.numbers.keys().copied().filter(|at| *at >= head.start).collect();
    entries.sort_unstable();
    let mut at = first(head, probe)?;
    let mut pieces = Vec::new();
    let mut unsearched = None;
    while at < probe.len {
        probe.limits.check_memory("what is found in the file", pieces.len() as u64 * PIECE_MEMORY)?;
        if let Some(found) = probe.whole(at)? {
            at = found.end;
            pieces.push(Piece::Chunk(found));
            continue;
        }
        let (gaps, next) = resync(at, &entries, probe)?;
        at = gaps.last().map_or(probe.len, |gap| gap.bytes.end);
        pieces.extend(gaps.into_iter().map(Piece::Gap));
        if next.is_none() {
            unsearched = probe.is_spent().then_some(at..probe.len);
            break;
        }
    }
    Ok(Pieces { pieces, unsearched })
}

/// Returns the start of the chunks. If the header, metadata or offsets section is damaged, they may start earlier than
/// the header says.
fn first(head: &Head, probe: &mut Probe<'_>) -> Result<u64, Error> {
    if let Some(at) = head.first_chunk
        && (probe.header(at)?.is_some() || head.numbers.get(&at) == Some(&0))
    {
        return Ok(at);
    }
    let found = probe.search(head.start, probe.len)?;
    // The bytes before the first undamaged chunk may be another chunk.
    let least = ChunkHeader::LEN as u64 + probe.digest_size();
    Ok(match (head.first_chunk, found) {
        (Some(stated), Some(found)) if found >= stated.saturating_add(least) => stated,
        (_, Some(found)) => found,
        (stated, None) => stated.unwrap_or(head.start),
    })
}

/// Returns the gaps from a damaged chunk at `at` to the next undamaged one, and the position of that one.
fn resync(at: u64, entries: &[u64], probe: &mut Probe<'_>) -> Result<(Vec<Gap>, Option<u64>), Error> {
    // First attempt: follow the headers of damaged chunks. This works if the damage is outside of the headers.
    let (mut gaps, mut end) = (Vec::new(), at);
    while let Some(header) = probe.header(end)? {
        let next = end + header.cbytes() as u64 + probe.digest_size();
        gaps.push(Gap { bytes: end..next.min(probe.len), nbytes: Some(header.nbytes() as u32) });
        if next >= probe.len {
            return Ok((gaps, None));
        }
        if probe.whole(next)?.is_some() {
            return Ok((gaps, Some(next)));
        }
        if !probe.spend() {
            break;
        }
        end = next;
    }
    // Second attempt: the entries of the offsets section.
    for next in entries.iter().copied().filter(|entry| *entry > at) {
        if probe.is_spent() {
            break;
        }
        if probe.whole(next)?.is_some() {
            // One damaged chunk for each entry in between.
            let mut bounds: Vec<u64> =
                entries.iter().copied().filter(|entry| (at + 1..=next).contains(entry)).collect();
            bounds.insert(0, at);
            let gaps = bounds.iter().zip(bounds.iter().skip(1));
            return Ok((gaps.map(|(from, to)| Gap { bytes: *from..*to, nbytes: None }).collect(), Some(next)));
        }
    }
    let next = probe.search(at + 1, probe.len)?;
    Ok((vec![Gap { bytes: at..next.unwrap_or(probe.len), nbytes: None }], next))
}
