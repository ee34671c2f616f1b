//! Writes a block: its header, and its bytes stored, as a run or compressed.

use core::ops::Range;

use rust_zstd::compress::Seq;

use super::literals::Literals;
use super::sequences::Sequences;
use super::thrift::Thrift;
use crate::kernels;
use crate::memory::{self, OutOfMemory};

/// Maximum length of a block.
pub(super) const MAX_BLOCK: usize = 128 << 10;

/// Length of the header of a block.
const HEADER: usize = 3;

/// Kinds of blocks: the values of their headers.
#[derive(Clone, Copy)]
enum Kind {
    Stored = 0,
    Run = 1,
    Compressed = 2,
}

/// A block to write.
#[derive(Clone, Copy)]
pub(super) struct Block<'a> {
    pub(super) plain: &'a [u8],
    pub(super) literals: &'a [u8],
    pub(super) sequences: &'a [Seq],
    pub(super) is_first: bool,
    pub(super) is_last: bool,
}

/// A block that was written.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) len: usize,
    /// Whether the decoder has read its sequences.
    pub(super) is_compressed: bool,
}

/// Writes the blocks of a frame.
#[derive(Default)]
pub(super) struct BlockWriter {
    thrift: Thrift,
    literals: Literals,
    sequences: Sequences,
    /// A block that is written where the destination may be too short for it.
    spare: Vec<u8>,
}

/// Bytes that a block of any content needs besides it: headers, and words that reach beyond the end.
const SLACK: usize = 512;

impl<'a> Block<'a> {
    /// Returns a block of `src` whose bytes are all literals.
    pub(super) fn without_matches(src: &'a [u8], range: Range<usize>) -> Self {
        let (is_first, is_last) = (range.start == 0, range.end == src.len());
        let plain = &src[range];
        Block { plain, literals: plain, sequences: &[], is_first, is_last }
    }

    /// Returns whether it is written as a run.
    pub(super) fn is_run(&self) -> bool {
        match self.plain {
            // Old decoders reject a run at the start.
            _ if self.is_first => false,
            [] => false,
            [first, .., last] if first != last => false,
            plain => plain[1..] == plain[..plain.len() - 1],
        }
    }
}

impl BlockWriter {
    /// Returns the bytes of its buffers.
    pub(super) fn held(&self) -> usize {
        self.literals.held() + self.sequences.held() + self.spare.capacity()
    }

    /// Allocates memory for blocks of `len` bytes.
    pub(super) fn reserve(&mut self, len: usize) -> Result<(), OutOfMemory> {
        self.literals.reserve(len)?;
        self.sequences.reserve(len)?;
        memory::at_least(&mut self.spare, room(len)).map(|_| ())
    }

    /// Starts a frame.
    pub(super) fn start(&mut self, thrift: Thrift) {
        self.thrift = thrift;
        self.literals.start(thrift);
        self.sequences.start(thrift);
    }

    /// Writes a block. It fits, and is the same, if `dst` has only room for its bytes.
    pub(super) fn put(&mut self, block: Block<'_>, dst: &mut [u8]) -> Option<Written> {
        if dst.len() >= room(block.plain.len()) {
            return self.put_with_room(block, dst);
        }
        let mut spare = core::mem::take(&mut self.spare);
        let written = self.put_with_room(block, &mut spare);
        self.spare = spare;
        let len = written?.len;
        dst.get_mut(..len)?.copy_from_slice(self.spare.get(..len)?);
        written
    }

    fn put_with_room(&mut self, block: Block<'_>, dst: &mut [u8]) -> Option<Written> {
        let Block { plain, is_last, .. } = block;
        if block.is_run() {
            put_header(Kind::Run, plain.len(), is_last, dst)?;
            *dst.get_mut(HEADER)? = plain[0];
            return Some(Written { len: HEADER + 1, is_compressed: false });
        }
        if let Some(len) = self.put_compressed(block, dst.get_mut(HEADER..)?) {
            put_header(Kind::Compressed, len, is_last, dst)?;
            return Some(Written { len: HEADER + len, is_compressed: true });
        }
        // Tables that the block described are not known to the decoder.
        self.literals.clear();
        self.sequences.clear();
        put_header(Kind::Stored, plain.len(), is_last, dst)?;
        kernels::copy(plain, dst.get_mut(HEADER..HEADER + plain.len())?);
        Some(Written { len: HEADER + plain.len(), is_compressed: false })
    }

    /// Writes the content of a compressed block. Returns `None` if that saves too little.
    fn put_compressed(&mut self, block: Block<'_>, dst: &mut [u8]) -> Option<usize> {
        let literals = self.literals.put(block.literals, block.sequences.len(), dst)?;
        let size = literals + self.sequences.put(block.sequences, dst.get_mut(literals..)?)?;
        (size < self.thrift.room(block.plain.len())).then_some(size)
    }
}

/// Returns a number of bytes that is enough to write a block of `len` bytes, whatever it contains.
fn room(len: usize) -> usize {
    len + len / 128 + SLACK
}

fn put_header(kind: Kind, len: usize, is_last: bool, dst: &mut [u8]) -> Option<()> {
    let header = u32::from(is_last) | (kind as u32) << 1 | (len as u32) << 3;
    dst.get_mut(..HEADER)?.copy_from_slice(&header.to_le_bytes()[..HEADER]);
    Some(())
}
