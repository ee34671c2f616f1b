//! Encodes one block.

use super::planes::{MAX_PLANES, PlaneBuffer};
use super::{CSIZE_LEN, RUN_TOKEN};
use crate::filter::{FilterError, Pipeline, Scratch};
use crate::kernels;
use crate::le::put_i32;
use crate::memory::OutOfMemory;
use crate::stream::StreamEncoder;

/// Encodes blocks with one codec. Tables and buffers are kept between blocks.
#[derive(Debug, Default)]
pub(crate) struct BlockEncoder {
    compressor: StreamEncoder,
    scratch: Scratch,
    planes: PlaneBuffer,
}

/// How a block is cut into streams, and how these may be stored.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Streams {
    /// Number of streams. It divides the length of the block.
    pub(crate) nstreams: usize,
    /// Whether a stream of equal bytes is stored as a run.
    pub(crate) has_runs: bool,
}

impl BlockEncoder {
    pub(crate) fn new(compressor: StreamEncoder) -> Self {
        BlockEncoder { compressor, scratch: Scratch::default(), planes: PlaneBuffer::default() }
    }

    /// Returns the bytes of tables and buffers.
    pub(crate) fn held(&self) -> usize {
        self.compressor.held() + self.scratch.held() + self.planes.held()
    }

    /// Replaces the compressor. Buffers are kept.
    pub(crate) fn set_compressor(&mut self, compressor: StreamEncoder) {
        self.compressor = compressor;
    }

    /// Returns the compressor without a dictionary.
    pub(crate) fn compressor(&self) -> &StreamEncoder {
        &self.compressor
    }

    /// Returns the compressor, to change what it expects.
    pub(crate) fn compressor_mut(&mut self) -> &mut StreamEncoder {
        &mut self.compressor
    }

    /// Encodes `block` into the start of `dst`. Returns the bytes written, or `None` if they do not fit.
    pub(crate) fn encode(
        &mut self,
        pipeline: &Pipeline<'_>,
        block: &[u8],
        reference: Option<&[u8]>,
        streams: Streams,
        dst: &mut [u8],
    ) -> Result<Option<usize>, FilterError> {
        let Streams { nstreams, .. } = streams;
        if (2..=MAX_PLANES).contains(&nstreams) && pipeline.is_shuffle(nstreams, block.len()) {
            let planes = self.planes.shuffle(nstreams, block)?;
            return Ok(encode_streams(&mut self.compressor, planes, streams, dst)?);
        }
        let filtered = pipeline.forward(block, reference, &mut self.scratch)?;
        let filtered = filtered.chunks_exact(block.len() / nstreams);
        Ok(encode_streams(&mut self.compressor, filtered, streams, dst)?)
    }

    /// Encodes a block of variable length as one payload without `csize`. A payload with the length of the block is
    /// stored uncompressed. `compress` is false at level 0.
    pub(crate) fn encode_payload(
        &mut self,
        pipeline: &Pipeline<'_>,
        block: &[u8],
        compress: bool,
        dst: &mut [u8],
    ) -> Result<Option<usize>, FilterError> {
        let filtered = pipeline.forward(block, None, &mut self.scratch)?;
        let compressor = compress.then_some(&mut self.compressor);
        Ok(encode_payload(compressor, filtered, 1, dst)?)
    }
}

/// Encodes the streams one after another. Returns the end of the last.
fn encode_streams<'a>(
    compressor: &mut StreamEncoder,
    plains: impl Iterator<Item = &'a [u8]>,
    streams: Streams,
    dst: &mut [u8],
) -> Result<Option<usize>, OutOfMemory> {
    let mut at = 0;
    for stream in plains {
        let Some(room) = dst.get_mut(at..) else { return Ok(None) };
        let Some(len) = encode_stream(compressor, stream, streams, room)? else { return Ok(None) };
        at += len;
    }
    Ok(Some(at))
}

/// Encodes one stream: its `csize`, then the compressed bytes. If they are not smaller, the stream itself is stored,
/// with `csize == neblock`. A run has a `csize` that is not positive, see [`Stored`](super::Stored).
fn encode_stream(
    compressor: &mut StreamEncoder,
    stream: &[u8],
    streams: Streams,
    dst: &mut [u8],
) -> Result<Option<usize>, OutOfMemory> {
    let Some((csize_at, dst)) = dst.split_at_mut_checked(CSIZE_LEN) else { return Ok(None) };
    if streams.has_runs && is_run(stream) {
        put_i32(csize_at, 0, -i32::from(stream[0]));
        if stream[0] == 0 {
            return Ok(Some(CSIZE_LEN));
        }
        let Some(token) = dst.first_mut() else { return Ok(None) };
        *token = RUN_TOKEN;
        return Ok(Some(CSIZE_LEN + 1));
    }
    let Some(csize) = encode_payload(Some(compressor), stream, streams.nstreams, dst)? else { return Ok(None) };
    let Ok(number) = i32::try_from(csize) else { return Ok(None) };
    put_i32(csize_at, 0, number);
    Ok(Some(CSIZE_LEN + csize))
}

/// Encodes the payload of one of the `nstreams` streams of a block: compressed, or unchanged if compression saves nothing.
fn encode_payload(
    compressor: Option<&mut StreamEncoder>,
    stream: &[u8],
    nstreams: usize,
    dst: &mut [u8],
) -> Result<Option<usize>, OutOfMemory> {
    let neblock = stream.len();
    // One byte less than the stream: if compression saves nothing, the stream is stored.
    let room = dst.len().min(neblock - 1);
    if let Some(compressor) = compressor
        && let Some(csize) = compressor.compress(stream, nstreams, &mut dst[..room])?
    {
        return Ok(Some(csize));
    }
    let Some(dst) = dst.get_mut(..neblock) else { return Ok(None) };
    kernels::copy(stream, dst);
    Ok(Some(neblock))
}

/// Returns whether all bytes are equal. Then the stream equals itself shifted by one byte, which is one fast
/// comparison.
fn is_run(stream: &[u8]) -> bool {
    match stream {
        [] => false,
        [first, .., last] if first != last => false,
        _ => stream[1..] == stream[..stream.len() - 1],
    }
}
