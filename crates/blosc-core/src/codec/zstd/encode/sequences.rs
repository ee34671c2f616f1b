//! The section of sequences of a block (RFC 8878, section 3.1.1.3.2).

use core::ops::RangeInclusive;

use rust_zstd::compress::Seq;

use super::bits::{BitWriter, low};
use super::fse::{self, Table};
use super::thrift::Thrift;
use crate::codec::zstd::decode::codes::{Cell, Code, LITERAL_LENGTHS, MATCH_LENGTHS};
use crate::codec::zstd::decode::fse::Distribution;
use crate::kernels::{HotLoop, run_hot};
use crate::memory::{self, OutOfMemory};

/// How the states of a code are described: the values of the header.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Predefined = 0,
    Run = 1,
    Described = 2,
    /// The table of an earlier block.
    Repeated = 3,
}

/// The tables of the last block that had any, and memory for the next ones.
pub(super) struct Sequences {
    predefined: [Table; 3],
    kept: [Kept; 3],
    coded: Vec<[u8; 3]>,
    thrift: Thrift,
}

/// A table, and the distribution that it was made of.
#[derive(Default)]
struct Kept {
    table: Table,
    distribution: Option<Distribution>,
}

impl Default for Sequences {
    fn default() -> Self {
        let predefined = Code::ALL.map(|code| {
            let mut table = Table::default();
            table.fill(code.distribution());
            table
        });
        Sequences { predefined, kept: Default::default(), coded: Vec::new(), thrift: Thrift::default() }
    }
}

impl Sequences {
    /// Starts a frame.
    pub(super) fn start(&mut self, thrift: Thrift) {
        self.thrift = thrift;
        self.clear();
    }

    /// Forgets the tables: the last block was not written.
    pub(super) fn clear(&mut self) {
        for kept in &mut self.kept {
            kept.distribution = None;
        }
    }

    /// Returns the bytes of its buffers.
    pub(super) fn held(&self) -> usize {
        self.coded.capacity() * size_of::<[u8; 3]>()
    }

    /// Allocates memory for blocks of `len` bytes.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        // A match has at least three bytes.
        self.coded.clear();
        memory::reserve(&mut self.coded, len / 3 + 1)
    }

    /// Writes the section. Returns its length, or `None` if it does not fit.
    pub(super) fn put(&mut self, sequences: &[Seq], dst: &mut [u8]) -> Option<usize> {
        let mut at = put_number(sequences.len(), dst)?;
        if sequences.is_empty() {
            return Some(at);
        }
        let counts = self.encode_numbers(sequences);
        let modes_at = at;
        at += 1;
        let mut modes = [Mode::Predefined; 3];
        for (i, code) in Code::ALL.into_iter().enumerate() {
            let first = *self.coded.first()?.get(i)?;
            let (mode, len) =
                self.kept[i].choose(code, &counts[i], sequences.len(), self.thrift, first, dst.get_mut(at..)?)?;
            modes[i] = mode;
            at += len;
        }
        *dst.get_mut(modes_at)? = (modes[0] as u8) << 6 | (modes[1] as u8) << 4 | (modes[2] as u8) << 2;
        let tables = [0, 1, 2].map(|i| match modes[i] {
            Mode::Predefined => &self.predefined[i],
            _ => &self.kept[i].table,
        });
        let hot = Encode { sequences, coded: &self.coded, tables, bits: BitWriter::new(dst.get_mut(at..)?) };
        Some(at + run_hot(hot)?)
    }

    /// Computes the codes of all sequences, and counts them.
    fn encode_numbers(&mut self, sequences: &[Seq]) -> [[u32; 64]; 3] {
        let mut counts = [[0; 64]; 3];
        self.coded.clear();
        self.coded.extend(sequences.iter().map(|sequence| {
            let codes = codes_of(sequence);
            for (counts, code) in counts.iter_mut().zip(codes) {
                counts[usize::from(code & 63)] += 1;
            }
            codes
        }));
        counts
    }
}

impl Kept {
    /// Chooses how to describe a code with these counts, and writes the description. Returns its length too.
    ///
    /// `first` is the code of the first sequence: if all are the same, the only one.
    fn choose(
        &mut self,
        code: Code,
        counts: &[u32; 64],
        sequences: usize,
        thrift: Thrift,
        first: u8,
        dst: &mut [u8],
    ) -> Option<(Mode, usize)> {
        let predefined = fse::cost(counts, code.distribution());
        if counts[usize::from(first & 63)] as usize == sequences {
            if predefined.is_some() && sequences <= 2 {
                self.distribution = None;
                return Some((Mode::Predefined, 0));
            }
            *dst.first_mut()? = first;
            self.table.fill_run();
            self.distribution = None;
            return Some((Mode::Run, 1));
        }
        let repeated = self.distribution.as_ref().and_then(|kept| fse::cost(counts, kept));
        let cheapest = predefined.unwrap_or(u64::MAX).min(repeated.unwrap_or(u64::MAX));
        if sequences >= thrift.min_described || cheapest == u64::MAX {
            let (mut best, mut described) = (cheapest, None);
            for log in logs(code, counts, sequences, thrift) {
                let distribution = fse::normalized(counts, log);
                let header = fse::put_header(&distribution, dst)?;
                let cost = fse::cost(counts, &distribution)? + ((header as u64 * 8) << 8);
                if cost < best {
                    (best, described) = (cost, Some((distribution, header)));
                } else if described.is_some() {
                    break;
                }
            }
            if let Some((distribution, header)) = described {
                fse::put_header(&distribution, dst)?;
                self.table.fill(&distribution);
                self.distribution = Some(distribution);
                return Some((Mode::Described, header));
            }
        }
        if repeated.is_some_and(|repeated| repeated <= cheapest) {
            return Some((Mode::Repeated, 0));
        }
        self.distribution = None;
        Some((Mode::Predefined, 0))
    }
}

