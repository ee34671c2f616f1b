//! The entropy tables that a block uses, and that following blocks may use again.

use core::ops::Range;

use super::codes::{Cell, Code, CodeTable, EMPTY};
use super::fse::MAX_STATES;
use super::huffman::{self, MAX_BITS};
use super::pairs::{self, PairTable};
use super::weights;
use crate::kernels::run_hot;

/// Number of literals for which filling the table of pairs pays, times the excess of the share of pairs.
const FILL_COST: f32 = 500.0;

/// Share of pairs from which they are faster than single symbols.
const MIN_SHARE: f32 = 0.7;

/// Share of matches of more than 16 bytes below which 16 bytes are copied without a test.
const MAX_SHORT_SHARE: f32 = 0.07;

/// Shares of matches of more than 32 bytes between which 64 bytes are copied without a test: whether 32 are enough is then
/// mostly unpredictable. The predefined table has a share of 0.36, but its blocks have few sequences of any length.
const WIDE_SHARES: Range<f32> = 0.37..0.8;

/// Share of repeated offsets below which a test for them is mostly predicted. It saves a tenth of the instructions.
const MAX_REPEATS: f32 = 1.0 / 16.0;

/// Minimum number of sequences for which computing the shares pays.
const MIN_SEQUENCES: usize = 256;

/// Number of states of a table that its shares are computed from. Neighbouring states belong to symbols far apart.
const SAMPLE: usize = 64;

/// Stands for the logarithm of a table that no block has described yet.
const NO_TABLE: u8 = u8::MAX;

/// How many bytes of a match are copied without a test of its length.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MatchStep {
    /// 16. A shorter load less often spans several recent stores, which cannot be forwarded to it.
    Short,
    /// 32
    Medium,
    /// Twice 32
    Wide,
}

/// A Huffman code, and the states of the three codes of sequences.
pub(super) struct Tables {
    huffman: huffman::Table,
    has_huffman: bool,
    /// Derived from `huffman`, if it pays.
    pairs: PairTable,
    has_pairs: bool,
    /// Whether all look-ups in `pairs` find two symbols.
    are_all_pairs: bool,
    /// Share of look-ups in `pairs` that find two symbols.
    share_of_pairs: f32,
    codes: [CodeTable; 3],
    /// Whether each of `codes` is the predefined table. It is then kept from frame to frame.
    are_predefined: [bool; 3],
    /// Binary logarithms of the numbers of states, or [`NO_TABLE`].
    logs: [u8; 3],
}

impl Default for Tables {
    fn default() -> Self {
        Tables {
            huffman: [0; 1 << MAX_BITS],
            has_huffman: false,
            pairs: [0; 1 << MAX_BITS],
            has_pairs: false,
            are_all_pairs: false,
            share_of_pairs: 0.0,
            codes: [[EMPTY; MAX_STATES]; 3],
            are_predefined: [false; 3],
            logs: [NO_TABLE; 3],
        }
    }
}

impl Tables {
    /// Forgets all tables. A frame starts.
    pub(super) fn clear(&mut self) {
        self.has_huffman = false;
        self.logs = [NO_TABLE; 3];
    }

    /// Copies the tables of a dictionary.
    pub(super) fn load(&mut self, dict: &Tables) {
        self.huffman = dict.huffman;
        self.has_huffman = dict.has_huffman;
        self.has_pairs = false;
        self.share_of_pairs = dict.share_of_pairs;
        self.codes = dict.codes;
        self.are_predefined = dict.are_predefined;
        self.logs = dict.logs;
    }

    pub(super) fn has_huffman(&self) -> bool {
        self.has_huffman
    }

    pub(super) fn huffman(&self) -> &huffman::Table {
        &self.huffman
    }

    /// Returns the table of pairs if it was [prepared](Tables::prepare_pairs).
    pub(super) fn pairs(&self) -> Option<&PairTable> {
        self.has_pairs.then_some(&self.pairs)
    }

    /// Returns whether all look-ups in the table of pairs give two symbols.
    pub(super) fn are_all_pairs(&self) -> bool {
        self.are_all_pairs
    }

    pub(super) fn codes(&self) -> &[CodeTable; 3] {
        &self.codes
    }

