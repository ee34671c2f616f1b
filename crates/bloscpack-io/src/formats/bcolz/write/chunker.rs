//! Chunk files from a stream of rows, compressed in parallel.

use std::io::Read;

use blosc_core::{Auto, CParams, Encoder, Limits};
use bloscpack_format::bcolz::Storage;

use super::chunks::chunk_file;
use super::params;
use crate::choice::Choice;
use crate::options::Observer;
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
    /// The choice for each chunk instead. The typesize is that of the dtype.
    pub(super) auto: Option<Auto>,
    pub(super) observer: &'a Observer,
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
        let params = params::chunk_params(self.storage)?;
        let mut choice = Choice::new(params, self.auto.map(|auto| auto.typesize(params.get_typesize())));
        let mut number = 0;
        let weigh = |item: &(Vec<u8>, CParams)| {
            let nbytes = item.0.len() as u64;
            Weight::of_chunk(nbytes, threads, &room, || nbytes)
        };
        pipeline::run_within(
            (&room, &weigh),
            threads,
            cancel,
            || Ok(params::encoder(self.storage)?.cancel(cancel.clone())),
            || {
                let mut plain = Vec::new();
                input.append(size, &mut plain)?;
                if plain.is_empty() {
                    return Ok(None);
                }
                let params = choice.next(number, &plain, (self.observer, cancel))?;
                number += 1;
                Ok(Some((plain, params)))
            },
            |encoder: &mut Encoder, (plain, params)| {
                if plain.len() as u64 != size {
                    return Ok(StreamChunk::Tail(plain));
                }
                if params != *encoder.params() {
                    encoder.set_params(params)?;
                }
                chunk_file(encoder, self.storage, plain).map(StreamChunk::File)
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
