//! Chunk files from a stream of rows, compressed in parallel.

use std::io::Read;

use blosc_core::{Encoder, Limits};
use bloscpack_format::bcolz::Storage;

use super::chunks::chunk_file;
use super::params;
use crate::run::pipeline;
use crate::run::pipeline::Weight;
use crate::source::counting::CountingReader;
use crate::{Cancel, Error, Threads};

/// The next chunk of a stream.
pub(super) enum StreamChunk {
    /// The bytes of a chunk file.
    File(Vec<u8>),
    /// The uncompressed bytes of a last chunk that is not full.
    Tail(Vec<u8>),
}

/// Parameters for dividing and compressing a stream.
pub(super) struct RowChunker<'a> {
    /// Codec, filters and dtype of the chunks.
    pub(super) storage: &'a Storage,
    /// The uncompressed size of a chunk.
    pub(super) chunk_nbytes: u64,
    pub(super) limits: Limits,
    pub(super) threads: &'a Threads,
    pub(super) cancel: &'a Cancel,
}

impl RowChunker<'_> {
    /// Cuts `tail` and the bytes of `input` after it into chunks, compresses them and passes them to `sink` in order.
    /// Returns the number of bytes of `input`.
    pub(super) fn run(
        &self,
        tail: &[u8],
        input: impl Read,
        mut sink: impl FnMut(StreamChunk) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let (size, cancel) = (self.chunk_nbytes, self.cancel);
        let mut input = CountingReader::new(tail.chain(input));
        let (threads, room) = self.room();
        pipeline::run_within(
            (&room, &|plain: &Vec<u8>| Weight::of_chunk(plain.len() as u64, threads, &room, || plain.len() as u64)),
            threads,
            cancel,
            || Ok(params::encoder(self.storage)?.cancel(cancel.clone())),
            || {
                let mut plain = Vec::new();
                input.append(size, &mut plain)?;
                Ok((!plain.is_empty()).then_some(plain))
            },
            |encoder: &mut Encoder, plain: Vec<u8>| match plain.len() as u64 == size {
                true => chunk_file(encoder, self.storage, plain).map(StreamChunk::File),
                false => Ok(StreamChunk::Tail(plain)),
            },
            &mut sink,
        )?;
        Ok(input.position() - tail.len() as u64)
    }

    /// Returns the threads, and the memory limit for the chunks that they hold. Another chunk that was read waits in
    /// addition to these. If the limit has no room for it, chunks are read and written one after the other.
    fn room(&self) -> (&Threads, Limits) {
        let (limits, size) = (self.limits, self.chunk_nbytes);
        let left =
            (limits.max_memory as u64).checked_sub(size).filter(|left| Limits::chunk_memory(size, size) <= *left);
        match left {
            Some(left) => (self.threads, limits.max_memory(left as usize)),
            None => (&Threads::Serial, limits),
        }
    }
}
