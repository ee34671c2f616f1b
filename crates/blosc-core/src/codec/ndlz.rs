//! Decodes NDLZ (registered codec 32): a block of a two-dimensional array of bytes, cell by cell.
//!
//! ```text
//! dimensions   rows   columns   cells, from left to right and from top to bottom
//! u8, 2        i32    i32       a token each, and its operands
//! ```
//!
//! Cells have an edge of 4 or 8, given by the codec's meta byte. Cells at the right and lower border of the block are
//! cropped. A back reference is a `u16`: the distance from the token back to bytes of the stream itself, header
//! included. It always points to bytes before the token, so rows are copied from where they are stored as literals.
//!
//! ```text
//! both edges  0           the cell's bytes
//!             0x40        one byte, repeated for the whole cell
//!             0xC0        reference to a whole cell
//! edge 4      0x80        reference to rows 2 and 3; rows 0 and 1
//!             0x88..=0xB8 reference to rows i and j; the other two, for i = 0 and j = 1, 2, 3 or i = 1 and j = 2, 3
//!             0x28..=0x38 reference to rows 0 and j = 1, 2, 3; reference to the other two
//!             0xE0..=0xF8 reference to three rows; row 0, 3, 2, 1
//! edge 8      0x88..=0x8E reference to two rows, the first in the low three bits; the other six
//!             0xA8..=0xAD reference to three rows, the first in the low three bits; the other five
//! ```
//!
//! C-Blosc2 3.3.5 writes, with edge 4, references to rows that it does not read back itself. Its decoder adds 3 (5 if
//! there are two references) to the distance in 16 bits. From 65533 (65531) on, it therefore reads rows after the
//! token. This decoder returns the data that was compressed.

use super::CorruptStream;

/// Decodes `src` into `dst`, which the block must fill exactly. `meta` is the codec's meta byte in the chunk's header.
///
/// # Errors
///
/// [`CorruptStream`] unless all of `src` decodes to `dst.len()` bytes. `dst` may then hold part of the result.
pub(crate) fn decompress(src: &[u8], dst: &mut [u8], meta: u8) -> Result<(), CorruptStream> {
    match meta {
        4 => decode::<4>(src, dst),
        8 => decode::<8>(src, dst),
        _ => Err(CorruptStream::new(0, "the cells of NDLZ must have an edge of 4 or 8")),
    }
}

fn decode<const EDGE: usize>(src: &[u8], dst: &mut [u8]) -> Result<(), CorruptStream> {
    let mut stream = Stream { src, at: 0 };
    if stream.take(1)? != [2] {
        return Err(CorruptStream::new(0, "NDLZ needs two dimensions"));
    }
    let (rows, columns) = (stream.extent()?, stream.extent()?);
    // Neither is 0, so neither exceeds the uncompressed size.
    if rows.checked_mul(columns) != Some(dst.len()) || dst.is_empty() {
        return Err(CorruptStream::new(1, "the block and the stream differ in size"));
    }
    for band in dst.chunks_mut(columns.saturating_mul(EDGE)) {
        for left in (0..columns).step_by(EDGE) {
            let width = EDGE.min(columns - left);
            let height = band.len() / columns;
            let cell = stream.cell::<EDGE>(height, width)?;
            for (row, from) in band.chunks_mut(columns).zip(&cell) {
                row[left..left + width].copy_from_slice(&from[..width]);
            }
        }
    }
    if stream.at != src.len() {
        return Err(CorruptStream::new(stream.at, "more bytes than the cells contain"));
    }
    Ok(())
}

/// Rows of a cell. A cropped cell uses the first bytes of the first rows.
type Cell<const EDGE: usize> = [[u8; EDGE]; EDGE];

/// The stream and the read position.
struct Stream<'a> {
    src: &'a [u8],
    at: usize,
}

impl<'a> Stream<'a> {
    fn take(&mut self, n: usize) -> Result<&'a [u8], CorruptStream> {
        let bytes = self.src.get(self.at..).and_then(|rest| rest.get(..n));
        self.at += n;
        bytes.ok_or(CorruptStream::new(self.src.len(), "the stream is truncated"))
    }

    /// Reads a number of rows or columns, which must be at least 1.
    fn extent(&mut self) -> Result<usize, CorruptStream> {
        let at = self.at;
        let extent = self.take(4)?.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte));
        let extent = i32::try_from(extent).ok().and_then(|extent| usize::try_from(extent).ok());
        extent.filter(|&extent| extent > 0).ok_or(CorruptStream::new(at, "no such block"))
    }

    /// Reads a reference and returns the `n` bytes that it points to, relative to the token at `token`.
    fn referred(&mut self, token: usize, n: usize) -> Result<&'a [u8], CorruptStream> {
        let at = self.at;
        let distance = self.take(2)?.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte));
        let from = token.checked_sub(distance).filter(|from| from + n <= token);
        let from = from.ok_or(CorruptStream::new(at, "reference outside the stream"))?;
        Ok(&self.src[from..from + n])
    }

    fn cell<const EDGE: usize>(&mut self, height: usize, width: usize) -> Result<Cell<EDGE>, CorruptStream> {
        let mut cell = [[0; EDGE]; EDGE];
        let at = self.at;
        let token = self.take(1)?[0];
        let fault = |what| Err(CorruptStream::new(at, what));
        match token {
            0 => {
                for (row, from) in cell.iter_mut().zip(self.take(height * width)?.chunks_exact(width)) {
                    row[..width].copy_from_slice(from);
                }
                return Ok(cell);
            }
            0x40 => return Ok([[self.take(1)?[0]; EDGE]; EDGE]),
            _ if height < EDGE || width < EDGE => return fault("reference to a cropped cell"),
            _ => {}
        }
        // The rows of the first and second reference; the remaining rows are literals.
        let (first, second) = match (EDGE, token) {
            (_, 0xC0) => (u8::MAX >> (8 - EDGE), 0),
            (4, 0x80) => (0b1100, 0),
            (4, 0x88 | 0x90 | 0x98) => (1 | 1 << ((token - 0x80) >> 3), 0),
            (4, 0xB0 | 0xB8) => (0b10 | 1 << ((token - 0xA0) >> 3), 0),
            (4, 0x28 | 0x30 | 0x38) => {
                let rows = 1 | 1 << ((token - 0x20) >> 3);
                (rows, 0b1111 & !rows)
            }
            (4, 0xE0) => (0b1110, 0),
            (4, 0xE8) => (0b0111, 0),
            (4, 0xF0) => (0b1011, 0),
            (4, 0xF8) => (0b1101, 0),
            (8, 0x88..=0x8E) => (0b11 << (token & 7), 0),
            (8, 0xA8..=0xAD) => (0b111 << (token & 7), 0),
            _ => return fault("unknown token"),
        };
        for rows in [first, second] {
            if rows != 0 {
                let from = self.referred(at, rows.count_ones() as usize * EDGE)?;
                put(&mut cell, rows, from);
            }
        }
        let literal = !(first | second) & u8::MAX >> (8 - EDGE);
        put(&mut cell, literal, self.take(literal.count_ones() as usize * EDGE)?);
        Ok(cell)
    }
}

/// Writes `bytes` to the rows whose bits are set.
fn put<const EDGE: usize>(cell: &mut Cell<EDGE>, rows: u8, bytes: &[u8]) {
    let chosen = cell.iter_mut().enumerate().filter(|(i, _)| rows >> i & 1 != 0);
    for ((_, row), from) in chosen.zip(bytes.as_chunks::<EDGE>().0) {
        *row = *from;
    }
}

#[cfg(test)]
mod tests;
