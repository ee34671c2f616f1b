//! Decodes and executes the sequences of a block, all but the last and those that need a slow path.
//!
//! Each of three states gives the base of a number, its extra bits, and the bits that choose the next state. All bits
//! of a sequence are taken from one word. It is loaded before the states are known, because its position follows from
//! the previous states:
//!
//! ```text
//!   states ─► cells ─► number of bits ─► next states                      about 12 cycles from sequence to sequence
//!                       │       word ─┴► numbers ─► copies
//!                       └► next word
//!
//!   word:  used | offset, length, literals | next literals, length, offset | unused
//!               └ extra bits ──────────────┴ bits of the states ───────────┘
//! ```
//!
//! The fields are taken from the lowest to the highest, so that each takes a shift and a mask.
//!
//! Copies overlap with decoding the following sequences, unless a branch is mispredicted. So there are few branches:
//! repeated offsets are selected without one, unless nearly all offsets are new, and the common lengths are copied
//! without a test.
//! docs/decisions/005-zstd.md lists the alternatives that were measured.

use core::hint::select_unpredictable;

use super::bits::{WORD_BITS, Words, take};
use super::codes::{ALL_BITS, Cell, CodeTable};
use super::execute::{Output, Sequence, copy, copy_match};
use super::fse::MAX_STATES;
use crate::codec::lz77::copy::unlikely;
use crate::kernels::HotLoop;

/// The offsets of the last three matches.
pub(super) type Repeats = [u32; 3];

/// Number of literals that are copied without a test of their length.
const STEP: usize = 32;

/// A position between two sequences.
#[derive(Clone, Copy)]
pub(super) struct Position {
    /// Position in the bits, as in [`bits`](super::bits).
    pub(super) at: usize,
    states: [usize; 3],
    pub(super) repeats: Repeats,
    /// Number of sequences left.
    pub(super) left: usize,
}

impl Position {
    /// Reads the first states of tables with these `logs`.
    pub(super) fn new(src: &[u8], mut at: usize, logs: [u32; 3], repeats: Repeats, left: usize) -> Option<Self> {
        let mut states = [0; 3];
        for (state, log) in states.iter_mut().zip(logs) {
            *state = take(src, &mut at, log)? as usize;
        }
        Some(Position { at, states, repeats, left })
    }
}

/// Decodes and executes sequences until one needs the slow path, which is returned, or only the last is left. The first
/// sequence after the wanted bytes needs the slow path.
///
/// The first `MATCH` bytes of a match, at most [`STEP`], are copied without a test of its length. If `WIDE`, the next
/// `MATCH` bytes are, too. [`Tables::match_step`](super::tables::Tables::match_step) chooses both. If `NEW`, repeated
/// offsets are rare: a test for them replaces about ten instructions that select one.
pub(super) struct FastPath<'a, 'b, 'c, const MATCH: usize, const WIDE: bool, const NEW: bool>(
    pub(super) Parts<'a, 'b, 'c>,
);

/// The input and output of a fast path.
pub(super) struct Parts<'a, 'b, 'c> {
    pub(super) src: &'a [u8],
    pub(super) tables: &'a [CodeTable; 3],
    pub(super) position: &'a mut Position,
    pub(super) literals: &'a mut &'b [u8],
    pub(super) output: &'a mut Output<'c>,
}

impl<const MATCH: usize, const WIDE: bool, const NEW: bool> HotLoop for FastPath<'_, '_, '_, MATCH, WIDE, NEW> {
    type Output = Option<Option<Sequence>>;

    #[inline(always)]
    fn run(self) -> Option<Option<Sequence>> {
        let Parts { src, tables, position: end, literals: source, output } = self.0;
        let mut position = *end;
        let mut literals = *source;
        let mut d = output.d;
        let room = output.fast_room();
        let dst = &mut output.dst[..room];
        let words = Words::new(src)?;
        let mut slow = None;
        while position.left > 1 {
            position.left -= 1;
            let sequence = position.next::<NEW>(&words, tables)?;
            let rest = copy_common::<MATCH, WIDE>(dst, d, literals, sequence);
            d += sequence.literals as usize + sequence.length as usize;
            if let Some(rest) = rest {
                literals = rest;
            } else if let Some(rest) = copy(dst, d, literals, sequence) {
                literals = rest;
            } else {
                d -= sequence.literals as usize + sequence.length as usize;
                slow = Some(sequence);
                break;
            }
        }
        *end = position;
        *source = literals;
        output.d = d;
        Some(slow)
    }
}

/// Copies a sequence of the common kind: few literals, and mostly a match that was decoded before them. Returns the
/// remaining literals.
#[inline(always)]
fn copy_common<'a, const MATCH: usize, const WIDE: bool>(
    dst: &mut [u8],
    d: usize,
    literals: &'a [u8],
    sequence: Sequence,
) -> Option<&'a [u8]> {
    let (n, offset) = (sequence.literals as usize, sequence.offset as usize);
    let (done, room) = dst.split_at_mut_checked(d)?;
    let window: &mut [u8; 2 * STEP] = room.first_chunk_mut()?;
    window[..STEP].copy_from_slice(literals.first_chunk::<STEP>()?);
    if n > STEP {
        return None;
    }
    let rest = literals.get(n..)?;
    // The last `offset - n` bytes. The subtractions only wrap for an offset that is too short or too long.
    let tail = done.get(done.len().wrapping_sub(offset.wrapping_sub(n))..);
    // `copy_match` copies a match that starts in the last bytes, after its literals are in place.
    let mut copied = 0;
    if let Some(tail) = tail.and_then(|tail| tail.first_chunk::<MATCH>()) {
        window[n..n + MATCH].copy_from_slice(tail);
        copied = MATCH as u32;
        if WIDE {
            let from = d + n - offset + MATCH;
            let bytes: [u8; MATCH] = *dst.get(from..)?.first_chunk()?;
            *dst.get_mut(d + n + MATCH..)?.first_chunk_mut()? = bytes;
            copied += MATCH as u32;
        }
    }
    if sequence.length > copied {
        copy_match(dst, d + n + copied as usize, offset, (sequence.length - copied) as usize)?;
    }
    Some(rest)
}

