//! Compresses many blocks with the same dictionary.
//!
//! Blocks are often much shorter than the dictionary, so its positions are inserted only once, before the first block.
//! After each block, the tables are restored. Dictionary and block share one buffer, in which only the block is
//! replaced. Positions count from the first byte of the dictionary.

use super::MAX_INPUT;
use super::hc::{compress_with, note_with, width};
use super::positions::{self, Positions};
use super::rows::RowTable;
use super::scan::{Steps, compress};
use crate::memory::{self, OutOfMemory};

/// Maximum dictionary size, the most that a Blosc2 chunk may have. Only the last bytes of a longer dictionary are used.
const MAX_DICT: usize = 1 << 15;

/// A buffer with the dictionary and a block.
struct Joined {
    bytes: Vec<u8>,
    /// Length of the dictionary.
    start: u32,
}

impl Joined {
    fn new(dict: &[u8]) -> Result<Self, OutOfMemory> {
        let bytes = memory::copy_of(&dict[dict.len().saturating_sub(MAX_DICT)..])?;
        Ok(Joined { start: bytes.len() as u32, bytes })
    }

    fn try_clone(&self) -> Result<Self, OutOfMemory> {
        Joined::new(&self.bytes[..self.start as usize])
    }

    /// Makes room for `block`, so that [`Joined::join`] does not allocate.
    fn reserve(&mut self, block: &[u8]) -> Result<(), OutOfMemory> {
        self.bytes.truncate(self.start as usize);
        memory::reserve(&mut self.bytes, block.len())
    }

    /// Appends `block` to the dictionary, if both together are not too long.
    fn join(&mut self, block: &[u8]) -> Option<&[u8]> {
        if block.len() > MAX_INPUT - MAX_DICT {
            return None;
        }
        self.bytes.truncate(self.start as usize);
        self.bytes.extend_from_slice(block);
        Some(&self.bytes)
    }
}

/// The fast encoder's hash tables of a dictionary and a block; reusable.
pub(crate) struct DictTable {
    joined: Joined,
    /// The last position in the dictionary, indexed by hash.
    dict: Box<[u16; 1 << DICT_LOG]>,
    /// The last position in the block, indexed by fewer bits of the hash.
    block: Box<[u32; 1 << BLOCK_LOG]>,
}

/// One slot for each byte of the longest dictionary. The table is never cleared or copied per block, so its size costs
/// little.
const DICT_LOG: u32 = 15;

/// 32 KiB, the size of an L1 cache.
const BLOCK_LOG: u32 = 13;

impl DictTable {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, OutOfMemory> {
        let joined = Joined::new(dict)?;
        let mut dict: Box<[u16; 1 << DICT_LOG]> = memory::zeroed_box()?;
        // A word is read as eight bytes. The last positions do not have eight without the block.
        for (position, word) in joined.bytes.windows(8).enumerate() {
            if let Some(&word) = word.first_chunk() {
                dict[hash(u64::from_le_bytes(word))] = position as u16;
            }
        }
        Ok(DictTable { joined, dict, block: memory::zeroed_box()? })
    }

    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let mut dict: Box<[u16; 1 << DICT_LOG]> = memory::zeroed_box()?;
        dict.copy_from_slice(&self.dict[..]);
        Ok(DictTable { joined: self.joined.try_clone()?, dict, block: memory::zeroed_box()? })
    }

    /// Makes room for `block`, which is compressed next.
    pub(crate) fn reserve(&mut self, block: &[u8]) -> Result<(), OutOfMemory> {
        self.joined.reserve(block)
    }
}

/// [`compress_fast`](super::compress_fast) for a block that uses the table's dictionary.
pub(crate) fn compress_fast_with_dict(
    src: &[u8],
    dst: &mut [u8],
    acceleration: u32,
    table: &mut DictTable,
) -> Option<usize> {
    let start = table.joined.start;
    let joined = table.joined.join(src)?;
    // Two slots per byte: clearing more would take longer than the search.
    let log = (src.len().next_power_of_two().trailing_zeros() + 1).clamp(8, BLOCK_LOG);
    table.block[..1 << log].fill(0);
    let mut slots = Attached { dict: &table.dict, block: &mut table.block, shift: DICT_LOG - log };
    let steps = Steps { acceleration: acceleration.clamp(1, 65537), haste: 1, trial: u32::MAX };
    compress(joined, start, dst, steps, &mut slots)
}

/// Looks up the block first, and the dictionary if the block has no position with that hash.
struct Attached<'a> {
    dict: &'a [u16; 1 << DICT_LOG],
    block: &'a mut [u32; 1 << BLOCK_LOG],
    shift: u32,
}

impl Positions for Attached<'_> {
    const FAR: bool = true;

    #[inline(always)]
    fn slot(&self, word: u64) -> usize {
        hash(word)
    }

    #[inline(always)]
    fn swap(&mut self, slot: usize, position: u32) -> u32 {
        let noted = &mut self.block[(slot >> (self.shift & 31)) & ((1 << BLOCK_LOG) - 1)];
        match std::mem::replace(noted, position) {
            0 => u32::from(self.dict[slot]),
            before => before,
        }
    }
}

/// The hash of five bytes. A dictionary adds many positions, and five bytes find longer matches.
#[inline(always)]
fn hash(word: u64) -> usize {
    (positions::hash::<5>(word) >> (32 - DICT_LOG)) as usize
}

/// The high-compression encoder's tables of the dictionary, with and without a block; reusable.
pub(crate) struct HcDictTable {
    joined: Joined,
    /// Contains the dictionary.
    dict: RowTable,
    /// The blocks that `dict` is prepared for: the width of the rows, and the length of dictionary and block.
    ready_for: Option<(usize, usize)>,
    /// A copy of `dict` to which a block is added. (Removing the positions of a block takes longer, unless it is tiny.)
    block: RowTable,
}

impl HcDictTable {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, OutOfMemory> {
        let (joined, dict, block) = (Joined::new(dict)?, RowTable::new()?, RowTable::new()?);
        Ok(HcDictTable { joined, dict, ready_for: None, block })
    }

    pub(crate) fn try_clone(&self) -> Result<Self, OutOfMemory> {
        let HcDictTable { joined, dict, ready_for, .. } = self;
        let (joined, dict, block) = (joined.try_clone()?, dict.try_clone()?, RowTable::new()?);
        Ok(HcDictTable { joined, dict, ready_for: *ready_for, block })
    }

    /// Makes room for `block`, which is compressed next.
    pub(crate) fn reserve(&mut self, block: &[u8]) -> Result<(), OutOfMemory> {
        self.joined.reserve(block)
    }
}

/// [`compress_hc`](super::compress_hc) for a block that uses the table's dictionary.
///
/// All levels use rows. The tables of levels below 3 would have to insert the dictionary again for each block.
pub(crate) fn compress_hc_with_dict(src: &[u8], dst: &mut [u8], level: u8, table: &mut HcDictTable) -> Option<usize> {
    let start = table.joined.start;
    let joined = table.joined.join(src)?;
    // The hashes of the dictionary's last three positions depend on the block.
    let noted = start.saturating_sub(3);
    let wanted = (width(level, joined.len()), joined.len().next_power_of_two());
    if table.ready_for != Some(wanted) {
        table.dict.clear_for(joined.len());
        note_with(wanted.0, joined, noted, &mut table.dict)?;
        table.ready_for = Some(wanted);
    }
    table.block.copy_from(&table.dict);
    compress_with(wanted.0, joined, start, dst, noted, &mut table.block)
}
