//! The section of literals of a block (RFC 8878, section 3.1.1.3.1).

use super::fse::log2;
use super::huffman::Code;
use super::streams::Encode;
use super::thrift::Thrift;
use crate::kernels::{self, HotLoop, run_hot};
use crate::memory::{self, OutOfMemory};

/// Minimum number of literals for four streams. One stream has no table of lengths.
const MIN_FOUR_STREAMS: usize = 256;

/// Lengths of the first three of four streams, two bytes each.
const JUMPS: usize = 6;

/// How literals are written: the values of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Stored = 0,
    Run = 1,
    Compressed = 2,
    /// Compressed with the code of an earlier block.
    Repeated = 3,
}

/// The code of the last block that described one, and memory for the next one.
#[derive(Default)]
pub(super) struct Literals {
    thrift: Thrift,
    kept: Code,
    has_kept: bool,
    next: Code,
    streams: [Vec<u8>; 2],
}

impl Literals {
    /// Starts a frame.
    pub(super) fn start(&mut self, thrift: Thrift) {
        self.thrift = thrift;
        self.clear();
    }

    /// Forgets the code: the last block was not written.
    pub(super) fn clear(&mut self) {
        self.has_kept = false;
    }

    /// Returns the bytes of its buffers.
    pub(super) fn held(&self) -> usize {
        self.streams.iter().map(Vec::capacity).sum()
    }

    /// Allocates memory for blocks of `len` bytes.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        // A quarter of the literals, whose codes have at most 11 bits, and a word.
        let room = len.div_ceil(4) * 11 / 8 + 16;
        for stream in self.streams.iter_mut().filter(|stream| stream.len() < room) {
            *stream = memory::zeroed(room)?;
        }
        Ok(())
    }

    /// Writes the section. `sequences` is the number of sequences in the block. Returns its length, or `None` if it does
    /// not fit.
    pub(super) fn put(&mut self, literals: &[u8], sequences: usize, dst: &mut [u8]) -> Option<usize> {
        if literals.len() < self.thrift.min_literals || is_probably_even(literals, sequences) {
            return put_stored(literals, dst);
        }
        let statistics = Statistics::of(literals);
        if statistics.most == literals.len() {
            return put_run(literals, dst);
        }
        if statistics.are_even(literals.len()) || !self.has_kept && !statistics.may_shrink(literals.len(), self.thrift)
        {
            return put_stored(literals, dst);
        }
        match self.put_compressed(literals, &statistics.counts, dst) {
            Some(len) => Some(len),
            None => {
                // A code that was not written is not known to the decoder.
                self.clear();
                put_stored(literals, dst)
            }
        }
    }

    /// Writes compressed literals. Returns `None` if that saves too little.
    fn put_compressed(&mut self, literals: &[u8], counts: &[u32; 256], dst: &mut [u8]) -> Option<usize> {
        let len = literals.len();
        let header = 3 + usize::from(len >= 1 << 10) + usize::from(len >= 1 << 14);
        let four = len >= MIN_FOUR_STREAMS;
        let room = self.thrift.room(len);
        let dst_of_weights = dst.get_mut(header..)?;
        match self.thrift.tries_limits {
            true => self.next.fill_shortest(counts, dst_of_weights),
            false => self.next.fill(counts, Code::usual_limit(counts, len)),
        }
        let weights = self.next.put_weights(dst_of_weights);
        let new = weights.zip(self.next.bits(counts)).map(|(weights, bits)| weights + bits / 8 + 1);
        let old = if self.has_kept { self.kept.bits(counts).map(|bits| bits / 8 + 1) } else { None };
        let (kind, weights) = match (new, old) {
            (new, Some(old)) if new.is_none_or(|new| old <= new) => (Kind::Repeated, 0),
            (Some(_), _) => (Kind::Compressed, weights?),
            _ => return None,
        };
        let size = if kind == Kind::Repeated { old? } else { new? };
        if size + if four { JUMPS } else { 0 } >= room {
            return None;
        }
        if kind == Kind::Compressed {
            core::mem::swap(&mut self.kept, &mut self.next);
            self.has_kept = true;
        }
        let dst_of_streams = dst.get_mut(header + weights..)?;
        let streams = match four {
            true => put_four(&self.kept, literals, &mut self.streams, dst_of_streams)?,
            false => Encode { codes: &self.kept.codes, literals: [literals], dst: [dst_of_streams] }.run_hot()?[0],
        };
        put_header(kind, len, weights + streams, four, dst)?;
        Some(header + weights + streams)
    }
}

/// Returns whether all bytes of a frame, as literals, would be stored.
pub(super) fn are_stored(literals: &[u8], thrift: Thrift) -> bool {
    let len = literals.len();
    if len < thrift.min_literals {
        return true;
    }
    let statistics = Statistics::of(literals);
    statistics.most < len && (statistics.are_even(len) || !statistics.may_shrink(len, thrift))
}

/// Writes the lengths of the first three streams, then four streams.
fn put_four(code: &Code, literals: &[u8], spare: &mut [Vec<u8>; 2], dst: &mut [u8]) -> Option<usize> {
    let quarter = literals.len().div_ceil(4);
    let mut at = JUMPS;
    let mut quarters = literals.chunks(quarter);
    for pair in 0..2 {
        let literals = [quarters.next()?, quarters.next()?];
        let [a, b] = &mut *spare;
        let lens = Encode { codes: &code.codes, literals, dst: [a, b] }.run_hot()?;
        for (i, (spare, len)) in spare.iter().zip(lens).enumerate() {
            dst.get_mut(at..at + len)?.copy_from_slice(spare.get(..len)?);
            if 2 * pair + i < 3 {
                let to = 2 * (2 * pair + i);
                dst[to..to + 2].copy_from_slice(&u16::try_from(len).ok()?.to_le_bytes());
            }
            at += len;
        }
    }
    Some(at)
}