    pub(super) fn logs(&self) -> [u32; 3] {
        self.logs.map(u32::from)
    }

    /// Chooses the step that suits the lengths of matches in the current table. `sequences` is their number in the block.
    ///
    /// The table has them for each block. The sizes of a block and of its literals do not: where blocks end early, the
    /// size of this one is not known before it is decoded.
    pub(super) fn match_step(&self, sequences: usize) -> MatchStep {
        if sequences < MIN_SEQUENCES {
            return MatchStep::Medium;
        }
        let share = |len| self.share(Code::MatchLength, |cell| cell.base > len);
        if share(16) < MAX_SHORT_SHARE {
            MatchStep::Short
        } else if WIDE_SHARES.contains(&share(32)) {
            MatchStep::Wide
        } else {
            MatchStep::Medium
        }
    }

    /// Returns whether nearly all offsets of a block are new, by the current table. `sequences` is their number in the block.
    pub(super) fn are_offsets_new(&self, sequences: usize) -> bool {
        // Values up to 3 stand for repeated offsets.
        sequences >= SAMPLE && self.share(Code::Offset, |cell| cell.base <= 3) < MAX_REPEATS
    }

    /// Returns the share of states in the table of `code` for which `is` holds.
    fn share(&self, code: Code, is: impl Fn(&Cell) -> bool) -> f32 {
        let log = self.logs[code as usize] & 15;
        let states = &self.codes[code as usize][..SAMPLE.min(1 << log)];
        states.iter().filter(|cell| is(cell)).count() as f32 / states.len() as f32
    }

    /// Reads a Huffman code at `src[start..end]`, and returns its end.
    pub(super) fn read_huffman(&mut self, src: &[u8], start: usize, end: usize) -> Option<usize> {
        (self.has_huffman, self.has_pairs) = (false, false);
        let (code_end, share) = run_hot(weights::Read { src, start, end, table: &mut self.huffman })?;
        self.share_of_pairs = share;
        self.has_huffman = true;
        Some(code_end)
    }

    /// Fills the table of pairs if that saves time for `len` literals.
    pub(super) fn prepare_pairs(&mut self, len: usize) {
        if !self.has_pairs && len as f32 * (self.share_of_pairs - MIN_SHARE) > FILL_COST {
            self.are_all_pairs = pairs::fill(&self.huffman, &mut self.pairs);
            self.has_pairs = true;
        }
    }

    /// Reads the tables of the three codes at `src[at..end]`, and returns their end.
    pub(super) fn read_codes(&mut self, src: &[u8], at: usize, end: usize) -> Option<usize> {
        let modes = *src.get(at..end)?.first()?;
        if modes & 3 != 0 {
            return None;
        }
        let mut at = at + 1;
        for code in Code::ALL {
            match modes >> (6 - 2 * code as usize) & 3 {
                0 => self.set_predefined(code),
                1 => {
                    self.set_single(code, *src.get(at..end)?.first()?)?;
                    at += 1;
                }
                2 => at += self.read_code(code, src.get(at..end)?)?,
                // The table of the previous block, if there is one.
                _ if self.logs[code as usize] == NO_TABLE => return None,
                _ => {}
            }
        }
        Some(at)
    }

    /// Reads a distribution of `code` at the front of `src`, and returns its length.
    pub(super) fn read_code(&mut self, code: Code, src: &[u8]) -> Option<usize> {
        self.are_predefined[code as usize] = false;
        let (len, log) = code.read(src, &mut self.codes[code as usize])?;
        self.logs[code as usize] = log;
        Some(len)
    }

    fn set_predefined(&mut self, code: Code) {
        let (table, log) = code.predefined();
        if !self.are_predefined[code as usize] {
            self.codes[code as usize][..table.len()].copy_from_slice(table);
            self.are_predefined[code as usize] = true;
        }
        self.logs[code as usize] = log;
    }

    /// Sets a table of one state, which emits the code `number`.
    fn set_single(&mut self, code: Code, number: u8) -> Option<()> {
        self.codes[code as usize][0] = *code.codes().get(usize::from(number))?;
        self.are_predefined[code as usize] = false;
        self.logs[code as usize] = 0;
        Some(())
    }
}
