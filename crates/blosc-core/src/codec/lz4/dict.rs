//! Compressing many blocks that all have the same dictionary in front of them.
//!
//! Blocks are often much shorter than the dictionary, so it is looked at once: its positions are noted before the first
//! block, and after each block the tables are as they were. Dictionary and block stand in one buffer, in which only the
//! block is replaced; positions count from the dictionary's first byte.

use super::MAX_INPUT;
use super::fast::{self, Positions, compress};
use super::hc::{compress_with, note_with, width};
use super::rows::RowTable;
use crate::memory::{self, OutOfMemory};

/// Of a longer dictionary the last bytes are used: the most a Blosc2 chunk may carry.
const MAX_DICT: usize = 1 << 15;

/// The buffer.
struct Joined {
    bytes: Vec<u8>,
    /// How many bytes are the dictionary.
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

    /// Puts `block` behind the dictionary, if both together are not too long.
    fn join(&mut self, block: &[u8]) -> Option<&[u8]> {
        if block.len() > MAX_INPUT - MAX_DICT {
            return None;
        }
        self.bytes.truncate(self.start as usize);
        self.bytes.extend_from_slice(block);
        Some(&self.bytes)
    }
}

/// What the fast encoder keeps of a dictionary, and the table for a block; reusable.
pub(crate) struct DictTable {
    joined: Joined,
    /// By hash: the last position in the dictionary.
    dict: Box<[u16; 1 << DICT_LOG]>,
    /// By fewer bits of it: the last position in the block.
    block: Box<[u32; 1 << BLOCK_LOG]>,
}

/// A slot for each byte of the longest dictionary. None of them is ever cleared or copied, so many cost little.
const DICT_LOG: u32 = 15;

/// 32 KiB, a first-level cache's worth.
const BLOCK_LOG: u32 = 13;

impl DictTable {
    pub(crate) fn new(dict: &[u8]) -> Result<Self, OutOfMemory> {
        let joined = Joined::new(dict)?;
        let mut dict: Box<[u16; 1 << DICT_LOG]> = memory::zeroed_box()?;
        // A word is read as eight bytes, which the last positions do not have without the block.
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

/// [`compress_fast`](super::compress_fast) for a block that is read with the table's dictionary.
pub(crate) fn compress_fast_with_dict(
    src: &[u8],
    dst: &mut [u8],
    acceleration: u32,
    table: &mut DictTable,
) -> Option<usize> {
    let start = table.joined.start;
    let joined = table.joined.join(src)?;
    // Two slots a byte: clearing more would take longer than the search.
    let log = (src.len().next_power_of_two().trailing_zeros() + 1).clamp(8, BLOCK_LOG);
    table.block[..1 << log].fill(0);
    let mut slots = Attached { dict: &table.dict, block: &mut table.block, shift: DICT_LOG - log };
    compress(joined, start, dst, (acceleration.clamp(1, 65537), 1), &mut slots)
}

/// Where the block has nothing of a hash, the dictionary is asked.
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

/// Of five bytes: with a dictionary there are many positions, and that finds longer matches.
#[inline(always)]
fn hash(word: u64) -> usize {
    (fast::hash::<5>(word) >> (32 - DICT_LOG)) as usize
}

/// The high-compression encoder's tables, with and without a block; reusable.
pub(crate) struct HcDictTable {
    joined: Joined,
    /// Has the dictionary.
    dict: RowTable,
    /// For which blocks: the width of the rows and the length of dictionary and block.
    ready_for: Option<(usize, usize)>,
    /// A copy, which a block is added to. (To take out again what a block has noted takes longer, unless it is tiny.)
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

/// [`compress_hc`](super::compress_hc) for a block that is read with the table's dictionary.
///
/// Every level has rows: those below 3 would have to note the dictionary again for each block.
pub(crate) fn compress_hc_with_dict(src: &[u8], dst: &mut [u8], level: u8, table: &mut HcDictTable) -> Option<usize> {
    let start = table.joined.start;
    let joined = table.joined.join(src)?;
    // What starts in the dictionary's last three bytes depends on the block.
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
