//! Buffers for chunks that are compressed one after another.

use blosc_core::{CParams, Encoder, OutOfMemory, max_cbytes, memory};

use crate::Error;

/// A compressed chunk at the start of a buffer that is used again for other chunks.
///
/// The buffer is as long as a chunk may be, but the system provides only the pages that are written to. That holds for
/// memory from the system, not for memory that was allocated before: the allocator fills it with zeros.
#[derive(Debug, Default)]
pub(crate) struct ChunkBuffer {
    bytes: Vec<u8>,
    cbytes: usize,
}

impl ChunkBuffer {
    /// Makes room for a chunk of `nbytes` plain bytes, and forgets the last one.
    pub(crate) fn make_room(&mut self, nbytes: usize) -> Result<(), OutOfMemory> {
        self.cbytes = 0;
        let room = max_cbytes(nbytes);
        if self.bytes.len() < room { memory::reuse(&mut self.bytes, room) } else { Ok(()) }
    }

    /// Replaces the chunk by one of these bytes.
    pub(crate) fn compress(&mut self, encoder: &mut Encoder, params: CParams, plain: &[u8]) -> Result<(), Error> {
        if params != *encoder.params() {
            encoder.set_params(params)?;
        }
        self.make_room(plain.len())?;
        self.cbytes = encoder.compress_into(plain, &mut self.bytes)?;
        Ok(())
    }

    /// Returns the chunk.
    pub(crate) fn chunk(&self) -> &[u8] {
        &self.bytes[..self.cbytes]
    }
}
