//! The destination of a chunk: the caller's slice, or a vector that grows block by block.
//!
//! Codecs need initialized memory to write to. A slice has it. For a vector, each block is encoded into a buffer that
//! is kept between chunks and then appended. So a vector's pages are touched only where the chunk has bytes, and they
//! are not zeroed first.

use crate::memory::{self, OutOfMemory};

/// A chunk that is being written.
pub(super) struct Output<'a> {
    target: Target<'a>,
    len: usize,
    max: usize,
}

enum Target<'a> {
    Slice(&'a mut [u8]),
    Vec {
        chunk: &'a mut Vec<u8>,
        /// Room for one block.
        block: &'a mut Vec<u8>,
    },
}

impl<'a> Output<'a> {
    pub(super) fn to_slice(dst: &'a mut [u8]) -> Self {
        Output { max: dst.len(), target: Target::Slice(dst), len: 0 }
    }

    /// Replaces the content of `chunk`, with at most `max` bytes. `block` is scratch.
    pub(super) fn to_vec(chunk: &'a mut Vec<u8>, block: &'a mut Vec<u8>, max: usize) -> Result<Self, OutOfMemory> {
        chunk.clear();
        if chunk.capacity() < max {
            // Frees the old allocation first, because both may not fit into memory at once.
            *chunk = Vec::new();
            *chunk = memory::with_capacity(max)?;
        }
        Ok(Output { target: Target::Vec { chunk, block }, len: 0, max })
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

    /// Appends `len` bytes that are [overwritten](Self::written) later. Returns `false` if they do not fit.
    pub(super) fn skip(&mut self, len: usize) -> bool {
        if self.max - self.len < len {
            return false;
        }
        self.len += len;
        if let Target::Vec { chunk, .. } = &mut self.target {
            // Within the capacity.
            chunk.resize(self.len, 0);
        }
        true
    }

    /// Appends `bytes`. Returns `false` if they do not fit.
    pub(super) fn append(&mut self, bytes: &[u8]) -> bool {
        let start = self.len;
        if self.max - start < bytes.len() {
            return false;
        }
        self.len += bytes.len();
        match &mut self.target {
            Target::Slice(dst) => dst[start..self.len].copy_from_slice(bytes),
            // Within the capacity.
            Target::Vec { chunk, .. } => chunk.extend_from_slice(bytes),
        }
        true
    }

    /// Returns room for a block of at most `most` bytes. The room is shorter at the end of the output, and may be
    /// longer.
    #[inline]
    pub(super) fn room(&mut self, most: usize) -> Result<&mut [u8], OutOfMemory> {
        match &mut self.target {
            Target::Slice(dst) => Ok(&mut dst[self.len..self.max]),
            Target::Vec { block, .. } => memory::at_least(block, most.min(self.max - self.len)),
        }
    }

    /// Appends the first `len` bytes of the [room](Self::room).
    #[inline]
    pub(super) fn advance(&mut self, len: usize) {
        self.len += len;
        if let Target::Vec { chunk, block } = &mut self.target {
            // Within the capacity.
            chunk.extend_from_slice(&block[..len]);
        }
    }

    /// Returns the bytes written so far.
    #[inline]
    pub(super) fn written(&mut self) -> &mut [u8] {
        match &mut self.target {
            Target::Slice(dst) => &mut dst[..self.len],
            Target::Vec { chunk, .. } => chunk,
        }
    }

    /// Starts again, with nothing written and at most `max` bytes, for which there must be room.
    pub(super) fn restart(&mut self, max: usize) {
        (self.len, self.max) = (0, max);
        if let Target::Vec { chunk, .. } = &mut self.target {
            chunk.clear();
        }
    }
}
