//! The fast encoder.
//!
//! It compares one candidate per position, the last position with the same hash. The step grows while no match is
//! found.

use core::ops::RangeInclusive;

use super::sequence::Sequences;
use super::{MATCH_START_LIMIT, MAX_DISTANCE, MAX_INPUT, MIN_MATCH};
use crate::codec::lz77::match_length;
use crate::memory::{self, OutOfMemory};

/// The matches that are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// Also matches of four bytes, as in unshuffled data. Hashes cover four bytes where positions have 16 bits,
    /// otherwise five. The hash functions are the reference library's: others find other matches, and block sizes could
    /// not be compared.
    All,
    /// Only longer matches, with hashes of five or six bytes. Planes that look random are searched less thoroughly.
    ///
    /// Of ten data sets at level 5, all became faster, and nine as small or smaller (by 2 % in the mean). The tenth,
    /// prices with two decimals, has noise in which four bytes are often equal. It became 12 % larger, in a ninth of
    /// the time (figures in docs/decisions/011-lz4.md).
    Long,
}

/// Last position of each hash; reusable. Only the part that an input needs is cleared.
pub(crate) struct HashTable {
    search: Search,
    near: Box<[u16; 1 << NEAR_LOG]>,
    far: Box<[u32; 1 << FAR_LOG]>,
}

// 16 KiB each, half of the L1 cache.
const NEAR_LOG: u32 = 13;
const FAR_LOG: u32 = 12;

/// Inputs below this size have no match that starts after position 65535, so 16 bits hold all their positions.
const NEAR_INPUT: usize = (1 << 16) + MATCH_START_LIMIT - 1;

/// Maximum input size for which the table is sized by the input: a slot for each byte, two if all matches are searched
/// for, up to 4096 slots. Clearing the whole table would take longer than the search.
const SMALL_INPUT: usize = 8 << 10;

impl HashTable {
    pub(crate) fn new(search: Search) -> Result<Self, OutOfMemory> {
        Ok(HashTable { search, near: memory::zeroed_box()?, far: memory::zeroed_box()? })
    }

    /// Creates another table with the same settings.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        HashTable::new(self.search)
    }
}

/// Compresses `src` into `dst` and returns the length of the block, or `None` if it does not fit.
///
/// `acceleration` is the initial step of the search: n skips n - 1 positions after each one examined; 1 compresses
/// best.
pub(crate) fn compress_fast(src: &[u8], dst: &mut [u8], acceleration: u32, table: &mut HashTable) -> Option<usize> {
    // The upper bound is the reference library's. Higher values would only overflow.
    let acceleration = acceleration.clamp(1, 65537);
    let HashTable { search, near, far } = table;
    let haste = match search {
        Search::Long if acceleration > 1 && looks_random(src) => HASTE,
        _ => 1,
    };
    if src.len() > MAX_INPUT {
        return None;
    }
    if src.len() >= NEAR_INPUT {
        far.fill(0);
        return match search {
            Search::All => compress(src, 0, dst, (acceleration, haste), &mut Far::<5> { slots: far }),
            Search::Long => compress(src, 0, dst, (acceleration, haste), &mut Far::<6> { slots: far }),
        };
    }
    if src.len() > SMALL_INPUT {
        near.fill(0);
        let shift = 32 - NEAR_LOG;
        return match search {
            Search::All => compress(src, 0, dst, (acceleration, haste), &mut Near::<4> { slots: near, shift }),
            Search::Long => compress(src, 0, dst, (acceleration, haste), &mut Near::<6> { slots: near, shift }),
        };
    }
    let log = src.len().next_power_of_two().trailing_zeros() + u32::from(*search == Search::All);
    let log = log.clamp(8, NEAR_LOG - 1);
    near[..1 << log].fill(0);
    let shift = 32 - log;
    match search {
        Search::All => compress(src, 0, dst, (acceleration, haste), &mut Near::<4> { slots: near, shift }),
        Search::Long => compress(src, 0, dst, (acceleration, haste), &mut Near::<5> { slots: near, shift }),
    }
}

/// A hash table of positions. An empty slot is 0, which is also a valid position in every block.
pub(super) trait Positions {
    /// Whether a position can be too far back for an offset.
    const FAR: bool;
    /// Returns the slot for the first bytes of `word`.
    fn slot(&self, word: u64) -> usize;
    /// Stores `position` and returns the previous one, which is the candidate to compare with.
    fn swap(&mut self, slot: usize, position: u32) -> u32;
}

