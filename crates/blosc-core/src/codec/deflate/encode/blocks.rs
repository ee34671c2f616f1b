//! Cuts the sequences into blocks, and writes each block with the shortest encoding.
//!
//! Segments of about [`SEGMENT`] symbols are processed one after the other. A segment joins the block before it unless
//! separate blocks are shorter, by the entropies of their symbols:
//!
//! ```text
//!   bits(block) + bits(segment) + header  <  bits(block + segment)        the segment begins a new block
//! ```
//!
//! Shuffled data needs this: each byte plane has its own statistics.

use super::bits::Bits;
use super::block;
use super::counts::{Counts, Lanes};
use super::sequence::Sequence;

/// Number of symbols in a segment.
const SEGMENT: u32 = 2048;

/// Costs in bits that represent time.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// Cost of another block, besides the codes in its header.
    pub(super) cut: u64,
    /// Cost of dynamic codes, besides their header.
    pub(super) codes: u64,
}

/// Some sequences and their uncompressed size.
#[derive(Clone, Default)]
struct Part {
    counts: Counts,
    sequences: usize,
    bytes: usize,
    /// Size of the symbols in bits, by entropy.
    bits: u64,
}

/// Writes `src`, which `sequences` encode completely, as the blocks of a stream.
///
/// Returns `None` if that takes more than `room` bytes.
pub(super) fn write(src: &[u8], sequences: &[Sequence], cost: Cost, bits: &mut Bits<'_>, room: usize) -> Option<()> {
    let (mut src, mut sequences) = (src, sequences);
    let mut block = Part::default();
    let (mut ahead_src, mut ahead) = (src, sequences);
    loop {
        let segment = segment(ahead_src, ahead);
        let over = segment.sequences == 0;
        let joined = if over { None } else { join(&block, &segment, cost.cut) };
        if let Some(joined) = joined {
            block = joined;
        } else {
            if block.sequences > 0 || over {
                let (now, later) = sequences.split_at(block.sequences);
                let (bytes, rest) = src.split_at(block.bytes);
                block::write(bytes, now, &mut block.counts, over, cost.codes, bits, room)?;
                (sequences, src) = (later, rest);
            }
            if over {
                return Some(());
            }
            block = segment.clone();
        }
        ahead = &ahead[segment.sequences..];
        ahead_src = &ahead_src[segment.bytes..];
    }
}

/// Counts the symbols of the first sequences, up to a full segment.
fn segment(src: &[u8], sequences: &[Sequence]) -> Part {
    let mut part = Part::default();
    let mut literals = Lanes::new();
    let mut symbols = 0;
    for sequence in sequences {
        let Some((bytes, _)) = src.get(part.bytes..).and_then(|rest| rest.split_at_checked(sequence.literals as usize))
        else {
            break;
        };
        literals.add(bytes);
        symbols += sequence.literals + part.counts.add_match(*sequence);
        part.bytes += bytes.len() + sequence.length as usize;
        part.sequences += 1;
        if symbols >= SEGMENT {
            break;
        }
    }
    literals.sum(&mut part.counts);
    part.bits = part.counts.entropy();
    part
}

/// Joins both parts, unless separate blocks are shorter.
fn join(block: &Part, segment: &Part, cut: u64) -> Option<Part> {
    if block.sequences == 0 {
        return None;
    }
    let mut counts = block.counts.clone();
    let codes = counts.add(&segment.counts);
    let bits = counts.entropy();
    if block.bits + segment.bits + cut + CODE_BITS * codes < bits {
        return None;
    }
    let (sequences, bytes) = (block.sequences + segment.sequences, block.bytes + segment.bytes);
    Some(Part { counts, sequences, bytes, bits })
}

/// Size of a code in a header, in bits.
const CODE_BITS: u64 = 3;
