//! The literals of a compressed block (RFC 8878, section 3.1.1.3.1).

use core::ops::Range;

use super::bits::number;
use super::pairs::FourPairs;
use super::singles::{Four, One};
use super::tables::Tables;
use crate::kernels::{self, run_hot};

/// The header of the section, and where its content is.
#[derive(Clone)]
pub(super) struct Literals {
    kind: Kind,
    /// Number of literals.
    pub(super) len: usize,
    content: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Raw,
    /// One byte, repeated.
    Run,
    Huffman {
        /// Whether the code is described before the streams, or the one of the previous block is used.
        is_described: bool,
        has_four_streams: bool,
    },
}

impl Literals {
    /// Reads the header at `src[at..end]`.
    pub(super) fn read(src: &[u8], at: usize, end: usize) -> Option<Self> {
        let bytes = src.get(at..end)?;
        let first = *bytes.first()?;
        let format = usize::from(first >> 2 & 3);
        if first & 3 < 2 {
            // One bit of the format is part of a short length.
            let (header, shift) = [(1, 3), (2, 4), (1, 3), (3, 4)][format];
            let len = (number(bytes, 0, header)? >> shift) as usize;
            let (kind, stored) = if first & 3 == 0 { (Kind::Raw, len) } else { (Kind::Run, 1) };
            return Literals { kind, len, content: at + header..at + header + stored }.within(end);
        }
        let (header, width) = [(3, 10), (3, 10), (4, 14), (5, 18)][format];
        let lengths = number(bytes, 0, header)? >> 4;
        let (len, stored) = ((lengths & ((1 << width) - 1)) as usize, (lengths >> width) as usize);
        let kind = Kind::Huffman { is_described: first & 3 == 2, has_four_streams: format > 0 };
        Literals { kind, len, content: at + header..at + header + stored }.within(end)
    }

    fn within(self, end: usize) -> Option<Self> {
        (self.content.end <= end).then_some(self)
    }

    /// Returns the end of the section.
    pub(super) fn end(&self) -> usize {
        self.content.end
    }

    /// Returns the literals if they are stored.
    pub(super) fn stored(&self) -> Option<Range<usize>> {
        (self.kind == Kind::Raw).then(|| self.content.clone())
    }

    /// Returns whether they are coded with the code of the previous block.
    pub(super) fn needs_previous_code(&self) -> bool {
        matches!(self.kind, Kind::Huffman { is_described: false, .. })
    }

    /// Returns whether they are four Huffman-coded streams.
    pub(super) fn has_four_streams(&self) -> bool {
        matches!(self.kind, Kind::Huffman { has_four_streams: true, .. })
    }

    /// Returns where their Huffman code starts, and where the section ends.
    pub(super) fn code(&self) -> Option<Range<usize>> {
        matches!(self.kind, Kind::Huffman { is_described: true, .. }).then(|| self.content.clone())
    }

    /// Continues after their code, which ends at `end`.
    pub(super) fn skip_code(&mut self, end: usize) {
        self.content.start = end;
    }

    /// Decodes to `dst`, which has their length.
    pub(super) fn decode(&self, src: &[u8], tables: &Tables, dst: &mut [u8]) -> Option<()> {
        let (table, content) = (tables.huffman(), self.content.clone());
        match self.kind {
            Kind::Raw => kernels::copy(src.get(content)?, dst),
            Kind::Run => dst.fill(*src.get(content.start)?),
            Kind::Huffman { has_four_streams: true, .. } => decode_four(src, content, tables, dst)?,
            Kind::Huffman { .. } => run_hot(One { table, src, range: content, dst })?,
        }
        Some(())
    }
}

/// Decodes four streams to the quarters of `dst`. `src[range]` has the lengths of the first three before them.
fn decode_four(src: &[u8], range: Range<usize>, tables: &Tables, dst: &mut [u8]) -> Option<()> {
    let lengths: &[u8; 6] = src.get(range.clone())?.first_chunk()?;
    let mut start = range.start + 6;
    let mut ranges = [0; 4].map(|_| 0..0);
    for (i, to) in ranges.iter_mut().enumerate() {
        let end = match lengths.get(2 * i..2 * i + 2) {
            Some(length) => start + usize::from(u16::from_le_bytes([length[0], length[1]])),
            None => range.end,
        };
        if end > range.end {
            return None;
        }
        *to = start..end;
        start = end;
    }
    let quarter = dst.len().div_ceil(4);
    let (first, rest) = dst.split_at_mut_checked(quarter)?;
    let (second, rest) = rest.split_at_mut_checked(quarter)?;
    let (third, fourth) = rest.split_at_mut_checked(quarter)?;
    let (table, dst) = (tables.huffman(), [first, second, third, fourth]);
    match tables.pairs() {
        Some(cells) if tables.are_all_pairs() => run_hot(Four { cells, table, src, ranges, dst }),
        Some(pairs) => run_hot(FourPairs { pairs, table, src, ranges, dst }),
        None => run_hot(Four { cells: table, table, src, ranges, dst }),
    }
}
