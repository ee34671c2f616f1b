//! The range of plain bytes in each chunk.

use std::ops::Range;

/// The division of plain bytes into chunks.
#[derive(Debug)]
pub(crate) enum PlainRanges {
    /// All chunks but the last hold `chunk_size` bytes, at least 1.
    Uniform { chunk_size: u64, nbytes: u64 },
    /// Chunk *k* ends at the *k*-th number.
    Ends(Vec<u64>),
}

impl PlainRanges {
    /// Returns the division into a single chunk.
    pub(crate) fn single(nbytes: u64) -> PlainRanges {
        PlainRanges::uniform(nbytes, nbytes)
    }

    pub(crate) fn uniform(chunk_size: u64, nbytes: u64) -> PlainRanges {
        PlainRanges::Uniform { chunk_size: chunk_size.max(1), nbytes }
    }

    /// Returns the number of all plain bytes.
    pub(crate) fn nbytes(&self) -> u64 {
        match self {
            PlainRanges::Uniform { nbytes, .. } => *nbytes,
            PlainRanges::Ends(ends) => ends.last().copied().unwrap_or(0),
        }
    }

    /// Returns the range of chunk `number`, which is empty after the last chunk.
    pub(crate) fn of(&self, number: u64) -> Range<u64> {
        match self {
            PlainRanges::Uniform { chunk_size, nbytes } => {
                let start = number.saturating_mul(*chunk_size).min(*nbytes);
                start..start.saturating_add(*chunk_size).min(*nbytes)
            }
            PlainRanges::Ends(ends) => {
                let end_of = |number: u64| usize::try_from(number).ok().and_then(|number| ends.get(number)).copied();
                let end = end_of(number).unwrap_or(self.nbytes());
                number.checked_sub(1).map_or(0, |before| end_of(before).unwrap_or(end))..end
            }
        }
    }

    /// Returns the chunk that holds byte `at`.
    pub(crate) fn chunk_of(&self, at: u64) -> u64 {
        match self {
            PlainRanges::Uniform { chunk_size, .. } => at / chunk_size,
            PlainRanges::Ends(ends) => ends.partition_point(|end| *end <= at) as u64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_in_its_chunk() {
        for (ranges, nchunks) in [
            (PlainRanges::uniform(10, 25), 3),
            (PlainRanges::uniform(10, 30), 3),
            (PlainRanges::Ends(vec![3, 3, 9, 25]), 4),
            (PlainRanges::single(25), 1),
        ] {
            let mut next = 0;
            for number in 0..nchunks {
                let range = ranges.of(number);
                assert_eq!(range.start, next);
                next = range.end;
                assert!(range.into_iter().all(|at| ranges.chunk_of(at) == number));
            }
            assert_eq!(next, ranges.nbytes());
            assert!(ranges.of(nchunks).is_empty());
        }
        assert!(PlainRanges::single(0).of(0).is_empty());
    }
}
