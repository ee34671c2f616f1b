//! Compresses a sample with a candidate.

use super::arrangement::Arrangement;
use super::candidate::Candidate;
use super::effort::Effort;
use crate::block::{BlockEncoder, Streams};
use crate::error::EncodeError;
use crate::filter::{BitShuffleRule, Context, Filter, FilterPipeline, Pipeline};
use crate::format::ChunkFormat;
use crate::layout::tuning;
use crate::memory;
use crate::params::CParams;
use crate::registry::Registry;
use crate::stream::StreamEncoder;

/// Compresses samples, and keeps the tables of each codec.
#[derive(Debug, Default)]
pub(super) struct Trials {
    encoders: Vec<BlockEncoder>,
    registry: Registry,
    output: Vec<u8>,
}

/// Returns the filters without those for blocks of an array: a sample has no such block.
fn without_array_filters(filters: FilterPipeline) -> FilterPipeline {
    let is_kept = |filter: &Filter| !matches!(filter, Filter::NdCell(_) | Filter::NdMean(_));
    let kept = filters.as_slice().iter().copied().filter(is_kept);
    FilterPipeline::try_from_iter(kept).unwrap_or(filters)
}

/// Bytes of a stream besides its content: its size and the description of its codes. They weigh more in a sample than in
/// a block, whose streams are longer.
const PER_STREAM: usize = 100;

impl Trials {
    /// Compresses the sample of a buffer of `len` bytes. The sample is one block.
    pub(super) fn run(
        &mut self,
        arrangement: &Arrangement,
        params: CParams,
        effort: &Effort,
        sample: &[u8],
        len: usize,
    ) -> Result<Candidate, EncodeError> {
        let typesize = params.machine_typesize();
        let block = tuning::blocksize(&params, len);
        let is_split = tuning::is_split(&params, typesize, block) && sample.len() >= typesize;
        let nstreams = if is_split { typesize } else { 1 };
        let cbytes = match params.clevel {
            0 => sample.len(),
            _ => self.compress(&params, nstreams, block / nstreams, sample)?,
        };
        // In a chunk, the fixed costs are spread over a whole block.
        let spared = PER_STREAM * nstreams * block.saturating_sub(sample.len()) / block.max(1);
        // Streams that are stored have no codes.
        let is_stored = cbytes >= sample.len() - sample.len() / 32;
        let cbytes = if is_stored { cbytes } else { cbytes - spared.min(cbytes / 5) };
        let csize = (cbytes as f64 / sample.len().max(1) as f64).min(1.0);
        let (compress, decompress) = effort.speeds(arrangement.order(), csize);
        Ok(Candidate { params, ratio: 1.0 / csize.max(1e-6), compress, decompress })
    }

    /// Returns the compressed size of the sample, with tables as for streams of `stream_len` bytes.
    fn compress(
        &mut self,
        params: &CParams,
        nstreams: usize,
        stream_len: usize,
        sample: &[u8],
    ) -> Result<usize, EncodeError> {
        let whole = sample.len() / nstreams * nstreams;
        let (block, rest) = sample.split_at(whole);
        if block.is_empty() {
            return Ok(rest.len());
        }
        let equal = self.encoders.iter().position(|encoder| encoder.compressor().is_for(params));
        let mut similar = || self.encoders.iter_mut().position(|encoder| encoder.compressor_mut().adapt(params));
        let index = match equal.or_else(&mut similar) {
            Some(index) => index,
            None => {
                memory::push(&mut self.encoders, BlockEncoder::new(StreamEncoder::new(params, &self.registry)?))?;
                self.encoders.len() - 1
            }
        };
        let encoder = &mut self.encoders[index];
        encoder.compressor_mut().samples_of(stream_len);
        let rule = match params.format {
            ChunkFormat::Blosc1 => BitShuffleRule::Blosc1,
            ChunkFormat::Blosc2 => BitShuffleRule::Blosc2,
        };
        let typesize = params.machine_typesize();
        let context = Context { typesize, rule, registry: &self.registry, blockshape: &[], channels: Some(typesize) };
        let pipeline = Pipeline::forward_of(&without_array_filters(params.filters), context)?;
        let streams = Streams { nstreams, has_runs: params.format == ChunkFormat::Blosc2 };
        let output = memory::at_least(&mut self.output, block.len() + 4 * nstreams)?;
        let written = encoder.encode(&pipeline, block, None, streams, output)?;
        Ok(written.unwrap_or(block.len()) + rest.len())
    }
}
