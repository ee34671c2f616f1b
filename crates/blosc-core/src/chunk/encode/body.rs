//! Writes the chunk after its header: block starts, dictionary, blocks.

use core::ops::Range;

use super::buffers::{Buffers, Worker};
use super::output::Output;
use crate::block::{BlockEncoder, CSIZE_LEN, Streams};
use crate::cancel::{self, Cancel};
use crate::codec::{MAX_DICT, train};
use crate::error::EncodeError;
use crate::filter::{BitShuffleRule, Context, Pipeline, Scratch};
use crate::format::ChunkFormat;
use crate::header::{Header, Special};
use crate::layout::BSTART_LEN;
use crate::le::put_i32;
use crate::memory::{self, OutOfMemory};
use crate::parallel::{self, Parallelism};
use crate::params::CParams;
use crate::registry::Registry;
use crate::stream::Dictionary;

/// Everything needed to encode the blocks of one chunk, looked up once.
pub(super) struct BodyPlan<'a> {
    params: &'a CParams,
    context: Context<'a>,
    forward: Pipeline<'a>,
    header_len: usize,
    blocksize: usize,
    /// Streams of every block except a short last one.
    nstreams: usize,
    has_runs: bool,
    cancel: Option<&'a Cancel>,
}

/// The result of writing the blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Written {
    /// Bytes of the chunk.
    pub(super) cbytes: usize,
    pub(super) has_dictionary: bool,
    /// Every stream is a run of zeros, so the chunk can be a special chunk of zeros.
    pub(super) all_zeros: bool,
}

impl Written {
    /// Completes the header of the chunk.
    pub(super) fn header(self, header: Header) -> Header {
        match self {
            Written { all_zeros: true, .. } => header.with_special(Special::Zeros),
            Written { cbytes, has_dictionary: true, .. } => header.with_dictionary().finish(cbytes),
            Written { cbytes, .. } => header.finish(cbytes),
        }
    }
}

/// The data of a chunk, block by block.
pub(super) trait Blocks {
    /// Returns the block of this range. Each block is asked for once, in order.
    fn block(&mut self, range: Range<usize>) -> Result<&[u8], OutOfMemory>;
}

impl Blocks for &[u8] {
    #[inline]
    fn block(&mut self, range: Range<usize>) -> Result<&[u8], OutOfMemory> {
        Ok(&self[range])
    }
}

impl<'a> BodyPlan<'a> {
    #[inline(always)]
    pub(super) fn new(
        params: &'a CParams,
        header: &Header,
        registry: &'a Registry,
        blockshape: &'a [usize],
        cancel: Option<&'a Cancel>,
    ) -> Result<Self, EncodeError> {
        let rule = match params.format {
            ChunkFormat::Blosc1 => BitShuffleRule::Blosc1,
            ChunkFormat::Blosc2 => BitShuffleRule::Blosc2,
        };
        let typesize = params.machine_typesize();
        let context = Context { typesize, rule, registry, blockshape, channels: Some(typesize) };
        Ok(BodyPlan {
            params,
            context,
            forward: Pipeline::forward_of(&params.filters, context)?,
            header_len: header.len(),
            blocksize: header.blocksize(),
            nstreams: if header.is_split() { typesize } else { 1 },
            has_runs: params.format == ChunkFormat::Blosc2,
            cancel,
        })
    }

    /// Called between two blocks: returns an error if the caller has cancelled compression.
    pub(super) fn check_cancel(&self) -> Result<(), EncodeError> {
        Ok(cancel::check(self.cancel)?)
    }

