//! Assigns numbers to the chunks of a damaged file, including chunks in gaps.
//!
//! The offsets section numbers a chunk by its position. A chunk that is shorter than the others is the last one. A gap
//! between two chunks numbered in this way takes the numbers in between. Otherwise a damaged chunk with a valid header
//! counts as one chunk, and other gaps count by their size.

use std::ops::Range;

use super::head::Head;
use super::probe::IntactChunk;
use super::scan::{Gap, Piece, Pieces};
use crate::recover::lost::LostPart;
use crate::recover::report::Lost;

/// A chunk of the new file, or a run of chunks of zeros.
#[derive(Debug)]
pub(super) enum NewChunk {
    Chunk(IntactChunk),
    /// Chunks of zeros, each with `nbytes` uncompressed bytes.
    Zeros {
        nbytes: u32,
        chunks: u64,
    },
}

impl NewChunk {
    /// The uncompressed size of each chunk.
    pub(super) fn nbytes(&self) -> u32 {
        match self {
            NewChunk::Chunk(found) => found.nbytes,
            NewChunk::Zeros { nbytes, .. } => *nbytes,
        }
    }

    /// The number of chunks.
    pub(super) fn chunks(&self) -> u64 {
        match self {
            NewChunk::Chunk(_) => 1,
            NewChunk::Zeros { chunks, .. } => *chunks,
        }
    }
}

/// The chunks of the new file.
#[derive(Debug)]
pub(super) struct Slots {
    pub(super) slots: Vec<NewChunk>,
    /// The uncompressed size of all chunks but the last, unless they differ.
    pub(super) chunk_size: Option<u32>,
}

/// Numbers the chunks of the new file and reports what is lost.
pub(super) fn number(head: &Head, pieces: Pieces, lost: &mut Vec<Lost>) -> Slots {
    let chunk_size = chunk_size(head, &pieces);
    let (count, bytes) =
        pieces.chunks().fold((0, 0), |(count, bytes), found| (count + 1, bytes + found.end - found.at));
    let average = (bytes / u64::max(count, 1)).max(1);
    let numbering = Numbering { head, chunk_size, average, runs: Vec::new(), next: 0 };
    let unsearched = pieces.unsearched.clone();
    let (runs, tail) = numbering.number(pieces);
    let slots = slots(head, runs, tail, chunk_size, lost);
    lost.extend(unsearched.map(|bytes| LostPart::Unsearched { bytes }.into()));
    // The header states the size only if every chunk but the last has it.
    let (last, others) = slots.split_last().map_or((None, &[][..]), |(last, others)| (Some(last), others));
    let is_uniform = |size: &u32| {
        let fits = |last: &NewChunk| last.nbytes() <= *size && (last.chunks() == 1 || last.nbytes() == *size);
        others.iter().all(|slot| slot.nbytes() == *size) && last.is_none_or(fits)
    };
    let chunk_size = chunk_size.filter(is_uniform);
    Slots { slots, chunk_size }
}

/// Returns the uncompressed size of all chunks but the last, if they share one.
fn chunk_size(head: &Head, pieces: &Pieces) -> Option<u32> {
    let largest = pieces.chunks().map(|found| found.nbytes).max()?;
    let size = if head.sizes_hold { head.header.chunk_size? } else { largest };
    let mut others = pieces.chunks().peekable();
    let mut is_uniform = largest <= size;
    while let Some(found) = others.next() {
        is_uniform &= others.peek().is_none() || found.nbytes == size;
    }
    is_uniform.then_some(size)
}

/// A chunk, or the gaps between two chunks.
enum Run {
    Chunk(IntactChunk),
    Gaps { gaps: Vec<Gap>, chunks: u64, guessed: bool },
}

struct Numbering<'a> {
    head: &'a Head,
    chunk_size: Option<u32>,
    /// Average size of a chunk in the file.
    average: u64,
    runs: Vec<Run>,
    /// The number of the next chunk.
    next: u64,
}

impl Numbering<'_> {
    /// Returns all parts with their numbers, and the number of missing chunks after the last undamaged one.
    fn number(mut self, pieces: Pieces) -> (Vec<Run>, u64) {
        let mut gaps = Vec::new();
        for piece in pieces.pieces {
            match piece {
                Piece::Gap(gap) => gaps.push(gap),
                Piece::Chunk(found) => {
                    self.close(std::mem::take(&mut gaps), &found);
                    self.next += 1;
                    self.runs.push(Run::Chunk(found));
                }
            }
        }
        let total = self.head.nchunks(self.chunk_size);
        let tail = match total {
            Some(total) => {
                self.give_back(self.next.saturating_sub(total));
                total.saturating_sub(self.next)
            }
            None => gaps.iter().filter(|gap| gap.nbytes.is_some()).count() as u64,
        };
        (self.runs, tail)
    }

    /// Returns the chunk number that follows from the offsets or from the last chunk's size.
    fn anchor(&self, found: &IntactChunk, is_after_gap: bool) -> Option<u64> {
        let header = &self.head.header;
        let of_offsets = self.head.numbers.get(&found.at).copied();
        let is_last =
            self.head.sizes_hold && header.last_chunk == Some(found.nbytes) && header.last_chunk < header.chunk_size;
        let of_size = || self.head.nchunks(self.chunk_size)?.checked_sub(1).filter(|_| is_last && is_after_gap);
        of_offsets.filter(|number| *number >= self.next).or_else(of_size).filter(|number| *number >= self.next)
    }

    /// Counts the chunks in the gaps before a chunk.
    fn close(&mut self, gaps: Vec<Gap>, found: &IntactChunk) {
        let (chunks, guessed) = match self.anchor(found, !gaps.is_empty()) {
            Some(number) => (number - self.next, false),
            None => {
                let of_size = |gap: &Gap| {
                    let len = gap.bytes.end - gap.bytes.start;
                    if gap.nbytes.is_some() { 1 } else { ((len + self.average / 2) / self.average).max(1) }
                };
                (gaps.iter().map(of_size).sum(), gaps.iter().any(|gap| gap.nbytes.is_none()))
            }
        };
        if chunks > 0 || !gaps.is_empty() {
            self.runs.push(Run::Gaps { gaps, chunks, guessed });
        }
        self.next += chunks;
    }

    /// Removes `surplus` chunks from gaps whose number of chunks is a guess.
    fn give_back(&mut self, mut surplus: u64) {
        for run in &mut self.runs {
            if let Run::Gaps { chunks, guessed: true, .. } = run {
                let taken = surplus.min(*chunks);
                *chunks -= taken;
                surplus -= taken;
                self.next -= taken;
            }
        }
    }
}

