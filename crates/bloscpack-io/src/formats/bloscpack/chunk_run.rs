//! Compresses a run of chunks: reads them, compresses and digests on all threads, and writes in order.

use std::cell::RefCell;
use std::io::{Read, Write};

use blosc_core::{Auto, CParams, Encoder, memory};
use bloscpack_format::checksum::{Checksum, Digest};

use crate::choice::Choice;
use crate::options::{Event, Observer};
use crate::run::chunk_buffer::ChunkBuffer;
use crate::run::pipeline;
use crate::source::counting::CountingReader;
use crate::{Cancel, Error, Threads};

/// Parameters for compressing one run of chunks.
pub(crate) struct ChunkRun<'a> {
    pub(crate) params: CParams,
    /// The choice for each chunk instead.
    pub(crate) auto: Option<Auto>,
    pub(crate) checksum: Checksum,
    /// Uncompressed size of a chunk in bytes, at least 1.
    pub(crate) chunk_size: u32,
    /// Number of bytes of the input, if it is known.
    pub(crate) size: Option<u64>,
    pub(crate) threads: &'a Threads,
    pub(crate) cancel: &'a Cancel,
    pub(crate) observer: &'a Observer,
}

/// The result of a run.
#[derive(Debug, Default)]
pub(crate) struct Packed {
    pub(crate) nbytes: u64,
    /// Number of bytes written, digests included.
    pub(crate) written: u64,
    /// Offset of each chunk from the start of the run.
    pub(crate) starts: Vec<u64>,
    /// The typesize of the first chunk, if it was chosen for the data.
    pub(crate) typesize: Option<u8>,
}

impl Packed {
    /// Returns the entries of the offsets section for a run that starts at offset `first_chunk` of the file.
    pub(crate) fn offsets(&self, first_chunk: u64) -> Vec<i64> {
        self.starts.iter().map(|start| (first_chunk + start).cast_signed()).collect()
    }
}

/// A compressed chunk that is written next.
pub(crate) struct Written<'a> {
    /// Whether it is the last chunk.
    pub(crate) last: bool,
    /// Uncompressed size in bytes.
    pub(crate) nbytes: u64,
    pub(crate) chunk: &'a [u8],
    pub(crate) digest: &'a Digest,
}

impl Packed {
    /// Writes a chunk and its digest after the chunks before it.
    pub(crate) fn write(
        &mut self,
        next: &Written<'_>,
        output: &mut impl Write,
        observer: &Observer,
    ) -> Result<(), Error> {
        let Written { last, nbytes, chunk: bytes, digest } = *next;
        let chunk = self.starts.len() as u64;
        let written = output.write_all(bytes).and_then(|()| output.write_all(digest.as_ref()));
        written.map_err(Error::writing)?;
        memory::push(&mut self.starts, self.written)?;
        self.written += (bytes.len() + digest.as_ref().len()) as u64;
        self.nbytes += nbytes;
        observer.tell(Event::Chunk { chunk, last, nbytes, cbytes: bytes.len() as u64, digest });
        Ok(())
    }
}

/// A chunk in the pipeline. Both buffers are reused.
struct Work {
    last: bool,
    params: CParams,
    plain: Vec<u8>,
    chunk: ChunkBuffer,
    digest: Digest,
}

impl ChunkRun<'_> {
    /// Packs `input` to `output`. An empty input becomes one empty chunk.
    pub(crate) fn run(&self, input: impl Read, output: &mut impl Write) -> Result<Packed, Error> {
        let mut packed = Packed::default();
        self.extend(&mut packed, &mut self.choice(), input, output, true)?;
        Ok(packed)
    }

    /// Returns the parameters of the first chunk, and of those after it.
    pub(crate) fn choice(&self) -> Choice {
        Choice::new(self.params, self.auto)
    }

    /// Packs `input` after the chunks in `packed`, for which `choice` was used. All parts but the last, which has `is_end`, must consist of whole
    /// chunks.
    pub(crate) fn extend(
        &self,
        packed: &mut Packed,
        choice: &mut Choice,
        input: impl Read,
        output: &mut impl Write,
        is_end: bool,
    ) -> Result<(), Error> {
        let mut input = CountingReader::new(input);
        let nchunks = self.size.map(|size| size / u64::from(self.chunk_size));
        let parallelism = self.threads.for_blocks(nchunks);
        let encoder = || Ok(Encoder::new(self.params)?.parallelism(parallelism).cancel(self.cancel.clone()));
        let spare = RefCell::new(Vec::new());
        let (mut number, mut ended, mut typesize) = (packed.starts.len() as u64, false, packed.typesize);
        pipeline::run(
            self.threads,
            self.cancel,
            encoder,
            || {
                if ended {
                    return Ok(None);
                }
                let (mut plain, mut chunk): (Vec<u8>, ChunkBuffer) = spare.borrow_mut().pop().unwrap_or_default();
                ended = self.read_chunk(&mut input, &mut plain)?;
                if plain.is_empty() && number > 0 {
                    return Ok(None);
                }
                if number == 0 {
                    // Before the choice, which leaves memory that would have to be zeroed.
                    chunk.make_room(plain.len())?;
                }
                let params = choice.next(number, &plain, (self.observer, self.cancel))?;
                if number == 0 && choice.is_auto() {
                    typesize = u8::try_from(params.get_typesize()).ok();
                }
                number += 1;
                let digest = Checksum::None.digest(&[]);
                Ok(Some(Work { last: ended && is_end, params, plain, chunk, digest }))
            },
            |encoder: &mut Encoder, mut work| {
                work.chunk.compress(encoder, work.params, &work.plain)?;
                work.digest = self.checksum.digest(work.chunk.chunk());
                Ok(work)
            },
            |Work { last, plain, chunk, digest, .. }| {
                let written = Written { last, nbytes: plain.len() as u64, chunk: chunk.chunk(), digest: &digest };
                packed.write(&written, output, self.observer)?;
                spare.borrow_mut().push((plain, chunk));
                Ok(())
            },
        )?;
        packed.typesize = typesize;
        Ok(())
    }

    /// Reads the plain bytes of the next chunk. Returns whether it is known to be the last.
    fn read_chunk(&self, input: &mut CountingReader<impl Read>, plain: &mut Vec<u8>) -> Result<bool, Error> {
        let position = input.position();
        let left = self.size.map_or(u64::MAX, |size| size - position);
        let wanted = left.min(u64::from(self.chunk_size));
        let found = input.replace(wanted, plain)?;
        let Some(expected) = self.size else { return Ok(found < wanted) };
        let is_end = found == left;
        // An input that goes on after its size would be cut off silently.
        if found < wanted || is_end && input.fill(&mut [0])? > 0 {
            return Err(Error::InputChanged { expected, found: input.position() });
        }
        Ok(is_end)
    }
}