/// Writes the header of compressed literals: kind, number of streams, and two lengths of 10, 14 or 18 bits.
fn put_header(kind: Kind, len: usize, compressed: usize, four: bool, dst: &mut [u8]) -> Option<()> {
    let (format, bits) = match len {
        ..0x400 => (u64::from(four), 10),
        0x400..0x4000 => (2, 14),
        _ => (3, 18),
    };
    let header = kind as u64 | format << 2 | (len as u64) << 4 | (compressed as u64) << (4 + bits);
    let bytes = (4 + 2 * bits) / 8;
    dst.get_mut(..bytes)?.copy_from_slice(&header.to_le_bytes()[..bytes]);
    Some(())
}

fn put_stored(literals: &[u8], dst: &mut [u8]) -> Option<usize> {
    let header = put_short_header(Kind::Stored, literals.len(), dst)?;
    kernels::copy(literals, dst.get_mut(header..header + literals.len())?);
    Some(header + literals.len())
}

fn put_run(literals: &[u8], dst: &mut [u8]) -> Option<usize> {
    let header = put_short_header(Kind::Run, literals.len(), dst)?;
    *dst.get_mut(header)? = *literals.first()?;
    Some(header + 1)
}

/// Writes the header of literals that are not compressed: kind, and a length of 5, 12 or 20 bits.
fn put_short_header(kind: Kind, len: usize, dst: &mut [u8]) -> Option<usize> {
    let (header, bytes) = match len {
        ..0x20 => (len << 3, 1),
        0x20..0x1000 => (len << 4 | 1 << 2, 2),
        _ => (len << 4 | 3 << 2, 3),
    };
    let header = (header | kind as usize) as u32;
    dst.get_mut(..bytes)?.copy_from_slice(&header.to_le_bytes()[..bytes]);
    Some(bytes)
}

/// How often each byte occurs.
struct Statistics {
    counts: [u32; 256],
    /// The highest count.
    most: usize,
    /// The sum of all squared counts: twice the number of pairs of equal literals, and their number.
    squares: u64,
}

impl Statistics {
    fn of(literals: &[u8]) -> Self {
        run_hot(Count(literals))
    }

    /// Returns whether no literal is much more frequent than others.
    fn are_even(&self, len: usize) -> bool {
        self.most <= (len >> 7) + 4
    }

    /// Returns whether a code may save more than its description takes, usually at least a bit per symbol. The number of
    /// equal pairs gives a lower bound of the entropy, which costs less than a code.
    fn may_shrink(&self, len: usize, thrift: Thrift) -> bool {
        let effective = (len as u64 * len as u64 * 256 / self.squares.max(1)) as u32;
        // In 1/256 bit, less than 8 bits each.
        let saved = (len * (16_usize << 8).saturating_sub(log2(effective.max(1)) as usize)) >> 11;
        let symbols = self.counts.iter().rposition(|&n| n > 0).unwrap_or(0);
        let mut description = symbols / 8;
        if thrift.tries_limits && description + thrift.least_gain(len) >= saved {
            // Symbols that do not occur are described in runs.
            description = description.min(self.counts.iter().filter(|n| **n > 0).count() / 2);
        }
        saved > description + thrift.least_gain(len)
    }
}

/// Counts bytes.
struct Count<'a>(&'a [u8]);

impl HotLoop for Count<'_> {
    type Output = Statistics;

    #[inline(always)]
    fn run(self) -> Statistics {
        let counts = match self.0.len() {
            ..512 => count::<1>(self.0),
            512..8192 => count::<4>(self.0),
            _ => count::<8>(self.0),
        };
        let (mut most, mut squares) = (0, 0);
        for n in counts {
            most = most.max(n);
            squares += u64::from(n) * u64::from(n);
        }
        Statistics { counts, most: most as usize, squares }
    }
}

/// Counts bytes in `N` lanes. Equal bytes in a row would wait for each other's increment, so neighbours go to different
/// lanes.
#[inline(always)]
fn count<const N: usize>(literals: &[u8]) -> [u32; 256] {
    let mut lanes = [[0_u32; 256]; N];
    let (groups, rest) = literals.as_chunks::<N>();
    for group in groups {
        for (lane, &byte) in lanes.iter_mut().zip(group) {
            lane[usize::from(byte)] += 1;
        }
    }
    let [first, others @ ..] = &mut lanes[..] else { return [0; 256] };
    for &byte in rest {
        first[usize::from(byte)] += 1;
    }
    for lane in others {
        for (to, n) in first.iter_mut().zip(lane) {
            *to += *n;
        }
    }
    *first
}

/// Bytes at either end that tell whether literals are worth counting.
const ENDS: usize = 4096;

/// Returns whether literals of a block with few matches look evenly distributed at both ends.
fn is_probably_even(literals: &[u8], sequences: usize) -> bool {
    if literals.len() < 10 * ENDS || sequences * 20 > literals.len() {
        return false;
    }
    let most_of = |literals| Statistics::of(literals).most;
    most_of(&literals[..ENDS]) + most_of(&literals[literals.len() - ENDS..]) <= ((2 * ENDS) >> 7) + 4
}
