//! The fast encoder: tables, and the choice of a search for an input.
//!
//! | file | content |
//! |---|---|
//! | `scan` | the search |
//! | `positions` | hash tables for inputs of different lengths |

use core::ops::RangeInclusive;

use super::MAX_INPUT;
use super::positions::{FAR_LOG, Far, NEAR_INPUT, NEAR_LOG, Near, Wrapped};
use super::scan::{Compress, Steps, compress, pays};
use crate::codec::few_words::has_few_words;
use crate::kernels::run_hot;
use crate::memory::{self, OutOfMemory};

/// The matches that are searched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    /// Also matches of four bytes, as in unshuffled data. Hashes cover four bytes where positions have 16 bits,
    /// otherwise five. The hash functions are the reference library's: others find other matches, and block sizes could
    /// not be compared. Text of few words in inputs of 32 to 64 KiB is searched like [`Search::Bytes`].
    All,
    /// For single bytes, such as text: hashes cover five bytes. They find fewer, but longer matches. Of text in 16 KiB
    /// streams, blocks are 4 % smaller at level 5, in a sixth less time.
    Bytes,
    /// Only longer matches, with hashes of five or six bytes. Planes that look random are searched less thoroughly.
    ///
    /// Of ten data sets at level 5, all became faster, and nine as small or smaller (by 2 % in the mean). The tenth,
    /// prices with two decimals, has noise in which four bytes are often equal. It became 12 % larger, in a ninth of
    /// the time (figures in docs/decisions/011-lz4.md). Above level 5, such streams are searched for short matches.
    Long,
}

/// Last position of each hash; reusable. Only the part that an input needs is cleared.
pub(crate) struct HashTable {
    search: Search,
    near: Box<[u16; 1 << NEAR_LOG]>,
    far: Box<[u32; 1 << FAR_LOG]>,
}

impl HashTable {
    pub(crate) fn new(search: Search) -> Result<Self, OutOfMemory> {
        Ok(HashTable { search, near: memory::zeroed_box()?, far: memory::zeroed_box()? })
    }

    /// Creates another table with the same settings.
    pub(crate) fn fresh(&self) -> Result<Self, OutOfMemory> {
        HashTable::new(self.search)
    }
}

/// Maximum input size for which the table is sized by the input: at least a slot for each byte, up to 4096 slots.
/// Clearing the whole table would take longer than the search.
const SMALL_INPUT: usize = 8 << 10;

/// Minimum input size for which hashes of five bytes pay in text of few words (docs/decisions/011-lz4.md).
const MIN_FEW_WORDS: usize = 32 << 10;

/// Factor of the step up to the first match in an input that looks random.
const HASTE: u32 = 4;

/// Minimum acceleration at which only long matches are searched for, whatever they save: clevel 5 and below.
const QUICK: u32 = 5;

/// Compresses `src` into `dst` and returns the length of the block, or `None` if it does not fit.
///
/// `acceleration` is the initial step of the search: n skips n - 1 positions after each one examined; 1 compresses
/// best.
pub(crate) fn compress_fast(src: &[u8], dst: &mut [u8], acceleration: u32, table: &mut HashTable) -> Option<usize> {
    // The upper bound is the reference library's. Higher values would only overflow.
    let acceleration = acceleration.clamp(1, 65537);
    let is_random = table.search == Search::Long && looks_random(src);
    let haste = if is_random && acceleration > 1 { HASTE } else { 1 };
    let steps = Steps { acceleration, haste, trial: u32::MAX };
    match (table.search, src.len()) {
        (_, len) if len > MAX_INPUT => None,
        (_, ..=256) => compress_small::<8, 32>(src, dst, steps, table),
        (_, ..=512) => compress_small::<9, 24>(src, dst, steps, table),
        (_, ..=2048) => compress_small::<11, 12>(src, dst, steps, table),
        (_, ..=SMALL_INPUT) => compress_small::<12, 8>(src, dst, steps, table),
        (Search::All, MIN_FEW_WORDS..NEAR_INPUT) if has_few_words(src) => compress_bytes(src, dst, steps, table),
        (Search::All, _) => compress_all(src, dst, steps, table),
        (Search::Bytes, _) => compress_bytes(src, dst, steps, table),
        (Search::Long, _) if is_random || acceleration >= QUICK => compress_long::<4>(src, dst, steps, table),
        (Search::Long, _) => compress_either(src, dst, steps, table),
    }
}