/// Returns the chunks of the new file, and reports each lost part.
fn slots(head: &Head, runs: Vec<Run>, tail: u64, chunk_size: Option<u32>, lost: &mut Vec<Lost>) -> Vec<NewChunk> {
    let (mut slots, mut number, mut plain) = (Vec::new(), 0_u64, 0_u64);
    let zeros = |slots: &mut Vec<NewChunk>, number: &mut u64, plain: &mut u64, nbytes: u32, chunks: u64| {
        let places = (
            *number..number.saturating_add(chunks),
            *plain..plain.saturating_add(u64::from(nbytes).saturating_mul(chunks)),
        );
        slots.push(NewChunk::Zeros { nbytes, chunks });
        (*number, *plain) = (places.0.end, places.1.end);
        places
    };
    for run in runs {
        match run {
            Run::Chunk(found) => {
                let part = LostPart::Unchecked { chunk: number };
                lost.extend(found.unchecked.clone().map(|reason| Lost::because(part, reason)));
                number = number.saturating_add(1);
                plain = plain.saturating_add(found.nbytes.into());
                slots.push(NewChunk::Chunk(found));
            }
            Run::Gaps { gaps, chunks: 0, .. } => {
                lost.extend(gaps.into_iter().map(|gap| LostPart::Garbage { bytes: gap.bytes }.into()));
            }
            Run::Gaps { gaps, chunks, guessed } => match chunk_size {
                Some(nbytes) => {
                    let bytes = span(&gaps);
                    let (chunks, plain) = zeros(&mut slots, &mut number, &mut plain, nbytes, chunks);
                    lost.push(LostPart::Chunks { chunks, bytes, plain, guessed }.into());
                }
                None => {
                    for Gap { bytes, nbytes } in gaps {
                        let Some(nbytes) = nbytes else {
                            lost.push(LostPart::LeftOut { bytes }.into());
                            continue;
                        };
                        let (chunks, plain) = zeros(&mut slots, &mut number, &mut plain, nbytes, 1);
                        lost.push(LostPart::Chunks { chunks, bytes, plain, guessed: false }.into());
                    }
                }
            },
        }
    }
    let size = u64::from(chunk_size.unwrap_or(0));
    let missing = head.array_nbytes().unwrap_or(0).saturating_sub(plain);
    let Some((full, rest)) = missing.checked_div(size).zip(missing.checked_rem(size)) else {
        lost.extend((tail > 0).then(|| LostPart::End { chunks: tail, plain: plain..plain }.into()));
        return slots;
    };
    // A chunk that is shorter than the others is the last one. The missing chunks were somewhere before it.
    let is_short = |slot: &NewChunk| matches!(slot, NewChunk::Chunk(found) if u64::from(found.nbytes) < size);
    if full > 0 && rest == 0 && slots.last().is_some_and(is_short) {
        let last = slots.pop();
        (number, plain) = (number - 1, plain - last.as_ref().map_or(0, |slot| u64::from(slot.nbytes())));
        let (chunks, plain) = zeros(&mut slots, &mut number, &mut plain, size as u32, full);
        slots.extend(last);
        lost.push(LostPart::Chunks { chunks, bytes: 0..0, plain, guessed: true }.into());
        return slots;
    }
    let end = LostPart::End { chunks: tail, plain: plain..plain.saturating_add(missing) };
    lost.extend((tail > 0 || missing > 0).then(|| end.into()));
    for (nbytes, chunks) in [(size, full), (rest, u64::from(rest > 0))] {
        if chunks > 0 {
            // A chunk has less than 2 GiB.
            zeros(&mut slots, &mut number, &mut plain, nbytes as u32, chunks);
        }
    }
    slots
}

/// Returns the bytes from the first gap to the last.
fn span(gaps: &[Gap]) -> Range<u64> {
    let bounds = gaps.first().zip(gaps.last());
    bounds.map_or(0..0, |(first, last)| first.bytes.start..last.bytes.end)
}