/// Returns the table sizes to try, as binary logarithms. Few sequences do not pay for the description of a large table; of
/// many symbols, all would be about equally likely in a small one.
fn logs(code: Code, counts: &[u32; 64], sequences: usize, thrift: Thrift) -> RangeInclusive<u32> {
    let used = counts.iter().filter(|n| **n > 0).count() as u32;
    let log = (sequences as u32 - 1).ilog2().saturating_sub(2).max(used.ilog2() + 1).clamp(5, code.max_log());
    log..=if thrift.tries_limits { code.max_log() } else { log }
}

/// Writes the number of sequences in one to three bytes.
fn put_number(n: usize, dst: &mut [u8]) -> Option<usize> {
    let (bytes, len) = match n {
        ..0x80 => ([n as u8, 0, 0], 1),
        0x80..0x7F00 => ([(n >> 8) as u8 + 0x80, n as u8, 0], 2),
        _ => ([0xFF, (n - 0x7F00) as u8, ((n - 0x7F00) >> 8) as u8], 3),
    };
    dst.get_mut(..len)?.copy_from_slice(&bytes[..len]);
    Some(len)
}

/// Returns the codes of literal length, offset and match length.
#[inline(always)]
fn codes_of(sequence: &Seq) -> [u8; 3] {
    let Seq { lit_len, off_base, ml_base } = *sequence;
    let literals = match LITERAL_CODES.get(lit_len as usize) {
        Some(&code) => code,
        None => lit_len.ilog2() as u8 + 19,
    };
    let length = match LENGTH_CODES.get(ml_base as usize) {
        Some(&code) => code,
        None => ml_base.ilog2() as u8 + 36,
    };
    [literals, (off_base | 1).ilog2() as u8, length]
}

/// The codes of short numbers of literals. From 64 on, each power of two has one code.
static LITERAL_CODES: [u8; 64] = codes_below(&EXTRA_LITERALS);
/// The codes of matches that are less than 128 bytes longer than the shortest one.
static LENGTH_CODES: [u8; 128] = codes_below(&EXTRA_LENGTHS);

/// Number of extra bits of each code.
static EXTRA_LITERALS: [u8; 64] = extra(&LITERAL_LENGTHS);
static EXTRA_LENGTHS: [u8; 64] = extra(&MATCH_LENGTHS);

const fn extra(codes: &[Cell]) -> [u8; 64] {
    let mut extra = [0; 64];
    let mut code = 0;
    while code < codes.len() {
        extra[code] = codes[code].extra() as u8;
        code += 1;
    }
    extra
}

/// Returns the codes of the numbers below `N`, from their extra bits.
const fn codes_below<const N: usize>(extra: &[u8; 64]) -> [u8; N] {
    let mut codes = [0; N];
    let (mut code, mut end, mut number) = (0, 1 << extra[0], 0);
    while number < N {
        if number == end {
            code += 1;
            end += 1 << extra[code];
        }
        codes[number] = code as u8;
        number += 1;
    }
    codes
}

/// Encodes all sequences, from the last to the first.
struct Encode<'a> {
    sequences: &'a [Seq],
    coded: &'a [[u8; 3]],
    tables: [&'a Table; 3],
    bits: BitWriter<'a>,
}

impl HotLoop for Encode<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run(self) -> Option<usize> {
        let Encode { sequences, coded, tables: [literals, offsets, lengths], mut bits } = self;
        let ((last, sequences), (codes, coded)) = (sequences.split_last()?, coded.split_last()?);
        let [ll, of, ml] = *codes;
        let (mut length, mut offset, mut literal) = (lengths.last(ml), offsets.last(of), literals.last(ll));
        put_extra(last, *codes, &mut bits)?;
        for (sequence, codes) in sequences.iter().zip(coded).rev() {
            let [ll, of, ml] = *codes;
            offset = offsets.encode(of, offset, &mut bits);
            length = lengths.encode(ml, length, &mut bits);
            literal = literals.encode(ll, literal, &mut bits);
            put_extra(sequence, *codes, &mut bits)?;
        }
        lengths.put_state(length, &mut bits);
        offsets.put_state(offset, &mut bits);
        literals.put_state(literal, &mut bits);
        bits.flush()?;
        bits.close()
    }
}

/// Writes the extra bits of a sequence. Before it, at most 33 bits are held.
#[inline(always)]
fn put_extra(sequence: &Seq, [ll, of, ml]: [u8; 3], bits: &mut BitWriter<'_>) -> Option<()> {
    let literals = u32::from(EXTRA_LITERALS[usize::from(ll & 63)]);
    let length = u32::from(EXTRA_LENGTHS[usize::from(ml & 63)]);
    let offset = u32::from(of);
    bits.add(low(sequence.lit_len, literals), literals);
    if literals + length + offset > 30 {
        bits.flush()?;
    }
    bits.add(low(sequence.ml_base, length), length);
    bits.add(low(sequence.off_base, offset), offset);
    bits.flush()
}
