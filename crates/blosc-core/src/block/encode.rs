//! Encoding one block.

use super::CSIZE_LEN;
use crate::codec::Compressor;
use crate::filter;
use crate::le::put_i32;
use crate::params::CParams;
use crate::{EncodeError, Filter};

/// Encodes blocks with one set of parameters, keeping tables and buffers from block to block.
#[derive(Debug)]
pub(crate) struct BlockEncoder {
    compressor: Compressor,
    filtered: Vec<u8>,
}

impl BlockEncoder {
    pub(crate) fn new(params: &CParams) -> Result<Self, EncodeError> {
        Ok(BlockEncoder { compressor: Compressor::new(params.codec, params.clevel)?, filtered: Vec::new() })
    }

    /// Encodes `block` as `nstreams` streams to the start of `dst`: the bytes written, or `None` where they do not
    /// fit. `nstreams` divides the length of the block.
    pub(crate) fn encode(
        &mut self,
        filter: Option<Filter>,
        typesize: usize,
        block: &[u8],
        nstreams: usize,
        dst: &mut [u8],
    ) -> Option<usize> {
        let filtered = match filter {
            None => block,
            Some(filter) => {
                if self.filtered.len() < block.len() {
                    self.filtered.resize(block.len(), 0);
                }
                let filtered = &mut self.filtered[..block.len()];
                filter::forward(filter, typesize, block, filtered);
                filtered
            }
        };
        let mut at = 0;
        for stream in filtered.chunks_exact(block.len() / nstreams) {
            at += encode_stream(&mut self.compressor, stream, dst.get_mut(at..)?)?;
        }
        Some(at)
    }
}

/// `csize`, then the stream compressed, or as it is where that is not larger: `csize == neblock` says so.
fn encode_stream(compressor: &mut Compressor, stream: &[u8], dst: &mut [u8]) -> Option<usize> {
    let neblock = stream.len();
    let (csize_at, dst) = dst.split_at_mut_checked(CSIZE_LEN)?;
    // One byte less than the stream: what does not save anything is stored.
    let room = dst.len().min(neblock - 1);
    let csize = match compressor.compress(stream, &mut dst[..room]) {
        Some(csize) => csize,
        None => {
            dst.get_mut(..neblock)?.copy_from_slice(stream);
            neblock
        }
    };
    put_i32(csize_at, 0, i32::try_from(csize).ok()?);
    Some(CSIZE_LEN + csize)
}
