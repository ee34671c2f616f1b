//! A stream of bytes as chunks of a frame: read, compressed on all threads, written in order.

use std::io::Read;

use blosc_core::{Encoder, max_cbytes, memory};
use bloscpack_format::frame::{ChunkInfo, ChunkSize, NewChunk};

use super::store::FrameStore;
use super::writer::FrameWriter;
use crate::run::pipeline::{self, Weight};
use crate::source::counted::Counted;
use crate::{Cancel, Error, Threads};

/// Plain bytes of a chunk unless somebody says otherwise.
const CHUNK_SIZE: u32 = 1 << 20;
/// Items of more bytes are cut: nobody has asked for chunks that large, but who made the frame, or what it was made of.
const MAX_WHOLE_ITEM: u32 = 32 << 20;

impl<S: FrameStore> FrameWriter<S> {
    /// Appends all that `input` gives, in chunks of the frame's size; a last chunk that is short is filled up first.
    /// `chunk_size` counts where the frame has none yet, is rounded down to items of up to 32 MiB, and is 1 MiB if `None`.
    /// How many bytes there were.
    ///
    /// # Errors
    /// As [`FrameWriter::append`]; [`Error::Io`]; [`Error::Cancelled`].
    pub fn append_stream(
        &mut self,
        input: impl Read,
        chunk_size: Option<u32>,
        threads: &Threads,
        cancel: &Cancel,
    ) -> Result<u64, Error> {
        let header = &self.frame()?.header;
        let (nchunks, typesize) = (self.frame()?.nchunks(), header.typesize);
        let whole_items = |size: u32| match size / typesize * typesize {
            0 if typesize <= MAX_WHOLE_ITEM => typesize,
            0 => size.max(1),
            whole => whole,
        };
        let chunk_size = match header.chunksize {
            ChunkSize::Fixed(size) => size,
            ChunkSize::Variable | ChunkSize::Unset => whole_items(chunk_size.unwrap_or(CHUNK_SIZE)),
        };
        let short = match (header.chunksize, header.nbytes % u64::from(chunk_size)) {
            (ChunkSize::Fixed(_), short) if short > 0 => self.chunk(nchunks - 1)?,
            _ => Vec::new(),
        };
        // A chunk that is filled up is the first of those that come.
        let mut replaced = (!short.is_empty()).then(|| nchunks - 1);
        let mut input = Counted::new(short.as_slice().chain(input));
        let (params, blockshape, limits) = (self.cparams()?, self.blockshape(), self.limits);
        // What is less than an item would be stored as it is.
        let params = if chunk_size < typesize { params.typesize(1) } else { params };
        let mut first = true;
        self.all_or_none(|this| {
            pipeline::run_within(
                (&limits, &|plain: &Vec<u8>| Weight::of_new_chunk(plain.len() as u64, 0, threads, &limits)),
                threads,
                cancel,
                || Ok(Encoder::new(params)?.blockshape(&blockshape).cancel(cancel.clone())),
                || {
                    let mut plain = Vec::new();
                    input.append(chunk_size.into(), &mut plain)?;
                    // A short chunk to which nothing is added stays as it is.
                    let unchanged = std::mem::take(&mut first) && plain.len() == short.len();
                    Ok((!plain.is_empty() && !unchanged).then_some(plain))
                },
                |encoder: &mut Encoder, plain: Vec<u8>| {
                    let mut chunk = memory::zeroed(max_cbytes(plain.len()))?;
                    let cbytes = encoder.compress_into(&plain, &mut chunk)?;
                    chunk.truncate(cbytes);
                    Ok(chunk)
                },
                |chunk: Vec<u8>| match replaced.take() {
                    Some(last) => this.update_chunk(last, &chunk),
                    None => this.append_made(&chunk),
                },
            )
        })?;
        Ok(input.position() - short.len() as u64)
    }

    /// [`append_chunk`](Self::append_chunk) of a chunk that was just made, and need not be looked into.
    fn append_made(&mut self, chunk: &[u8]) -> Result<(), Error> {
        let info = ChunkInfo::parse(chunk)?;
        self.check_kind(self.frame()?.nchunks(), info)?;
        let place = self.with(|edit| edit.append(NewChunk::Stored(info)))?;
        self.write(place, chunk)
    }
}