    pub(super) fn forward(&self) -> &Pipeline<'a> {
        &self.forward
    }

    /// Writes room for the header, then tables and blocks. Returns `None` if they do not fit.
    pub(super) fn write(
        &self,
        Buffers { own, others, .. }: &mut Buffers,
        src: &[u8],
        parallelism: Parallelism,
        out: &mut Output<'_>,
    ) -> Result<Option<Written>, EncodeError> {
        let nblocks = self.nblocks(src.len());
        if !self.skip_tables(nblocks, out) {
            return Ok(None);
        }
        let reference = self.reference(src)?;
        let reference = reference.as_deref();
        let is_parallel = parallelism.applies(src.len(), nblocks);
        if self.params.dictionary
            && let Some(learned) = self.dictionary(src.chunks(self.blocksize), src.len(), reference)?
        {
            if !learned.put(out) {
                return Ok(None);
            }
            let (mut own, mut others) = (Worker::new(learned.encoder(&own.encoder)?), Vec::new());
            let written = self.write_blocks((&mut own, &mut others), src, reference, is_parallel, out)?;
            return Ok(written.map(|written| Written { has_dictionary: true, ..written }));
        }
        self.write_blocks((own, others), src, reference, is_parallel, out)
    }

    /// Writes the blocks. Returns `None` if they do not fit.
    fn write_blocks(
        &self,
        (own, others): (&mut Worker, &mut Vec<Worker>),
        src: &[u8],
        reference: Option<&[u8]>,
        is_parallel: bool,
        out: &mut Output<'_>,
    ) -> Result<Option<Written>, EncodeError> {
        let start = out.len();
        let fit = if is_parallel {
            self.write_parallel(own, others, src, reference, out)?
        } else {
            self.write_serial(&mut own.encoder, src.len(), &mut &*src, reference, out)?
        };
        Ok(fit.then(|| self.written(src.len(), start, out)))
    }

    /// Writes room for the header, then the table and the blocks, on this thread, and without a dictionary or a
    /// reference. Returns `None` if they do not fit.
    pub(super) fn write_from(
        &self,
        encoder: &mut BlockEncoder,
        nbytes: usize,
        blocks: &mut impl Blocks,
        out: &mut Output<'_>,
    ) -> Result<Option<Written>, EncodeError> {
        if !self.skip_tables(self.nblocks(nbytes), out) {
            return Ok(None);
        }
        let start = out.len();
        let fit = self.write_serial(encoder, nbytes, blocks, None, out)?;
        Ok(fit.then(|| self.written(nbytes, start, out)))
    }

    fn nblocks(&self, nbytes: usize) -> usize {
        if nbytes <= self.blocksize { 1 } else { nbytes.div_ceil(self.blocksize) }
    }

    /// Leaves room for the header and the table of block starts. Returns `false` if they do not fit.
    fn skip_tables(&self, nblocks: usize, out: &mut Output<'_>) -> bool {
        // With forced blocks of one byte, the size of the table may overflow 32 bits.
        out.skip(self.header_len.saturating_add(nblocks.saturating_mul(BSTART_LEN)))
    }

    /// Describes what was written. The blocks begin at `start`.
    fn written(&self, nbytes: usize, start: usize, out: &Output<'_>) -> Written {
        let nstreams = nbytes / self.blocksize * self.nstreams + usize::from(!nbytes.is_multiple_of(self.blocksize));
        Written {
            cbytes: out.len(),
            has_dictionary: false,
            all_zeros: self.has_runs && out.len() - start == nstreams * CSIZE_LEN,
        }
    }

    /// Writes the blocks one after another. Returns `false` if they do not fit.
    fn write_serial(
        &self,
        encoder: &mut BlockEncoder,
        nbytes: usize,
        blocks: &mut impl Blocks,
        reference: Option<&[u8]>,
        out: &mut Output<'_>,
    ) -> Result<bool, EncodeError> {
        for (index, start) in (0..nbytes).step_by(self.blocksize).enumerate() {
            let block = blocks.block(start..nbytes.min(start + self.blocksize))?;
            let start = out.len();
            self.put_bstart(out, index, start);
            let room = out.room(self.max_cbytes(block))?;
            match self.encode(encoder, index, block, reference, room)? {
                Some(len) => out.advance(len),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Writes the same bytes, but encodes the blocks on several threads and then puts them in order.
    fn write_parallel(
        &self,
        own: &mut Worker,
        others: &mut Vec<Worker>,
        src: &[u8],
        reference: Option<&[u8]>,
        out: &mut Output<'_>,
    ) -> Result<bool, EncodeError> {
        let nblocks = src.len().div_ceil(self.blocksize);
        let another = |own: &Worker| -> Result<_, EncodeError> {
            Ok(Worker::new(BlockEncoder::new(own.encoder.compressor().fresh()?)))
        };
        let mut team = parallel::team(own, others, nblocks, another)?;
        team.iter_mut().for_each(|worker| worker.written.clear());
        let shared = parallel::share(&mut team, src.chunks(self.blocksize).enumerate(), |worker, (index, block)| {
            let start = worker.written.last().map_or(0, |(_, range)| range.end);
            let most = self.max_cbytes(block);
            if worker.out.len() < start + most {
                memory::resize(&mut worker.out, start + most, 0).map_err(EncodeError::from).map_err(Some)?;
            }
            let out = &mut worker.out[start..start + most];
            let len = self.encode(&mut worker.encoder, index, block, reference, out).map_err(Some)?.ok_or(None)?;
            memory::push(&mut worker.written, (index, start..start + len)).map_err(EncodeError::from).map_err(Some)?;
            Ok(())
        });
        match shared {
            Ok(()) => {}
            Err(None) => return Ok(false),
            Err(Some(error)) => return Err(error),
        }
        let mut blocks: Vec<&[u8]> = Vec::new();
        memory::resize(&mut blocks, nblocks, &[][..])?;
        for worker in &team {
            for (index, range) in &worker.written {
                blocks[*index] = &worker.out[range.clone()];
            }
        }
        let mut start = out.len();
        if !out.append_parallel(&blocks) {
            return Ok(false);
        }
        for (index, block) in blocks.into_iter().enumerate() {
            self.put_bstart(out, index, start);
            start += block.len();
        }
        Ok(true)
    }

    fn encode(
        &self,
        encoder: &mut BlockEncoder,
        index: usize,
        block: &[u8],
        reference: Option<&[u8]>,
        dst: &mut [u8],
    ) -> Result<Option<usize>, EncodeError> {
        self.check_cancel()?;
        let reference = reference.filter(|_| index > 0);
        Ok(encoder.encode(&self.forward, block, reference, self.streams(block), dst)?)
    }

    /// The short last block is never split.
    fn streams(&self, block: &[u8]) -> Streams {
        let nstreams = if block.len() == self.blocksize { self.nstreams } else { 1 };
        Streams { nstreams, has_runs: self.has_runs }
    }

    /// Returns the maximum size of an encoded block: every stream stored.
    fn max_cbytes(&self, block: &[u8]) -> usize {
        block.len() + self.streams(block).nstreams * CSIZE_LEN
    }

    /// Returns the first block as a decoder will see it, if the other blocks are filtered against it. C-Blosc2 uses the
    /// block as it was before a lossy filter cleared bits, and reads back other data than it wrote.
    fn reference(&self, src: &[u8]) -> Result<Option<Vec<u8>>, EncodeError> {
        let mut first = match src.chunks(self.blocksize).next() {
            Some(first) if self.forward.has_delta() => memory::copy_of(first)?,
            _ => return Ok(None),
        };
        if self.forward.may_be_lossy() {
            let mut scratch = Scratch::default();
            let filtered = memory::copy_of(self.forward.forward(&first, None, &mut scratch)?)?;
            let backward = Pipeline::backward_of(&self.params.filters, self.context)?;
            backward.backward(&filtered, None, &mut scratch, &mut first)?;
        }
        Ok(Some(first))
    }

    /// Trains a dictionary on the blocks, if the parameters ask for one and there is enough data. `nbytes` is the total
    /// length of the blocks.
    pub(super) fn dictionary<'b>(
        &self,
        blocks: impl ExactSizeIterator<Item = &'b [u8]>,
        nbytes: usize,
        reference: Option<&[u8]>,
    ) -> Result<Option<Learned>, EncodeError> {
        // As in C-Blosc2: at most a twentieth of the data, and none below 256 bytes.
        let max = (nbytes / 20).min(MAX_DICT);
        if !self.params.dictionary || max < MIN_DICTIONARY {
            return Ok(None);
        }
        let step = nbytes.div_ceil(MAX_SAMPLES);
        let mut scratch = Scratch::default();
        let (mut samples, mut nstreams) = (Vec::new(), 0);
        for (index, block) in blocks.enumerate().step_by(step) {
            self.check_cancel()?;
            let reference = reference.filter(|_| index > 0);
            memory::extend(&mut samples, self.forward.forward(block, reference, &mut scratch)?)?;
            nstreams += self.streams(block).nstreams;
        }
        let CParams { codec, clevel, .. } = *self.params;
        let stream_len = samples.len() / nstreams.max(1);
        let Some(bytes) = train(codec.format(), &samples, stream_len, max)? else { return Ok(None) };
        let prepared = Dictionary::new(codec, clevel, &bytes)?;
        Ok(prepared.map(|prepared| Learned { bytes, prepared, stream_len }))
    }

    /// Writes the start of block `index` to the table.
    pub(super) fn put_bstart(&self, out: &mut Output<'_>, index: usize, start: usize) {
        // A chunk that fits is smaller than i32::MAX.
        put_i32(out.tables(), self.header_len + index * BSTART_LEN, start as i32);
    }
}

/// Approximate number of bytes in the blocks that are filtered for training.
const MAX_SAMPLES: usize = 2 << 20;
const MIN_DICTIONARY: usize = 256;

/// A dictionary, and the mean stream length of the blocks it was trained on.
pub(super) struct Learned {
    bytes: Vec<u8>,
    prepared: Dictionary,
    stream_len: usize,
}

impl Learned {
    /// Writes the size of the dictionary and the dictionary. Returns `false` if they do not fit.
    pub(super) fn put(&self, out: &mut Output<'_>) -> bool {
        // At most MAX_DICT.
        let dsize = (self.bytes.len() as i32).to_le_bytes();
        out.append(&dsize) && out.append(&self.bytes)
    }

    /// Creates an encoder that uses the dictionary.
    pub(super) fn encoder(&self, plain: &BlockEncoder) -> Result<BlockEncoder, EncodeError> {
        Ok(BlockEncoder::new(plain.compressor().with_dictionary(&self.prepared, self.stream_len)?))
    }
}
