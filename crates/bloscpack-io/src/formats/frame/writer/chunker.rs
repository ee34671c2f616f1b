//! Chunks from a stream of bytes, compressed in parallel.

use std::cell::RefCell;
use std::io::Read;

use blosc_core::{CParams, Encoder, Limits};
use bloscpack_format::frame::{ChunkSize, Header};

use super::compression::Coders;
use crate::choice::Choice;
use crate::options::Observer;
use crate::run::chunk_buffer::ChunkBuffer;
use crate::run::pipeline::{self, Weight};
use crate::source::counting::CountingReader;
use crate::{Cancel, Error, Threads};

/// Default uncompressed size of a chunk in bytes.
const CHUNK_SIZE: u32 = 1 << 20;
/// Maximum size of an item that is kept whole in a chunk. The item size comes from the frame or its source, and is not
/// a request for chunks of that size.
const MAX_WHOLE_ITEM: u32 = 32 << 20;

/// Parameters for dividing and compressing a stream.
pub(super) struct FrameChunker<'a> {
    /// The uncompressed size of a chunk.
    pub(super) chunk_size: u32,
    pub(super) coders: Coders,
    pub(super) observer: &'a Observer,
    pub(super) limits: Limits,
    pub(super) threads: &'a Threads,
    pub(super) cancel: &'a Cancel,
}

/// A chunk in the pipeline. Both buffers are reused.
struct Item {
    plain: Vec<u8>,
    params: CParams,
    chunk: ChunkBuffer,
}

impl FrameChunker<'_> {
    /// Cuts the bytes of `short`, a last chunk that is not full, and those of `input` after it into chunks, and passes
    /// the compressed chunks to `sink` in order. The first one has number `first`. If `input` is empty, there are none.
    /// Returns the number of bytes of `input`.
    pub(super) fn run(
        &self,
        (short, first): (&[u8], u64),
        choice: &mut Choice,
        input: impl Read,
        mut sink: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<u64, Error> {
        let (limits, threads, cancel) = (self.limits, self.threads, self.cancel);
        let mut input = CountingReader::new(short.chain(input));
        let mut number = first;
        let spare = RefCell::new(Vec::new());
        pipeline::run_within(
            (&limits, &|item: &Item| Weight::of_new_chunk(item.plain.len() as u64, 0, threads, &limits)),
            threads,
            cancel,
            || self.coders.encoder(cancel),
            || {
                let (mut plain, mut chunk): (Vec<u8>, ChunkBuffer) = spare.borrow_mut().pop().unwrap_or_default();
                input.replace(self.chunk_size.into(), &mut plain)?;
                // A short chunk to which nothing is added stays unchanged.
                let unchanged = number == first && plain.len() == short.len();
                if plain.is_empty() || unchanged {
                    return Ok(None);
                }
                if number == first {
                    // Before the choice, which leaves memory that would have to be zeroed.
                    chunk.make_room(plain.len())?;
                }
                let params = choice.next(number, &plain, (self.observer, cancel))?;
                number += 1;
                Ok(Some(Item { plain, params, chunk }))
            },
            |encoder: &mut Encoder, mut item| {
                item.chunk.compress(encoder, item.params, &item.plain)?;
                Ok(item)
            },
            |Item { plain, chunk, .. }| {
                sink(chunk.chunk())?;
                spare.borrow_mut().push((plain, chunk));
                Ok(())
            },
        )?;
        Ok(input.position() - short.len() as u64)
    }
}

/// Returns the size of the chunks that are appended to a frame: `wanted`, rounded down to whole items, unless it has
/// chunks.
pub(super) fn chunk_size(header: &Header, wanted: Option<u32>) -> u32 {
    match (header.chunksize, wanted.unwrap_or(CHUNK_SIZE), header.typesize) {
        (ChunkSize::Fixed(size), ..) => size,
        (_, size, typesize) => match size / typesize * typesize {
            0 if typesize <= MAX_WHOLE_ITEM => typesize,
            0 => size.max(1),
            whole => whole,
        },
    }
}

/// Returns whether the last chunk of a frame has fewer than `chunk_size` bytes, and is filled up before others are
/// appended.
pub(super) fn has_short_chunk(header: &Header, chunk_size: u32) -> bool {
    matches!(header.chunksize, ChunkSize::Fixed(_)) && !header.nbytes.is_multiple_of(chunk_size.into())
}