/// Compresses a small input with a table of 2^`LOG` slots.
///
/// Up to clevel 5, each miss adds `GROWTH` 64ths of a byte to the next step. It is a constant in the search: as a
/// variable, it would occupy a register, which costs as much as it gains.
fn compress_small<const LOG: u32, const GROWTH: u32>(
    src: &[u8],
    dst: &mut [u8],
    steps: Steps,
    table: &mut HashTable,
) -> Option<usize> {
    let slots = &mut *table.near;
    slots[..1 << LOG].fill(0);
    // A constant, which removes the test from the search.
    let steps = Steps { trial: u32::MAX, ..steps };
    match table.search {
        Search::All => compress(src, 0, dst, steps, &mut Near::<4, LOG, 1> { slots }),
        _ if steps.acceleration >= QUICK => compress(src, 0, dst, steps, &mut Near::<5, LOG, GROWTH> { slots }),
        _ => compress(src, 0, dst, steps, &mut Near::<5, LOG, 4> { slots }),
    }
}

/// Compresses like the reference library.
fn compress_all(src: &[u8], dst: &mut [u8], steps: Steps, table: &mut HashTable) -> Option<usize> {
    if src.len() < NEAR_INPUT {
        let slots = &mut *table.near;
        slots.fill(0);
        run_hot(Compress { src, dst, steps, table: Near::<4, NEAR_LOG, 1> { slots } })
    } else {
        let slots = &mut *table.far;
        slots.fill(0);
        run_hot(Compress { src, dst, steps, table: Far::<5> { slots } })
    }
}

/// Compresses by matches of five bytes and more.
fn compress_bytes(src: &[u8], dst: &mut [u8], steps: Steps, table: &mut HashTable) -> Option<usize> {
    if src.len() < NEAR_INPUT {
        let slots = &mut *table.near;
        slots.fill(0);
        run_hot(Compress { src, dst, steps, table: Near::<5, NEAR_LOG, 1> { slots } })
    } else {
        compress_all(src, dst, steps, table)
    }
}

/// Compresses by matches of six bytes and more. In streams of up to 64 KiB, each miss adds `GROWTH` to the next step.
fn compress_long<const GROWTH: u32>(src: &[u8], dst: &mut [u8], steps: Steps, table: &mut HashTable) -> Option<usize> {
    if src.len() < NEAR_INPUT {
        let slots = &mut *table.near;
        slots.fill(0);
        compress(src, 0, dst, steps, &mut Near::<6, NEAR_LOG, GROWTH> { slots })
    } else {
        let slots = &mut *table.far;
        slots.fill(0);
        compress(src, 0, dst, steps, &mut Far::<6> { slots })
    }
}

/// Compresses by long matches, or by matches of four bytes and more if the long ones save less than an eighth. The result
/// does not depend on the room.
fn compress_either(src: &[u8], dst: &mut [u8], steps: Steps, table: &mut HashTable) -> Option<usize> {
    let longest_that_pays = src.len() - src.len() / 8;
    if dst.len() >= longest_that_pays {
        return compress_either_in(src, dst, steps, table);
    }
    // Long matches that pay may not fit, although matches of four bytes do.
    let mut room: Vec<u8> = memory::zeroed(longest_that_pays).ok()?;
    let len = compress_either_in(src, &mut room, steps, table)?;
    dst.get_mut(..len)?.copy_from_slice(&room[..len]);
    Some(len)
}

/// [`compress_either`] with room for every result that pays.
fn compress_either_in(src: &[u8], dst: &mut [u8], steps: Steps, table: &mut HashTable) -> Option<usize> {
    let trial = src.len() as u32 / TRIAL;
    let long = compress_long::<1>(src, dst, Steps { trial, ..steps }, table);
    if long.is_some_and(|len| pays(len as u32, src.len() as u32)) {
        return long;
    }
    let slots = &mut *table.near;
    slots.fill(0);
    let short = if src.len() < NEAR_INPUT {
        compress(src, 0, dst, steps, &mut Near::<4, NEAR_LOG, 1> { slots })
    } else {
        compress(src, 0, dst, steps, &mut Wrapped::<4> { slots })
    };
    match long {
        Some(long) if short.is_none_or(|short| short > long) => compress_long::<1>(src, dst, steps, table),
        _ => short,
    }
}

/// Part of an input after which long matches must pay: a sixteenth.
const TRIAL: u32 = 16;

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
