//! The cases, their positions in the chunks, and the bytes that a read must return.

use super::readers::Reader;
use anyhow::Result;
use std::ops::Range;

/// A way to read a part of a chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Case {
    /// One item into a buffer.
    Item,
    Hundred,
    TenThousand,
    /// 100 items into a new vector.
    ToVec,
    /// 1000 ranges of 10 items in random order, one call for each.
    Scattered,
    /// The same ranges; libraries that can read them in one call do.
    Coalesced,
    /// One whole block.
    Block,
    /// The whole chunk without a random half of its blocks.
    Masked,
}

/// One read of a case.
pub(super) struct Read {
    /// Number of the chunk in the sample.
    pub(super) chunk: usize,
    /// Ranges of items.
    pub(super) ranges: Vec<Range<usize>>,
    /// The number of the block, in the case of a block.
    pub(super) block: usize,
    /// The blocks to skip, in the masked case.
    pub(super) skip: Vec<bool>,
    layout: Layout,
}

/// The shape of the chunks of a sample, in items.
#[derive(Clone, Copy)]
pub(super) struct Layout {
    pub(super) items: usize,
    pub(super) items_per_block: usize,
    pub(super) blocks: usize,
}

/// Ranges of a scattered read, and items of each.
const RANGES: usize = 1000;
const RANGE: usize = 10;

impl Case {
    pub const ALL: [Case; 8] = [
        Case::Item,
        Case::Hundred,
        Case::TenThousand,
        Case::ToVec,
        Case::Scattered,
        Case::Coalesced,
        Case::Block,
        Case::Masked,
    ];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Case::Item => "1 item",
            Case::Hundred => "100 items",
            Case::TenThousand => "10000 items",
            Case::ToVec => "100 items to a vector",
            Case::Scattered => "1000 ranges, call by call",
            Case::Coalesced => "1000 ranges, coalesced",
            Case::Block => "a block",
            Case::Masked => "half of the blocks",
        }
    }

    /// Returns the reads of one run, at random positions of `chunks` chunks. Empty if the chunks are too small.
    pub(super) fn reads(self, layout: &Layout, chunks: usize) -> Vec<Read> {
        let mut random = Random(0x5eed);
        let (count, ranges, len) = match self {
            Case::Item => (64, 1, 1),
            Case::Hundred | Case::ToVec => (64, 1, 100),
            Case::TenThousand => (16, 1, 10_000),
            Case::Scattered | Case::Coalesced => (1, RANGES, RANGE),
            Case::Block => (16, 0, 0),
            Case::Masked => (4.min(chunks), 0, 0),
        };
        if layout.items < len || layout.blocks == 0 {
            return Vec::new();
        }
        let mut read = || {
            let block = random.below(layout.blocks);
            let starts = (0..ranges).map(|_| random.below(layout.items - len + 1));
            let mut read = Read {
                ranges: starts.map(|start| start..start + len).collect(),
                chunk: random.below(chunks),
                block,
                skip: Vec::new(),
                layout: *layout,
            };
            if self == Case::Block {
                let start = block * layout.items_per_block;
                read.ranges.push(start..(start + layout.items_per_block).min(layout.items));
            }
            if self == Case::Masked {
                read.skip = (0..layout.blocks).map(|_| random.below(2) == 1).collect();
            }
            read
        };
        (0..count).map(|_| read()).collect()
    }

    /// Does one read into the start of `room`, and returns the number of bytes. `None` if the reader cannot.
    pub(super) fn run(
        self,
        reader: &mut dyn Reader,
        read: &Read,
        typesize: usize,
        room: &mut [u8],
    ) -> Result<Option<usize>> {
        let len = read.ranges.iter().map(|range| range.len() * typesize).sum();
        match self {
            Case::Item | Case::Hundred | Case::TenThousand => {
                reader.items(read.chunk, read.ranges[0].clone(), &mut room[..len])?;
            }
            Case::ToVec => {
                let items = reader.items_to_vec(read.chunk, read.ranges[0].clone(), len)?;
                room[..len].copy_from_slice(&items);
            }
            Case::Scattered => {
                let mut rest = &mut room[..len];
                for range in &read.ranges {
                    let (part, after) = rest.split_at_mut(range.len() * typesize);
                    reader.items(read.chunk, range.clone(), part)?;
                    rest = after;
                }
            }
            Case::Coalesced => reader.ranges(read.chunk, &read.ranges, &mut room[..len])?,
            Case::Block => reader.block(read.chunk, read.block, read.ranges[0].clone(), &mut room[..len])?,
            Case::Masked => {
                return reader.masked(read.chunk, &read.skip, &mut room[..read.layout.items * typesize]);
            }
        }
        Ok(Some(len))
    }

    /// Returns the bytes that a read must return; `None` for those of skipped blocks.
    pub(super) fn expected(self, read: &Read, typesize: usize, plain: &[u8]) -> Vec<Option<u8>> {
        if self != Case::Masked {
            let bytes = |range: &Range<usize>| &plain[range.start * typesize..range.end * typesize];
            return read.ranges.iter().flat_map(|range| bytes(range).iter().copied().map(Some)).collect();
        }
        let blocksize = read.layout.items_per_block * typesize;
        plain.iter().enumerate().map(|(at, byte)| (!read.skip[at / blocksize]).then_some(*byte)).collect()
    }
}

impl Read {
    /// Returns the bytes of room that the read needs.
    pub(super) fn room(&self, typesize: usize) -> usize {
        self.ranges.iter().map(Range::len).sum::<usize>().max(self.layout.items) * typesize
    }
}

/// A linear congruential generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end
    }
}
