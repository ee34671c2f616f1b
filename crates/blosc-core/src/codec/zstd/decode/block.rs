//! Decodes compressed blocks: literals, then tables, then sequences.

use super::bits;
use super::execute::Output;
use super::frame::{MAX_BLOCK, TOO_LONG};
use super::literals::Literals;
use super::sequences::{FastPath, Parts, Position, Repeats};
use super::tables::{MatchStep, Tables};
use crate::codec::{CorruptStream, StreamError};
use crate::kernels::run_hot;
use crate::memory;

/// State that a block takes over from the previous block or the dictionary, and memory for literals.
pub(super) struct BlockDecoder<'a> {
    pub(super) tables: &'a mut Tables,
    pub(super) repeats: Repeats,
    pub(super) buffer: &'a mut Vec<u8>,
}

/// Bytes after the literals in their buffer, for copies of fixed width.
const SLACK: usize = 32;

impl BlockDecoder<'_> {
    /// Decodes the compressed block `src[start..end]`, and appends it to `output`.
    pub(super) fn decode(
        &mut self,
        src: &[u8],
        start: usize,
        end: usize,
        output: &mut Output<'_>,
    ) -> Result<(), StreamError> {
        let literals = self.read_literals(src, start, end)?;
        let at = literals.end();
        let error = |what| CorruptStream::new(at, what);
        let undecodable = || error("the zstd literals cannot be decoded");
        let (count, at) = count(src, at, end).ok_or(error("the zstd block has no valid number of sequences"))?;
        if count == 0 {
            if at != end {
                return Err(error("unexpected bytes at the end of the zstd block").into());
            }
            let to = output.room(literals.len).ok_or(error(TOO_LONG))?;
            literals.decode(src, self.tables, to).ok_or_else(undecodable)?;
            output.d += literals.len;
            return Ok(());
        }
        let source = match literals.stored() {
            Some(stored) => &src[stored.start..],
            None => {
                let buffer = memory::at_least(self.buffer, literals.len + SLACK)?;
                literals.decode(src, self.tables, &mut buffer[..literals.len]).ok_or_else(undecodable)?;
                buffer
            }
        };
        let start = self.tables.read_codes(src, at, end).ok_or(error("the zstd sequences have no valid tables"))?;
        let section = Section { src, start, end, count, tables: self.tables };
        let decoded = section.decode(&mut self.repeats, source, literals.len, output);
        Ok(decoded.ok_or(error("a zstd sequence is not valid"))?)
    }

    /// Reads the header and the Huffman code of the literals at `src[start..end]`.
    fn read_literals(&mut self, src: &[u8], start: usize, end: usize) -> Result<Literals, CorruptStream> {
        let error = |what| CorruptStream::new(start, what);
        let mut literals = Literals::read(src, start, end).ok_or(error("the zstd literals have no valid header"))?;
        if literals.len > MAX_BLOCK {
            return Err(error("the zstd literals exceed the size of a block"));
        }
        if let Some(code) = literals.code() {
            let code_end = self.tables.read_huffman(src, code.start, code.end);
            literals.skip_code(code_end.ok_or(error("the zstd literals have no valid Huffman code"))?);
        } else if literals.needs_previous_code() && !self.tables.has_huffman() {
            return Err(error("the zstd literals need a Huffman code, but none precedes them"));
        }
        if literals.has_four_streams() {
            self.tables.prepare_pairs(literals.len);
        }
        Ok(literals)
    }
}

/// The sequences of a block.
struct Section<'a> {
    src: &'a [u8],
    /// Offset of the bits of the sequences.
    start: usize,
    end: usize,
    count: usize,
    tables: &'a Tables,
}

impl Section<'_> {
    /// Decodes and executes all sequences, or those up to the end of the wanted bytes. The first `len` bytes of `literals` are the literals, the others are only
    /// read.
    fn decode(self, repeats: &mut Repeats, mut literals: &[u8], len: usize, output: &mut Output<'_>) -> Option<()> {
        let Section { src, start, end, count, tables } = self;
        let mut position = Position::new(src, bits::start(src, &(start..end))?, tables.logs(), *repeats, count)?;
        let after = literals.len() - len;
        let (codes, d) = (tables.codes(), output.d);
        let (step, are_new) = (tables.match_step(count), tables.are_offsets_new(count));
        loop {
            let parts = Parts { src, tables: codes, position: &mut position, literals: &mut literals, output };
            let sequence = match (step, are_new) {
                (MatchStep::Short, true) => run_hot(FastPath::<16, false, true>(parts)),
                (MatchStep::Short, false) => run_hot(FastPath::<16, false, false>(parts)),
                (MatchStep::Medium, true) => run_hot(FastPath::<32, false, true>(parts)),
                (MatchStep::Medium, false) => run_hot(FastPath::<32, false, false>(parts)),
                (MatchStep::Wide, _) => run_hot(FastPath::<32, true, false>(parts)),
            };
            let Some(sequence) = sequence? else { break };
            if output.d >= output.until {
                return Some(());
            }
            output.careful(&mut literals, sequence)?;
        }
        output.careful(&mut literals, position.last(src, codes)?)?;
        if position.at != start * 8 {
            return None;
        }
        *repeats = position.repeats;
        output.literals(literals.get(..literals.len().checked_sub(after)?)?)?;
        (output.d - d <= MAX_BLOCK).then_some(())
    }
}

/// Reads the number of sequences at `src[at..end]`, and returns it with its end.
fn count(src: &[u8], at: usize, end: usize) -> Option<(usize, usize)> {
    match *src.get(at..end)? {
        [255, low, high, ..] => Some((usize::from(u16::from_le_bytes([low, high])) + 0x7F00, at + 3)),
        [first @ 128..=254, low, ..] => Some(((usize::from(first) - 128) << 8 | usize::from(low), at + 2)),
        [first @ 0..=127, ..] => Some((usize::from(first), at + 1)),
        _ => None,
    }
}
