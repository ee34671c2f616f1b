//! The destination of a chunk: the caller's slice, a vector that grows block by block, or a function that takes it block
//! by block.
//!
//! Codecs need initialized memory to write to. A slice has it. For the others, each block is encoded into a buffer that
//! is kept between chunks, and then appended. So a vector's pages are touched only where the chunk has bytes, and they
//! are not zeroed first. The bytes that a vector has already are overwritten. A function gets the header and the table of
//! block starts last.

use crate::header::Header;
use crate::kernels;
use crate::memory::{self, OutOfMemory};
use crate::parallel;

/// A chunk that is being written.
pub(super) struct Output<'a> {
    target: Target<'a>,
    len: usize,
    max: usize,
}

enum Target<'a> {
    Slice(&'a mut [u8]),
    Vec {
        /// The chunk, followed by older bytes.
        chunk: &'a mut Vec<u8>,
        /// Room for one block.
        block: &'a mut Vec<u8>,
    },
    Function {
        /// Takes the bytes at an offset.
        write: &'a mut dyn FnMut(usize, &[u8]),
        /// The header and the table of block starts.
        tables: &'a mut Vec<u8>,
        /// Room for one block.
        block: &'a mut Vec<u8>,
    },
}

impl<'a> Output<'a> {
    pub(super) fn to_slice(dst: &'a mut [u8]) -> Self {
        Output { max: dst.len(), target: Target::Slice(dst), len: 0 }
    }

    /// Replaces the content of `chunk`, with at most `max` bytes. The caller cuts `chunk` to the final length. `block`
    /// is scratch.
    pub(super) fn to_vec(chunk: &'a mut Vec<u8>, block: &'a mut Vec<u8>, max: usize) -> Result<Self, OutOfMemory> {
        if chunk.capacity() < max {
            // Frees the old allocation first, because both may not fit into memory at once.
            *chunk = Vec::new();
            *chunk = memory::with_capacity(max)?;
        }
        Ok(Output { target: Target::Vec { chunk, block }, len: 0, max })
    }

    /// Gives `write` a chunk of at most `max` bytes. `tables` is empty, with room for what is [skipped](Self::skip);
    /// `block` is scratch.
    pub(super) fn to_function(
        write: &'a mut dyn FnMut(usize, &[u8]),
        (tables, block): (&'a mut Vec<u8>, &'a mut Vec<u8>),
        max: usize,
    ) -> Self {
        Output { target: Target::Function { write, tables, block }, len: 0, max }
    }

    /// Returns the number of bytes written.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns the maximum number of bytes.
    pub(super) fn max(&self) -> usize {
        self.max
    }

    /// Lowers the maximum number of bytes.
    pub(super) fn limit(&mut self, max: usize) {
        self.max = self.max.min(max);
    }

    /// Starts with `len` bytes that are [overwritten](Self::tables) later. Returns `false` if they do not fit.
    pub(super) fn skip(&mut self, len: usize) -> bool {
        if self.max - self.len < len {
            return false;
        }
        self.len += len;
        self.initialize();
        true
    }

    /// Appends zeros to a vector that is shorter than the output. This is within the capacity.
    fn initialize(&mut self) {
        let bytes = match &mut self.target {
            Target::Slice(_) => return,
            Target::Vec { chunk, .. } => chunk,
            Target::Function { tables, .. } => tables,
        };
        if bytes.len() < self.len {
            bytes.resize(self.len, 0);
        }
    }

    /// Appends `bytes`. Returns `false` if they do not fit.
    pub(super) fn append(&mut self, bytes: &[u8]) -> bool {
        let start = self.len;
        if self.max - start < bytes.len() {
            return false;
        }
        self.len += bytes.len();
        match &mut self.target {
            Target::Slice(dst) => kernels::copy(bytes, &mut dst[start..self.len]),
            Target::Vec { chunk, .. } => overwrite(chunk, start, bytes),
            Target::Function { write, .. } => write(start, bytes),
        }
        true
    }

    /// Appends several slices, on the threads of the current rayon pool unless a function takes them. Returns `false` if
    /// they do not fit.
    pub(super) fn append_parallel(&mut self, parts: &[&[u8]]) -> bool {
        if let Target::Function { .. } = self.target {
            return parts.iter().all(|part| self.append(part));
        }
        let (start, len) = (self.len, parts.iter().map(|part| part.len()).sum::<usize>());
        if self.max - start < len {
            return false;
        }
        self.len += len;
        self.initialize();
        parallel::join(parts, &mut self.tables()[start..]);
        true
    }

    /// Appends `bytes`, which must fit, on the threads of the current rayon pool, of which one calls `test`. Returns what
    /// `test` returns. If that is `false`, the output must be [started again](Self::restart).
    pub(super) fn append_while(&mut self, bytes: &[u8], test: impl Fn() -> bool + Sync) -> bool {
        if let Target::Function { .. } = self.target {
            return test() && self.append(bytes);
        }
        let start = self.len;
        self.len += bytes.len();
        self.initialize();
        parallel::copy_while(bytes, &mut self.tables()[start..], test)
    }

    /// Returns room for a block of at most `most` bytes. The room is shorter at the end of the output, and may be
    /// longer.
    #[inline]
    pub(super) fn room(&mut self, most: usize) -> Result<&mut [u8], OutOfMemory> {
        match &mut self.target {
            Target::Slice(dst) => Ok(&mut dst[self.len..self.max]),
            Target::Vec { block, .. } | Target::Function { block, .. } => {
                memory::at_least(block, most.min(self.max - self.len))
            }
        }
    }

    /// Appends the first `len` bytes of the [room](Self::room).
    #[inline]
    pub(super) fn advance(&mut self, len: usize) {
        let start = self.len;
        self.len += len;
        match &mut self.target {
            Target::Slice(_) => {}
            Target::Vec { chunk, block } => overwrite(chunk, start, &block[..len]),
            Target::Function { write, block, .. } => write(start, &block[..len]),
        }
    }

    /// Returns the bytes that were [skipped](Self::skip) at the start. Others that were written may follow.
    #[inline]
    pub(super) fn tables(&mut self) -> &mut [u8] {
        match &mut self.target {
            Target::Slice(dst) => &mut dst[..self.len],
            Target::Vec { chunk, .. } => &mut chunk[..self.len],
            Target::Function { tables, .. } => tables,
        }
    }

    /// Starts again, with nothing written and at most `max` bytes, for which there must be room.
    pub(super) fn restart(&mut self, max: usize) {
        (self.len, self.max) = (0, max);
        if let Target::Function { tables, .. } = &mut self.target {
            tables.clear();
        }
    }

    /// Completes the chunk with its header.
    #[inline(always)]
    pub(super) fn finish(mut self, header: &Header) {
        header.write(self.tables());
        if let Target::Function { write, tables, .. } = self.target {
            write(0, &tables[..tables.len().min(header.cbytes())]);
        }
    }
}

/// Writes `bytes` at `start`, which is at most the vector's length, over older bytes and past them. This is within the
/// capacity.
fn overwrite(chunk: &mut Vec<u8>, start: usize, bytes: &[u8]) {
    let (over, past) = bytes.split_at(bytes.len().min(chunk.len() - start));
    kernels::copy(over, &mut chunk[start..start + over.len()]);
    chunk.extend_from_slice(past);
}