/// Returns the multiplicative hash of the first `BYTES` bytes of `word`. The high bits are the best distributed.
#[inline(always)]
pub(super) fn hash<const BYTES: u32>(word: u64) -> u32 {
    match BYTES {
        // 2^32 divided by the golden ratio, and a prime of 40 bits.
        4 => (word as u32).wrapping_mul(2_654_435_761),
        5 => ((word << 24).wrapping_mul(889_523_592_379) >> 32) as u32,
        // 2^64 divided by the golden ratio.
        _ => ((word << (64 - 8 * BYTES)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u32,
    }
}

/// 16-bit positions, indexed by the top `32 - shift` bits of a hash.
struct Near<'a, const BYTES: u32> {
    slots: &'a mut [u16; 1 << NEAR_LOG],
    shift: u32,
}

impl<const BYTES: u32> Positions for Near<'_, BYTES> {
    const FAR: bool = false;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        (hash::<BYTES>(word) >> (self.shift & 31)) as usize & ((1 << NEAR_LOG) - 1)
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        u32::from(std::mem::replace(&mut self.slots[slot], position as u16))
    }
}

struct Far<'a, const BYTES: u32> {
    slots: &'a mut [u32; 1 << FAR_LOG],
}

impl<const BYTES: u32> Positions for Far<'_, BYTES> {
    const FAR: bool = true;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        (hash::<BYTES>(word) >> (32 - FAR_LOG)) as usize
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        std::mem::replace(&mut self.slots[slot], position)
    }
}

/// Compresses `src[start..]`; what precedes it is a dictionary. Up to the first match, steps are `haste` times as wide.
#[inline(always)]
pub(super) fn compress<P: Positions>(
    src: &[u8],
    start: u32,
    dst: &mut [u8],
    (acceleration, mut haste): (u32, u32),
    table: &mut P,
) -> Option<usize> {
    let mut out = Sequences::new(dst);
    let mut anchor = start;
    let mut at = start.max(1);
    // Matches must start before `stop`.
    if let Some(stop) = src.len().checked_sub(MATCH_START_LIMIT - 1)
        && stop > at as usize
    {
        let stop = stop as u32;
        'block: loop {
            let mut next = at;
            let mut step = 1;
            // In 64ths: after 64 misses the step grows by one.
            let mut next_step = (acceleration * haste) << 6;
            let mut next_word = word(src, at)?;
            let mut from = loop {
                let word_here = next_word;
                at = next;
                next += step;
                step = next_step >> 6;
                next_step += 1;
                if next > stop {
                    break 'block;
                }
                next_word = word(src, next)?;
                let candidate = table.swap(table.slot(word_here), at);
                if is_match::<P>(src, candidate, at, word_here) {
                    break candidate;
                }
            };
            haste = 1;
            let mut start = at - match_length::backward(src, from, at, at - anchor);
            // Consecutive matches need no search.
            loop {
                let offset = at - from;
                at = match_length::forward(src, from + MIN_MATCH as u32, at + MIN_MATCH as u32);
                out.push(src, anchor, start, offset, at - start)?;
                anchor = at;
                if at >= stop {
                    break 'block;
                }
                table.swap(table.slot(word(src, at - 2)?), at - 2);
                let word_here = word(src, at)?;
                from = table.swap(table.slot(word_here), at);
                start = at;
                if !is_match::<P>(src, from, at, word_here) {
                    break;
                }
            }
            at += 1;
        }
    }
    out.finish(src.get(anchor as usize..)?)
}

/// Factor of the step up to the first match in a block that looks random.
const HASTE: u32 = 4;

/// Returns whether `src` looks random.
///
/// 32 bytes of `src` are sorted into 64 bins. Random bytes hit 25 bins in the mean, and for 99 of 100 samples the
/// number is within these bounds. Repetitive and counting data is outside of them. Blocks shorter than `MIN_LEN` are
/// searched in less time than this test takes.
#[inline(always)]
fn looks_random(src: &[u8]) -> bool {
    const RANDOM: RangeInclusive<u32> = 20..=30;
    const MIN_LEN: usize = 256;
    let quarter = src.len() / 4;
    let mut bins = 0u64;
    for start in [0, quarter, 2 * quarter, 3 * quarter] {
        let Some(run) = src.get(start..start + MIN_LEN / 4).and_then(|run| run.first_chunk::<8>()) else {
            return false;
        };
        let run = u64::from_le_bytes(*run);
        for i in 0..8 {
            bins |= 1 << (run >> (8 * i) & 63);
        }
    }
    RANDOM.contains(&bins.count_ones())
}

#[inline(always)]
fn word(src: &[u8], at: u32) -> Option<u64> {
    let at = at as usize;
    Some(u64::from_le_bytes(*src.get(at..at + 8)?.first_chunk()?))
}

/// Returns whether the first four bytes of `word`, which is at `at`, are also at `candidate` and an offset can reach
/// it.
#[inline(always)]
fn is_match<P: Positions>(src: &[u8], candidate: u32, at: u32, word: u64) -> bool {
    let from = candidate as usize;
    let Some(four) = src.get(from..from + 4).and_then(|x| x.first_chunk()) else { return false };
    let difference = u32::from_le_bytes(*four) ^ word as u32;
    if P::FAR {
        // A single test for both: which candidates are too far is unpredictable for branch prediction.
        const { assert!(MAX_DISTANCE == 0xFFFF) };
        difference | at.wrapping_sub(candidate) >> 16 == 0
    } else {
        difference == 0
    }
}
