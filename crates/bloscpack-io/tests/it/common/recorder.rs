//! A frame store that records its writes, and the possible states of the disk if they are cut off.

use std::io;

use bloscpack_format::frame::FrameType;
use bloscpack_io::frame::{FrameStore, MemoryFrame};
use bloscpack_io::{ChunkFiles, ReadAt};

/// A write operation of a store.
#[derive(Debug, Clone)]
pub(crate) enum Op {
    Write { at: u64, bytes: Vec<u8> },
    SetLen(u64),
    File { number: u32, bytes: Vec<u8> },
    Remove(u32),
    Sync,
    Replace(Vec<u8>),
}

/// A store that records all writes.
#[derive(Debug, Clone)]
pub(crate) struct Recorder {
    pub(crate) now: MemoryFrame,
    pub(crate) ops: Vec<Op>,
}

/// Number of bytes that a disk writes atomically.
const SECTOR: usize = 512;

fn apply(frame: &mut MemoryFrame, op: &Op) {
    match op {
        Op::Write { at, bytes } => frame.write_at(*at, bytes),
        Op::SetLen(len) => frame.set_len(*len),
        Op::File { number, bytes } => frame.write_chunk_file(*number, bytes),
        Op::Remove(number) => frame.remove_chunk_file(*number),
        Op::Sync => Ok(()),
        Op::Replace(bytes) => frame.replace(bytes),
    }
    .unwrap();
}

/// The operation cut off, if a disk can do that.
fn torn(op: &Op) -> Vec<Op> {
    match op {
        Op::Write { at, bytes } if *at as usize / SECTOR != (*at as usize + bytes.len() - 1) / SECTOR => {
            [1, bytes.len() / 2, bytes.len() - 1].map(|len| Op::Write { at: *at, bytes: bytes[..len].to_vec() }).into()
        }
        Op::File { number, bytes } => {
            [0, 1, bytes.len() / 2].map(|len| Op::File { number: *number, bytes: bytes[..len].to_vec() }).into()
        }
        _ => Vec::new(),
    }
}

impl Recorder {
    pub(crate) fn new(now: MemoryFrame) -> Self {
        Self { now, ops: Vec::new() }
    }

    fn do_op(&mut self, op: Op) -> io::Result<()> {
        apply(&mut self.now, &op);
        self.ops.push(op);
        Ok(())
    }

    /// Calls `check` with the states that a disk may have if the process is killed at any moment since `old`. Each
    /// contains everything that was synced. Of the rest it contains nothing, everything, one operation alone, or one
    /// torn operation. `true` means that the last operation is done.
    pub(crate) fn kills(&self, old: &MemoryFrame, mut check: impl FnMut(&MemoryFrame, bool)) {
        let mut durable = old.clone();
        let mut pending: Vec<&Op> = Vec::new();
        for (number, op) in self.ops.iter().enumerate() {
            match op {
                Op::Sync => pending.drain(..).for_each(|op| apply(&mut durable, op)),
                Op::Replace(_) => {
                    check(&durable, false);
                    // The replacement is durable itself, but does not sync earlier writes.
                    let mut all = durable.clone();
                    pending.iter().for_each(|op| apply(&mut all, op));
                    apply(&mut durable, op);
                    apply(&mut all, op);
                    assert!(pending.is_empty(), "chunk files are not synced before the index");
                }
                _ => {
                    pending.push(op);
                    for alone in pending.iter().copied().cloned().chain(pending.iter().flat_map(|op| torn(op))) {
                        let mut disk = durable.clone();
                        apply(&mut disk, &alone);
                        check(&disk, false);
                    }
                    let mut disk = durable.clone();
                    pending.iter().for_each(|op| apply(&mut disk, op));
                    check(&disk, number + 1 == self.ops.len());
                }
            }
            check(&durable, number + 1 == self.ops.len());
        }
    }
}

impl ReadAt for Recorder {
    fn len(&self) -> io::Result<u64> {
        self.now.len()
    }

    fn read_exact_at(&self, offset: u64, buf: &mut [u8]) -> io::Result<()> {
        self.now.read_exact_at(offset, buf)
    }
}

impl FrameStore for Recorder {
    fn frame_type(&self) -> FrameType {
        self.now.frame_type()
    }

    fn chunk_files(&self) -> Option<&dyn ChunkFiles> {
        self.now.chunk_files()
    }

    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.do_op(Op::Write { at, bytes: bytes.to_vec() })
    }

    fn set_len(&mut self, len: u64) -> io::Result<()> {
        self.do_op(Op::SetLen(len))
    }

    fn write_chunk_file(&mut self, number: u32, bytes: &[u8]) -> io::Result<()> {
        self.do_op(Op::File { number, bytes: bytes.to_vec() })
    }

    fn remove_chunk_file(&mut self, number: u32) -> io::Result<()> {
        self.do_op(Op::Remove(number))
    }

    fn sync(&mut self) -> io::Result<()> {
        self.do_op(Op::Sync)
    }

    fn replace(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.do_op(Op::Replace(bytes.to_vec()))
    }
}
