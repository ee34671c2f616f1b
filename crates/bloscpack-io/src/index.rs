//! Where the chunks of a file lie, and which plain bytes each holds.

use std::ops::Range;

use blosc_core::Limits;

use crate::Error;
use crate::chunks::Chunks;
use crate::counted::Counted;
use crate::prologue::Prologue;
use crate::source::{ReadAt, Sequential};

/// Positions and sizes of all chunks.
#[derive(Debug)]
pub(crate) struct Index {
    positions: Vec<u64>,
    plain: Plain,
    end: Option<u64>,
}

/// Which plain bytes each chunk holds.
#[derive(Debug)]
enum Plain {
    /// All but the last hold `chunk_size`, at least 1.
    Uniform { chunk_size: u64, nbytes: u64 },
    /// Chunk *k* ends at the *k*-th number.
    Ends(Vec<u64>),
}

impl Index {
    /// The index of one bare chunk.
    pub(crate) fn single(nbytes: u64) -> Index {
        Index { positions: vec![0], plain: Plain::Uniform { chunk_size: nbytes.max(1), nbytes }, end: None }
    }

    /// The index of a bloscpack file of `len` bytes: by its offsets if it has them and they can be true, else by a walk.
    pub(crate) fn of(source: &impl ReadAt, len: u64, prologue: &Prologue) -> Result<Index, Error> {
        let Prologue { header, offsets, layout, .. } = prologue;
        match (header.chunk_size, header.nbytes(), trusted(offsets, len, layout.first_chunk)) {
            (Some(chunk_size), Some(nbytes), Some(positions)) => {
                let plain = Plain::Uniform { chunk_size: u64::from(chunk_size).max(1), nbytes };
                Ok(Index { positions, plain, end: None })
            }
            _ => Index::walk(source, prologue),
        }
    }

    /// The index that the chunks themselves give, which is the truth: from one to the next by the size that each has.
    pub(crate) fn walk(source: &impl ReadAt, prologue: &Prologue) -> Result<Index, Error> {
        let reading = Error::io("reading the input");
        let len = source.len().map_err(&reading)?;
        let at = |position| -> Result<_, Error> {
            let sequential = Sequential::new(source, position).map_err(&reading)?;
            Ok(Counted::starting_at(sequential, position))
        };
        // Only headers are read, for which no limit is too low.
        let mut chunks = Chunks::new(at(prologue.layout.first_chunk)?, &prologue.header, &Limits::new());
        let (mut positions, mut ends, mut plain_end) = (Vec::new(), Vec::new(), 0u64);
        let mut header = Vec::new();
        while let Some(start) = chunks.next_start(&mut header)? {
            let offset = start.offset;
            let end = start.end();
            if end > len {
                let what = format!("chunk {}", positions.len());
                return Err(Error::Truncated { offset, what, needed: end - offset, found: len - offset });
            }
            positions.push(offset);
            plain_end += start.nbytes;
            ends.push(plain_end);
            chunks.passed(&start, at(end)?);
        }
        Ok(Index { positions, plain: Plain::Ends(ends), end: Some(chunks.position()) })
    }

    /// Where the last chunk ends, if the chunks were walked.
    pub(crate) fn end(&self) -> Option<u64> {
        self.end
    }

    pub(crate) fn nchunks(&self) -> u64 {
        self.positions.len() as u64
    }

    pub(crate) fn nbytes(&self) -> u64 {
        match &self.plain {
            Plain::Uniform { nbytes, .. } => *nbytes,
            Plain::Ends(ends) => ends.last().copied().unwrap_or(0),
        }
    }

    pub(crate) fn position(&self, chunk: u64) -> Option<u64> {
        self.positions.get(usize::try_from(chunk).ok()?).copied()
    }

    pub(crate) fn chunk_range(&self, chunk: u64) -> Option<Range<u64>> {
        let number = usize::try_from(chunk).ok().filter(|&number| number < self.positions.len())?;
        Some(match &self.plain {
            Plain::Uniform { chunk_size, nbytes } => {
                let start = chunk.saturating_mul(*chunk_size).min(*nbytes);
                start..start.saturating_add(*chunk_size).min(*nbytes)
            }
            Plain::Ends(ends) => number.checked_sub(1).map_or(0, |before| ends[before])..ends[number],
        })
    }

    /// The chunk that holds plain byte `at`, which exists.
    pub(crate) fn chunk_of(&self, at: u64) -> u64 {
        match &self.plain {
            Plain::Uniform { chunk_size, .. } => at / chunk_size,
            Plain::Ends(ends) => ends.partition_point(|&end| end <= at) as u64,
        }
    }
}

/// The offsets as positions, if every chunk has one behind the one before and within the file.
fn trusted(offsets: &[i64], len: u64, first_chunk: u64) -> Option<Vec<u64>> {
    let positions: Option<Vec<u64>> = offsets.iter().map(|&offset| u64::try_from(offset).ok()).collect();
    let positions = positions.filter(|positions| positions.first() == Some(&first_chunk))?;
    let ascending = positions.windows(2).all(|pair| pair[0] < pair[1]);
    (ascending && positions.last().is_some_and(|&last| last < len)).then_some(positions)
}