impl Position {
    /// Decodes a sequence.
    #[inline(always)]
    fn next<const NEW: bool>(&mut self, words: &Words<'_>, tables: &[CodeTable; 3]) -> Option<Sequence> {
        let [lit_lengths, offsets, lengths] = tables;
        let word = words.before(self.at)?;
        // All states are below `MAX_STATES`. A mask tells the compiler, and takes less than a test of each.
        let l: &Cell = &lit_lengths[self.states[0] & (MAX_STATES - 1)];
        let o: &Cell = &offsets[self.states[1] & (MAX_STATES - 1)];
        let m: &Cell = &lengths[self.states[2] & (MAX_STATES - 1)];
        let (l_bits, m_bits, o_bits) = (l.bits as u32, m.bits as u32, o.bits as u32);
        // `ALL_BITS` minus the bits of the sequence, which has none if all codes are single: then all fields are empty.
        let rest = o.total as i32 - l.total as i32 - m.total as i32;
        if rest < (ALL_BITS - WORD_BITS) as i32 {
            unlikely();
            return self.long(words.src, l, o, m);
        }
        self.at = self.at.wrapping_add(rest as usize).wrapping_sub(ALL_BITS as usize);
        let fields = word >> 1 >> (rest & 63);
        let low = |word: u64, n: u32| word & ((1 << n) - 1);
        self.states[1] = usize::from(o.next) + low(fields, o_bits) as usize;
        self.states[2] = usize::from(m.next) + low(fields >> o_bits, m_bits) as usize;
        self.states[0] = usize::from(l.next) + low(fields >> (o_bits + m_bits), l_bits) as usize;
        let fields = fields >> (o_bits + m_bits) >> l_bits;
        let (l_extra, m_extra) = (l.extra(), m.extra());
        let literals = l.base + low(fields, l_extra) as u32;
        let fields = fields >> l_extra;
        let length = m.base + low(fields, m_extra) as u32;
        let value = o.base.wrapping_add((fields >> m_extra) as u32);
        let offset = if NEW && value > 3 {
            let [first, second, _] = self.repeats;
            self.repeats = [value - 3, first, second];
            value - 3
        } else {
            if NEW {
                unlikely();
            }
            resolve(&mut self.repeats, value, literals == 0)
        };
        Some(Sequence { literals, length, offset })
    }

    /// Decodes the last sequence of a block, which is not followed by bits of states.
    pub(super) fn last(&mut self, src: &[u8], [lit_lengths, offsets, lengths]: &[CodeTable; 3]) -> Option<Sequence> {
        let [l, o, m] = self.states;
        self.numbers(src, lit_lengths.get(l)?, offsets.get(o)?, lengths.get(m)?)
    }

    /// [`next`](Self::next) for a sequence with more bits than a word has.
    #[inline(always)]
    fn long(&mut self, src: &[u8], l: &Cell, o: &Cell, m: &Cell) -> Option<Sequence> {
        let sequence = self.numbers(src, l, o, m)?;
        for (state, cell) in [(0, l), (2, m), (1, o)] {
            self.states[state] = usize::from(cell.next) + take(src, &mut self.at, cell.bits as u32)? as usize;
        }
        Some(sequence)
    }

    #[inline(always)]
    fn numbers(&mut self, src: &[u8], l: &Cell, o: &Cell, m: &Cell) -> Option<Sequence> {
        let value = o.base.wrapping_add(take(src, &mut self.at, o.offset_extra())? as u32);
        let length = m.base + take(src, &mut self.at, m.extra())? as u32;
        let literals = l.base + take(src, &mut self.at, l.extra())? as u32;
        let offset = resolve(&mut self.repeats, value, literals == 0);
        Some(Sequence { literals, length, offset })
    }
}

/// Returns the offset that `value` stands for, and moves it to the front of `repeats`.
#[inline(always)]
fn resolve(repeats: &mut Repeats, value: u32, has_no_literals: bool) -> u32 {
    let [first, second, third] = *repeats;
    // Without literals, the last offset would extend the last match, so the numbers mean the following ones.
    // The largest value wraps. It stands for an offset that no output has.
    let number = value.wrapping_add(u32::from(has_no_literals));
    if number == 4 && value == 3 {
        unlikely();
        *repeats = [first.wrapping_sub(1), first, second];
        return repeats[0];
    }
    // `number` is 1, 2 or 3 for repeated offsets, and more for a new one.
    let repeated = select_unpredictable(number < 2, first, second);
    let new_second = select_unpredictable(number < 2, second, first);
    let repeated = select_unpredictable(number > 2, third, repeated);
    let new_third = select_unpredictable(number > 2, second, third);
    let offset = select_unpredictable(value > 3, value.wrapping_sub(3), repeated);
    *repeats = [offset, new_second, new_third];
    offset
}
